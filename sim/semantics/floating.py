"""Golden semantics of the floating-point instructions.

IEEE 754-2019, rounding to nearest even, subnormals kept. NumPy's float32 addition, subtraction,
multiplication, division and square root are the processor's, hence correctly rounded. For a
narrower format, they are computed in float64 and then rounded once, whatever numbers the lanes
hold: a product of two lanes is exact in float64, and a sum is rounded to odd. An inexact quotient
or root is far enough from every m where the rounding changes that float64's own rounding does not
matter: both sides of a = m * b or a = m^2, as integers, have at most 37 bits if m has 12 bits or
fewer, so that they differ by more than 2^-38 of either.

Where IEEE leaves a result open (which NaN, which zero), the code here fixes the bits. Every NaN
result is `CANONICAL_NAN`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.semantics import extremes
from sim.semantics.formats import (
    CANONICAL_NAN,
    FRACTION_BITS,
    LANE,
    SIGN,
    FloatFormat,
    canonical,
    floats,
    in_chunks,
    scaled,
    unpack,
)
from sim.semantics.lanes import I32Array
from sim.semantics.one_or_many import F32Array, F64Array


def _in_precision_for(format_: FloatFormat, lanes: I32Array) -> NDArray[Any]:
    """Return the numbers of lanes in the precision used to compute a result of a format."""
    return floats(lanes) if format_ is LANE else floats(lanes).astype(np.float64)


WITH_ANY_NAN: dict[str, Callable[[F32Array, F32Array], F32Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "max": extremes.maximum,
    "min": extremes.minimum,
}
"""Lane operations as functions of numbers; their NaN results are not canonical yet."""


def add(format_: FloatFormat, a: I32Array, b: I32Array) -> I32Array:
    """Round a + b once."""
    if format_ is LANE:
        return canonical(WITH_ANY_NAN["add"](floats(a), floats(b)))
    return canonical(format_.round(_odd_sum(floats(a).astype(np.float64), b)))


def sub(format_: FloatFormat, a: I32Array, b: I32Array) -> I32Array:
    """Round a - b once."""
    if format_ is LANE:
        return canonical(WITH_ANY_NAN["sub"](floats(a), floats(b)))
    return canonical(format_.round(_odd_sum(floats(a).astype(np.float64), b ^ SIGN)))


def mul(format_: FloatFormat, a: I32Array, b: I32Array) -> I32Array:
    """Round a * b once."""
    if format_ is LANE:
        return canonical(WITH_ANY_NAN["mul"](floats(a), floats(b)))
    left, right = _in_precision_for(format_, a), _in_precision_for(format_, b)
    return canonical(format_.round(np.multiply(left, right)))


def div(format_: FloatFormat, a: I32Array, b: I32Array) -> I32Array:
    """Round a / b once."""
    left, right = _in_precision_for(format_, a), _in_precision_for(format_, b)
    return canonical(format_.round(np.divide(left, right)))


def sqrt(format_: FloatFormat, a: I32Array) -> I32Array:
    """Round the square root of a once."""
    return canonical(format_.round(np.sqrt(_in_precision_for(format_, a))))


def fma(format_: FloatFormat, a: I32Array, b: I32Array, c: I32Array) -> I32Array:
    """Round a * b + c once; float64 holds the product exactly."""
    product = np.multiply(floats(a), floats(b), dtype=np.float64)
    return canonical(format_.round(_odd_sum(product, c)))


def _odd_sum(number: F64Array, lanes: I32Array) -> F64Array:
    """Round the sum of numbers and lanes to odd.

    The error of float64's nearest sum is known exactly (Knuth's two-sum). If the last bit is 0, the
    error moves the sum one step toward the true sum. Rounding such a sum to a narrower format is
    always right, whether the true sum lies on a tie or next to one.
    """
    addend = floats(lanes).astype(np.float64)
    total = np.asarray(np.add(number, addend))
    back = np.subtract(total, number)
    missed = np.add(np.subtract(number, np.subtract(total, back)), np.subtract(addend, back))
    bits = total.view(np.int64)
    toward = np.where(np.signbit(missed) == np.signbit(total), np.int64(1), np.int64(-1))
    inexact = np.isfinite(missed) & np.not_equal(missed, 0) & np.equal(bits & 1, 0)
    return np.where(inexact, bits + toward, bits).view(np.float64)


REMAINDER_BITS = 31
"""How much the exponents of the operands may differ in one step of the remainder."""


def remainder_step(format_: FloatFormat, a: I32Array, b: I32Array) -> I32Array:
    """Return the remainder of a / (b * 2^n), truncated, for the least n >= 0 that the step allows.

    Significands are integers, so the remainder is exact. If the exponent of a is lower than the
    exponent of b, the remainder is a itself. That includes a zero, which has the lowest exponent,
    and a division by infinity.
    """
    significand, exponent = unpack(a)
    divisor, low = unpack(b)
    distance = exponent - low
    shift = np.clip(distance, 0, REMAINDER_BITS)
    rest = scaled((significand << shift) % divisor, exponent - shift - FRACTION_BITS)
    lanes = format_.round(rest).view(np.int32)
    result = np.where(distance < 0, a, lanes | (a & SIGN))
    invalid = np.isinf(floats(a)) | np.equal(floats(b), 0)
    invalid |= np.isnan(floats(a)) | np.isnan(floats(b))
    return np.where(invalid, np.int32(CANONICAL_NAN), result)


def abs_(a: I32Array) -> I32Array:
    """Clear the sign."""
    return canonical(floats(np.asarray(np.bitwise_and(a, ~SIGN))))


def neg(a: I32Array) -> I32Array:
    """Invert the sign."""
    return canonical(floats(np.asarray(np.bitwise_xor(a, SIGN))))


def maximum(a: I32Array, b: I32Array) -> I32Array:
    """Return the IEEE `maximum`: a NaN wins, +0 is above -0."""
    return canonical(extremes.maximum(floats(a), floats(b)))


def minimum(a: I32Array, b: I32Array) -> I32Array:
    """Return the IEEE `minimum`: a NaN wins, -0 is below +0."""
    return canonical(extremes.minimum(floats(a), floats(b)))


def _yield_nan(result: I32Array, a: I32Array, b: I32Array) -> I32Array:
    """Replace a NaN result with the other operand where one operand is NaN.

    Done by hand: C's fmax and fmin treat a signalling NaN differently on different machines.
    """
    nan = np.isnan(floats(result))
    if nan.any():
        number = np.where(np.isnan(floats(a)), b, a)
        np.copyto(result, number, where=nan)
    return canonical(floats(result))


def maximum_number(a: I32Array, b: I32Array) -> I32Array:
    """Return the IEEE `maximumNumber`: a NaN, quiet or signalling, yields to a number."""
    return _yield_nan(maximum(a, b), a, b)


def minimum_number(a: I32Array, b: I32Array) -> I32Array:
    """Return the IEEE `minimumNumber`: a NaN, quiet or signalling, yields to a number."""
    return _yield_nan(minimum(a, b), a, b)


def eq(a: I32Array, b: I32Array) -> I32Array:
    """Whether a = b; false if either is NaN, and the two zeros are equal."""
    return np.equal(floats(a), floats(b)).astype(np.int32)


def ne(a: I32Array, b: I32Array) -> I32Array:
    """Whether a differs from b or either is NaN."""
    return np.not_equal(floats(a), floats(b)).astype(np.int32)


def gt(a: I32Array, b: I32Array) -> I32Array:
    """Whether a > b; false if either is NaN."""
    return np.greater(floats(a), floats(b)).astype(np.int32)


def ge(a: I32Array, b: I32Array) -> I32Array:
    """Whether a >= b; false if either is NaN."""
    return np.greater_equal(floats(a), floats(b)).astype(np.int32)


def ceil(a: I32Array) -> I32Array:
    """Round up to a whole number; a result of zero keeps the operand's sign."""
    return canonical(np.ceil(floats(a)))


