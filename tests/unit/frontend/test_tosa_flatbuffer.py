"""TOSA flatbuffers become the program that their text would be, and errors name the operator."""

from __future__ import annotations

import shutil
import struct
import subprocess
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
from unit.frontend.flatbuffers import ADD, VERSION, graph, operator, tensor, unary, write

import hwc
from hwc.cli.disasm import listing
from hwc.dialects import make_context
from hwc.errors import UserError
from hwc.frontend import tosa_schema as schema
from hwc.frontend.parser import parse
from hwc.frontend.source import Source
from hwc.pipeline import run

F32 = np.dtype("<f4")
NUMPY_LACKS = {
    "BF16": ml_dtypes.bfloat16,
    "FP8E4M3": ml_dtypes.float8_e4m3fn,
    "FP8E5M2": ml_dtypes.float8_e5m2,
}


def text(table):
    """The program of a graph, as text."""
    return str(run(Source("m.tosa", write(table)), until="tosa").module)


def message(table):
    with pytest.raises(UserError) as error:
        run(Source("m.tosa", write(table)), until="tosa")
    return str(error.value)


def test_a_program():
    assert "tosa.add %x, %c : (tensor<2x?xi32>, tensor<2x1xi32>) -> tensor<2x?xi32>" in text(ADD)


def test_a_flatbuffer_runs(tmp_path):
    (tmp_path / "any.name").write_bytes(write(ADD))
    x, c = np.arange(6, dtype=np.int32).reshape(2, 3), np.array([[10], [20]], np.int32)
    for source in (write(ADD), tmp_path / "any.name"):
        np.testing.assert_array_equal(hwc.compile(source)(x, c).outputs[0], x + c)


CONSTANTS = [
    ("BOOL", b"\x01\x00\x01", "dense<[true, false, true]> : tensor<3xi1>"),
    ("INT8", b"\xff\x01\x02", "dense<[-1, 1, 2]> : tensor<3xi8>"),
    ("INT8", b"\xff\x01\x02\0\0\0\0\0", "dense<[-1, 1, 2]> : tensor<3xi8>"),  # padded
    ("INT16", struct.pack("<3h", 1, -2, 3), "dense<[1, -2, 3]> : tensor<3xi16>"),
    ("INT32", struct.pack("<3i", 1, -2, 3), "dense<[1, -2, 3]> : tensor<3xi32>"),
    ("FP32", struct.pack("<3f", 1, -2, 0.5), "dense<[1.000000e+00, -2.000000e+00, 5.000000e-01]>"),
]


@pytest.mark.parametrize(("type_", "data", "expected"), CONSTANTS)
def test_constants(type_, data, expected):
    tensors = [tensor("c", type_, [3], data), tensor("y", type_, [3])]
    const = operator("const", [], ["c"])
    assert expected in text(graph([const, operator("identity", ["c"], ["y"])], tensors, [], ["y"]))


def float_bytes(*values):
    return np.array(values, F32).tobytes()


ATTRIBUTES = [
    (
        unary("clamp", "FP32", (2,), schema.ClampAttribute(float_bytes(-1), float_bytes(6), 2)),
        "{max_val = 6.000000e+00 : f32, min_val = -1.000000e+00 : f32, nan_mode = IGNORE}",
    ),
    (
        unary("clamp", "INT8", (2,), schema.ClampAttribute(b"\x80", b"\x7f", 1)),
        "{max_val = 127 : i8, min_val = -128 : i8, nan_mode = PROPAGATE}",
    ),
    (
        graph(
            [operator("maximum", ["x", "x"], ["y"], schema.MaximumAttribute(2))],
            [tensor("x", "FP32", [2]), tensor("y", "FP32", [2])],
            ["x"],
            ["y"],
        ),
        "tosa.maximum %x, %x {nan_mode = IGNORE}",
    ),
    (
        graph(
            [
                operator(
                    "arithmetic_right_shift",
                    ["x", "x"],
                    ["y"],
                    schema.ArithmeticRightShiftAttribute(True),
                )
            ],
            [tensor("x", "INT8", [2]), tensor("y", "INT8", [2])],
            ["x"],
            ["y"],
        ),
        "{round = true}",
    ),
]


