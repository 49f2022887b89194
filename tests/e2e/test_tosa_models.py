"""Models in TOSA: element-wise regions run on the machine, everything else in IREE on the host."""

import re
import shutil
import subprocess
import sys
import zipfile

import ml_dtypes  # noqa: F401 - NumPy then knows its types by name
import numpy as np
import pytest

import hwc
from hwc.cli.main import main
from hwc.errors import SourceError, UserError

MODEL = """\
func.func @main(%x: tensor<?x4x4x3xf32>, %b: tensor<1x1x1x3xf32>)
    -> (tensor<?x4x4x3xf32>, tensor<?x1x4x3xf32>) {
  %0 = tosa.add %x, %b : (tensor<?x4x4x3xf32>, tensor<1x1x1x3xf32>) -> tensor<?x4x4x3xf32>
  %1 = tosa.abs %0 : (tensor<?x4x4x3xf32>) -> tensor<?x4x4x3xf32>
  %2 = tosa.reduce_sum %1 {axis = 1 : i32} : (tensor<?x4x4x3xf32>) -> tensor<?x1x4x3xf32>
  %c = "tosa.const"() <{values = dense<0.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %3 = tosa.maximum %2, %c : (tensor<?x1x4x3xf32>, tensor<1x1x1x1xf32>) -> tensor<?x1x4x3xf32>
  return %1, %3 : tensor<?x4x4x3xf32>, tensor<?x1x4x3xf32>
}
"""


def reference(x, b):
    inner = np.abs(x + b)
    return inner, np.maximum(inner.sum(1, keepdims=True), np.float32(0.5))


def where(result):
    return ["host" if step.counters is None else "machine" for step in result.steps]


def data(*shape):
    return np.random.default_rng(shape[0]).standard_normal(shape).astype(np.float32)


@pytest.fixture(scope="module")
def program():
    return hwc.compile(MODEL)


@pytest.mark.parametrize("batch", [1, 2, 5, 7, 16])
def test_one_package_for_every_size(program, batch):
    x, b = data(batch, 4, 4, 3), data(1, 1, 1, 3)
    result = program(x, b)
    inner, outer = reference(x, b)
    np.testing.assert_array_equal(result.outputs[0], inner)
    np.testing.assert_allclose(result.outputs[1], outer, rtol=1e-6)
    assert where(result) == ["machine", "host", "machine"]


def test_sizes_that_do_not_fit(program):
    with pytest.raises(hwc.DispatchError, match="dimension 1: got size 5, expected 4"):
        program(data(1, 5, 4, 3), data(1, 1, 1, 3))


def test_what_runs_where(tmp_path, capsys):
    path, package = tmp_path / "m.mlir", tmp_path / "m.hwx"
    path.write_text(MODEL)
    assert main(["compile", str(path), "-o", str(package), "--report"]) == 0
    summary = [
        "3 of 4 nodes on the machine, in 2 regions",
        "arithmetic on the machine: 69.2 % (108 of 156 operations for each s0)",
        "a call copies 3 values to the machine, and 2 back to the host",
        "1 of 4 nodes on the host",
        "      1  reduce_sum: it reduces a dimension",
    ]
    told, _, table = capsys.readouterr().err.partition("\n\n")
    assert told.splitlines() == summary and len(table.splitlines()) == 1 + 4
    first = package.read_bytes()
    options = ["--keep-on-host", "abs", "--min-ops", "2", "--report"]
    assert main(["compile", str(path), "-o", str(package)]) == 0
    assert capsys.readouterr().err.splitlines() == summary
    assert package.read_bytes() == first
    assert main(["compile", str(path), "-o", str(package), *options]) == 0
    err = capsys.readouterr().err
    assert err.endswith("m.mlir: warning: no part of the model runs on the machine\n")
    assert err.startswith(
        "0 of 4 nodes on the machine, in 0 regions\n"
        "arithmetic on the machine: 0.0 % (0 of 156 operations for each s0)\n"
        "a call copies 0 values to the machine, and 0 back to the host\n"
        "4 of 4 nodes on the host\n"
        "      1  abs: it is kept on the host by request\n"
        "      1  add: its region has fewer than 2 operators\n"
        "      1  maximum: its region has fewer than 2 operators\n"
        "      1  reduce_sum: it reduces a dimension\n"
    )
    x, b = data(3, 4, 4, 3), data(1, 1, 1, 3)
    for got, expected in zip(hwc.load(package)(x, b).outputs, reference(x, b), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_a_program_for_the_machine_alone_may_be_cut(tmp_path):
    path, package = tmp_path / "m.mlir", tmp_path / "m.hwx"
    path.write_text(
        "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
        "  %0 = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>\n"
        "  %1 = tosa.ceil %0 : (tensor<?xf32>) -> tensor<?xf32>\n"
        "  return %1 : tensor<?xf32>\n}\n"
    )
    assert main(["compile", str(path), "-o", str(package), "--keep-on-host", "ceil"]) == 0
    loaded = hwc.load(package)
    assert [step.kind for step in loaded.package.steps] == ["machine", "host"]
    (got,) = loaded(np.array([-1.5, 2.25], np.float32)).outputs
    assert got.tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("mlir", "dtype"),
    [("bf16", "bfloat16"), ("f8E4M3FN", "float8_e4m3fn"), ("f8E5M2", "float8_e5m2")],
)
def test_types_that_numpy_lacks_pass_through_iree(mlir, dtype):
    wide = "tensor<?xf32>"
    program = hwc.compile(f"""\
func.func @main(%x: tensor<?x{mlir}>) -> (tensor<?x{mlir}>, {wide}) {{
  %0 = tosa.reverse %x {{axis = 0 : i32}} : (tensor<?x{mlir}>) -> tensor<?x{mlir}>
  %1 = tosa.cast %0 : (tensor<?x{mlir}>) -> {wide}
  return %0, %1 : tensor<?x{mlir}>, {wide}
}}
""")
    assert [step.kind for step in program.package.steps] == ["host", "machine"]
    x = np.array([1.5, -2, 3, 0.25]).astype(dtype)
    for given in (x, x.view(f"V{x.itemsize}")):
        turned, numbers = program(given).outputs
        assert turned.tobytes() == x[::-1].tobytes()
        np.testing.assert_array_equal(numbers, x[::-1].astype(np.float32))


