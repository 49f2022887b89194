"""The scalar operations of the `hwc` dialect, written with upstream `arith` and `math` only.

These versions may round several times where the `hwc` operation rounds once. They are for
comparison with other compilers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from hwc.dialects.index_operations import Exp2Op, Log2CeilOp, Log2FloorOp
from hwc.dialects.scalars import (
    AddSaturateOp,
    AddSaturateUnsignedOp,
    FloatToIntegerOp,
    MulHighUnsignedOp,
    MulShiftDoubleOp,
    MulShiftOp,
    ReciprocalOp,
    ShiftRightRoundOp,
    ShiftWideOp,
    SigmoidOp,
    SubtractSaturateOp,
)
from hwc.dialects.upstream_casts import IndexCastOp

Add = Callable[[Operation], SSAValue]
"""Inserts an operation before the replaced one and returns its result."""


def _float(add: Add, value: float, type_: Attribute) -> SSAValue:
    assert isinstance(type_, AnyFloat)
    return add(arith.ConstantOp(FloatAttr(value, type_)))


def _integer(add: Add, value: int, type_: Attribute) -> SSAValue:
    assert isinstance(type_, IntegerType)
    return add(arith.ConstantOp(IntegerAttr(value, type_)))


def _sigmoid(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    one = _float(add, 1.0, result)
    exponential = add(math.ExpOp(add(arith.NegfOp(operands[0]))))
    return add(arith.DivfOp(one, add(arith.AddfOp(one, exponential))))


def _reciprocal(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    return add(arith.DivfOp(_float(add, 1.0, result), operands[0]))


def _float_to_integer(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    """Clip from below and convert, then select the largest value for large inputs and 0 for NaN.

    A narrow float is widened first, because its type may not represent the limits.
    """
    assert isinstance(result, IntegerType)
    limit = 2 ** (result.width.data - 1)
    narrow = isinstance(operands[0].type, AnyFloat) and operands[0].type.bitwidth < f32.bitwidth
    value = add(arith.ExtFOp(operands[0], f32)) if narrow else operands[0]
    rounded = add(math.RoundEvenOp(value))
    clipped = add(arith.MaxnumfOp(rounded, _float(add, -float(limit), rounded.type)))
    converted = add(arith.FPToSIOp(clipped, result))
    above = add(arith.CmpfOp(rounded, _float(add, float(limit), rounded.type), "oge"))
    saturated = add(arith.SelectOp(above, _integer(add, limit - 1, result), converted))
    is_nan = add(arith.CmpfOp(operands[0], operands[0], "uno"))
    return add(arith.SelectOp(is_nan, _integer(add, 0, result), saturated))


def _shift_right_round(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    value, shift = operands
    one, zero = _integer(add, 1, result), _integer(add, 0, result)
    before_last = add(arith.ShRSIOp(value, add(arith.SubiOp(shift, one))))
    last = add(arith.AndIOp(before_last, one))
    shifts = add(arith.CmpiOp(shift, zero, "sgt"))
    rounding = add(arith.SelectOp(shifts, last, zero))
    return add(arith.AddiOp(add(arith.ShRSIOp(value, shift)), rounding))


def _mul_shift(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    left, right, shift = (add(arith.ExtSIOp(operand, i64)) for operand in operands)
    one, zero = _integer(add, 1, i64), _integer(add, 0, i64)
    half = add(arith.ShLIOp(one, add(arith.SubiOp(shift, one))))
    shifts = add(arith.CmpiOp(shift, zero, "sgt"))
    rounding = add(arith.SelectOp(shifts, half, zero))
    return _shifted(add(arith.MuliOp(left, right)), shift, rounding, add)


def _shift_wide(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    high, shift = (add(arith.ExtSIOp(operand, i64)) for operand in (operands[0], operands[2]))
    low = add(arith.ExtUIOp(operands[1], i64))
    wide = add(arith.OrIOp(add(arith.ShLIOp(high, _integer(add, 32, i64))), low))
    one, zero = _integer(add, 1, i64), _integer(add, 0, i64)
    half = add(arith.ShLIOp(one, add(arith.SubiOp(shift, one))))
    rounding = add(arith.SelectOp(add(arith.CmpiOp(shift, zero, "sgt")), half, zero))
    return _shifted(wide, shift, rounding, add)


def _mul_high_unsigned(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    left, right = add(arith.ExtUIOp(operands[0], i64)), add(arith.ExtSIOp(operands[1], i64))
    shifted = arith.ShRSIOp(add(arith.MuliOp(left, right)), _integer(add, 32, i64))
    return add(arith.TruncIOp(add(shifted), i32))


def _mul_shift_double(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    left, right, shift = (add(arith.ExtSIOp(operand, i64)) for operand in operands)
    one, zero = _integer(add, 1, i64), _integer(add, 0, i64)
    half = add(arith.ShLIOp(one, add(arith.SubiOp(shift, one))))
    more, less = (add(arith.AddiOp(half, _integer(add, n << 30, i64))) for n in (1, -1))
    twice = add(arith.SelectOp(add(arith.CmpiOp(left, zero, "slt")), less, more))
    is_long = add(arith.CmpiOp(shift, _integer(add, 31, i64), "sgt"))
    once = add(arith.SelectOp(add(arith.CmpiOp(shift, zero, "sgt")), half, zero))
    rounding = add(arith.SelectOp(is_long, twice, once))
    return _shifted(add(arith.MuliOp(left, right)), shift, rounding, add)


def _shifted(wide: SSAValue, shift: SSAValue, rounding: SSAValue, add: Add) -> SSAValue:
    total = add(arith.AddiOp(wide, rounding))
    return add(arith.TruncIOp(add(arith.ShRSIOp(total, shift)), i32))


def _add_saturate(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    assert isinstance(result, IntegerType)
    limit = 1 << (result.width.data - 1)
    return _limited(operands, -limit, limit - 1, result, add)


def _add_saturate_unsigned(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    assert isinstance(result, IntegerType)
    return _limited(operands, 0, (1 << result.width.data) - 1, result, add)


def _subtract_saturate(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    assert isinstance(result, IntegerType)
    limit = 1 << (result.width.data - 1)
    return _limited(operands, -limit, limit - 1, result, add, arith.SubiOp)


def _limited(  # noqa: PLR0917 - what is limited, and to what
    operands: Sequence[SSAValue],
    low: int,
    high: int,
    result: IntegerType,
    add: Add,
    combine: type[arith.AddiOp | arith.SubiOp] = arith.AddiOp,
) -> SSAValue:
    left, right = (add(arith.ExtSIOp(operand, i64)) for operand in operands)
    total = add(combine(left, right))
    raised = add(arith.MaxSIOp(total, _integer(add, low, i64)))
    return add(arith.TruncIOp(add(arith.MinSIOp(raised, _integer(add, high, i64))), result))


def _exp2(operands: Sequence[SSAValue], result: Attribute, add: Add) -> SSAValue:
    one = add(arith.ConstantOp(IntegerAttr(1, IndexType())))
    return add(arith.ShLIOp(one, operands[0]))


def _significant_bits(value: SSAValue, less: int, result: Attribute, add: Add) -> SSAValue:
    """Return the number of bits of `value` - `less` without leading zeros, minus 1 - `less`."""
    wide = add(IndexCastOp(value, i64))
    shifted = add(arith.SubiOp(wide, _integer(add, less, i64)))
    zeros = add(math.CountLeadingZerosOp(shifted))
    bits = add(arith.SubiOp(_integer(add, i64.width.data - 1 + less, i64), zeros))
    return add(IndexCastOp(bits, result))


PORTABLE: Mapping[type[Operation], Callable[[Sequence[SSAValue], Attribute, Add], SSAValue]] = {
    AddSaturateOp: _add_saturate,
    AddSaturateUnsignedOp: _add_saturate_unsigned,
    SubtractSaturateOp: _subtract_saturate,
    Exp2Op: _exp2,
    FloatToIntegerOp: _float_to_integer,
    Log2CeilOp: lambda operands, result, add: _significant_bits(operands[0], 1, result, add),
    Log2FloorOp: lambda operands, result, add: _significant_bits(operands[0], 0, result, add),
    MulHighUnsignedOp: _mul_high_unsigned,
    MulShiftDoubleOp: _mul_shift_double,
    MulShiftOp: _mul_shift,
    ReciprocalOp: _reciprocal,
    ShiftRightRoundOp: _shift_right_round,
    ShiftWideOp: _shift_wide,
    SigmoidOp: _sigmoid,
}
"""How to write each scalar operation of the `hwc` dialect."""
