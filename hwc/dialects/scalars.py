"""Scalar operations of TOSA that upstream `arith` and `math` do not have as one operation.

Each rounds once, so none can be composed of other operations. The TOSA 1.0 specification defines
them.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import AnyFloatConstr, IntegerType, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


class FloatUnaryOp(IRDLOperation):
    """Base of the functions of one float, whose result has the operand's type."""

    _T: ClassVar = VarConstraint("T", AnyFloatConstr)

    operand = operand_def(_T)
    result = result_def(_T)

    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue) -> None:
        """Build the function of `operand`."""
        super().__init__(operands=[operand], result_types=[operand.type])


@irdl_op_definition
class SigmoidOp(FloatUnaryOp):
    """1 / (1 + exp(-x))."""

    name = "hwc.sigmoid"


@irdl_op_definition
class ReciprocalOp(FloatUnaryOp):
    """1 / x."""

    name = "hwc.reciprocal"


@irdl_op_definition
class FloatToIntegerOp(IRDLOperation):
    """The nearest integer, ties to even, saturated to the result's type; a NaN gives 0."""

    name = "hwc.fptosi"

    operand = operand_def(AnyFloatConstr)
    result = result_def(IntegerType)

    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, result_type: Attribute) -> None:
        """Build the conversion of `operand` to `result_type`."""
        super().__init__(operands=[operand], result_types=[result_type])


@irdl_op_definition
class ShiftRightRoundOp(IRDLOperation):
    """Arithmetic shift to the right, plus the last bit shifted out.

    That is `(x >> s) + ((x >> (s - 1)) & 1)`.

    A shift by 0 adds nothing.
    """

    name = "hwc.shift_right_round"

    value = operand_def(IntegerType)
    shift = operand_def(IntegerType)
    result = result_def(IntegerType)

    traits = traits_def(Pure())

    def __init__(self, value: SSAValue, shift: SSAValue) -> None:
        """Build the shift of `value` by `shift`."""
        super().__init__(operands=[value, shift], result_types=[value.type])

    def verify_(self) -> None:
        """Check that all three types are the same."""
        if not self.value.type == self.shift.type == self.result.type:
            raise VerifyException("value, shift and result have the same type")


class ShiftedProductOp(IRDLOperation):
    """Base of operations that shift a 64-bit number, made of two operands, right and round it."""

    lhs = operand_def(i32)
    rhs = operand_def(i32)
    shift = operand_def(i32)
    result = result_def(i32)

    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, shift: SSAValue) -> None:
        """Build the number made of `lhs` and `rhs`, shifted right by `shift`."""
        super().__init__(operands=[lhs, rhs, shift], result_types=[i32])


@irdl_op_definition
class MulShiftOp(ShiftedProductOp):
    """The low 32 bits of `(a * b + (1 << (s - 1))) >> s` on 64 bits, 0 <= s <= 63.

    A shift by 0 adds nothing.
    """

    name = "hwc.mul_shift"


@irdl_op_definition
class MulShiftDoubleOp(ShiftedProductOp):
    """Like `hwc.mul_shift`, but a shift above 31 also adds 2^30, or -2^30 if `a` is negative."""

    name = "hwc.mul_shift_double"


@irdl_op_definition
class ShiftWideOp(ShiftedProductOp):
    """Like `hwc.mul_shift`, on the number with the high half `lhs` and the low half `rhs`."""

    name = "hwc.shift_wide"


@irdl_op_definition
class MulHighUnsignedOp(IRDLOperation):
    """The high 32 bits of the product of `lhs`, which is unsigned, and `rhs`, which is signed."""

    name = "hwc.mul_high_unsigned"

    lhs = operand_def(i32)
    rhs = operand_def(i32)
    result = result_def(i32)

    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue) -> None:
        """Build the high half of the product."""
        super().__init__(operands=[lhs, rhs], result_types=[i32])


class SaturatingOp(IRDLOperation):
    """Base of sums and differences of two i32 that are limited to the range of a result type."""

    lhs = operand_def(i32)
    rhs = operand_def(i32)
    result = result_def(IntegerType)

    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, result_type: Attribute) -> None:
        """Build the sum of `lhs` and `rhs` as a `result_type`."""
        super().__init__(operands=[lhs, rhs], result_types=[result_type])


@irdl_op_definition
class AddSaturateOp(SaturatingOp):
    """The sum, limited to the range of the result's type; it does not wrap."""

    name = "hwc.add_saturate"


@irdl_op_definition
class AddSaturateUnsignedOp(SaturatingOp):
    """The sum, limited to the unsigned range of the result's type."""

    name = "hwc.add_saturate_unsigned"


@irdl_op_definition
class SubtractSaturateOp(SaturatingOp):
    """The difference, limited to the range of the result's type; it does not wrap."""

    name = "hwc.subtract_saturate"


class TableReadOp(IRDLOperation):
    """Base of the reads of a table; the scalar that `hwc.table` returns names the table."""

    table = operand_def(IntegerType)
    value = operand_def(IntegerType)
    result = result_def(IntegerType)

    traits = traits_def(Pure())

    def __init__(self, table: SSAValue, value: SSAValue, result_type: Attribute) -> None:
        """Build the read of `table` at `value`."""
        super().__init__(operands=[table, value], result_types=[result_type])

    def verify_(self) -> None:
        """Check that an entry has the type of the value."""
        if self.table.type != self.value.type:
            raise VerifyException("table and value have the same type")


@irdl_op_definition
class LookupOp(TableReadOp):
    """Entry `value` + 128 of a table of 256 entries."""

    name = "hwc.lookup"


@irdl_op_definition
class InterpolateOp(TableReadOp):
    """Between the entries n and n + 1 of a table of 513 entries.

    n is (`value` + 32768) / 128, rounded down: 128 times entry n, plus the difference of the two
    entries times (`value` + 32768) modulo 128.
    """

    name = "hwc.interpolate"


OPERATIONS = [
    LookupOp,
    InterpolateOp,
    SigmoidOp,
    ReciprocalOp,
    FloatToIntegerOp,
    ShiftRightRoundOp,
    MulShiftOp,
    MulShiftDoubleOp,
    ShiftWideOp,
    MulHighUnsignedOp,
    AddSaturateOp,
    AddSaturateUnsignedOp,
    SubtractSaturateOp,
]