@pytest.mark.parametrize(("table", "expected"), ATTRIBUTES)
def test_attributes(table, expected):
    assert expected in text(table)


def test_a_shape_of_no_sizes_may_have_padding():
    """Tests of reshape to rank 0 that tosa-tools writes have eight bytes there."""
    table = graph(
        [operator("const_shape", [], ["s"]), operator("reshape", ["x", "s"], ["y"])],
        [tensor("x", "FP32", [1, 1]), tensor("y", "FP32", [])],
        ["x"],
        ["y"],
        [schema.Shape("s", 0, memoryview(bytes(8)))],
    )
    assert "tosa.const_shape {values = dense<> : tensor<0xindex>}" in text(table)


def test_shapes():
    table = graph(
        [operator("const_shape", [], ["s"]), operator("reshape", ["x", "s"], ["y"])],
        [tensor("x", "INT8", [-1, 3]), tensor("y", "INT8", [3, -1])],
        ["x"],
        ["y"],
        [schema.Shape("s", 2, memoryview(struct.pack("<2q", 3, -1)))],
    )
    assert "tosa.const_shape {values = dense<[3, -1]> : tensor<2xindex>}" in text(table)


def test_operators_in_another_order():
    block = graph(
        [operator("abs", ["a"], ["y"]), operator("negate", ["x"], ["a"])],
        [tensor(name, "INT32", [-1]) for name in "xay"],
        ["x"],
        ["y"],
    )
    found = text(block)
    assert found.index("tosa.negate") < found.index("tosa.abs")


def test_names_that_text_cannot_have():
    table = graph(
        [operator("abs", ["0:in put"], ["y"])],
        [tensor("0:in put", "INT32", [-1]), tensor("y", "INT32", [-1])],
        ["0:in put"],
        ["y"],
    )
    assert " @main(%" in text(table)


def test_the_place_of_a_size_that_does_not_fit():
    with pytest.raises(UserError) as error:
        hwc.compile(write(ADD))(np.zeros((2, 3), np.int32), np.zeros((1, 3), np.int32))
    assert "dimension" in str(error.value)
    program = hwc.compile(
        write(
            graph(
                [operator("add", ["x", "z"], ["y"])],
                [tensor(name, "INT32", [-1]) for name in "xzy"],
                ["x", "z"],
                ["y"],
            )
        )
    )
    with pytest.raises(UserError, match=r"^-: operator 0 of region 'main' \(ADD, 'y'\): error: "):
        program(np.zeros(2, np.int32), np.zeros(3, np.int32))


def test_sizes_that_contradict_each_other():
    """The message names both operators."""
    table = graph(
        [operator("abs", ["x"], ["y"]), operator("negate", ["x"], ["z"])],
        [tensor("x", "INT32", [-1]), tensor("y", "INT32", [3]), tensor("z", "INT32", [4])],
        ["x"],
        ["y", "z"],
    )
    with pytest.raises(UserError) as error:
        hwc.compile(write(table))
    assert "operator 0 of region 'main' (ABS, 'y')" in str(error.value)
    assert "operator 1 of region 'main' (NEGATE, 'z')" in str(error.value)


def block(**changes):
    """`unary()` with another block."""
    (region,) = unary().regions
    return schema.Graph(VERSION, (schema.Region("main", (replace(region.blocks[0], **changes),)),))


X, Y = tensor("x", "FP32", (2, -1)), tensor("y", "FP32", (2, -1))
ABS = operator("abs", ["x"], ["y"])
AT = "m.tosa: operator 0 of region 'main' (ABS, 'y'): error: "
CONST_AT = "m.tosa: operator 0 of region 'main' (CONST, 'y'): error: "


def constant(tensors, shapes=()):
    return block(
        operators=(operator("const", [], ["y"]),), inputs=(), tensors=tensors, shapes=shapes
    )


