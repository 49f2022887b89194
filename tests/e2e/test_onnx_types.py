"""Element types of ONNX that NumPy lacks, as arguments, results, constants, and between steps."""

import json

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper

import hwc
from hwc.cli.main import main
from hwc.errors import DispatchError
from hwc.onnx import InferenceSession

FLOATS = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
"""What ml_dtypes calls the types that the machine has."""

OF_THE_HOST = {
    "float8_e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
    "float8_e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ,
    "float8_e8m0fnu": TensorProto.FLOAT8E8M0,
    "int4": TensorProto.INT4,
    "uint4": TensorProto.UINT4,
    "int2": TensorProto.INT2,
    "uint2": TensorProto.UINT2,
}
NUMBERS = {
    "bfloat16": TensorProto.BFLOAT16,
    "float8_e4m3fn": TensorProto.FLOAT8E4M3FN,
    "float8_e5m2": TensorProto.FLOAT8E5M2,
    **OF_THE_HOST,
}


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name))


def model(nodes, inputs, outputs, constants=()):
    """The bytes of a model; arguments and results have a number for their type, and sizes."""
    sides = [
        [helper.make_tensor_value_info(name, type_, sizes) for name, (type_, sizes) in side.items()]
        for side in (inputs, outputs)
    ]
    graph = helper.make_graph(nodes, "net", *sides, constants)
    opsets = [helper.make_opsetid("", 25)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=12).SerializeToString()


def node(operator, inputs, output, **attributes):
    return helper.make_node(operator, inputs.split(), [output], **attributes)


def every(name):
    """Every element of a type, but for bf16, of which there are too many."""
    if name.startswith(("int", "uint")):
        low, high = ml_dtypes.iinfo(dtype(name)).min, ml_dtypes.iinfo(dtype(name)).max
        return np.arange(low, high + 1).astype(dtype(name))
    if name == "bfloat16":
        return np.arange(0, 1 << 16, 37).astype("u2").view(dtype(name))
    return np.arange(256).astype("u1").view(dtype(name))


def numbers(array):
    with np.errstate(invalid="ignore"):  # NaNs
        return array.astype(np.float32)


def test_bf16_from_arguments_to_results():
    """On the machine, on the host between regions, and as a constant."""
    bf16 = dtype("bfloat16")
    c = np.linspace(-2, 2, 7).astype(bf16)
    content = model(
        [
            node("Add", "x c", "a"),
            node("Transpose", "a", "t", perm=[1, 0]),
            node("Mul", "t t", "y"),
        ],
        {"x": (TensorProto.BFLOAT16, ["n", 7])},
        {"y": (TensorProto.BFLOAT16, [7, "n"]), "t": (TensorProto.BFLOAT16, [7, "n"])},
        [helper.make_tensor("c", TensorProto.BFLOAT16, [7], c.view("u2").tobytes(), raw=True)],
    )
    program = hwc.compile(content)
    assert [step.kind for step in program.package.steps] == ["machine", "host", "machine"]
    for n in (1, 4):
        x = np.random.default_rng(n).standard_normal((n, 7)).astype(bf16)
        inner = (numbers(x) + numbers(c)).astype(bf16).T
        for given in (x, x.view("V2")):
            y, t = (array.view(bf16) for array in program(given).outputs)
            np.testing.assert_array_equal(numbers(t), numbers(inner))
            np.testing.assert_array_equal(numbers(y), numbers((inner * inner).astype(bf16)))


@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_bytes_that_are_floats_are_cast_on_the_machine(name, saturate):
    content = model(
        [
            node("Cast", "x", "wide", to=TensorProto.FLOAT),
            node("Mul", "wide s", "scaled"),
            node("Cast", "scaled", "y", to=NUMBERS[name], saturate=saturate),
        ],
        {"x": (NUMBERS[name], ["n"]), "s": (TensorProto.FLOAT, [])},
        {"y": (NUMBERS[name], ["n"])},
    )
    program = hwc.compile(content)
    assert [step.kind for step in program.package.steps] == ["machine"]
    x = every(name)
    (got,) = program(x, np.float32(3)).outputs
    expected = numbers(x) * 3
    if saturate:
        largest = float(ml_dtypes.finfo(dtype(name)).max)
        expected = np.clip(expected, -largest, largest)
    with np.errstate(all="ignore"):
        expected = expected.astype(dtype(name))
    np.testing.assert_array_equal(numbers(got.view(dtype(name))), numbers(expected))


