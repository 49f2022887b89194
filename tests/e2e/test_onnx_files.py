"""Files that ONNX Runtime loads and ONNX's checker refuses: one meaning runs, else one message."""

import numpy as np
import onnx
import pytest
from e2e.support.onnx_models import expected, node
from onnx import TensorProto, helper, numpy_helper

import hwc
from hwc.errors import DispatchError, UserError
from hwc.files import is_onnx

X = np.arange(3, dtype=np.float32)
EXP = np.float32([1.0, 2.7182817, 7.389056])


def value(name, sizes, type_=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, type_, sizes)


def of(nodes, *, inputs=None, outputs=None, constants=(), opsets=(("", 17),), ir=8, text=True):
    graph = helper.make_graph(
        nodes,
        "g",
        [value("x", ["n"])] if inputs is None else inputs,
        [value("y", ["n"])] if outputs is None else outputs,
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants],
    )
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid(*each) for each in opsets], ir_version=ir
    )
    return made.SerializeToString() if text else made


ORDERED = [node("Relu", "x", "a"), node("Exp", "a", "b"), node("Add", "b x", "y")]
LOADED = {
    "any order": of(ORDERED[::-1]),
    "domain without import": of([node("Gelu", "x", "y", domain="com.microsoft")]),
    "result of another domain": of(
        [node("Gelu", "x", "y", domain="com.microsoft")], outputs=[onnx.ValueInfoProto(name="y")]
    ),
    "one domain twice": of([node("Exp", "x", "y")], opsets=(("", 17), ("ai.onnx", 17))),
    "old, constant is no input": of(
        [node("Add", "x w", "y")], constants=[("w", np.float32([1]))], ir=3
    ),
    "strings": of(
        [
            helper.make_node("Constant", [], ["c"], value_strings=["a", "b", "b"]),
            helper.make_node("Constant", [], ["d"], value_string="b"),
            node("Equal", "c d", "e"),
            node("Cast", "e", "f", to=TensorProto.FLOAT),
            node("Add", "x f", "y"),
        ],
        opsets=(("", 19),),
    ),
    "constant without a type": of(
        [node("Exp", "x", "y")],
        outputs=[value("y", ["n"]), onnx.ValueInfoProto(name="w")],
        constants=[("w", np.float32([2]))],
    ),
}


@pytest.mark.parametrize("content", LOADED.values(), ids=LOADED)
def test_the_same_as_onnxruntime(content):
    for got, wanted in zip(
        hwc.compile(content)(X).outputs, expected(content, {"x": X}), strict=True
    ):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_a_subgraph_in_another_order_and_without_a_name():
    """ONNX Runtime sorts only the main graph."""
    inner = helper.make_graph(
        [node("Neg", "q", "r"), node("Mul", "x x", "q")], "", [], [onnx.ValueInfoProto(name="r")]
    )
    branches = node("If", "c", "y", then_branch=inner, else_branch=inner)
    content = of(
        [branches],
        inputs=[value("x", ["n"]), value("c", [], TensorProto.BOOL)],
    )
    np.testing.assert_array_equal(hwc.compile(content)(X, np.bool_(True)).outputs[0], -X * X)


def sparse(values, indices, sizes):
    indices = np.array(indices, np.int64)
    return helper.make_sparse_tensor(
        numpy_helper.from_array(np.float32(values), "w"),
        numpy_helper.from_array(indices, "i"),
        sizes,
    )


def with_sparse(tensor):
    made = of([node("Add", "x w", "y")], outputs=[value("y", None)], text=False)
    made.graph.sparse_initializer.append(tensor)
    return made.SerializeToString()


def test_sparse_constants_by_coordinates_and_in_any_order():
    for indices in ([[1, 0], [0, 2]], [3, 2]):
        content = with_sparse(sparse([5, 7], indices, [2, 3]))
        wanted = np.float32([[0, 1, 9], [5, 1, 2]])
        np.testing.assert_array_equal(hwc.compile(content)(X).outputs[0], wanted)
    content = with_sparse(sparse([], [], [3]))
    np.testing.assert_array_equal(hwc.compile(content)(X).outputs[0], X)


def const(**attributes):
    return of([helper.make_node("Constant", [], ["w"], **attributes), node("Add", "x w", "y")])


def newer_field():
    """A model of IR version 99 with a field 90, which no version has today."""
    return of([node("Exp", "x", "y")], ir=99) + b"\xd2\x05\x01a"


def repeated():
    made = of([node("Add", "x w", "y")], constants=[("w", np.float32([1]))], text=False)
    made.graph.initializer.append(numpy_helper.from_array(np.float32([2]), "w"))
    return made.SerializeToString()