def floor(a: I32Array) -> I32Array:
    """Round down to a whole number; a result of zero keeps the operand's sign."""
    return canonical(np.floor(floats(a)))


def round_(a: I32Array) -> I32Array:
    """Round to the nearest whole number, halves away from zero; keep the operand's sign.

    Either float64 holds |a| + 1/2 exactly, or |a| is a whole number large enough that the half is
    rounded away.
    """
    magnitude = np.floor(np.abs(floats(a).astype(np.float64)) + 0.5)
    return canonical(np.copysign(magnitude, floats(a)).astype(np.float32))


def roundeven(a: I32Array) -> I32Array:
    """Round to the nearest whole number, ties to even; keep the operand's sign."""
    return canonical(np.rint(floats(a)))


def trunc(a: I32Array) -> I32Array:
    """Drop the fraction; keep the operand's sign."""
    return canonical(np.trunc(floats(a)))


def copysign(a: I32Array, b: I32Array) -> I32Array:
    """Return a with the sign of b, whatever number or NaN b is."""
    return canonical(floats(np.asarray((a & ~SIGN) | (b & SIGN))))


FUNCTIONS: dict[str, Callable[..., I32Array]] = {
    "abs": abs_,
    "neg": neg,
    "max": maximum,
    "min": minimum,
    "maxn": maximum_number,
    "minn": minimum_number,
    "eq": eq,
    "ne": ne,
    "gt": gt,
    "ge": ge,
    "ceil": ceil,
    "floor": floor,
    "round": round_,
    "roundeven": roundeven,
    "trunc": trunc,
    "copysign": copysign,
}
"""Operations whose result is a truth value, or has the format of the operands, whichever it is."""

TYPED: dict[str, Callable[..., I32Array]] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "div": div,
    "sqrt": sqrt,
    "fma": fma,
    "remstep": partial(in_chunks, remainder_step),
}
"""Operations that round to the format of their type; the format is their first argument."""

BLIND_TO_NANS = frozenset(
    {"add", "sub", "mul", "div", "sqrt", "abs", "neg", "max", "min", "eq", "ne", "gt", "ge"}
)
"""Operations that treat all NaNs alike: the bits of an operand's NaN never reach the result."""
