"""Operators before opset 7 and 8, whose operands broadcast by the attributes broadcast and axis."""

import numpy as np
import pytest
from onnx import TensorProto, helper

import hwc
from hwc.errors import DispatchError, SourceError, UserError

FUNCTIONS = {
    "Add": np.add,
    "Div": np.divide,
    "Mul": np.multiply,
    "Pow": np.power,
    "Sub": np.subtract,
    "Less": np.less,
}
SHAPE = (2, 3, 4, 5)


def data(*shape):
    return np.random.default_rng(3).integers(1, 5, shape).astype(np.float32)


def compiled(operator, version, ranks, type_=TensorProto.FLOAT, **attributes):
    """A model with free sizes, whose result has the rank of the first operand."""
    names = [f"x{number}" for number in range(len(ranks))]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [f"{name}{n}" for n in range(rank)])
        for name, rank in zip(names, ranks, strict=True)
    ]
    output = helper.make_tensor_value_info("y", type_, [f"y{n}" for n in range(ranks[0])])
    node = helper.make_node(operator, names, ["y"], **attributes)
    graph = helper.make_graph([node], "g", inputs, [output])
    opset = [helper.make_opsetid("", version)]
    made = helper.make_model(graph, opset_imports=opset, ir_version=3)
    program = hwc.compile(made.SerializeToString())
    assert [step.kind for step in program.package.steps] == ["machine"]
    return program


# The shapes that the documentation of Add-6 lists.
@pytest.mark.parametrize(
    ("second", "attributes", "same"),
    [
        ((), {}, ()),
        ((1, 1), {}, (1, 1)),
        ((5,), {}, (5,)),
        ((4, 5), {}, (4, 5)),
        ((3, 4), {"axis": 1}, (3, 4, 1)),
        ((2,), {"axis": 0}, (2, 1, 1, 1)),
        ((3,), {"axis": -3}, (3, 1, 1)),
        (SHAPE, {"axis": 0}, SHAPE),
    ],
)
def test_the_second_operand_begins_at_axis(second, attributes, same):
    a, b = data(*SHAPE), data(*second)
    program = compiled("Sub", 6, (4, len(second)), broadcast=1, **attributes)
    np.testing.assert_array_equal(program(a, b).outputs[0], a - b.reshape(same))


@pytest.mark.parametrize("operator", FUNCTIONS)
def test_equal_sizes_at_axis_0(operator):
    """Both ways of broadcasting fit: only the attribute decides."""
    a, b = data(3, 3), data(3)
    type_ = TensorProto.BOOL if operator == "Less" else TensorProto.FLOAT
    version = 1 if operator in {"Less", "Pow"} else 6
    program = compiled(operator, version, (2, 1), type_, broadcast=1, axis=0)
    wanted = FUNCTIONS[operator](a, b[:, None])
    np.testing.assert_allclose(program(a, b).outputs[0], wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("second", "attributes", "message"),
    [
        ((1, 3), {}, "in dimension 0 of the result: sizes 2 .* and 1 .* have to be equal"),
        ((2,), {"broadcast": 1}, "in dimension 1 of the result: size 2 .* has to be one of {1, 3"),
        ((3,), {"broadcast": 1, "axis": 0}, "in dimension 0 of the result: size 3 .* one of {1, 2"),
    ],
)
def test_sizes_that_do_not_fit(second, attributes, message):
    program = compiled("Add", 6, (2, len(second)), **attributes)
    with pytest.raises(DispatchError, match=f"'Add' {message}"):
        program(data(2, 3), data(*second))


@pytest.mark.parametrize(
    ("ranks", "attributes"),
    [((2, 1), {}), ((1, 2), {"broadcast": 1}), ((2, 1), {"broadcast": 1, "axis": 2})],
)
def test_ranks_that_do_not_fit(ranks, attributes):
    with pytest.raises(
        SourceError, match=r"node y: error: 'Add': inputs of ranks \d and \d do not"
    ):
        compiled("Add", 6, ranks, **attributes)


@pytest.mark.parametrize("operator", ["Max", "Min", "Sum", "Mean"])
def test_operands_of_one_shape(operator):
    program = compiled(operator, 6, (2, 2))
    a, b = data(2, 3), data(2, 3)[:, ::-1].copy()
    function = {"Max": np.maximum, "Min": np.minimum}.get(operator, np.add)
    wanted = function(a, b) / (2 if operator == "Mean" else 1)
    np.testing.assert_array_equal(program(a, b).outputs[0], wanted)
    with pytest.raises(DispatchError, match=f"'{operator}' in dimension 0 of the result: sizes"):
        program(a, data(1, 3))


def test_a_slope_for_each_channel():
    program = compiled("PRelu", 6, (3, 1))
    x = -data(2, 3, 3)
    for slope in (data(3), data(1)):
        (got,) = program(x, slope).outputs
        np.testing.assert_array_equal(got, x * slope[:, None])
    with pytest.raises(DispatchError, match="'PRelu'"):
        program(x, data(2))


def test_dropout_is_in_training_mode_unless_told():
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])]
    for attributes in ({}, {"is_test": 1}):
        nodes = [
            helper.make_node("Abs", ["x"], ["a"]),
            helper.make_node("Dropout", ["a"], ["y"], **attributes),
        ]
        opset = [helper.make_opsetid("", 6)]
        graph = helper.make_graph(nodes, "g", inputs, outputs)
        content = helper.make_model(graph, opset_imports=opset, ir_version=3).SerializeToString()
        if attributes:
            assert hwc.compile(content)(np.float32([-1, 2])).outputs[0].tolist() == [1, 2]
        else:
            with pytest.raises(UserError, match="Dropout"):
                hwc.compile(content)