EXP_NODE = [node("Exp", "x", "y")]
REFUSED = {
    "circle": (
        of([node("Add", "x b", "a"), node("Exp", "a", "b"), node("Exp", "b", "y")]),
        "-: node a: error: Add reads its own result, directly or through other nodes",
    ),
    "unknown name": (
        of([node("Exp", "q", "y")]),
        "-: node y: error: Exp reads 'q', which is not an argument, a constant or the result",
    ),
    "two versions": (
        of(EXP_NODE, opsets=(("", 17), ("ai.onnx", 15))),
        "-: error: the model imports the domain 'ai.onnx' in the versions 17 and 15",
    ),
    "two contents": (repeated(), "-: error: the model has two initializers 'w' with different"),
    "newer field": (newer_field(), "-: error: the model has IR version 99 and a field (number 90)"),
    "newer operators": (
        of(EXP_NODE, opsets=(("", 999),)),
        "-: error: the model imports version 999 of ONNX's operators; onnx ",
    ),
    "no value": (const(), "-: node w: error: Constant has no attribute, expected one value"),
    "two values": (
        const(value_int=1, value_float=1.0),
        "-: node w: error: Constant has value_float, value_int, expected one value",
    ),
    "no type": (
        of(EXP_NODE, inputs=[onnx.ValueInfoProto(name="x")]),
        "-: error: argument 'x' has no type",
    ),
    "no rank": (
        of(EXP_NODE, inputs=[value("x", None)]),
        "-: error: argument 'x' has an unknown rank",
    ),
    "string result": (
        of(
            [*EXP_NODE, helper.make_node("Constant", [], ["c"], value_string="a")],
            outputs=[value("y", ["n"]), value("c", [], TensorProto.STRING)],
        ),
        "-: error: result 'c' has the type STRING, which no argument or result of a model has; "
        "convert it inside the model",
    ),
    "outside": (
        with_sparse(sparse([5], [3], [3])),
        "-: error: the sparse initializer 'w' is damaged: an index is not below 3",
    ),
    "outside by coordinates": (
        with_sparse(sparse([5], [[0, 3]], [1, 3])),
        "-: error: the sparse initializer 'w' is damaged: ",
    ),
    "two values at one index": (
        with_sparse(sparse([5, 6], [1, 1], [3])),
        "-: error: the sparse initializer 'w' has two values at one index",
    ),
    "values without an index": (
        with_sparse(sparse([5, 6], [1], [3])),
        "-: error: the sparse initializer 'w' has values of the shape (2,) and indices of (1,)",
    ),
    "large": (
        with_sparse(sparse([5], [1], [1 << 40, 1 << 20])),
        "-: error: the sparse initializer 'w' has sizes 1099511627776x1048576; with its zeros",
    ),
    "sparse constant": (
        const(sparse_value=sparse([5], [3], [3])),
        "-: node w: error: its sparse value is damaged: an index is not below 3",
    ),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_meaning_or_two(content, message):
    with pytest.raises(UserError) as error:
        hwc.compile(content)
    assert str(error.value).startswith(message)


def fields(content):
    """The fields of a protobuf message, as bytes."""
    found, place = [], 0
    while place < len(content):
        begin = place
        kind = content[place] & 7
        place += 1
        size = shift = 0
        while True:
            size |= (content[place] & 127) << shift
            shift += 7
            place += 1
            if content[place - 1] < 128:
                break
        place += size if kind == 2 else 0
        found.append(content[begin:place])
    return found


def test_fields_in_any_order():
    made = of(EXP_NODE, text=False)
    made.producer_name, made.model_version = "p" * 300, 1000
    helper.set_model_props(made, {"key": "value"})
    parts = fields(made.SerializeToString())
    assert len(parts) == 6
    for first in range(len(parts)):
        content = b"".join(parts[first:] + parts[:first])
        assert is_onnx(content)
        np.testing.assert_allclose(hwc.compile(content)(X).outputs[0], EXP, rtol=1e-6)


def test_what_is_not_an_onnx_model():
    for text in (b'"builtin.module"() ({\n}) : () -> ()', b"(" * 9, b":\x05", b"2" * 60, b"", b"B"):
        assert not is_onnx(text)
    for binary in (b"\x08\x00\x00\x00TFL3", b"PK\x03\x04", b"\x93NUMPY", b"ML\xefR\x08\x01"):
        assert not is_onnx(binary)


PLACEHOLDERS = ["None", "none", "unknown", "Unknown", "dynamic", "?", "-1", "null", "undefined", ""]


@pytest.mark.parametrize("name", PLACEHOLDERS)
def test_placeholders_name_nothing(name):
    content = of(
        [node("Relu", "x", "y")], inputs=[value("x", [name, name])], outputs=[value("y", None)]
    )
    x = np.zeros((2, 3), np.float32)
    assert hwc.compile(content)(x).outputs[0].shape == (2, 3)


def test_other_names_stay_names():
    content = of(
        [node("Relu", "x", "y")],
        inputs=[value("x", ["none_n", "none_n"])],
        outputs=[value("y", None)],
    )
    with pytest.raises(DispatchError, match="both are called 'none_n'"):
        hwc.compile(content)(np.zeros((2, 3), np.float32))