REFUSED = [
    (replace(ADD, version=None), "m.tosa: error: this flatbuffer has no version of TOSA"),
    (
        replace(ADD, version=schema.Version(0, 80)),
        "m.tosa: error: this flatbuffer has version 0.80 of TOSA",
    ),
    (schema.Graph(VERSION), "m.tosa: error: this flatbuffer has no region"),
    (
        schema.Graph(VERSION, (schema.Region("main", ADD.regions[0].blocks * 2),)),
        "m.tosa: region 'main': error: a function has one block, got 2",
    ),
    (
        schema.Graph(VERSION, (schema.Region("main"),)),
        "m.tosa: region 'main': error: a function has one block, got 0",
    ),
    (
        block(operators=(operator("cond_if", ["x"], ["y"]), operator("conv2d", ["x"], ["y"]))),
        "m.tosa: operator 0 of region 'main' (COND_IF, 'y'): error: 'tosa.cond_if' is not "
        "supported: it is control flow\n"
        "m.tosa: operator 1 of region 'main' (CONV2D, 'y'): error: 'tosa.conv2d' is not "
        "supported: it is not element-wise",
    ),
    (
        block(operators=(operator("variable_read", [], ["y"]),)),
        "m.tosa: operator 0 of region 'main' (VARIABLE_READ, 'y'): error: 'tosa.variable_read' is "
        "not supported: it keeps state between calls",
    ),
    (
        block(operators=(replace(ABS, op=999, attribute_type=0),)),
        "m.tosa: operator 0 of region 'main' (OPERATOR_999, 'y'): error: there is no TOSA operator",
    ),
    (block(tensors=(X, X, Y)), "m.tosa: region 'main': error: there are two tensors 'x'"),
    (
        block(operators=(operator("add", ["x", "y"], ["y"]),)),
        "m.tosa: operator 0 of region 'main' (ADD, 'y'): error: the operator reads what is made",
    ),
    (block(operators=(ABS, ABS)), AT.replace("0", "1") + "'y' has a value already"),
    (
        block(inputs=("x", "y")),
        AT + "'y' has a value already",
    ),
    (
        block(operators=()),
        "m.tosa: output 0 of region 'main' ('y'): error: tensor 'y' has no value: no input or",
    ),
    (block(operators=(replace(ABS, inputs=("z",)),)), AT + "tensor 'z' does not exist"),
    (block(tensors=(X,)), AT + "tensor 'y' does not exist"),
    (
        block(tensors=(tensor("x", "MXINT8", [2]), Y)),
        "m.tosa: input 0 of region 'main' ('x'): error: tensor 'x' has element type MXINT8",
    ),
    (
        block(tensors=(replace(X, type=77), Y)),
        "m.tosa: input 0 of region 'main' ('x'): error: tensor 'x' has element type 77",
    ),
    (
        block(tensors=(tensor("x", "INT64", [2]), Y)),
        "m.tosa: operator 0 of region 'main' (ABS, 'y'): error: 'tosa.abs' takes argument 0 (%x) "
        "of function @main, which is tensor<2xi64>: only sizes are computed from index and i64",
    ),
    (
        block(tensors=(replace(X, is_unranked=True), Y)),
        "m.tosa: input 0 of region 'main' ('x'): error: argument 0 (%x) of function @main is the "
        "unranked tensor",
    ),
    (
        block(tensors=(replace(X, shape=(2, -2)), Y)),
        "m.tosa: input 0 of region 'main' ('x'): error: tensor 'x' has the sizes [2, -2]",
    ),
    (block(operators=(replace(ABS, attribute_type=15),)), AT + "it has the attributes of ADD"),
    (block(operators=(replace(ABS, inputs=()),)), AT + "'tosa.abs' has 0 operands, expected 1"),
    (
        block(operators=(replace(ABS, inputs=("x", "x")),)),
        AT + "'tosa.abs' has 2 operands, expected 1",
    ),
    (
        unary("clamp", attribute=schema.ClampAttribute(float_bytes(1), float_bytes(2), 7)),
        "m.tosa: operator 0 of region 'main' (CLAMP, 'y'): error: nan_mode is 7",
    ),
    (
        unary("clamp", attribute=schema.ClampAttribute(float_bytes(1), b"", 0)),
        "m.tosa: operator 0 of region 'main' (CLAMP, 'y'): error: max_val has 0 bytes, expected 4",
    ),
    (
        constant((tensor("y", "FP32", [-1], b""),)),
        CONST_AT + "the constant 'y' is not a tensor of static sizes",
    ),
    (
        constant((tensor("y", "INT8", [3], b"ab"),)),
        CONST_AT + "constant 'y' of tensor<3xi8> has 2 bytes, expected 3",
    ),
    (
        constant((replace(tensor("y", "INT8", [3]), offset=5000000000, size=3),)),
        CONST_AT + "the elements of constant 'y' are outside of the flatbuffer",
    ),
    (
        constant((Y,), (schema.Shape("y", 1),)),
        "m.tosa: region 'main': error: there are two tensors 'y'",
    ),
    (
        block(operators=(operator("const_shape", [], ["y"]),), inputs=()),
        "m.tosa: operator 0 of region 'main' (CONST_SHAPE, 'y'): error: shape 'y' does not exist",
    ),
]


