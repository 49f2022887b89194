"""recip, rsqrt, erf, sin and cos: one table each, times the argument where that has to be.

M and e are the significand and exponent of `stages.unpack`; every table value has units of 2^-36.

recip  1 / (M / 2^23) from the first part of `quotient_table` (segment: the 7 bits below M's leading
       one, place: the other 16), times 2^-e.
rsqrt  e = 2k + p. 1 / sqrt(M / 2^23 * 2^p) from `root_table` (segment: p, then the 6 bits below M's
       leading one, place: the other 17), times 2^-k.
erf    M * (erf(x) / x), 24 x 37 bits, from `erf_table` (|x| < 4 in units of 2^-35; segment: the top
       8 of 37 bits, place: 29). From 4 on it is 1.
sin,   Quadrants: h = M * window >> 26, kept modulo 2^62, where the window of 88 bits is 2/pi *
cos    2^(e - 23 + 86) (`tables.angle_windows`): units of 2^-60, 2 bits of quadrant, 60 of fraction.
       Below e = -1 the window of -1 is taken, and a shift s = -1 - e is left to do: it is done on
       what chooses the segment, while the factor below keeps all its digits and 2^-s goes to the
       exponent. cos adds 1 to the quadrant. In an odd quadrant the fraction r becomes 1 - r, by
       inverting its bits; in quadrants 2 and 3 the result is negative. Then
       r * (sin(r pi / 2) / r): the factor r normalised to 31 bits, times the value of `sine_table`
       (segment: top 7 bits of r, place: the next 29) rounded to 31 fraction bits: 31 x 32 bits.
       Of all float32, the one closest to a multiple of pi/2 leaves r near 2^-30: 30 good bits.

Each product keeps its top 53 bits or fewer and is rounded once, by `stages.pack`.
"""

from __future__ import annotations

import numpy as np

from sim.semantics.lanes import I32Array, floats
from sim.semantics.stages import (
    copy_sign,
    is_nan,
    normalise,
    pack,
    polynomial,
    settle_nan,
    sign_of,
    unpack,
)
from sim.semantics.tables import (
    WINDOW_FIRST,
    WINDOW_LIMBS,
    angle_windows,
    erf_table,
    quotient_table,
    root_table,
    sine_table,
)

_PLACE = 29
_LOW_PLACE = (1 << _PLACE) - 1
_FRACTION = 60
_LOW_FRACTION = (1 << _FRACTION) - 1
_LIMB0, _LIMB1, _LIMB2 = WINDOW_LIMBS


def recip(x: I32Array) -> I32Array:
    """Compute 1 / x."""
    mantissa, exponent = unpack(x)
    segment = mantissa >> 16
    segment &= 127
    mantissa &= (1 << 16) - 1
    value = polynomial(quotient_table(), segment, mantissa, 16)
    return settle_nan(copy_sign(pack(value, -36 - exponent), x), is_nan(x))


def rsqrt(x: I32Array) -> I32Array:
    """Compute 1 / sqrt(x); a negative x gives NaN, each zero its infinity."""
    mantissa, exponent = unpack(x)
    segment = (mantissa >> 17) & 63
    segment |= (exponent & 1) << 6
    mantissa &= (1 << 17) - 1
    value = polynomial(root_table(), segment, mantissa, 17)
    result = copy_sign(pack(value, -36 - (exponent >> 1)), x)
    return settle_nan(result, ~np.greater_equal(floats(x), 0))


def erf(x: I32Array) -> I32Array:
    """Compute erf x."""
    mantissa, exponent = unpack(x)
    beyond = exponent > 1
    argument = (mantissa << 13) >> np.clip(1 - exponent, 0, 63)
    segment = argument >> _PLACE
    argument &= _LOW_PLACE
    value = polynomial(erf_table(), segment, argument, _PLACE)
    value *= mantissa
    value >>= 8
    exponent -= 23 + 36 - 8
    np.putmask(value, beyond, 1)
    np.putmask(exponent, beyond, 0)
    return settle_nan(copy_sign(pack(value, exponent), x), is_nan(x))


def _sine(x: I32Array, quadrant: int) -> I32Array:
    """Compute sin(|x| + quadrant * pi / 2), NaN for infinities."""
    mantissa, exponent = unpack(x)
    shift = np.maximum(WINDOW_FIRST - exponent, 0)
    window = np.clip(exponent - WINDOW_FIRST, 0, 127 - WINDOW_FIRST)
    low, middle, high = (limb.take(window) for limb in angle_windows())
    low *= mantissa
    low >>= _LIMB0
    middle *= mantissa
    middle += low
    high *= mantissa
    high += middle >> _LIMB1
    middle &= (1 << _LIMB1) - 1
    high &= (1 << _LIMB2) - 1
    high <<= _LIMB1
    high |= middle

    turn = np.where(shift == 0, high >> _FRACTION, np.int64(0)) + quadrant
    flip = -(turn & 1)
    high &= _LOW_FRACTION
    r = high >> np.minimum(shift, 63)
    r ^= flip & _LOW_FRACTION
    factor, place = normalise(np.where(flip, r, high), 31)
    place -= shift & ~flip
    segment = r >> (_FRACTION - 7)
    r >>= _FRACTION - 7 - _PLACE
    r &= _LOW_PLACE
    value = polynomial(sine_table(), segment, r, _PLACE)
    value += 1 << 4
    value >>= 5
    value *= factor
    value >>= 10
    place -= _FRACTION + 31 - 10
    result = pack(value, place)
    result |= (turn.astype(np.int32) & 2) << 30
    return settle_nan(result, ~np.isfinite(floats(x)))


def sin(x: I32Array) -> I32Array:
    """Compute sin x, for every finite x reduced by the true pi."""
    result = _sine(x, 0)
    finite = np.isfinite(floats(x))
    result ^= np.where(finite, sign_of(x).astype(np.int32) & np.int32(-(2**31)), np.int32(0))
    return result


def cos(x: I32Array) -> I32Array:
    """Compute cos x, for every finite x reduced by the true pi."""
    return _sine(x, 1)
