"""Generates all tables of the transcendental instructions.

A table holds a smooth function as cubics, one per segment of its argument. In segment i, with
d = the offset inside the segment in [0, 1),

    G(d) = c0 + d * (c1 + d * (c2 + d * c3)),

where all four coefficients are integers in units of 2^-fraction. The cubic meets the function at
d = 0, 1/4, 3/4 and 1: neighbouring segments join, and a segment's first point is the function
rounded to the unit. All arithmetic here is on Python integers with `PRECISION` fraction bits, so
the tables are the same on every machine. The simulator reads these tables, and the contents of the
hardware's memories are generated from them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import isqrt
from typing import NamedTuple

import numpy as np

from sim.semantics.formats import LANE
from sim.semantics.one_or_many import I64Array

PRECISION = 128
"""Fraction bits of the generator's own arithmetic; errors stay far below 2^-100."""

ONE = 1 << PRECISION


class Table(NamedTuple):
    """Cubics over equal segments; `columns[k][i]` is coefficient c_k of segment i.

    `columns` are int64 in units of 2^-`fraction`, signed.
    """

    name: str
    fraction: int
    columns: tuple[I64Array, I64Array, I64Array, I64Array]

    @property
    def segments(self) -> int:
        """Count the segments."""
        return len(self.columns[0])


def _series(first: int, step: Callable[[int, int], int]) -> int:
    """Sum a series until the terms vanish; `step` computes term k from term k - 1."""
    total = term = first
    k = 0
    while term not in (0, -1):
        k += 1
        term = step(term, k)
        total += term
    return total


def _times(a: int, b: int) -> int:
    return a * b >> PRECISION


def _over(a: int, b: int) -> int:
    return (a << PRECISION) // b


def _atanh_ratio(w: int) -> int:
    """Compute atanh(w) / w."""
    square = _times(w, w)
    total, power, k = 0, ONE, 0
    while power:
        total += power // (2 * k + 1)
        power = _times(power, square)
        k += 1
    return total


