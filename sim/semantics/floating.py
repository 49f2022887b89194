"""Golden semantics of the float32 instructions (`isa/insns/float.yaml`).

IEEE 754-2019 binary32, rounding to nearest even, subnormals kept. NumPy's float32 addition,
subtraction and multiplication are the processor's, hence correctly rounded; everything whose
result IEEE leaves open (which NaN, which zero) is fixed here on the bits. Every NaN result is
`CANONICAL_NAN`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.semantics.lanes import F32Array, I32Array, canonical, floats

_SIGN = np.int32(-(2**31))
_MAGNITUDE = np.int32(2**31 - 1)


def add(a: I32Array, b: I32Array) -> I32Array:
    """Round a + b once."""
    return canonical(np.add(floats(a), floats(b)))


def sub(a: I32Array, b: I32Array) -> I32Array:
    """Round a - b once."""
    return canonical(np.subtract(floats(a), floats(b)))


def mul(a: I32Array, b: I32Array) -> I32Array:
    """Round a * b once."""
    return canonical(np.multiply(floats(a), floats(b)))


def abs_(a: I32Array) -> I32Array:
    """Clear the sign."""
    return canonical(floats(np.asarray(np.bitwise_and(a, _MAGNITUDE))))


def neg(a: I32Array) -> I32Array:
    """Invert the sign."""
    return canonical(floats(np.asarray(np.bitwise_xor(a, _SIGN))))


def _settle_zeros(
    chosen: F32Array, a: I32Array, b: I32Array, signs: Callable[..., I32Array]
) -> I32Array:
    """Settle which zero a maximum or minimum takes.

    Equal operands have equal bits unless they are the two zeros, so `signs` (and, or) of the bits
    is the operand itself or the zero wanted.
    """
    lanes = np.asarray(chosen).view(np.int32)
    np.copyto(lanes, signs(a, b), where=np.equal(floats(a), floats(b)))
    return canonical(lanes.view(np.float32))


def maximum(a: I32Array, b: I32Array) -> I32Array:
    """Take the IEEE `maximum`: a NaN wins, +0 is above -0."""
    return _settle_zeros(np.maximum(floats(a), floats(b)), a, b, np.bitwise_and)


def minimum(a: I32Array, b: I32Array) -> I32Array:
    """Take the IEEE `minimum`: a NaN wins, -0 is below +0."""
    return _settle_zeros(np.minimum(floats(a), floats(b)), a, b, np.bitwise_or)


def _yield_nan(result: I32Array, a: I32Array, b: I32Array) -> I32Array:
    """Put the other operand where one is NaN.

    Done by hand: what C's fmax and fmin make of a signalling NaN differs between machines.
    """
    nan = np.isnan(floats(result))
    if nan.any():
        number = np.where(np.isnan(floats(a)), b, a)
        np.copyto(result, number, where=nan)
    return canonical(floats(result))


def maximum_number(a: I32Array, b: I32Array) -> I32Array:
    """Take the IEEE `maximumNumber`: a NaN, quiet or signalling, yields to a number."""
    return _yield_nan(maximum(a, b), a, b)


def minimum_number(a: I32Array, b: I32Array) -> I32Array:
    """Take the IEEE `minimumNumber`: a NaN, quiet or signalling, yields to a number."""
    return _yield_nan(minimum(a, b), a, b)


def eq(a: I32Array, b: I32Array) -> I32Array:
    """Tell whether a = b; false if either is NaN, and the two zeros are equal."""
    return np.equal(floats(a), floats(b)).astype(np.int32)


def ne(a: I32Array, b: I32Array) -> I32Array:
    """Tell whether a differs from b or either is NaN."""
    return np.not_equal(floats(a), floats(b)).astype(np.int32)


def gt(a: I32Array, b: I32Array) -> I32Array:
    """Tell whether a > b; false if either is NaN."""
    return np.greater(floats(a), floats(b)).astype(np.int32)


def ge(a: I32Array, b: I32Array) -> I32Array:
    """Tell whether a >= b; false if either is NaN."""
    return np.greater_equal(floats(a), floats(b)).astype(np.int32)


def ceil(a: I32Array) -> I32Array:
    """Round up to a whole number; a result of zero keeps the operand's sign."""
    return canonical(np.ceil(floats(a)))


def floor(a: I32Array) -> I32Array:
    """Round down to a whole number; a result of zero keeps the operand's sign."""
    return canonical(np.floor(floats(a)))


INSTRUCTIONS: dict[str, Callable[..., I32Array]] = {
    "add.f32": add,
    "sub.f32": sub,
    "mul.f32": mul,
    "abs.f32": abs_,
    "neg.f32": neg,
    "max.f32": maximum,
    "min.f32": minimum,
    "maxn.f32": maximum_number,
    "minn.f32": minimum_number,
    "eq.f32": eq,
    "ne.f32": ne,
    "gt.f32": gt,
    "ge.f32": ge,
    "ceil.f32": ceil,
    "floor.f32": floor,
}
