"""Golden semantics of the operations on integers and on bits.

Operands are int32 lanes of any value, also for a narrow type. Only the low bits of a narrow result
count, and the registry brings them to the type's range. Comparisons return truth values.
Everything wraps; nothing traps. Shift amounts are read as unsigned 32-bit numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sim.semantics import extremes
from sim.semantics.lanes import LANE_BITS, I32Array, sign_extended

BoolArray = NDArray[np.bool_]
"""Truth values."""


def mov(a: I32Array) -> I32Array:
    """Copy all 32 bits; NaN payloads survive."""
    return np.array(a)


def add(a: I32Array, b: I32Array) -> I32Array:
    """Add, wrapping."""
    return np.add(a, b)


def sub(a: I32Array, b: I32Array) -> I32Array:
    """Subtract, wrapping."""
    return np.subtract(a, b)


def mul(a: I32Array, b: I32Array) -> I32Array:
    """Return the low bits of a * b."""
    return np.multiply(a, b)


def mul_shift(a: I32Array, b: I32Array, c: I32Array) -> I32Array:
    """Multiply to 64 bits, add half of the last kept bit, shift right by c & 63.

    A shift of 0 keeps the low 32 bits. The addition wraps at 64 bits (only for a = b = -2^31 and a
    shift of 63); the result is its low 32 bits.
    """
    return _shifted_product(a, b, c, np.int64(0))


def mul_shift_double(a: I32Array, b: I32Array, c: I32Array) -> I32Array:
    """Like `mul_shift`, but round twice: a shift above 31 first rounds to 2^31, away from zero."""
    away = np.where(np.less(a, 0), np.int64(-1 << 30), np.int64(1 << 30))
    return _shifted_product(a, b, c, np.where(np.bitwise_and(c, 63) > 31, away, np.int64(0)))


def _shifted_product(
    a: I32Array, b: I32Array, c: I32Array, more: NDArray[np.int64] | np.int64
) -> I32Array:
    """Shift a * b + `more` right by c & 63, rounded."""
    return _shift_rounded(np.multiply(a, b, dtype=np.int64) + more, c)


def _shift_rounded(wide: NDArray[np.int64], c: I32Array) -> I32Array:
    """Add half of the last kept bit, and shift right by c & 63."""
    shift = np.bitwise_and(c, 63).astype(np.int64)
    half = (np.left_shift(np.uint64(1), shift.view(np.uint64)) >> np.uint64(1)).view(np.int64)
    return np.right_shift(wide + half, shift).astype(np.int32)


def mul_high_unsigned(a: I32Array, b: I32Array) -> I32Array:
    """Return the high bits of a * b, where a is unsigned."""
    return (_unsigned(a) * b.astype(np.int64) >> 32).astype(np.int32)


def shift_wide(a: I32Array, b: I32Array, c: I32Array) -> I32Array:
    """Shift the 64-bit number with the halves a and b right by c & 63, rounded."""
    return _shift_rounded((a.astype(np.int64) << 32) + _unsigned(b), c)


def add_saturating(bits: int, a: I32Array, b: I32Array) -> I32Array:
    """Add without wrapping, then limit the sum to the range of the type."""
    limit = 1 << (bits - 1)
    return np.clip(np.add(a, b, dtype=np.int64), -limit, limit - 1).astype(np.int32)


def add_saturating_unsigned(bits: int, a: I32Array, b: I32Array) -> I32Array:
    """Add without wrapping, then limit the sum to the unsigned range of the type's bits."""
    return np.clip(np.add(a, b, dtype=np.int64), 0, (1 << bits) - 1).astype(np.int32)


def subtract_saturating(bits: int, a: I32Array, b: I32Array) -> I32Array:
    """Subtract without wrapping, then limit the difference to the range of the type."""
    limit = 1 << (bits - 1)
    return np.clip(np.subtract(a, b, dtype=np.int64), -limit, limit - 1).astype(np.int32)


def abs_(bits: int, a: I32Array) -> I32Array:
    """Return the magnitude of the value in the low bits; the minimum wraps to itself."""
    return np.abs(sign_extended(a, bits))


def maximum(a: I32Array, b: I32Array) -> I32Array:
    """Return the greater of two signed values."""
    return extremes.larger(a, b)


def minimum(a: I32Array, b: I32Array) -> I32Array:
    """Return the smaller of two signed values."""
    return extremes.smaller(a, b)


