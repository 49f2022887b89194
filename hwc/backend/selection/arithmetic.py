"""Arithmetic and conversions that take several instructions."""

from __future__ import annotations

import isa
from hwc.backend.selection.emitter import Constant, Emitter, NoInstructionError, Value
from hwc.backend.selection.expansion import LANE_FLOAT, Expansion, Scalar
from isa.model import LANE_BITS, ElementType

_LOWEST_BIT = Constant(1)

_HALF, _ONE, _TWO, _MINUS_ONE = 0x3F000000, 0x3F800000, 0x40000000, 0xBF800000
"""Floats, as the bits of a lane."""

_STEP_BITS = 31
"""The minimum number of bits by which a step of the remainder lowers an exponent."""


_INFINITY = Constant(0x7F800000)
"""The infinity of every float type, as a lane."""


def _bias(type_: ElementType) -> int:
    """Return the exponent bias of a float type."""
    return (1 << type_.exponent_bits - 1) - 1


def _least_normal(type_: ElementType) -> Constant:
    """Return the smallest normal number of a float type, as a lane."""
    lane = isa.load().types[LANE_FLOAT]
    return Constant(_bias(lane) - _bias(type_) + 1 << lane.fraction_bits)


def to_narrower(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Round the number of a lane to a narrower format."""
    return e(f"{LANE_FLOAT}_to_{s.result.name}", v[0])


def _narrowed(e: Emitter, s: Scalar, value: Value) -> Value:
    """Convert a value that several instructions have computed as f32 to the type of the result."""
    return value if s.result.name == LANE_FLOAT else to_narrower(e, s, [value])


def same_bits(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Keep the lane if it holds the bits of the type; for a narrow float, the bits differ."""
    narrow = [t for t in (s.operand, s.result) if t.kind == "float" and t.bits < LANE_BITS]
    if narrow and s.operand != s.result:
        raise NoInstructionError
    return v[0]


def in_range(e: Emitter, value: Value, type_: ElementType) -> Value:
    """Return the low bits of a lane as a value of a boolean or integer type."""
    if type_.kind == "boolean":
        return e("and", value, _LOWEST_BIT)
    return value if type_.bits == LANE_BITS else e(f"sext.{type_.name}", value)


def without_sign(e: Emitter, value: Value, type_: ElementType) -> Value:
    """Return the bits of an integer narrower than a lane as an unsigned number."""
    return e("and", value, Constant((1 << type_.bits) - 1))


def quotient(stem: str) -> Expansion:
    """Divide as i32; in a narrower type, only the smallest number divided by -1 is out of range."""
    return lambda e, s, v: in_range(e, e(f"{stem}.i32", *v), s.result)


def unsigned_quotient(stem: str) -> Expansion:
    """Divide lanes as unsigned numbers, or compute the remainder."""

    def expand(e: Emitter, s: Scalar, v: list[Value]) -> Value:
        if s.operand.bits == LANE_BITS:
            return e(f"{stem}.i32", *v)
        wide = [without_sign(e, value, s.operand) for value in v]
        return in_range(e, e(f"{stem}.i32", *wide), s.result)

    return expand


def float_remainder(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Compute the remainder in exact steps, as many as the farthest exponents need.

    A step leaves either the remainder or a number whose exponent is at least `_STEP_BITS` lower.
    """
    format_ = s.operand
    farthest = (1 << format_.exponent_bits) - 3 + format_.fraction_bits
    value = v[0]
    for _ in range(-(-farthest // _STEP_BITS)):
        value = e(f"remstep.{LANE_FLOAT}", value, v[1])
    return value


def exponential_less_one(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Compute tanh(x/2) * (e^x + 1), where nothing cancels: within 2 ulp."""
    kind = LANE_FLOAT
    half = e(f"tanh.{kind}", e(f"mul.{kind}", v[0], Constant(_HALF)))
    return _narrowed(e, s, e(f"fma.{kind}", half, e(f"exp.{kind}", v[0]), half))


def logarithm_of_one_more(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Compute log u + (x - (u - 1)) / u, where u is 1 + x rounded: within 2 ulp.

    The second term adds the rounding error of u, times the slope of the logarithm. This term is a
    NaN where u is 0 or infinite; there, any number in its place leaves the result infinite. The
    result has the sign of x; only for -0 the sign has to be set explicitly.
    """
    kind = LANE_FLOAT
    above = e(f"add.{kind}", v[0], Constant(_ONE))
    cut = e(f"sub.{kind}", v[0], e(f"sub.{kind}", above, Constant(_ONE)))
    slope = e(f"maxn.{kind}", e(f"div.{kind}", cut, above), Constant(_MINUS_ONE))
    return _narrowed(
        e, s, e(f"copysign.{kind}", e(f"add.{kind}", e(f"log.{kind}", above), slope), v[0])
    )


def tangent(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Divide the sine by the cosine, which is never 0: within 2 ulp."""
    kind = LANE_FLOAT
    return _narrowed(e, s, e(f"div.{kind}", e(f"sin.{kind}", v[0]), e(f"cos.{kind}", v[0])))


def leading_zeros(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Count leading zeros in the lane; zeros above a narrower type do not count."""
    if s.operand.bits == LANE_BITS:
        return e("clz.i32", v[0])
    zeros = e("clz.i32", without_sign(e, v[0], s.operand))
    return e("sub.i32", zeros, Constant(LANE_BITS - s.operand.bits))


def trailing_zeros(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Count trailing zeros in the lane; a one just above a narrower type ends the count."""
    if s.operand.bits == LANE_BITS:
        return e("ctz.i32", v[0])
    return e("ctz.i32", e("or", v[0], Constant(1 << s.operand.bits)))


def population(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Count the ones of the type; copies of a narrower type's sign do not count."""
    bits = v[0] if s.operand.bits == LANE_BITS else without_sign(e, v[0], s.operand)
    return e("popcount.i32", bits)


def invert(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Return the opposite truth value."""
    return e("xor", v[0], _LOWEST_BIT)


def minus(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Return -1 for true: a truth value as a signed one-bit number."""
    return e("sub.i32", Constant(0), v[0])


def truncate(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Keep the low bits."""
    return in_range(e, v[0], s.result)


def zero_extend(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Clear the copies of the sign."""
    return without_sign(e, v[0], s.operand)


def to_float(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Convert a lane, a signed 32-bit number."""
    return e(f"i32_to_{s.result.name}", v[0])


def minus_to_float(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Convert a truth value as a signed number."""
    return to_float(e, s, [minus(e, s, v)])


def unsigned_to_float(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Convert an unsigned number; a number narrower than a lane is the same as a signed lane."""
    if s.operand.bits == LANE_BITS:
        return e(f"from_u32.{s.result.name}", v[0])
    return to_float(e, s, [zero_extend(e, s, v)])


def to_integer(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Convert to the nearest integer in the range of the result's type."""
    return e(f"{LANE_FLOAT}_to_{s.result.name}", v[0])


def toward_zero_to_integer(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Round toward zero, then convert."""
    return to_integer(e, s, [e(f"trunc.{LANE_FLOAT}", v[0])])


def toward_zero_to_unsigned(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Round toward zero, then convert and limit to the range of the result's type."""
    number = e(f"to_u32.{LANE_FLOAT}", e(f"trunc.{LANE_FLOAT}", v[0]))
    if s.result.bits == LANE_BITS:
        return number
    return in_range(e, e("minu.i32", number, Constant((1 << s.result.bits) - 1)), s.result)


def power_of_two(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Raise 2 to a power; the logarithm of 2 is exact, so only the result is rounded."""
    return e(f"pow.{s.operand.name}", Constant(_TWO), v[0])


def is_nan(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Compare a float with itself: only a NaN differs."""
    return e(f"ne.{LANE_FLOAT}", v[0], v[0])


def is_infinite(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Compare the magnitude with infinity."""
    return e(f"eq.{LANE_FLOAT}", e(f"abs.{LANE_FLOAT}", v[0]), _INFINITY)


def is_finite(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Compare the magnitude with infinity; a NaN is not less."""
    return e(f"gt.{LANE_FLOAT}", _INFINITY, e(f"abs.{LANE_FLOAT}", v[0]))


def is_normal(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Compare the magnitude with infinity and the smallest normal number."""
    magnitude = e(f"abs.{LANE_FLOAT}", v[0])
    return e(
        "and",
        e(f"gt.{LANE_FLOAT}", _INFINITY, magnitude),
        e(f"ge.{LANE_FLOAT}", magnitude, _least_normal(s.operand)),
    )


def clamp(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Raise a value to the lower bound, then lower it to the upper bound."""
    return e(f"min.{LANE_FLOAT}", e(f"max.{LANE_FLOAT}", v[0], v[1]), v[2])


def read_table(stem: str) -> Expansion:
    """Become a read of the machine's table; the first operand stands for the table."""

    def expand(e: Emitter, s: Scalar, v: list[Value]) -> Value:
        name = f"{stem}.{s.operand.name}"
        instruction = isa.load().instructions.get(name)
        if instruction is None or instruction.result_type != s.result.name:
            raise NoInstructionError(name)
        return e(name, v[1])

    return expand
