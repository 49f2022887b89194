"""An operator is checked once for all of its kind; what differs is checked by itself."""

import pytest
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Block

import hwc
from hwc.dialects.tosa import CLASSES
from hwc.dialects.tosa_rules import check
from hwc.errors import UserError
from hwc.frontend.diagnostics import LocatedError

T, S, Z = "tensor<?x4xf32>", "tensor<1xi8>", "tensor<1xf32>"
GOOD = f"%0 = tosa.mul %a, %b, %zero : ({T}, {T}, {S}) -> {T}"


def compiled(second):
    return hwc.compile(
        f"""func.func @main(%a: {T}, %b: {T}, %i: tensor<?x4xi32>, %s: {S}) -> {T} {{
  %zero = "tosa.const"() <{{values = dense<0> : {S}}}> : () -> {S}
  %one = "tosa.const"() <{{values = dense<1> : {S}}}> : () -> {S}
  %z = "tosa.const"() <{{values = dense<0.0> : tensor<1xf32>}}> : () -> tensor<1xf32>
  {GOOD}
  {second}
  return %0 : {T}
}}
"""
    )


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (f"%1 = tosa.mul %a, %b, %one : ({T}, {T}, {S}) -> {T}", "shift"),
        (f"%1 = tosa.mul %a, %i, %zero : ({T}, tensor<?x4xi32>, {S}) -> {T}", "different element"),
        (f"%1 = tosa.mul %a, %b, %zero : ({T}, {T}, {S}) -> tensor<?x5xf32>", "the result of"),
        (
            f"%1 = tosa.mul %a, %b, %zero {{shift = 1 : i8}} : ({T}, {T}, {S}) -> {T}",
            "attribute shift = 1",
        ),
        (
            f"%1 = tosa.negate %a, %z, %z {{input1_zp = 3 : i8}} : ({T}, {Z}, {Z}) -> {T}",
            "attribute input1_zp = 3",
        ),
        (f"%1 = tosa.bitwise_and %a, %b : ({T}, {T}) -> {T}", "not supported for element type f32"),
    ],
)
def test_what_differs_from_a_legal_operator_is_refused(second, message):
    compiled(GOOD.replace("%0 =", "%1 ="))
    with pytest.raises(UserError, match=message):
        compiled(second)


def test_a_second_result_in_place_of_an_operand_is_refused():
    """The types are the same in the same order."""
    kind, type_ = CLASSES["add"], TensorType(f32, [4])
    one, other = Block(arg_types=[type_, type_]).args
    check(kind.create(operands=[one, other], result_types=[type_]))
    with pytest.raises(LocatedError, match="has 1 operand, expected 2"):
        check(kind.create(operands=[one], result_types=[type_, type_]))
