"""The computation of each element-wise TOSA operator for one point.

Integers keep their own width: i8 arithmetic wraps as i8. i1 is 0 or 1. Each function takes the
operator, its scalars and the body under construction, and returns the scalar result (TOSA 1.0,
chapter on each operator).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hwc.dialects import scalars
from hwc.dialects.building import built
from hwc.dialects.compile_time_operands import (
    Number,
    bounds_of,
    ignores_nan,
    known_number,
    rounds,
    shift_of,
    zero_points_of,
)
from hwc.dialects.rescale import INPUT_ZP, MULTIPLIER, OUTPUT_ZP, SHIFT, rescale_of
from hwc.dialects.tosa_operation import TosaOperation


class Body:
    """The block of a `linalg.generic` under construction.

    `parameter` takes the number of an operand that is a parameter of the operator. It adds the
    operand as an input of the `linalg.generic` and returns its scalar; for a table, that scalar
    stands for the whole table.
    """

    def __init__(
        self, block: Block, source: TosaOperation, parameter: Callable[[int], SSAValue]
    ) -> None:
        self.block = block
        self.source = source
        self.parameter = parameter

    @property
    def result_type(self) -> Attribute:
        """The element type of the operator's result."""
        type_ = self.source.results[0].type
        assert isinstance(type_, TensorType)
        return type_.get_element_type()

    def add(self, op: Operation) -> SSAValue:
        """Append `op` and return its result."""
        op.location = self.source.location
        self.block.add_op(op)
        return op.results[0]

    def build(self, kind: Callable[..., Operation], *operands: SSAValue) -> SSAValue:
        """Append `kind(*operands)`, which must be the same for all operands of these types."""
        return self.add(built(kind, operands, self.source.location))

    def constant(self, value: Number, type_: Attribute) -> SSAValue:
        """Append the constant `value` of one of the machine's types and return the constant."""
        if isinstance(type_, IntegerType):
            return self.add(arith.ConstantOp(IntegerAttr(int(value), type_)))
        assert isinstance(type_, AnyFloat)
        return self.add(arith.ConstantOp(FloatAttr(float(value), type_)))

    def number(
        self, position: int, value: Number | None, type_: IntegerType, unsigned: bool = False
    ) -> SSAValue:
        """Return a parameter in a wider type; `value` is None if it is known only at a call."""
        if value is not None:
            return self.constant(value, type_)
        return self.widened(self.parameter(position), type_, unsigned)

    def widened(self, value: SSAValue, type_: IntegerType, unsigned: bool = False) -> SSAValue:
        """Return an integer in a type of the same or a larger width."""
        if value.type == type_:
            return value
        return self.add((arith.ExtUIOp if unsigned else arith.ExtSIOp)(value, type_))


Lowering = Callable[[TosaOperation, Sequence[SSAValue], Body], SSAValue]


def _is_float(value: SSAValue) -> bool:
    return isinstance(value.type, AnyFloat)


def _unary(kind: Callable[[SSAValue], Operation]) -> Lowering:
    return lambda op, args, body: body.build(kind, args[0])


def _binary(
    for_integers: Callable[[SSAValue, SSAValue], Operation] | None,
    for_floats: Callable[[SSAValue, SSAValue], Operation] | None = None,
) -> Lowering:
    def lower(op: TosaOperation, args: Sequence[SSAValue], body: Body) -> SSAValue:
        kind = for_floats if _is_float(args[0]) else for_integers
        assert kind is not None
        return body.build(kind, args[0], args[1])

    return lower


def _compare(for_integers: str, for_floats: str) -> Lowering:
    return _binary(
        lambda a, b: arith.CmpiOp(a, b, for_integers), lambda a, b: arith.CmpfOp(a, b, for_floats)
    )


def _abs(op: TosaOperation, args: Sequence[SSAValue], body: Body) -> SSAValue:
    return body.build(math.AbsFOp if _is_float(args[0]) else math.AbsIOp, args[0])


def _not(op: TosaOperation, args: Sequence[SSAValue], body: Body) -> SSAValue:
    type_ = args[0].type
    ones = 1 if type_ == i1 else -1
    return body.add(arith.XOrIOp(args[0], body.constant(ones, type_)))


