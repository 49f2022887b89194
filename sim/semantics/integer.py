"""Golden semantics of the integer instructions (`isa/insns/integer.yaml`).

Operands and results are int32 lanes. An instruction of a narrow type works on lanes of any value
and returns the low bits of its result, sign-extended: lanes therefore always hold a value of the
type's range. Everything wraps; nothing traps. Shift amounts are read as unsigned 32-bit numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from sim.semantics.lanes import I32Array

Narrow = Callable[[I32Array], I32Array]

_LANE_BITS = 32


def _i8(lanes: I32Array) -> I32Array:
    """Return the low 8 bits of every lane, sign-extended."""
    return lanes.astype(np.int8).astype(np.int32)


def _i16(lanes: I32Array) -> I32Array:
    """Return the low 16 bits of every lane, sign-extended."""
    return lanes.astype(np.int16).astype(np.int32)


def _i32(lanes: I32Array) -> I32Array:
    """Return the lanes as they are."""
    return lanes


def _truth(condition: np.ndarray) -> I32Array:
    """Turn a boolean array into lanes of 0 and 1."""
    return condition.astype(np.int32)


def mov(a: I32Array) -> I32Array:
    """Copy all 32 bits; NaN payloads survive."""
    return np.array(a)


def add(narrow: Narrow, a: I32Array, b: I32Array) -> I32Array:
    """Wrap a + b to the type."""
    return narrow(np.add(a, b))


def sub(narrow: Narrow, a: I32Array, b: I32Array) -> I32Array:
    """Wrap a - b to the type."""
    return narrow(np.subtract(a, b))


def mul(narrow: Narrow, a: I32Array, b: I32Array) -> I32Array:
    """Keep the low bits of a * b."""
    return narrow(np.multiply(a, b))


def mul_shift(a: I32Array, b: I32Array, c: I32Array) -> I32Array:
    """Multiply to 64 bits, add half of the last kept place, shift right by c & 63.

    A shift of 0 keeps the low 32 bits. The addition wraps at 64 bits (only for a = b = -2^31 and a
    shift of 63); the result is the low 32 bits of what remains.
    """
    shift = np.bitwise_and(c, 63).astype(np.int64)
    half = (np.left_shift(np.uint64(1), shift.view(np.uint64)) >> np.uint64(1)).view(np.int64)
    product = np.multiply(a, b, dtype=np.int64) + half
    return np.right_shift(product, shift).astype(np.int32)


def abs_(narrow: Narrow, a: I32Array) -> I32Array:
    """Take the magnitude of the type's value; the minimum wraps onto itself."""
    return narrow(np.abs(narrow(a)))


def maximum(a: I32Array, b: I32Array) -> I32Array:
    """Take the greater of two signed values."""
    return np.maximum(a, b)


def minimum(a: I32Array, b: I32Array) -> I32Array:
    """Take the smaller of two signed values."""
    return np.minimum(a, b)


def clz(a: I32Array) -> I32Array:
    """Count the leading zero bits of 32; 32 for zero.

    float64 holds every 32-bit number exactly, so its exponent field is the position of the top bit.
    """
    field = a.view(np.uint32).astype(np.float64).view(np.int64) >> 52
    return np.minimum(1023 + 31 - field, 32).astype(np.int32)


def shl(narrow: Narrow, a: I32Array, b: I32Array) -> I32Array:
    """Shift left; 0 once the amount reaches the type's width."""
    shifted = np.left_shift(a, np.bitwise_and(b, 31))
    return narrow(np.where(b.view(np.uint32) < _LANE_BITS, shifted, np.int32(0)))


def sra(a: I32Array, b: I32Array) -> I32Array:
    """Shift right arithmetically; amounts of 32 and more leave the sign in every bit."""
    return np.right_shift(a, np.minimum(b.view(np.uint32), 31).astype(np.int32))


