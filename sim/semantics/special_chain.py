"""exp, sigmoid, tanh, log and pow: one pass through log2, multiply, exp2, 1 + e, reciprocal.

Every function enters the chain where it has to and leaves it as soon as it can; between entry and
exit nothing is rounded to a float. All values are integers with the units given; M and e are the
significand and exponent of `stages.unpack`.

L  log2|x| = E + z * G, where G = log2(m) / (m - 1) from `log2_table` (segment: the top 8 bits below
   M's leading one; place: the other 15). Segments below 106 mean m = M / 2^23 and E = e; the others
   m = M / 2^24 and E = e + 1, so that m is within [0.707, 1.415) and E = 0 around x = 1. z = m - 1
   is exact, 23 bits and sign in units of 2^-24; z * G has units of 2^-63. With E = 0 that is the
   logarithm, its relative precision intact however close x is to 1. Otherwise it is
   (E << 45) + (z * G >> 18) in units of 2^-45. Sign and magnitude; the magnitude is then
   normalised, to 31 bits for log and 38 for pow.
X  the one wide multiplication: exp, sigmoid, tanh take M * LOG2_E (24 x 38 bits), pow takes
   38 x 24 bits of log2|x| and y, log takes 31 x 32 bits of log2 x and ln 2. For all but log the
   product is aligned to T, units of 2^-36, rounded towards zero, then given its sign.
E  n = T >> 36 and f = the 36 bits below; 2^f from `exp2_table` (segment: top 7 bits of f, place:
   29). exp and pow leave here: 2^f * 2^n is packed; for pow, n below -512 counts as -512.
D  1 + 2^(n + f) over 2^max(n, 0): (2^f >> max(-n, 0)) + (2^36 >> max(n, 0)), 36 fraction bits, in
   [1, 3); halved if it reached 2. sigmoid uses T of -x, tanh T of 2|x|.
R  the reciprocal of that from `quotient_table` (segment: the 7 bits below the leading one, place:
   29). sigmoid leaves here. tanh = 1 - 2 / (1 + e^(2|x|)) is one subtraction in units of 2^-36.
   For |x| < 1/2, where that would cancel, tanh comes around the chain straight to R's second part,
   tanh(x) / x (segment: the top 6 of 35 bits of |x| in units of 2^-36, place: 29), times M.
"""

from __future__ import annotations

import numpy as np

from sim.semantics.lanes import CANONICAL_NAN, I32Array, floats
from sim.semantics.stages import (
    BEYOND,
    apply_sign,
    copy_sign,
    fixed,
    is_nan,
    normalise,
    pack,
    polynomial,
    settle_nan,
    sign_of,
    unpack,
)
from sim.semantics.tables import (
    LN2_32,
    LOG2_E,
    LOG2_FOLD,
    RECIPROCAL_SEGMENTS,
    I64Array,
    exp2_table,
    log2_table,
    quotient_table,
)

_ONE = 1 << 36
_PLACE = 29
_LOW_PLACE = (1 << _PLACE) - 1


def _exp2(t: I64Array) -> tuple[I64Array, I64Array]:
    """Stage E: split T into n and 2^f, the latter in units of 2^-36."""
    whole = t >> 36
    segment = t >> _PLACE
    segment &= 127
    t &= _LOW_PLACE
    return whole, polynomial(exp2_table(), segment, t, _PLACE)


def _log2(mantissa: I64Array, exponent: I64Array) -> tuple[I64Array, I64Array]:
    """Stage L: the logarithm and the place of its unit (63 where E = 0, else 45)."""
    below = mantissa & ((1 << 23) - 1)
    segment = below >> 15
    high = segment >= LOG2_FOLD
    ratio = polynomial(log2_table(), segment, below & ((1 << 15) - 1), 15)
    z = np.where(high, mantissa - (1 << 24), below << 1)
    ratio *= z
    whole = exponent + high
    near = whole == 0
    whole <<= 45
    whole += ratio >> 18
    return np.where(near, ratio, whole), np.where(near, np.int64(63), np.int64(45))


def _one_plus(whole: I64Array, power: I64Array) -> tuple[I64Array, I64Array]:
    """Stage D: 1 + power * 2^whole as a number in [1, 2), units of 2^-36, and its exponent."""
    up = np.maximum(whole, 0)
    total = np.right_shift(power, np.minimum(up - whole, 63))
    total += np.right_shift(np.int64(_ONE), np.minimum(up, 63))
    carry = total >> 37
    total >>= carry
    up += carry
    return total, up


