"""What is refused of ONNX models, and of packages with parts for ONNX Runtime."""

import dataclasses
import sys

import onnx
import pytest
from e2e.support.onnx_models import data, model, network, node

import hwc
from hwc.cli.main import main
from hwc.errors import PackageError, UserError
from hwc.package import HostStep, save


@pytest.fixture(scope="module")
def net():
    return network()


@pytest.fixture(scope="module")
def program(net):
    return hwc.compile(net)


def refused(content, **options):
    with pytest.raises(UserError) as error:
        hwc.compile(content, **options)
    return str(error.value)


def test_bad_models(net, tmp_path):
    assert refused(net[:-100]).startswith("-: error: damaged ONNX model: ")
    unknown = model([node("Abs", "x", "y")], {"x": ("f4", [2])}, {"y": ("f4", [2])})
    unknown = unknown.replace(b"Abs", b"Abz")
    assert refused(unknown).startswith(
        "-: node y: error: not a valid ONNX model: No Op registered for Abz"
    )
    text = model([node("Identity", "x", "y")], {"x": ("f4", [2])}, {"y": ("f4", [2])})
    proto = onnx.load_model_from_string(text)
    for value in (*proto.graph.input, *proto.graph.output):
        value.type.tensor_type.elem_type = onnx.TensorProto.STRING
    message = refused(proto.SerializeToString())
    assert message == (
        "-: error: argument 'x' has the type STRING, which no argument or result of a model has; "
        "convert it inside the model"
    )
    deep = model([node("Abs", "x", "y")], {"x": ("f4", [1] * 7)}, {"y": ("f4", [1] * 7)})
    assert refused(deep) == "-: error: argument 'x' has rank 7; the largest is 6"
    proto = onnx.load_model_from_string(net)
    proto.graph.initializer[0].dims[0] = 5
    message = "-: error: damaged ONNX model: constant 'w' does not have as many bytes as its type"
    assert refused(proto.SerializeToString()).startswith(message)
    wrong = net.replace(b"height", b"he\xffght")
    assert refused(wrong) == "-: error: damaged ONNX model: a name is not UTF-8"
    proto = onnx.load_model_from_string(net)
    onnx.save(
        proto, tmp_path / "m.onnx", save_as_external_data=True, location="w", size_threshold=0
    )
    assert "m.onnx: error: the weights of the model are in another file" in refused(
        tmp_path / "m.onnx"
    )


def test_operators_that_the_engine_does_not_know(monkeypatch):
    shape = ["n", 3, 2]

    def of(domain, operator):
        proto = onnx.load_model_from_string(
            model([node("Abs", "x", "y")], {"x": ("f4", shape)}, {"y": ("f4", shape)})
        )
        proto.graph.node[0].op_type, proto.graph.node[0].domain = operator, domain
        proto.opset_import.append(onnx.helper.make_opsetid(domain, 1))
        return proto.SerializeToString()

    assert refused(of("of.mine", "Foo")) == (
        "-: node y: error: onnxruntime does not know the operator of.mine.Foo, "
        "nor any of the domain of.mine"
    )
    assert refused(of("com.microsoft", "Foo")).endswith(
        "does not know the operator com.microsoft.Foo, but others of the domain com.microsoft"
    )
    program = hwc.compile(of("com.microsoft", "Gelu"))  # an operator that ONNX does not have
    x = data(2, 3, 2)
    assert program(x).outputs[0].shape == x.shape


def test_types_that_the_engine_does_not_have():
    content = model([node("Max", "x x", "y")], {"x": ("i8", ["n"])}, {"y": ("i8", ["n"])})
    proto = onnx.load_model_from_string(content)
    for value in (*proto.graph.input, *proto.graph.output):
        value.type.tensor_type.elem_type = onnx.TensorProto.UINT16
    assert refused(proto.SerializeToString()) == (
        "-: node y: error: onnxruntime does not take 'Max': it lacks these element types"
    )