def _arithmetic_right_shift(op: TosaOperation, args: Sequence[SSAValue], body: Body) -> SSAValue:
    kind = scalars.ShiftRightRoundOp if rounds(op) else arith.ShRSIOp
    return body.build(kind, args[0], args[1])


def _extremum(
    for_integers: Callable[[SSAValue, SSAValue], Operation],
    propagating: Callable[[SSAValue, SSAValue], Operation],
    ignoring: Callable[[SSAValue, SSAValue], Operation],
) -> Lowering:
    def lower(op: TosaOperation, args: Sequence[SSAValue], body: Body) -> SSAValue:
        for_floats = ignoring if ignores_nan(op) else propagating
        return body.build(for_floats if _is_float(args[0]) else for_integers, args[0], args[1])

    return lower


def _clamp(op: TosaOperation, args: Sequence[SSAValue], body: Body) -> SSAValue:
    value, bounds = args[0], bounds_of(op)
    low, high = (body.constant(bound, value.type) for bound in (bounds.low, bounds.high))
    if not _is_float(value):
        return body.add(arith.MinSIOp(body.add(arith.MaxSIOp(value, low)), high))
    if bounds.ignore_nan:
        return body.add(arith.MinnumfOp(body.add(arith.MaxnumfOp(value, low)), high))
    return body.add(arith.MinimumfOp(body.add(arith.MaximumfOp(value, low)), high))


def _mul(op: TosaOperation, args: Sequence[SSAValue], body: Body) -> SSAValue:
    left, right = args
    if _is_float(left):
        return body.build(arith.MulfOp, left, right)
    shift = shift_of(op)
    if shift != 0:
        return body.add(scalars.MulShiftOp(left, right, body.number(2, shift, i32)))
    if body.result_type != left.type:
        wide = body.result_type
        assert isinstance(wide, IntegerType)
        left, right = (body.add(arith.ExtSIOp(value, wide)) for value in (left, right))
    return body.build(arith.MuliOp, left, right)


def _negate(op: TosaOperation, args: Sequence[SSAValue], body: Body) -> SSAValue:
    value, type_ = args[0], args[0].type
    if _is_float(value):
        return body.build(arith.NegfOp, value)
    assert isinstance(type_, IntegerType)
    points = zero_points_of(op)
    if None in points:
        first, second = (body.number(i, point, i32) for i, point in enumerate(points, 1))
        total = body.add(arith.AddiOp(first, second))
    else:
        total = body.constant(sum(point or 0 for point in points), i32)
    if type_ == i32:
        return body.add(arith.SubiOp(total, value))
    return body.add(scalars.SubtractSaturateOp(total, body.widened(value, i32), type_))


def _rescale(op: TosaOperation, args: Sequence[SSAValue], body: Body) -> SSAValue:
    rescale, result = rescale_of(op), body.result_type
    assert isinstance(result, IntegerType)
    value, *high = (body.widened(arg, i32, rescale.input_unsigned) for arg in args)
    if rescale.input_zp != 0:
        point = body.number(INPUT_ZP, rescale.input_zp, i32, rescale.input_unsigned)
        value = body.add(arith.SubiOp(value, point))
    multiplier, shift = (
        body.number(
            position,
            None if rescale.per_channel else known_number(op, op.operands[position], what),
            i32,
        )
        for position, what in ((MULTIPLIER, "multiplier"), (SHIFT, "shift"))
    )
    if high:
        scaled = _scaled_wide(value, high[0], multiplier, shift, body)
    elif rescale.rounding == "DOUBLE_ROUND":
        scaled = body.add(scalars.MulShiftDoubleOp(value, multiplier, shift))
    else:
        scaled = body.add(scalars.MulShiftOp(value, multiplier, shift))
    if result == i32:
        return scaled
    limited = scalars.AddSaturateUnsignedOp if rescale.output_unsigned else scalars.AddSaturateOp
    point = body.number(OUTPUT_ZP, rescale.output_zp, i32, rescale.output_unsigned)
    return body.add(limited(scaled, point, result))