@pytest.mark.parametrize(("table", "expected"), REFUSED, ids=lambda one: str(one)[:60])
def test_what_is_refused(table, expected):
    assert message(table).startswith(expected)


def test_a_damaged_file():
    with pytest.raises(UserError) as error:
        hwc.compile(write(ADD)[:60])
    assert str(error.value).startswith("-: error: this flatbuffer is damaged: ")


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("INT4", b"\x2f\x01", (-1, 2, 1)),
        ("INT48", bytes.fromhex("010000000000feffffffffff000100000000"), (1, -2, 256)),
        ("FP16", np.array([1, -0.5, 3], "<f2").tobytes(), (1, -0.5, 3)),
        ("BF16", bytes.fromhex("803f00bf4040"), (1, -0.5, 3)),
        ("FP8E4M3", bytes.fromhex("38b044"), (1, -0.5, 3)),
        ("FP8E5M2", bytes.fromhex("3cb842"), (1, -0.5, 3)),
    ],
)
def test_constants_of_types_that_lanes_do_not_have(kind, data, expected):
    table = constant((tensor("y", kind, [3], data),))
    (const,) = (
        op
        for op in parse(Source("m.tosa", write(table)), make_context()).walk()
        if op.name == "tosa.const"
    )
    assert const.arguments["values"].get_values() == expected
    (output,) = hwc.compile(write(table))().outputs
    output = output.view(NUMPY_LACKS.get(kind, output.dtype))
    assert tuple(output) == expected, "memory holds the type"
    result = "INT32" if kind.startswith("INT") else "FP32"
    tensors = [tensor("c", kind, [3], data), tensor("y", result, [3])]
    operators = [operator("const", [], ["c"]), operator("cast", ["c"], ["y"])]
    (output,) = hwc.compile(write(graph(operators, tensors, [], ["y"])))().outputs
    assert tuple(output) == expected, "a conversion is folded"


TEXT = """
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x?xf32>) -> tensor<?x4xf32> {
  %c = "tosa.const"() {values = dense<[[1.0, 2.0, 3.0, -0.0]]> : tensor<1x4xf32>}
    : () -> tensor<1x4xf32>
  %0 = tosa.add %x, %y : (tensor<?x4xf32>, tensor<?x?xf32>) -> tensor<?x4xf32>
  %1 = tosa.maximum %0, %c {nan_mode = IGNORE}
    : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}
"""


def test_what_the_official_serializer_writes(tmp_path):
    """The machine code of the flatbuffer is that of the text."""
    tool = shutil.which("tosa-opt")
    if tool is None:
        pytest.skip("tosa-tools is not installed")
    options = f"--tosa-serialize=tosa-flatbuffer-filename={tmp_path / 'm.tosa'}"
    subprocess.run([tool, options, "-o", "/dev/null"], input=TEXT, text=True, check=True)
    from_text, read = hwc.compile(TEXT).package, hwc.compile(tmp_path / "m.tosa").package
    assert [*listing(read)] == [*listing(from_text)]
    assert read.constants == from_text.constants