def test_names_of_sizes():
    text = (
        MODEL.replace(
            "%x: tensor<?x4x4x3xf32>", '%x: tensor<?x4x4x3xf32> {hwc.symbols = ["n", "", "", ""]}'
        )
        .replace(
            "%b: tensor<1x1x1x3xf32>", '%b: tensor<?x1x1x3xf32> {hwc.symbols = ["n", "", "", ""]}'
        )
        .replace(
            "(tensor<?x4x4x3xf32>, tensor<1x1x1x3xf32>)",
            "(tensor<?x4x4x3xf32>, tensor<?x1x1x3xf32>)",
        )
    )
    named = hwc.compile(text)
    assert named(data(2, 4, 4, 3), data(2, 1, 1, 3)).outputs[0].shape == (2, 4, 4, 3)
    with pytest.raises(hwc.DispatchError, match="both are called 'n'"):
        named(data(2, 4, 4, 3), data(1, 1, 1, 3))


def test_results_that_no_operator_computes():
    text = """\
func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x1xi32>, tensor<2x1xi32>,
                                         tensor<2xi8>) {
  %0 = tosa.reduce_max %x {axis = 1 : i32} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %c = "tosa.const"() <{values = dense<[3, -4]> : tensor<2xi8>}> : () -> tensor<2xi8>
  return %x, %0, %0, %c : tensor<2x3xi32>, tensor<2x1xi32>, tensor<2x1xi32>, tensor<2xi8>
}
"""
    x = np.array([[1, 5, 2], [-7, -9, -8]], np.int32)
    argument, one, other, constant = hwc.compile(text)(x).outputs
    assert argument.tolist() == x.tolist()
    assert one.tolist() == other.tolist() == [[5], [-7]]
    assert constant.tolist() == [3, -4]


def test_constants_are_computed_where_they_are_read():
    """Converting a constant costs neither the machine nor the host anything."""
    text = """\
func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x3xf32> {
  %w = "tosa.const"() <{values = dense<0.5> : tensor<3x1x1x2xf16>}> : () -> tensor<3x1x1x2xf16>
  %w32 = tosa.cast %w : (tensor<3x1x1x2xf16>) -> tensor<3x1x1x2xf32>
  %b = "tosa.const"() <{values = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>}> : () -> tensor<3xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w32, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>,
      pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x4x4x2xf32>, tensor<3x1x1x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>)
      -> tensor<1x4x4x3xf32>
  %1 = tosa.sigmoid %0 : (tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  return %1 : tensor<1x4x4x3xf32>
}
"""
    x = data(1, 4, 4, 2)
    result = hwc.compile(text)(x)
    assert where(result) == ["host", "machine"]
    expected = 1 / (1 + np.exp(-(x.sum(-1, keepdims=True) / 2 + np.arange(1, 4))))
    np.testing.assert_allclose(result.outputs[0], expected, rtol=1e-6)


