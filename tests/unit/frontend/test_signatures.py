"""Types that an operation does not take: the message has the types, not xDSL's variables."""

import pytest

from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.signatures import unexpected_type
from hwc.frontend.source import Source
from hwc.pipeline import run

FLOAT, INTEGER, WIDER = "tensor<3xf32>", "tensor<3xi32>", "tensor<4xf32>"
ALL_FLOATS = "f32, f16, bf16, f8E4M3FN, f8E5M2"
FLOATS = f"it takes {ALL_FLOATS} for lhs, rhs, result"
INTEGERS = "it takes i1, i8, i16, i32 for lhs, rhs, result"


def refused(operation):
    text = f"""\
func.func @main(%x: {FLOAT}, %i: {INTEGER}, %w: {WIDER}) -> {FLOAT} {{
  %0 = {operation}
  return %x : {FLOAT}
}}
"""
    with pytest.raises(LocatedError) as caught:
        run(Source("m.mlir", text), until="tosa")
    assert str(caught.value).startswith("m.mlir:2:8: error: ")
    return caught.value.message, caught.value.advice


@pytest.mark.parametrize(
    ("operation", "message", "advice"),
    [
        (f"arith.addf %i, %i : {INTEGER}", "'arith.addf' does not take i32", FLOATS),
        (f"arith.addi %x, %x : {FLOAT}", "'arith.addi' does not take f32", INTEGERS),
        (
            f"math.tanh %i : {INTEGER}",
            "'math.tanh' does not take i32",
            f"it takes {ALL_FLOATS} for operand, result",
        ),
        (
            f"arith.sitofp %x : {FLOAT} to {INTEGER}",
            "'arith.sitofp' does not take f32",
            f"it takes i1, i8, i16, i32 for input; {ALL_FLOATS} for result",
        ),
        (
            f"arith.select %x, %x, %x : {FLOAT}, {FLOAT}",
            f"operand 0 of 'arith.select' is {FLOAT}",
            f"it takes i1 for cond; i1, i8, i16, i32, {ALL_FLOATS} for lhs, rhs, result",
        ),
        (
            f'"arith.addf"(%i, %i) : ({INTEGER}, {INTEGER}) -> {INTEGER}',
            f"operand 0 of 'arith.addf' is {INTEGER}",
            FLOATS,
        ),
        (
            f'"arith.addf"(%x, %x) : ({FLOAT}, {FLOAT}) -> {INTEGER}',
            f"result 0 of 'arith.addf' is {INTEGER}",
            FLOATS,
        ),
        (
            f'"arith.addf"(%x) : ({FLOAT}) -> {FLOAT}',
            "'arith.addf' has 1 operand, expected 2",
            FLOATS,
        ),
        (
            f'"arith.addf"(%x, %w) : ({FLOAT}, {WIDER}) -> {FLOAT}',
            "the operands and results of 'arith.addf' have different types: "
            f"{FLOAT}, {WIDER}, {FLOAT}",
            "they have to be the same",
        ),
    ],
)
def test_the_types_are_named(operation, message, advice):
    assert refused(operation) == (message, advice)


def test_a_message_about_something_else_is_left_alone():
    from xdsl.dialects.arith import AddfOp  # noqa: PLC0415

    assert unexpected_type(AddfOp, "who knows") is None