def maximum_unsigned(a: I32Array, b: I32Array) -> I32Array:
    """Return the greater of two unsigned values."""
    return extremes.larger(a.view(np.uint32), b.view(np.uint32)).view(np.int32)


def minimum_unsigned(a: I32Array, b: I32Array) -> I32Array:
    """Return the smaller of two unsigned values."""
    return extremes.smaller(a.view(np.uint32), b.view(np.uint32)).view(np.int32)


def clz(a: I32Array) -> I32Array:
    """Count the leading zero bits of the 32; 32 for zero.

    float64 holds every 32-bit number exactly, so its exponent field is the position of the top bit.
    """
    field = a.view(np.uint32).astype(np.float64).view(np.int64) >> 52
    return np.minimum(1023 + 31 - field, 32).astype(np.int32)


def popcount(a: I32Array) -> I32Array:
    """Count the bits that are 1: in pairs, then in fours, then the sum of all bytes."""
    bits = a.view(np.uint32)
    pairs = bits - ((bits >> np.uint32(1)) & np.uint32(0x55555555))
    fours = (pairs & np.uint32(0x33333333)) + ((pairs >> np.uint32(2)) & np.uint32(0x33333333))
    eights = (fours + (fours >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
    return (eights * np.uint32(0x01010101) >> np.uint32(24)).view(np.int32)


def ctz(a: I32Array) -> I32Array:
    """Count the trailing zero bits of the 32: the bits below the lowest 1; 32 for zero."""
    return popcount(np.asarray(np.bitwise_and(np.bitwise_not(a), np.subtract(a, np.int32(1)))))


def shl(a: I32Array, b: I32Array) -> I32Array:
    """Shift left; 0 once the amount reaches the type's width."""
    shifted = np.left_shift(a, np.bitwise_and(b, 31))
    return np.where(b.view(np.uint32) < LANE_BITS, shifted, np.int32(0))


def sra(a: I32Array, b: I32Array) -> I32Array:
    """Shift right arithmetically; amounts of 32 and more leave the sign in every bit."""
    return np.right_shift(a, np.minimum(b.view(np.uint32), 31).astype(np.int32))


def srar(a: I32Array, b: I32Array) -> I32Array:
    """Shift right arithmetically and add the last bit shifted out.

    The operand counts as infinitely sign-extended: amounts of 32 and more give 0.
    """
    doubled = a.astype(np.int64) << 1
    shift = np.minimum(b.view(np.uint32), 32).astype(np.int64)
    return ((np.right_shift(doubled, shift) + 1) >> 1).astype(np.int32)


def srl(bits: int, a: I32Array, b: I32Array) -> I32Array:
    """Shift the type's bits right, shifting in zeros; the result is signed again."""
    value = a.view(np.uint32) & np.uint32((1 << bits) - 1)
    amount = b.view(np.uint32)
    shifted = np.right_shift(value, amount & np.uint32(31))
    return np.where(amount < LANE_BITS, shifted, np.uint32(0)).view(np.int32)


def and_(a: I32Array, b: I32Array) -> I32Array:
    """Return the bitwise AND."""
    return np.bitwise_and(a, b)


def or_(a: I32Array, b: I32Array) -> I32Array:
    """Return the bitwise OR."""
    return np.bitwise_or(a, b)


def xor(a: I32Array, b: I32Array) -> I32Array:
    """Return the bitwise exclusive OR."""
    return np.bitwise_xor(a, b)


def not_(a: I32Array) -> I32Array:
    """Invert every bit."""
    return np.bitwise_not(a)


def eq(a: I32Array, b: I32Array) -> BoolArray:
    """Whether a = b."""
    return np.equal(a, b)


def ne(a: I32Array, b: I32Array) -> BoolArray:
    """Whether a differs from b."""
    return np.not_equal(a, b)


def gt(a: I32Array, b: I32Array) -> BoolArray:
    """Whether a > b, signed."""
    return np.greater(a, b)


def ge(a: I32Array, b: I32Array) -> BoolArray:
    """Whether a >= b, signed."""
    return np.greater_equal(a, b)


def gt_unsigned(a: I32Array, b: I32Array) -> BoolArray:
    """Whether a > b, unsigned."""
    return np.greater(a.view(np.uint32), b.view(np.uint32))


def ge_unsigned(a: I32Array, b: I32Array) -> BoolArray:
    """Whether a >= b, unsigned."""
    return np.greater_equal(a.view(np.uint32), b.view(np.uint32))


def sel(a: I32Array, b: I32Array, c: I32Array) -> I32Array:
    """Choose the bits of b where a is not zero, else the bits of c."""
    return np.where(np.not_equal(a, 0), b, c)


def div(a: I32Array, b: I32Array) -> I32Array:
    """Divide toward zero; x / 0 is -1 and -2^31 / -1 is -2^31.

    The float64 quotient of two 32-bit numbers truncates to the right integer: a quotient that is
    not an integer is at least 1/|b| away from any integer, and its rounding error is at most 2^-22
    of that distance.
    """
    quotient = np.divide(a, b, dtype=np.float64)
    quotient = np.where(np.equal(b, 0), -1.0, quotient)
    return quotient.astype(np.int64).astype(np.int32)


def _quotient(
    divide: Callable[..., NDArray[np.int64]], a: NDArray[np.int64], b: NDArray[np.int64]
) -> I32Array:
    """Apply a division on int64, where no quotient overflows; x / 0 is -1."""
    zero = np.equal(b, 0)
    quotient = divide(a, np.where(zero, np.int64(1), b))
    return np.where(zero, np.int64(-1), quotient).astype(np.int32)


def _unsigned(a: I32Array) -> NDArray[np.int64]:
    return a.view(np.uint32).astype(np.int64)


def _ceil_divide(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    return -np.floor_divide(-a, b)


def div_floor(a: I32Array, b: I32Array) -> I32Array:
    """Divide, rounding down; x / 0 is -1 and -2^31 / -1 is -2^31."""
    return _quotient(np.floor_divide, a.astype(np.int64), b.astype(np.int64))


def div_ceil(a: I32Array, b: I32Array) -> I32Array:
    """Divide, rounding up; x / 0 is -1 and -2^31 / -1 is -2^31."""
    return _quotient(_ceil_divide, a.astype(np.int64), b.astype(np.int64))


def div_unsigned(a: I32Array, b: I32Array) -> I32Array:
    """Divide unsigned numbers, rounding down; x / 0 is 2^32 - 1."""
    return _quotient(np.floor_divide, _unsigned(a), _unsigned(b))


def div_ceil_unsigned(a: I32Array, b: I32Array) -> I32Array:
    """Divide unsigned numbers, rounding up; x / 0 is 2^32 - 1."""
    return _quotient(_ceil_divide, _unsigned(a), _unsigned(b))


def _remainder(a: NDArray[np.int64], b: NDArray[np.int64]) -> I32Array:
    """Return the remainder of a after division toward zero; x / 0 leaves x."""
    zero = np.equal(b, 0)
    return np.where(zero, a, np.fmod(a, np.where(zero, np.int64(1), b))).astype(np.int32)


def rem(a: I32Array, b: I32Array) -> I32Array:
    """Return the remainder of division toward zero, 0 or with the sign of a; x / 0 leaves x."""
    return _remainder(a.astype(np.int64), b.astype(np.int64))


def rem_unsigned(a: I32Array, b: I32Array) -> I32Array:
    """Return the remainder of unsigned numbers; x / 0 leaves x."""
    return _remainder(_unsigned(a), _unsigned(b))


FUNCTIONS: dict[str, Callable[..., I32Array | BoolArray]] = {
    "mov": mov,
    "sel": sel,
    "and": and_,
    "or": or_,
    "xor": xor,
    "not": not_,
    "sext": mov,
    "add": add,
    "sub": sub,
    "mul": mul,
    "mulsh": mul_shift,
    "mulshd": mul_shift_double,
    "mulhu": mul_high_unsigned,
    "shrw": shift_wide,
    "div": div,
    "divfloor": div_floor,
    "divceil": div_ceil,
    "rem": rem,
    "divu": div_unsigned,
    "divceilu": div_ceil_unsigned,
    "remu": rem_unsigned,
    "max": maximum,
    "min": minimum,
    "maxu": maximum_unsigned,
    "minu": minimum_unsigned,
    "eq": eq,
    "ne": ne,
    "gt": gt,
    "ge": ge,
    "gtu": gt_unsigned,
    "geu": ge_unsigned,
    "shl": shl,
    "sra": sra,
    "srar": srar,
    "clz": clz,
    "ctz": ctz,
    "popcount": popcount,
}
"""Operations on lanes."""

TYPED: dict[str, Callable[..., I32Array]] = {
    "abs": abs_,
    "srl": srl,
    "addsat": add_saturating,
    "addsatu": add_saturating_unsigned,
    "subsat": subtract_saturating,
}
"""Operations whose first argument is the number of bits of their type."""