MIXED = """\
func.func @main(%x: tensor<4xf32>, %y: tensor<1x4xf32>) -> tensor<1x1xf32> {
  %0 = linalg.abs ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.reduce_sum %y {axis = 1 : i32} : (tensor<1x4xf32>) -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MIXED, "'linalg.abs' is in a program that is cut into parts"),
        (
            MODEL.replace("tosa.abs", "tosa.cond_if"),
            "'tosa.cond_if' is not supported: it is control flow",
        ),
        (
            MODEL.replace("axis = 1", "axis = 7"),
            "-:5:8: error: 'tosa.reduce_sum' of a tensor of rank 4 has axis = 7",
        ),
        (
            MODEL.replace(
                "tosa.abs %0 :",
                'tosa.custom %0 {domain_name = "TFL", implementation_attrs = "", '
                'operator_name = "Turn"} :',
            ),
            "nothing computes the custom operator 'Turn'",
        ),
        (
            MODEL.replace(
                "tensor<?x1x4x3xf32>) {",
                'tensor<?x1x4x3xf32>) attributes {hwc.assume = ["x.0 >= 2"]} {',
            ),
            "'hwc.assume' is in a program that is cut into parts",
        ),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(UserError, match=message) as caught:
        hwc.compile(text)
    assert "error: " in str(caught.value)


def test_stages_are_of_programs_for_the_machine(tmp_path, capsys):
    path = tmp_path / "m.mlir"
    path.write_text(MODEL)
    assert main(["compile", str(path), "--emit", "kernel"]) == 1
    assert "'tosa.reduce_sum' is not supported: it reduces a dimension" in capsys.readouterr().err


TWO_PARTS = """\
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = tosa.reverse %x {axis = 1 : i32} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = tosa.abs %0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = tosa.reverse %1 {axis = 0 : i32} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = tosa.ceil %2 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = tosa.reverse %3 {axis = 1 : i32} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %4 : tensor<?x4xf32>
}
"""


def test_parts_are_functions_of_one_module(tmp_path):
    """The first and the last part are equal, and are one function."""
    program = hwc.compile(TWO_PARTS)
    parts = program.package.host_steps
    assert [part.function for part in parts] == ["part0", "part1", "part0"]
    program.save(tmp_path / "m.hwx")
    with zipfile.ZipFile(tmp_path / "m.hwx") as members:
        stored = [name for name in members.namelist() if name.startswith("model")]
    assert stored == ["model0.bin"]
    x = np.array([[1.5, -2, 3, 4], [5, 6, -7.25, 8]], np.float32)
    for each in (program, hwc.load(tmp_path / "m.hwx")):
        np.testing.assert_array_equal(each(x).outputs[0], np.ceil(np.abs(x))[::-1])


def test_a_missing_engine(program, monkeypatch):
    monkeypatch.setitem(sys.modules, "iree.compiler", None)
    with pytest.raises(SourceError, match=r"needs iree\.compiler: pip install 'hwc\[iree\]'"):
        hwc.compile(MODEL)
    monkeypatch.setitem(sys.modules, "iree.runtime", None)
    with pytest.raises(UserError, match=r"needs iree: pip install 'hwc\[iree\]'"):
        hwc.Program(program.package)


def test_a_damaged_part(program):
    import dataclasses  # noqa: PLC0415 - only here

    steps = [
        dataclasses.replace(step, model=b"no module") if step.kind == "host" else step
        for step in program.package.steps
    ]
    with pytest.raises(UserError, match="error: iree cannot run reduce_sum"):
        hwc.Program(dataclasses.replace(program.package, steps=tuple(steps)))


def test_tflite_without_its_converter(monkeypatch):
    monkeypatch.setitem(sys.modules, "tosa_converter_for_tflite", None)
    with pytest.raises(SourceError, match=r"pip install 'hwc\[tflite\]'"):
        hwc.compile(b"\x1c\0\0\0TFL3damaged")


def test_a_damaged_tflite_model():
    with pytest.raises(SourceError, match="error: cannot convert the TFLite model to TOSA: "):
        hwc.compile(b"\x1c\0\0\0TFL3damaged")


CONVERTER = """\
class TosaConverterOutputFormat:
    Text = "text"

class TosaConverterDebugInfo:
    Enable = "places"

