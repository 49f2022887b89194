"""Sizes that do not fit an ONNX operator on the host are refused before anything runs."""

import numpy as np
import pytest
from e2e.support.onnx_models import expected
from onnx import TensorProto, helper

import hwc
from hwc.errors import DispatchError
from hwc.runtime import engines


def of(operator, ranks, type_=TensorProto.FLOAT, **attributes):
    """A model of one operator; all sizes are free."""
    names = [f"x{number}" for number in range(len(ranks))]
    inputs = [
        helper.make_tensor_value_info(name, type_, [f"{name}d{d}" for d in range(rank)])
        for name, rank in zip(names, ranks, strict=True)
    ]
    sizes = [None] * ranks[0] if operator == "Conv" else None  # ONNX does not infer this rank
    output = helper.make_tensor_value_info("y", type_, sizes)
    graph = helper.make_graph(
        [helper.make_node(operator, names, ["y"], "it", **attributes)], "g", inputs, [output]
    )
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


FITS = [
    ("MatMul", {}, [(2, 3), (3, 4)]),
    ("MatMul", {}, [(3,), (5, 3, 4)]),
    ("MatMul", {}, [(5, 1, 2, 3), (4, 3, 2)]),
    ("MatMul", {}, [(2, 3), (3,)]),
    ("MatMul", {}, [(0, 3), (3, 2)]),
    ("Gemm", {}, [(2, 3), (3, 4), (4,)]),
    ("Gemm", {"transA": 1, "transB": 1}, [(3, 2), (4, 3), (2, 1)]),
    ("Conv", {}, [(2, 3, 8, 9), (4, 3, 3, 3), (4,)]),
    ("Conv", {"group": 2, "strides": [2, 3], "pads": [1, 0, 2, 1]}, [(1, 4, 8, 9), (6, 2, 3, 3)]),
    ("Conv", {"dilations": [2], "auto_pad": "VALID"}, [(1, 2, 9), (3, 2, 3)]),
    ("Conv", {"auto_pad": "SAME_UPPER", "strides": [2]}, [(1, 2, 9), (3, 2, 3)]),
    ("Concat", {"axis": -1}, [(2, 3), (2, 0), (2, 4)]),
    ("Transpose", {"perm": [2, 0, 1]}, [(2, 3, 4)]),
    ("Transpose", {}, [(2, 3)]),
    ("Softmax", {"axis": 1}, [(2, 3, 4)]),
    ("GlobalAveragePool", {}, [(2, 3, 4, 5)]),
]


@pytest.mark.parametrize(("operator", "attributes", "shapes"), FITS)
def test_sizes_that_fit(operator, attributes, shapes):
    content = of(operator, [*map(len, shapes)], **attributes)
    rng = np.random.default_rng(1)
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    program = hwc.compile(content)
    assert "learned" not in str(program.package.shape_program)
    (wanted,) = expected(content, {f"x{n}": array for n, array in enumerate(arrays)})
    np.testing.assert_allclose(program(*arrays).outputs[0], wanted, rtol=1e-5, atol=1e-5)


MISFITS = [
    ("MatMul", {}, [(2, 6), (3, 2)], "'MatMul' in the inner dimension: sizes 6 .* and 3 "),
    ("MatMul", {}, [(4,), (3,)], "'MatMul' in the inner dimension: sizes 4 .* and 3 "),
    ("MatMul", {}, [(5, 2, 3), (4, 3, 2)], "'MatMul' in dimension 0 of the result: sizes 5 .* 4 "),
    ("Gemm", {}, [(2, 3), (4, 5)], "'Gemm' in the inner dimension: sizes 3 .* and 4 "),
    ("Gemm", {"transA": 1}, [(3, 2), (2, 5)], "'Gemm' in the inner dimension: sizes 3 .* and 2 "),
    ("Gemm", {}, [(2, 3), (3, 4), (5,)], "'Gemm' in dimension -1 of C: .*5"),
    ("Conv", {}, [(1, 4, 8, 8), (2, 3, 3, 3)], "'Conv' in the input channels: sizes 4 .* and 3 "),
    ("Conv", {"group": 2}, [(1, 4, 8), (3, 2, 3)], "'Conv' in the output channels: .*3"),
    ("Conv", {}, [(1, 3, 8), (2, 3, 3), (5,)], "'Conv' in the output channels: sizes 5 .* and 2 "),
    ("Conv", {}, [(1, 3, 8, 2), (2, 3, 3, 3)], "'Conv' in the window of dimension 3: .*3.*2"),
    ("Conv", {"kernel_shape": [5]}, [(1, 3, 8), (2, 3, 3)], "'Conv' in dimension 0 of the kernel"),
    ("Concat", {"axis": 0}, [(2, 3), (2, 4)], "'Concat' in dimension 1 of the result: .* 3 .* 4 "),
]