def exp(x: I32Array) -> I32Array:
    """Compute e^x: X, E."""
    mantissa, exponent = unpack(x)
    mantissa *= LOG2_E
    whole, power = _exp2(apply_sign(fixed(mantissa, exponent), sign_of(x)))
    whole -= 36
    return settle_nan(pack(power, whole), is_nan(x))


def sigmoid(x: I32Array) -> I32Array:
    """Compute 1 / (1 + e^-x): X, E, D, R."""
    mantissa, exponent = unpack(x)
    mantissa *= LOG2_E
    whole, power = _exp2(apply_sign(fixed(mantissa, exponent), ~sign_of(x)))
    total, exponent = _one_plus(whole, power)
    segment = total >> _PLACE
    segment &= 127
    total &= _LOW_PLACE
    quotient = polynomial(quotient_table(), segment, total, _PLACE)
    return settle_nan(pack(quotient, -36 - exponent), is_nan(x))


def tanh(x: I32Array) -> I32Array:
    """Compute tanh x: X, E, D, R and a subtraction; for |x| < 1/2 R alone, times x."""
    mantissa, exponent = unpack(x)
    whole, power = _exp2(fixed(mantissa * LOG2_E, exponent + 1))
    total, double = _one_plus(whole, power)
    small = exponent < -1
    # |x| < 1/2 in units of 2^-36; the shift is meaningless elsewhere and only kept in range.
    shift = np.clip(-2 - exponent, 0, 63)
    argument: I64Array = np.where(small, (mantissa << 11) >> shift, total)
    segment = argument >> _PLACE
    segment &= 127
    segment += small * np.int64(RECIPROCAL_SEGMENTS)
    argument &= _LOW_PLACE
    quotient = polynomial(quotient_table(), segment, argument, _PLACE)
    large = _ONE - (quotient >> np.minimum(double - 1, 63))
    value = np.where(small, mantissa * quotient >> 8, large)
    place = np.where(small, exponent - 51, np.int64(-36))
    return settle_nan(copy_sign(pack(value, place), x), is_nan(x))


def log(x: I32Array) -> I32Array:
    """Compute ln x: L, X."""
    value, unit = _log2(*unpack(x))
    sign = value >> 63
    digits, place = normalise(apply_sign(value, sign), 31)
    digits *= LN2_32
    digits >>= 10
    place -= unit
    place -= 32 - 10
    result = pack(digits, np.maximum(place, -1000))
    result |= sign.astype(np.int32) & np.int32(-(2**31))
    number = floats(x)
    np.copyto(result, _infinite(x), where=np.equal(number, 0) | np.equal(number, np.inf))
    return settle_nan(result, ~np.greater_equal(number, 0))


def _infinite(x: I32Array) -> I32Array:
    """Give the logarithm of zero and of +infinity: the infinity with the sign of x's exponent."""
    infinity = np.float32(np.inf)
    return np.where(np.equal(floats(x), 0), -infinity, infinity).view(np.int32)


def pow_(x: I32Array, y: I32Array) -> I32Array:
    """Compute x^y: L, X, E; the special cases are those of IEEE 754-2019 `pow`."""
    x_mantissa, x_exponent = unpack(x)
    y_mantissa, y_exponent = unpack(y)
    value, unit = _log2(x_mantissa, x_exponent)
    sign = value >> 63
    digits, place = normalise(apply_sign(value, sign), 38)
    place -= unit
    place += 37
    # log2 of 0 and of infinity: larger than any y is small, yet 0 * log2 is still nothing.
    np.putmask(place, np.abs(x_exponent) == BEYOND, 200)
    digits *= y_mantissa
    place += y_exponent
    sign ^= sign_of(y)
    whole, power = _exp2(apply_sign(fixed(digits, place), sign))
    np.maximum(whole, -512, out=whole)
    whole -= 36
    return _settle_pow(pack(power, whole), x, y)


def _settle_pow(result: I32Array, x: I32Array, y: I32Array) -> I32Array:
    """Give |x|^y its sign, and NaN where there is no real power."""
    base, power = floats(x), floats(y)
    invalid = np.isnan(base) | np.isnan(power)
    if (x < 0).any():
        whole = np.equal(np.floor(power), power)
        half = power * np.float32(0.5)
        odd = whole & np.not_equal(np.floor(half), half) & np.isfinite(power)
        result |= np.where(odd, x, np.int32(0)) & np.int32(-(2**31))
        invalid |= np.less(base, 0) & np.isfinite(base) & ~whole
    if invalid.any():
        np.putmask(result, invalid, CANONICAL_NAN)
        one = np.equal(power, 0) | np.equal(base, 1)
        np.putmask(result, one, np.float32(1).view(np.int32))
    return result
