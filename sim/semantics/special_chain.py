"""exp, sigmoid, tanh, logarithms and pow: one pass through log2, multiply, exp2, 1 + e, reciprocal.

Every function enters the chain where it has to and leaves as early as possible; between entry and
exit nothing is rounded to a float. All values are integers with the units given; M and e are the
significand and exponent of `formats.unpack`. The widths are for the 23 fraction bits of a lane; the
code derives them from that number.

L  log2|x| = E + z * G, where G = log2(m) / (m - 1) from `log2_table` (segment: the top 8 bits below
   M's leading one; offset: the other 15). Segments below 106 mean m = M / 2^23 and E = e; the other
   segments m = M / 2^24 and E = e + 1, so that m is within [0.707, 1.415) and E = 0 around x = 1.
   z = m - 1 is exact, 23 bits and sign in units of 2^-24; z * G has units of 2^-63. With E = 0,
   z * G is the logarithm, with full relative precision however close x is to 1. Otherwise the
   logarithm is (E << 45) + (z * G >> 18) in units of 2^-45. Sign and magnitude; the magnitude is
   then normalised, to 31 bits for logarithms and 38 for pow.
X  the one wide multiplication: exp, sigmoid, tanh take M * LOG2_E (24 x 38 bits), pow takes
   38 x 24 bits of log2|x| and y, log takes 31 x 32 bits of log2 x and ln 2, log10 and log2 take
   log10 2 and 1 for ln 2. For all but logarithms the
   product is aligned to T, units of 2^-36, rounded towards zero, then given its sign.
E  n = T >> 36 and f = the 36 bits below; 2^f from `exp2_table` (segment: top 7 bits of f, offset:
   29). exp and pow leave here: 2^f * 2^n is packed; for pow, n below -512 counts as -512.
D  1 + 2^(n + f) over 2^max(n, 0): (2^f >> max(-n, 0)) + (2^36 >> max(n, 0)), 36 fraction bits, in
   [1, 3); halved if it reached 2. sigmoid uses T of -x, tanh T of 2|x|.
R  the reciprocal of that from `quotient_table` (segment: the 7 bits below the leading one, offset:
   29). sigmoid leaves here. tanh = 1 - 2 / (1 + e^(2|x|)) is one subtraction in units of 2^-36.
   For |x| < 1/2, where that would cancel, tanh comes around the chain straight to R's second part,
   tanh(x) / x (segment: the top 6 of 35 bits of |x| in units of 2^-36, offset: 29), times M.
"""

from __future__ import annotations

import numpy as np

from sim.semantics.formats import INFINITE_EXPONENT, normalise, scaled, unpack
from sim.semantics.lanes import I32Array
from sim.semantics.one_or_many import F64Array, I64Array, choose, floats, wide_float
from sim.semantics.stages import (
    EXCESS_BITS,
    FRACTION_BITS,
    OFFSET_BITS,
    UNIT_BITS,
    apply_sign,
    fixed,
    low_bits,
    offset_bits,
    polynomial,
    sign_of,
)
from sim.semantics.tables import (
    FACTOR_BITS,
    LN2_32,
    LOG2_E,
    LOG2_FOLD,
    LOG2_FRACTION,
    LOG2_SEGMENTS,
    LOG10_2,
    RECIPROCAL_SEGMENTS,
    exp2_table,
    log2_table,
    quotient_table,
)

_ONE = 1 << UNIT_BITS

_LOG2_OFFSET = offset_bits(LOG2_SEGMENTS)

_NEAR_UNIT = FRACTION_BITS + 1 + LOG2_FRACTION
"""Fraction bits of log2|x| where E = 0; elsewhere there are `_FAR_UNIT` bits."""
_FAR_UNIT = 45

_SMALL_SHIFT = UNIT_BITS - FRACTION_BITS - 2
"""Shift that brings a significand of exponent -2 to units of 2^-36."""

_POW_OVERFLOW = 200
"""Exponent that stands for log2 of zero and of infinity in pow.

Large enough to outweigh even the smallest y, and still less than the magnitude of the exponent that
stands for zero.
"""


def _exp2(t: I64Array) -> tuple[I64Array, I64Array]:
    """Stage E: split T into n and 2^f, the latter in units of 2^-36."""
    whole = t >> UNIT_BITS
    segment = t >> OFFSET_BITS
    segment &= 127
    t &= low_bits(OFFSET_BITS)
    return whole, polynomial(exp2_table(), segment, t, OFFSET_BITS)


def _log2(significand: I64Array, exponent: I64Array) -> tuple[I64Array, I64Array]:
    """Stage L: the logarithm and its fraction bits."""
    below = significand & low_bits(FRACTION_BITS)
    segment = below >> _LOG2_OFFSET
    high = segment >= LOG2_FOLD
    ratio = polynomial(log2_table(), segment, below & low_bits(_LOG2_OFFSET), _LOG2_OFFSET)
    ratio *= choose(high, significand - (1 << FRACTION_BITS + 1), below << 1)
    whole = exponent + high
    near = whole == 0
    whole <<= _FAR_UNIT
    whole += ratio >> _NEAR_UNIT - _FAR_UNIT
    return choose(near, ratio, whole), choose(near, np.int64(_NEAR_UNIT), np.int64(_FAR_UNIT))


