"""How an operation of `arith` or `math` computes one point: one scalar for each result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerAttr, IntegerType, TensorType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from hwc.dialects import scalars
from hwc.transforms.generic_builder import Add, ScalarBody

_FLAGS: Mapping[str, Attribute | None] = {
    "fastmath": arith.FastMathFlagsAttr("none"),
    "overflowFlags": arith.IntegerOverflowAttr("none"),
    "isExact": None,
    "roundingmode": None,
}
"""Properties that allow other results but do not require them, and their replacements."""


def without_flags(op: Operation) -> dict[str, Attribute]:
    """Return the properties of `op` without mere permissions: the plain result is always right."""
    kept = {name: _FLAGS.get(name, value) for name, value in op.properties.items()}
    return {name: value for name, value in kept.items() if value is not None}


def scalar_results(op: Operation) -> list[ScalarBody]:
    """Return how each result of `op` is computed from the scalars of its operands."""
    if op.name in _SEVERAL:
        return _SEVERAL[op.name]
    type_ = op.results[0].type
    element = type_.get_element_type() if isinstance(type_, TensorType) else type_

    def compute(operands: Sequence[SSAValue], add: Add) -> SSAValue:
        properties = without_flags(op)
        return add(
            type(op).create(operands=operands, result_types=[element], properties=properties)
        )

    return [compute]


def _one(kind: Callable[..., Operation]) -> ScalarBody:
    return lambda operands, add: add(kind(*operands))


def _carry(operands: Sequence[SSAValue], add: Add) -> SSAValue:
    """Return whether the unsigned sum is less than an operand, which means that it overflowed."""
    total = add(arith.AddiOp(operands[0], operands[1]))
    return add(arith.CmpiOp(total, operands[0], "ult"))


def _high_signed(operands: Sequence[SSAValue], add: Add) -> SSAValue:
    """Return the upper half of a product of signed numbers.

    `hwc.mul_shift` by 32 adds 2^31 before it shifts: one too many if the lower half is 2^31 or
    more, that is, negative as a signed number.
    """
    left, right = operands
    type_ = left.type
    assert isinstance(type_, IntegerType)
    if type_ == i32:
        low = add(arith.MuliOp(left, right))
        rounded = add(scalars.MulShiftOp(left, right, _constant(32, i32, add)))
        return add(arith.AddiOp(rounded, add(arith.ShRSIOp(low, _constant(31, i32, add)))))
    left, right = (add(arith.ExtSIOp(operand, i32)) for operand in operands)
    return _upper_half(add(arith.MuliOp(left, right)), type_, add)


def _high_unsigned(operands: Sequence[SSAValue], add: Add) -> SSAValue:
    """Return the upper half of a product of unsigned numbers.

    A number with the top bit set is 2^32 less when read as signed; the signed upper half is then
    too small by the other factor.
    """
    type_ = operands[0].type
    assert isinstance(type_, IntegerType)
    if type_ != i32:
        left, right = (add(arith.ExtUIOp(operand, i32)) for operand in operands)
        return _upper_half(add(arith.MuliOp(left, right)), type_, add)
    high = _high_signed(operands, add)
    for one, other in (operands, tuple(operands)[::-1]):
        sign = add(arith.ShRSIOp(one, _constant(31, i32, add)))
        high = add(arith.AddiOp(high, add(arith.AndIOp(sign, other))))
    return high


def _upper_half(product: SSAValue, type_: IntegerType, add: Add) -> SSAValue:
    shifted = add(arith.ShRSIOp(product, _constant(type_.width.data, i32, add)))
    return add(arith.TruncIOp(shifted, type_))


def _constant(value: int, type_: IntegerType, add: Add) -> SSAValue:
    return add(arith.ConstantOp(IntegerAttr(value, type_)))


_SEVERAL: Mapping[str, list[ScalarBody]] = {
    "arith.addui_extended": [_one(arith.AddiOp), _carry],
    "arith.mulsi_extended": [_one(arith.MuliOp), _high_signed],
    "arith.mului_extended": [_one(arith.MuliOp), _high_unsigned],
    "math.sincos": [_one(math.SinOp), _one(math.CosOp)],
}
"""Operations with two results."""