def _arctan_inverse(n: int) -> int:
    """Compute arctan(1 / n) at twice the precision."""
    total, power, k = 0, (ONE * ONE) // n, 0
    while power:
        total += (power // (2 * k + 1)) * (-1) ** k
        power //= n * n
        k += 1
    return total


LN2 = 2 * _atanh_ratio(ONE // 3) // 3
"""ln 2, from ln 2 = 2 atanh(1/3)."""

PI_WIDE = 4 * (4 * _arctan_inverse(5) - _arctan_inverse(239))
"""Pi with 2 * PRECISION fraction bits, by Machin's formula."""

PI = PI_WIDE >> PRECISION
"""Pi."""


def exp2(x: int) -> int:
    """Compute 2^x for x in [0, 1]."""
    y = _times(x, LN2)
    return _series(ONE, lambda term, k: _times(term, y) // k)


def log2_ratio(m: int) -> int:
    """Compute log2(m) / (m - 1) for m in [0.7, 1.5]; 1 / ln 2 at m = 1."""
    w = _over(m - ONE, m + ONE)
    return _over(2 * _atanh_ratio(w), _times(m + ONE, LN2))


def reciprocal(m: int) -> int:
    """Compute 1 / m."""
    return ONE * ONE // m


def reciprocal_root(m: int) -> int:
    """Compute 1 / sqrt(m)."""
    return isqrt(ONE**3 // m)


def sine_ratio(r: int) -> int:
    """Compute sin(r pi / 2) / r for r in [0, 1]; pi / 2 at r = 0."""
    angle = _times(r, PI) >> 1
    square = _times(angle, angle)
    ratio = _series(ONE, lambda term, k: -(_times(term, square) // (2 * k * (2 * k + 1))))
    return _times(ratio, PI) >> 1


def erf_ratio(x: int) -> int:
    """Compute erf(x) / x for x in [0, 4]; 2 / sqrt(pi) at 0.

    erf(x) / x = 2 / sqrt(pi) * exp(-x^2) * sum of (2 x^2)^k / (1 * 3 * ... * (2k + 1)): no term is
    negative, so nothing cancels.
    """
    square = _times(x, x)
    total = _series(ONE, lambda term, k: _times(term, 2 * square) // (2 * k + 1))
    growth = _series(ONE, lambda term, k: _times(term, square) // k)
    return _over(_over(2 * total, growth), isqrt(PI << PRECISION))


def tanh_ratio(x: int) -> int:
    """Compute tanh(x) / x for x in [0, 1]; 1 at 0."""
    square = _times(x, x)
    sinh = _series(ONE, lambda term, k: _times(term, square) // (2 * k * (2 * k + 1)))
    cosh = _series(ONE, lambda term, k: _times(term, square) // (2 * k * (2 * k - 1)))
    return _over(sinh, cosh)


def _cubic(function: Callable[[int], int], start: int, width: int) -> tuple[int, int, int, int]:
    """Interpolate `function` on [start, start + width] at 0, 1/4, 3/4 and 1 of the segment."""
    c0 = function(start)
    d1, d2, d3 = (function(start + width * n // 4) - c0 for n in (1, 3, 4))
    c1 = 8 * d1 - 8 * d2 // 3 + d3
    c2 = (64 * d1 - d3 - 15 * c1) // 3
    return c0, c1, c2, d3 - c1 - c2


def _table(
    name: str,
    fraction: int,
    segments: list[tuple[Callable[[int], int], int, int]],
) -> Table:
    """Make a table from (function, start, width) of each segment."""
    drop = PRECISION - fraction
    rows = [
        [(c + (1 << drop - 1)) >> drop for c in _cubic(function, start, width)]
        for function, start, width in segments
    ]
    c0, c1, c2, c3 = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Table(name, fraction, (c0, c1, c2, c3))


def _even(
    function: Callable[[int], int], start: int, end: int, count: int
) -> list[tuple[Callable[[int], int], int, int]]:
    """Divide [start, end] into `count` segments of one function."""
    width = (end - start) // count
    return [(function, start + i * width, width) for i in range(count)]


EXP2_SEGMENTS = 128
LOG2_SEGMENTS = 256
LOG2_FRACTION = 39
"""Fraction bits of the values in `log2_table`."""
LOG2_FOLD = 106
"""First segment whose significand is halved, to below one: 1 + 106/256 is just below sqrt 2."""
RECIPROCAL_SEGMENTS = 128
TANH_SEGMENTS = 64
ROOT_SEGMENTS = 64
SINE_SEGMENTS = 128
ERF_SEGMENTS = 256


@cache
def exp2_table() -> Table:
    """2^f over f in [0, 1): 128 segments, unit 2^-36."""
    return _table("exp2", 36, _even(exp2, 0, ONE, EXP2_SEGMENTS))


@cache
def log2_table() -> Table:
    """log2(m) / (m - 1) over the significand in [1, 2): 256 segments, unit 2^-39.

    From segment `LOG2_FOLD` on, m is half the significand, so that m stays in [0.707, 1.415).
    """
    low = _even(log2_ratio, ONE, 2 * ONE, LOG2_SEGMENTS)[:LOG2_FOLD]
    high = _even(log2_ratio, ONE // 2, ONE, LOG2_SEGMENTS)[LOG2_FOLD:]
    return _table("log2", LOG2_FRACTION, low + high)


@cache
def quotient_table() -> Table:
    """1 / m over [1, 2), then tanh(x) / x over [0, 1/2): 128 + 64 segments, unit 2^-36."""
    return _table(
        "quotient",
        36,
        _even(reciprocal, ONE, 2 * ONE, RECIPROCAL_SEGMENTS)
        + _even(tanh_ratio, 0, ONE // 2, TANH_SEGMENTS),
    )


@cache
def root_table() -> Table:
    """1 / sqrt(m) over [1, 2), then over [2, 4): 64 + 64 segments, unit 2^-36."""
    return _table(
        "root",
        36,
        _even(reciprocal_root, ONE, 2 * ONE, ROOT_SEGMENTS)
        + _even(reciprocal_root, 2 * ONE, 4 * ONE, ROOT_SEGMENTS),
    )


@cache
def sine_table() -> Table:
    """sin(r pi / 2) / r over r in [0, 1): 128 segments, unit 2^-36."""
    return _table("sine", 36, _even(sine_ratio, 0, ONE, SINE_SEGMENTS))


@cache
def erf_table() -> Table:
    """erf(x) / x over [0, 4): 256 segments, unit 2^-36."""
    return _table("erf", 36, _even(erf_ratio, 0, 4 * ONE, ERF_SEGMENTS))


WINDOW_LIMBS = (26, 30, 32)
"""Bits of a window's parts, low to high."""
WINDOW_FRACTION = sum(WINDOW_LIMBS) - 2
"""Fraction bits of a window: 86, above them two bits that count quadrants."""
WINDOW_FIRST = -1
"""Exponent of the first window; the last belongs to the largest exponent of a lane."""


@cache
def angle_windows() -> tuple[I64Array, I64Array, I64Array]:
    """Return the bits of 2/pi that matter for each exponent, as three limbs, low to high.

    Window e (counted from `WINDOW_FIRST`) is 2/pi * 2^(e - 23) modulo 4, cut off after 86 fraction
    bits. The window times the 24-bit significand of a number with exponent e gives the number in
    quadrants, modulo 4.
    """
    two_over_pi = (2 << 4 * PRECISION) // PI_WIDE
    windows: list[int] = []
    for exponent in range(WINDOW_FIRST, LANE.max_exponent + 1):
        drop = 2 * PRECISION - WINDOW_FRACTION - (exponent - LANE.fraction_bits)
        windows.append(two_over_pi >> drop & ((1 << sum(WINDOW_LIMBS)) - 1))
    limbs: list[I64Array] = []
    low = 0
    for bits in WINDOW_LIMBS:
        limbs.append(np.array([w >> low & ((1 << bits) - 1) for w in windows], dtype=np.int64))
        low += bits
    return limbs[0], limbs[1], limbs[2]


def constant(value: int, fraction: int) -> int:
    """Round a number of `PRECISION` fraction bits to `fraction` bits."""
    drop = PRECISION - fraction
    return (value + (1 << drop - 1)) >> drop


FACTOR_BITS = 37
"""Fraction bits of the factor by which a significand is multiplied on the way to 2^f."""

LOG2_E = constant(_over(ONE, LN2), FACTOR_BITS)
"""log2 e in units of 2^-37: 38 bits."""
LN2_32 = constant(LN2, 32)
"""ln 2 in units of 2^-32: 32 bits."""
LOG10_2 = constant(_over(LN2, 3 * LN2 + 2 * _atanh_ratio(ONE // 9) // 9), 33)
"""log10 2 in units of 2^-33: 32 bits. ln 10 = 3 ln 2 + ln 5/4, and ln 5/4 = 2 atanh(1/9)."""