def srar(a: I32Array, b: I32Array) -> I32Array:
    """Shift right arithmetically and add the last bit shifted out.

    The operand counts as sign-extended without end: amounts of 32 and more give 0.
    """
    doubled = a.astype(np.int64) << 1
    shift = np.minimum(b.view(np.uint32), 32).astype(np.int64)
    return ((np.right_shift(doubled, shift) + 1) >> 1).astype(np.int32)


def srl(width: int, narrow: Narrow, a: I32Array, b: I32Array) -> I32Array:
    """Shift the type's bits right, zeros coming in; the result is signed again."""
    bits = a.view(np.uint32) & np.uint32((1 << width) - 1)
    amount = b.view(np.uint32)
    shifted = np.right_shift(bits, amount & np.uint32(31))
    return narrow(np.where(amount < _LANE_BITS, shifted, np.uint32(0)).view(np.int32))


def and_(a: I32Array, b: I32Array) -> I32Array:
    """Take the bitwise conjunction."""
    return np.bitwise_and(a, b)


def or_(a: I32Array, b: I32Array) -> I32Array:
    """Take the bitwise disjunction."""
    return np.bitwise_or(a, b)


def xor(a: I32Array, b: I32Array) -> I32Array:
    """Take the bitwise difference."""
    return np.bitwise_xor(a, b)


def not_(a: I32Array) -> I32Array:
    """Invert every bit."""
    return np.bitwise_not(a)


def eq(a: I32Array, b: I32Array) -> I32Array:
    """Tell whether a = b."""
    return _truth(np.equal(a, b))


def ne(a: I32Array, b: I32Array) -> I32Array:
    """Tell whether a differs from b."""
    return _truth(np.not_equal(a, b))


def gt(a: I32Array, b: I32Array) -> I32Array:
    """Tell whether a > b, signed."""
    return _truth(np.greater(a, b))


def ge(a: I32Array, b: I32Array) -> I32Array:
    """Tell whether a >= b, signed."""
    return _truth(np.greater_equal(a, b))


def sel(a: I32Array, b: I32Array, c: I32Array) -> I32Array:
    """Choose the bits of b where a is not zero, else those of c."""
    return np.where(np.not_equal(a, 0), b, c)


def sext(narrow: Narrow, a: I32Array) -> I32Array:
    """Sign-extend the type's low bits: a narrowing cast that wraps."""
    return narrow(a)


def div(a: I32Array, b: I32Array) -> I32Array:
    """Divide toward zero; x / 0 is -1 and -2^31 / -1 is -2^31.

    The float64 quotient of two 32-bit numbers truncates to the right integer: a quotient that is
    not whole is at least 1/|b| away from one, and its rounding error is 2^-22 of that at most.
    """
    quotient = np.divide(a, b, dtype=np.float64)
    quotient = np.where(np.equal(b, 0), -1.0, quotient)
    return quotient.astype(np.int64).astype(np.int32)


INSTRUCTIONS: dict[str, Callable[..., I32Array]] = {
    "mov": mov,
    "mulsh.i32": mul_shift,
    "max.i32": maximum,
    "min.i32": minimum,
    "clz.i32": clz,
    "sra.i32": sra,
    "srar.i32": srar,
    "and": and_,
    "or": or_,
    "xor": xor,
    "not": not_,
    "eq.i32": eq,
    "ne.i32": ne,
    "gt.i32": gt,
    "ge.i32": ge,
    "sel": sel,
    "div.i32": div,
}
for _width, _type, _narrow in ((8, "i8", _i8), (16, "i16", _i16), (32, "i32", _i32)):
    for _name, _function in (("add", add), ("sub", sub), ("mul", mul), ("abs", abs_), ("shl", shl)):
        INSTRUCTIONS[f"{_name}.{_type}"] = partial(_function, _narrow)
    INSTRUCTIONS[f"srl.{_type}"] = partial(srl, _width, _narrow)
INSTRUCTIONS["sext.i8"] = partial(sext, _i8)
INSTRUCTIONS["sext.i16"] = partial(sext, _i16)