def _scaled_wide(
    low: SSAValue, high: SSAValue, multiplier: SSAValue, shift: SSAValue, body: Body
) -> SSAValue:
    """Return an i48, whose low half is unsigned, times a 16-bit multiplier, shifted right."""
    carry = body.add(scalars.MulHighUnsignedOp(low, multiplier))
    upper = body.add(arith.AddiOp(body.add(arith.MuliOp(high, multiplier)), carry))
    return body.add(scalars.ShiftWideOp(upper, body.add(arith.MuliOp(low, multiplier)), shift))


def _cast_float(value: SSAValue, source: AnyFloat, target: AnyFloat, body: Body) -> SSAValue:
    """Widen or narrow a float; the two types never have the same width."""
    kind = arith.ExtFOp if source.bitwidth < target.bitwidth else arith.TruncFOp
    return body.add(kind(value, target))


def _cast(op: TosaOperation, args: Sequence[SSAValue], body: Body) -> SSAValue:
    value, source, target = args[0], args[0].type, body.result_type
    if source == target:
        return value
    if target == i1:
        zero = body.constant(0, source)
        return body.add(
            arith.CmpfOp(value, zero, "une")
            if _is_float(value)
            else arith.CmpiOp(value, zero, "ne")
        )
    if isinstance(source, AnyFloat) and isinstance(target, AnyFloat):
        return _cast_float(value, source, target, body)
    if _is_float(value):
        return body.add(scalars.FloatToIntegerOp(value, target))
    if isinstance(target, AnyFloat):
        wide = body.add(arith.ExtUIOp(value, i32)) if source == i1 else value
        return body.add(arith.SIToFPOp(wide, target))
    assert isinstance(source, IntegerType)
    assert isinstance(target, IntegerType)
    if source == i1:
        return body.add(arith.ExtUIOp(value, target))
    if source.width.data < target.width.data:
        return body.add(arith.ExtSIOp(value, target))
    return body.add(arith.TruncIOp(value, target))


def _table(op: TosaOperation, args: Sequence[SSAValue], body: Body) -> SSAValue:
    read = scalars.LookupOp if body.result_type == args[0].type else scalars.InterpolateOp
    return body.add(read(body.parameter(1), args[0], body.result_type))


_DIVIDE = _binary(arith.DivSIOp)

LOWERINGS: Mapping[str, Lowering] = {
    "abs": _abs,
    "add": _binary(arith.AddiOp, arith.AddfOp),
    "arithmetic_right_shift": _arithmetic_right_shift,
    "bitwise_and": _binary(arith.AndIOp),
    "bitwise_not": _not,
    "bitwise_or": _binary(arith.OrIOp),
    "bitwise_xor": _binary(arith.XOrIOp),
    "cast": _cast,
    "ceil": _unary(math.CeilOp),
    "clamp": _clamp,
    "clz": _unary(math.CountLeadingZerosOp),
    "cos": _unary(math.CosOp),
    "div": _DIVIDE,
    "equal": _compare("eq", "oeq"),
    "erf": _unary(math.ErfOp),
    "exp": _unary(math.ExpOp),
    "floor": _unary(math.FloorOp),
    "greater": _compare("sgt", "ogt"),
    "greater_equal": _compare("sge", "oge"),
    "intdiv": _DIVIDE,
    "log": _unary(math.LogOp),
    "logical_and": _binary(arith.AndIOp),
    "logical_left_shift": _binary(arith.ShLIOp),
    "logical_not": _not,
    "logical_or": _binary(arith.OrIOp),
    "logical_right_shift": _binary(arith.ShRUIOp),
    "logical_xor": _binary(arith.XOrIOp),
    "maximum": _extremum(arith.MaxSIOp, arith.MaximumfOp, arith.MaxnumfOp),
    "minimum": _extremum(arith.MinSIOp, arith.MinimumfOp, arith.MinnumfOp),
    "mul": _mul,
    "negate": _negate,
    "pow": _binary(None, math.PowFOp),
    "reciprocal": _unary(scalars.ReciprocalOp),
    "rescale": _rescale,
    "rsqrt": _unary(math.RsqrtOp),
    "select": lambda op, args, body: body.build(arith.SelectOp, *args),
    "sigmoid": _unary(scalars.SigmoidOp),
    "sin": _unary(math.SinOp),
    "sub": _binary(arith.SubiOp, arith.SubfOp),
    "table": _table,
    "tanh": _unary(math.TanhOp),
}
"""The lowering of each element-wise operator except `identity`, which needs no lowering."""
