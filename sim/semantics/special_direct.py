"""recip, rsqrt, erf, sin and cos: one table each, times the argument where necessary.

M and e are the significand and exponent of `formats.unpack`; every table value has units of 2^-36.
The widths are for the 23 fraction bits of a lane; the code derives them from that number.

recip  1 / (M / 2^23) from the first part of `quotient_table` (segment: the 7 bits below M's leading
       one, offset: the other 16), times 2^-e.
rsqrt  e = 2k + p. 1 / sqrt(M / 2^23 * 2^p) from `root_table` (segment: p, then the 6 bits below M's
       leading one, offset: the other 17), times 2^-k.
erf    M * (erf(x) / x), 24 x 37 bits, from `erf_table` (|x| < 4 in units of 2^-35; segment: the top
       8 of 37 bits, offset: 29). From 4 on it is 1.
sin,   Quadrants: h = M * window >> 26, kept modulo 2^62, where the window of 88 bits is 2/pi *
cos    2^(e - 23 + 86) (`tables.angle_windows`): units of 2^-60, 2 bits of quadrant, 60 of fraction.
       Below e = -1 the window of -1 is taken, and a shift s = -1 - e is left to do: it is done on
       what chooses the segment, while the factor below keeps all its digits and 2^-s goes to the
       exponent. cos adds 1 to the quadrant. In an odd quadrant the fraction r becomes 1 - r, by
       inverting its bits; in quadrants 2 and 3 the result is negative. Then
       r * (sin(r pi / 2) / r): the factor r normalised to 31 bits, times the value of `sine_table`
       (segment: top 7 bits of r, offset: the next 29) rounded to 31 fraction bits: 31 x 32 bits.
       Of all float32, the one closest to a multiple of pi/2 leaves r near 2^-30: 30 good bits.

Each product keeps its top 53 bits or fewer, so that float64 holds it exactly.
"""

from __future__ import annotations

import numpy as np

from sim.semantics.formats import LANE, normalise, scaled, unpack
from sim.semantics.lanes import I32Array
from sim.semantics.one_or_many import F64Array, choose, entry, floats
from sim.semantics.stages import (
    EXCESS_BITS,
    FRACTION_BITS,
    OFFSET_BITS,
    UNIT_BITS,
    low_bits,
    offset_bits,
    polynomial,
)
from sim.semantics.tables import (
    ERF_SEGMENTS,
    RECIPROCAL_SEGMENTS,
    ROOT_SEGMENTS,
    WINDOW_FIRST,
    WINDOW_LIMBS,
    angle_windows,
    erf_table,
    quotient_table,
    root_table,
    sine_table,
)

_RECIPROCAL_OFFSET = offset_bits(RECIPROCAL_SEGMENTS)
_ROOT_OFFSET = offset_bits(ROOT_SEGMENTS)

_ERF_SHIFT = 35 - FRACTION_BITS + 1
"""Shift that brings a significand of exponent 1 to units of 2^-35."""

_ANGLE_BITS = 60
"""Fraction bits of an angle in quadrants."""
_LIMB0, _LIMB1, _LIMB2 = WINDOW_LIMBS
_LAST_WINDOW = LANE.max_exponent - WINDOW_FIRST


def recip(x: I32Array) -> F64Array:
    """Compute 1 / x."""
    significand, exponent = unpack(x)
    segment = significand >> _RECIPROCAL_OFFSET
    segment &= RECIPROCAL_SEGMENTS - 1
    significand &= low_bits(_RECIPROCAL_OFFSET)
    value = polynomial(quotient_table(), segment, significand, _RECIPROCAL_OFFSET)
    number = floats(x)
    result = np.copysign(scaled(value, -UNIT_BITS - exponent), number)
    return choose(np.isnan(number), np.nan, result)


def rsqrt(x: I32Array) -> F64Array:
    """Compute 1 / sqrt(x); a negative x gives NaN, each zero its infinity."""
    significand, exponent = unpack(x)
    segment = (significand >> _ROOT_OFFSET) & (ROOT_SEGMENTS - 1)
    segment += (exponent & 1) * ROOT_SEGMENTS
    significand &= low_bits(_ROOT_OFFSET)
    value = polynomial(root_table(), segment, significand, _ROOT_OFFSET)
    number = floats(x)
    result = np.copysign(scaled(value, -UNIT_BITS - (exponent >> 1)), number)
    return choose(number >= 0, result, np.nan)


def erf(x: I32Array) -> F64Array:
    """Compute erf x."""
    significand, exponent = unpack(x)
    large = exponent > 1
    shift = np.minimum(np.maximum(1 - exponent, 0), 63)
    argument = (significand << _ERF_SHIFT) >> shift
    segment = np.minimum(argument >> OFFSET_BITS, ERF_SEGMENTS - 1)  # beyond where x is large
    argument &= low_bits(OFFSET_BITS)
    value = polynomial(erf_table(), segment, argument, OFFSET_BITS)
    value *= significand
    value >>= EXCESS_BITS
    exponent -= FRACTION_BITS + UNIT_BITS - EXCESS_BITS
    number = floats(x)
    result = np.copysign(choose(large, 1.0, scaled(value, exponent)), number)
    return choose(np.isnan(number), np.nan, result)


def _sine(x: I32Array, quadrant: int) -> F64Array:
    """Compute sin(|x| + quadrant * pi / 2), NaN for infinities."""
    significand, exponent = unpack(x)
    shift = np.maximum(WINDOW_FIRST - exponent, 0)
    window = np.minimum(np.maximum(exponent - WINDOW_FIRST, 0), _LAST_WINDOW)
    limb0, limb1, limb2 = angle_windows()
    low, middle, high = entry(limb0, window), entry(limb1, window), entry(limb2, window)
    low *= significand
    low >>= _LIMB0
    middle *= significand
    middle += low
    high *= significand
    high += middle >> _LIMB1
    middle &= low_bits(_LIMB1)
    high &= low_bits(_LIMB2)
    high <<= _LIMB1
    high |= middle

    turn = choose(shift == 0, high >> _ANGLE_BITS, np.int64(0)) + quadrant
    flip = -(turn & 1)
    high &= low_bits(_ANGLE_BITS)
    r = high >> np.minimum(shift, 63)
    r ^= flip & low_bits(_ANGLE_BITS)
    factor, exponent = normalise(choose(flip != 0, r, high), 31)
    exponent -= shift & ~flip
    segment = r >> (_ANGLE_BITS - 7)
    r >>= _ANGLE_BITS - 7 - OFFSET_BITS
    r &= low_bits(OFFSET_BITS)
    value = polynomial(sine_table(), segment, r, OFFSET_BITS)
    value += 1 << 4
    value >>= 5
    value *= factor
    value >>= 10
    exponent -= _ANGLE_BITS + 31 - 10
    magnitude = scaled(value, exponent)
    result = choose((turn & 2) != 0, -magnitude, magnitude)
    return choose(np.isfinite(floats(x)), result, np.nan)


def sin(x: I32Array) -> F64Array:
    """Compute sin x; every finite x is reduced by the true pi."""
    result = _sine(x, 0)
    return choose(x < 0, -result, result)


def cos(x: I32Array) -> F64Array:
    """Compute cos x; every finite x is reduced by the true pi."""
    return _sine(x, 1)