def tflite_flatbuffer_to_tosa_mlir(path, sink, output_format, debug_info):
    assert (output_format, debug_info) == ("text", "places")
    {body}
"""


@pytest.fixture
def converter(tmp_path, monkeypatch):
    """Puts a converter with this body in the place of the one that is installed."""

    def put(body: str) -> None:
        text = CONVERTER.format(body=body)
        (tmp_path / "tosa_converter_for_tflite.py").write_text(text)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.syspath_prepend(tmp_path)

    return put


def test_tflite_is_converted(converter):
    """Where a converter is said to give this text for the model."""
    converter(f"sink.write({MODEL.encode()!r})")
    x, b = data(2, 4, 4, 3), data(1, 1, 1, 3)
    got = hwc.compile(b"\x1c\0\0\0TFL3 model")(x, b).outputs[0]
    np.testing.assert_array_equal(got, np.abs(x + b))


def test_a_converter_that_dies_is_one_error(converter, capfd):
    converter("import os; os.write(2, b'words'); os.abort()")
    with pytest.raises(SourceError, match=r"to TOSA: its converter crashed \(Aborted\)$"):
        hwc.compile(b"\x1c\0\0\0TFL3 model")
    assert capfd.readouterr() == ("", "")


OF_A_HOST = """\
func.func @main(%x: X) -> (tensor<?x4x6xf32>, tensor<?x1x8x3xf32>) {
  %s = "tosa.const"() <{values = dense<0.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %w = "tosa.const"() <{values = dense<0.25> : W}> : () -> W
  %b = "tosa.const"() <{values = dense<1.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %z = "tosa.const"() <{values = dense<0.0> : Z}> : () -> Z
  %0 = tosa.add %x, %s : (X, tensor<1x1x1x1xf32>) -> X
  %1 = tosa.conv2d %0, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 1, 1, 1, 1>,
    stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (X, W, tensor<4xf32>, Z, Z) -> C
  %2 = tosa.sigmoid %1 : (C) -> C
  %3 = tosa.max_pool2d %2 {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>,
    stride = array<i64: 2, 2>} : (C) -> M
  %4 = tosa.avg_pool2d %3, %z, %z {acc_type = f32, kernel = array<i64: 2, 2>,
    pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (M, Z, Z) -> A
  %5 = tosa.transpose %4 {perms = array<i32: 0, 3, 1, 2>} : (A) -> P
  %6 = tosa.reduce_max %5 {axis = 3 : i32} : (P) -> R
  %h = tosa.const_shape {values = dense<[-1, 4, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %7 = tosa.reshape %6, %h : (R, !tosa.shape<3>) -> S
  %8 = tosa.concat %7, %7, %7 {axis = 2 : i32} : (S, S, S) -> tensor<?x4x6xf32>
  %9 = tosa.reduce_sum %x {axis = 1 : i32} : (X) -> tensor<?x1x8x3xf32>
  return %8, %9 : tensor<?x4x6xf32>, tensor<?x1x8x3xf32>
}
"""
SIZES = {"X": "?x8x8x3", "W": "4x3x3x3", "Z": "1", "C": "?x8x8x4", "M": "?x4x4x4"}
SIZES |= {"A": "?x2x2x4", "P": "?x4x2x2", "R": "?x4x2x1", "S": "?x4x2"}


@pytest.mark.skipif(shutil.which("tosa-opt") is None, reason="tosa-tools is not installed")
def test_a_flatbuffer(tmp_path):
    """Parts are cut from it as from the text; the host gets the same modules."""
    text = re.sub(r"\b[A-Z]\b", lambda name: f"tensor<{SIZES[name[0]]}xf32>", OF_A_HOST)
    path = tmp_path / "m.tosa"
    options = [f"--tosa-serialize=tosa-flatbuffer-filename={path}", "-o", "/dev/null"]
    subprocess.run(["tosa-opt", *options], input=text, text=True, check=True)
    from_text, read = hwc.compile(text), hwc.compile(path)
    assert [step.model for step in read.package.host_steps] == [
        step.model for step in from_text.package.host_steps
    ]
    x = data(3, 8, 8, 3)
    result, expected = read(x), from_text(x)
    for got, wanted in zip(result.outputs, expected.outputs, strict=True):
        np.testing.assert_array_equal(got, wanted)
    assert result.counters == expected.counters
    assert where(result).count("machine") == 2
    np.testing.assert_allclose(result.outputs[1], x.sum(1, keepdims=True), rtol=1e-5)