def _one_plus(whole: I64Array, power: I64Array) -> tuple[I64Array, I64Array]:
    """Stage D: 1 + power * 2^whole as a number in [1, 2), units of 2^-36, and its exponent."""
    up = np.maximum(whole, 0)
    total = np.right_shift(power, np.minimum(up - whole, 63))
    total += np.right_shift(np.int64(_ONE), np.minimum(up, 63))
    carry = total >> UNIT_BITS + 1
    total >>= carry
    up += carry
    return total, up


def exp(x: I32Array) -> F64Array:
    """Compute e^x: X, E."""
    significand, exponent = unpack(x)
    significand *= LOG2_E
    whole, power = _exp2(apply_sign(fixed(significand, exponent), sign_of(x)))
    whole -= UNIT_BITS
    return choose(np.isnan(floats(x)), np.nan, scaled(power, whole))


def sigmoid(x: I32Array) -> F64Array:
    """Compute 1 / (1 + e^-x): X, E, D, R."""
    significand, exponent = unpack(x)
    significand *= LOG2_E
    whole, power = _exp2(apply_sign(fixed(significand, exponent), ~sign_of(x)))
    total, double = _one_plus(whole, power)
    segment = total >> OFFSET_BITS
    segment &= 127
    total &= low_bits(OFFSET_BITS)
    quotient = polynomial(quotient_table(), segment, total, OFFSET_BITS)
    return choose(np.isnan(floats(x)), np.nan, scaled(quotient, -UNIT_BITS - double))


def tanh(x: I32Array) -> F64Array:
    """Compute tanh x: X, E, D, R and a subtraction; for |x| < 1/2 R alone, times x."""
    significand, exponent = unpack(x)
    whole, power = _exp2(fixed(significand * LOG2_E, exponent + 1))
    total, double = _one_plus(whole, power)
    small = exponent < -1
    # |x| < 1/2 in units of 2^-36: its exponent is -2 at most. Elsewhere the shift means nothing and
    # is only kept in range.
    shift = np.minimum(np.maximum(-2 - exponent, 0), 63)
    argument = choose(small, (significand << _SMALL_SHIFT) >> shift, total)
    segment = argument >> OFFSET_BITS
    segment &= 127
    segment += small * np.int64(RECIPROCAL_SEGMENTS)
    argument &= low_bits(OFFSET_BITS)
    quotient = polynomial(quotient_table(), segment, argument, OFFSET_BITS)
    large = _ONE - (quotient >> np.minimum(double - 1, 63))
    value = choose(small, significand * quotient >> EXCESS_BITS, large)
    small_exponent = exponent - (FRACTION_BITS + UNIT_BITS - EXCESS_BITS)
    magnitude = scaled(value, choose(small, small_exponent, np.int64(-UNIT_BITS)))
    number = floats(x)
    return choose(np.isnan(number), np.nan, np.copysign(magnitude, number))


def log(x: I32Array) -> F64Array:
    """Compute ln x: L, X."""
    return _logarithm(LN2_32, 32, x)


def log2(x: I32Array) -> F64Array:
    """Compute log2 x: L, X."""
    return _logarithm(1 << 31, 31, x)


def log10(x: I32Array) -> F64Array:
    """Compute log10 x: L, X."""
    return _logarithm(LOG10_2, 33, x)


def _logarithm(factor: int, fraction: int, x: I32Array) -> F64Array:
    """Compute log2 x times a factor in units of 2^-fraction, of 32 bits at most."""
    significand, exponent = unpack(x)
    value, unit = _log2(significand, exponent)
    sign = value >> 63
    digits, exponent = normalise(apply_sign(value, sign), 31)
    digits *= factor
    digits >>= 10
    exponent -= unit
    exponent -= fraction - 10
    magnitude = scaled(digits, np.maximum(exponent, -1000))
    number = wide_float(floats(x))
    result = choose(sign < 0, -magnitude, magnitude)
    result = choose(number == 0, -np.inf, choose(number == np.inf, np.inf, result))
    return choose(number >= 0, result, np.nan)


def pow_(x: I32Array, y: I32Array) -> F64Array:
    """Compute x^y: L, X, E; the special cases are as in IEEE 754-2019 `pow`."""
    x_significand, x_exponent = unpack(x)
    y_significand, y_exponent = unpack(y)
    value, unit = _log2(x_significand, x_exponent)
    sign = value >> 63
    digits, exponent = normalise(apply_sign(value, sign), FACTOR_BITS + 1)
    exponent -= unit
    exponent += FACTOR_BITS
    exponent = choose(np.abs(x_exponent) == INFINITE_EXPONENT, _POW_OVERFLOW, exponent)
    digits *= y_significand
    exponent += y_exponent
    sign ^= sign_of(y)
    whole, power = _exp2(apply_sign(fixed(digits, exponent), sign))
    return _settle_pow(scaled(power, np.maximum(whole, -512) - UNIT_BITS), x, y)


def _settle_pow(magnitude: F64Array, x: I32Array, y: I32Array) -> F64Array:
    """Give |x|^y its sign, and NaN where there is no real power."""
    base, power = floats(x), floats(y)
    half = power * np.float32(0.5)
    whole = np.floor(power) == power
    odd = whole & (np.floor(half) != half) & np.isfinite(power)
    result = choose(odd & (x < 0), -magnitude, magnitude)
    invalid = (base < 0) & np.isfinite(base) & np.logical_not(whole)
    result = choose(invalid | np.isnan(base) | np.isnan(power), np.nan, result)
    return choose((power == 0) | (base == 1), 1.0, result)