@pytest.mark.parametrize(("operator", "attributes", "shapes", "message"), MISFITS)
def test_sizes_that_do_not_fit(operator, attributes, shapes, message, monkeypatch):
    program = hwc.compile(of(operator, [*map(len, shapes)], **attributes))

    def never(*_):
        raise AssertionError("the engine ran")

    monkeypatch.setattr(engines._OnnxPart, "run", never)
    with pytest.raises(DispatchError, match=message) as error:
        program(*(np.zeros(shape, np.float32) for shape in shapes))
    assert "node it: error: " in str(error.value)


@pytest.mark.parametrize("operator", ["Add", "Mul", "Max", "Pow", "Sub", "Div"])
def test_element_wise_operators_on_the_host(operator):
    program = hwc.compile(of(operator, [1, 1], TensorProto.INT64))
    assert [step.kind for step in program.package.steps] == ["host"]
    assert program(np.ones(0, np.int64), np.ones(1, np.int64)).outputs[0].shape == (0,)
    with pytest.raises(DispatchError, match=rf"'{operator}' .*sizes 3 .* and 4 "):
        program(np.ones(3, np.int64), np.ones(4, np.int64))


def shaped(*sizes):
    """A model that reshapes x to elements of its own shape, computed as PyTorch's exporter does."""
    shape = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["a", "b", 6])
    constants = {"zero": 0, "one": 1, "two": [2], "minus": [-1]}
    nodes = [helper.make_node("Shape", ["x"], ["shape"], "sizes")]
    for name in ("zero", "one"):
        nodes.append(helper.make_node("Gather", ["shape", name], [f"at_{name}"], axis=0))
        nodes.append(helper.make_node("Unsqueeze", [f"at_{name}", "axis"], [f"size_{name}"]))
    nodes.append(helper.make_node("Mul", ["size_one", "two"], ["size_two"]))
    nodes.append(helper.make_node("Concat", [*sizes], ["target"], axis=0))
    nodes.append(helper.make_node("Reshape", ["x", "target"], ["y"], "it"))
    nodes.append(helper.make_node("Exp", ["y"], ["z"]))
    weights = [
        helper.make_tensor(name, TensorProto.INT64, np.shape(value), np.reshape(value, -1))
        for name, value in (constants | {"axis": [0]}).items()
    ]
    made = helper.make_tensor_value_info("z", TensorProto.FLOAT, [None] * len(sizes))
    graph = helper.make_graph(nodes, "g", [shape], [made], weights)
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def test_shapes_that_the_model_computes_are_known_before_anything_runs():
    program = hwc.compile(shaped("size_zero", "size_two", "minus"))
    assert "learned" not in str(program.package.shape_program)
    x = np.arange(60, dtype=np.float32).reshape(2, 5, 6)
    assert program(x).outputs[0].shape == (2, 10, 3)
    program = hwc.compile(shaped("size_one", "size_two", "two"))
    assert program(np.ones((2, 3, 6), np.float32)).outputs[0].shape == (3, 6, 2)
    with pytest.raises(
        DispatchError, match="node it: error: 'Reshape': cannot reshape 60 elements"
    ):
        program(x)