def test_options_of_programs(net, tmp_path, capsys):
    assert "are for programs in TOSA; this is a model in ONNX" in refused(net, entry="main")
    assert "this is a model, with parts for the host" in refused(net, assume=["n > 1"])
    (tmp_path / "net.onnx").write_bytes(net)
    assert main(["compile", str(tmp_path / "net.onnx"), "--emit", "linalg"]) == 1
    assert "this is a model, whose parts are compiled one by one" in capsys.readouterr().err
    for options in (["--report"], ["--min-ops", "2"], ["--keep-on-host", "Pow"]):
        path = str(tmp_path / "net.onnx")
        assert main(["compile", path, "--emit", "kernel", *options]) == 1
        said = f"{options[0]}: error: this option is for whole programs, not for stages"
        assert said in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"net.onnx"}


@pytest.mark.parametrize(
    ("content", "wrong", "has"),
    [
        (network(), "mul", "Add, Conv, Gelu, GlobalAveragePool, HardSwish, Mul, Sigmoid"),
        (
            b"func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
            b"  %0 = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>\n"
            b"  return %0 : tensor<?xf32>\n}\n",
            "tosa.abs",
            "abs",
        ),
    ],
    ids=["onnx", "tosa"],
)
def test_operators_that_the_model_does_not_have(content, wrong, has, tmp_path, capsys):
    path = tmp_path / "model"
    path.write_bytes(content)
    assert main(["compile", str(path), "--keep-on-host", wrong]) == 1
    said = f"--keep-on-host: error: the model has no operator '{wrong}'; it has {has}\n"
    assert capsys.readouterr().err == said
    assert [each.name for each in tmp_path.iterdir()] == ["model"]


def test_what_is_not_installed_is_named(net, program, monkeypatch, tmp_path):
    path = tmp_path / "net.hwx"
    program.save(path)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(
        UserError, match=r"^-: error: .* needs onnxruntime: pip install 'hwc\[onnx\]'$"
    ):
        hwc.load(path)
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert refused(net) == "-: error: reading an ONNX model needs onnx: pip install 'hwc[onnx]'"


def host_steps(package, **changes):
    steps = [
        dataclasses.replace(s, **changes) if isinstance(s, HostStep) else s for s in package.steps
    ]
    return dataclasses.replace(package, steps=tuple(steps))


def test_a_part_that_the_engine_does_not_take(program, tmp_path):
    path = tmp_path / "net.hwx"
    save(host_steps(program.package, model=b"no model"), path)
    with pytest.raises(PackageError, match="error: onnxruntime cannot run Conv: "):
        hwc.load(path)


def test_an_output_that_is_not_as_the_package_says(program, net):
    package = program.package
    conv = package.host_steps[0]
    other = model(
        [node("Identity", "gelu", "conv")],
        {"gelu": ("f4", ["b", 3, "h", "w"])},
        {"conv": ("f4", ["b", 3, "h", "w"])},
    )
    steps = [dataclasses.replace(s, model=other) if s is conv else s for s in package.steps]
    changed = hwc.Program(dataclasses.replace(package, steps=tuple(steps)))
    with pytest.raises(PackageError, match=r"computed %conv as an array of float32 with the shape"):
        changed(data(1, 3, 8, 8))


def test_sizes_of_a_damaged_package_that_do_not_fit(program):
    package = program.package
    conv = package.host_steps[0]
    wrong = tuple(dataclasses.replace(t, shape=("batch", 3, "width", "width")) for t in conv.inputs)
    steps = [dataclasses.replace(s, inputs=wrong) if s is conv else s for s in package.steps]
    changed = hwc.Program(dataclasses.replace(package, steps=tuple(steps)))
    with pytest.raises(PackageError, match="%gelu has 120 elements, and the package expects"):
        changed(data(1, 3, 5, 8))
    buffers = [
        dataclasses.replace(b, shape=("batch", 4, 3, 9)) if b.name == "value1" else b
        for b in package.buffers
    ]
    changed = hwc.Program(dataclasses.replace(package, buffers=tuple(buffers)))
    with pytest.raises(PackageError, match="buffer 'value1' has 108 elements, what it is filled"):
        changed(data(1, 3, 5, 8))