@pytest.mark.parametrize("name", NUMBERS)
def test_every_element_passes_through_the_host(name, tmp_path):
    """Arguments and results of a step in ONNX Runtime; the number of elements is odd, and 0."""
    own = dtype(name)
    content = model(
        [
            node("Cast", "x", "wide", to=TensorProto.FLOAT),
            node("Cast", "wide", "y", to=NUMBERS[name]),
        ],
        {"x": (NUMBERS[name], ["n"])},
        {"y": (NUMBERS[name], ["n"]), "wide": (TensorProto.FLOAT, ["n"])},
    )
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    assert main(["compile", str(path), "--keep-on-host", "Cast"]) == 0
    program = hwc.load(tmp_path / "m.hwx")
    assert [step.kind for step in program.package.steps] == ["host"]
    elements = every(name)
    elements = elements[np.isfinite(numbers(elements))]
    for x in (elements, elements[:5], elements[:0]):
        y, wide = program(x).outputs
        np.testing.assert_array_equal(wide, numbers(x))
        assert y.dtype.itemsize == own.itemsize
        y = y.astype(own) if y.dtype.kind in "iu" else y.view(own)
        np.testing.assert_array_equal(numbers(y), numbers(x))


def test_a_session_says_what_onnxruntime_calls_them():
    names = ["bfloat16", "float8e4m3fn", "float8e5m2", "float8e4m3fnuz", "float8e5m2fnuz"]
    names += ["float8e8m0", "int4", "uint4", "int2", "uint2"]
    content = model(
        [node("Cast", f"x{i}", f"y{i}", to=1) for i in range(len(NUMBERS))],
        {f"x{i}": (number, ["n"]) for i, number in enumerate(NUMBERS.values())},
        {f"y{i}": (1, ["n"]) for i in range(len(NUMBERS))},
    )
    session = InferenceSession(content)
    assert [given.type for given in session.get_inputs()] == [f"tensor({name})" for name in names]


def test_values_of_a_command(tmp_path, capsys):
    content = model(
        [
            node("Cast", "x", "wide", to=TensorProto.FLOAT),
            node("Cast", "f", "factor", to=TensorProto.FLOAT),
            node("Mul", "wide factor", "y"),
        ],
        {"x": (TensorProto.UINT4, ["n"]), "f": (TensorProto.FLOAT8E8M0, [])},
        {"y": (TensorProto.FLOAT, ["n"])},
    )
    (tmp_path / "m.onnx").write_bytes(content)
    package = str(tmp_path / "m.hwx")
    assert main(["compile", str(tmp_path / "m.onnx")]) == 0
    run = ["run", package, "--input", "3xui4=0,9,15", "--input", "f8e8m0=0.25", "--json"]
    capsys.readouterr()
    assert main(run) == 0
    (result,) = json.loads(capsys.readouterr().out)["outputs"]
    assert result["data"] == [0.0, 2.25, 3.75]
    assert main(["run", package, "--input", "3xui4=16", "--input", "f8e8m0=1.0"]) == 1
    assert "16 is not a value of type ui4" in capsys.readouterr().err
    assert main(["run", package, "--input", "random:5xui4", "--input", "f8e8m0=1.0"]) == 0  # random


def test_numbers_of_python():
    content = model([node("Cast", "x", "y", to=1)], {"x": (TensorProto.UINT4, [])}, {"y": (1, [])})
    program = hwc.compile(content)
    assert program(15).outputs[0] == 15
    with pytest.raises(DispatchError, match=r"the Python int 16 does not fit tensor<ui4>"):
        program(16)
    with pytest.raises(DispatchError, match=r"got dtype float32, expected uint8"):
        program(np.float32(1))
