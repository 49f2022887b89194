"""Operands for the arithmetic benches: directed corners and stratified random numbers.

All arrays are int32 lanes; a float is its bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.semantics.formats import LANE

I32Array = NDArray[np.int32]
Operands = Sequence[I32Array]
"""One array for each of the operands a, b, c of an instruction, all of one length."""

_SIGN = 1 << 31
_FRACTION = LANE.fraction_bits
_GREATEST = (1 << LANE.exponent_bits) - 1  # field of infinities and NaNs
_ONES = (1 << _FRACTION) - 1

_MAGNITUDES = (
    0x00000000,  # zero
    0x00000001,  # least subnormal
    0x00000002,
    0x00000003,
    0x00400000,  # half the least normal
    0x007FFFFE,
    0x007FFFFF,  # greatest subnormal
    0x00800000,  # least normal
    0x00800001,
    0x00FFFFFF,
    0x01000000,
    0x1F800000,  # 2^-64: its square is subnormal
    0x20000000,
    0x33800000,  # 2^-24: half an ulp of 1
    0x33800001,
    0x34000000,  # 2^-23: an ulp of 1
    0x3EFFFFFF,
    0x3F000000,  # 0.5
    0x3F000001,
    0x3F7FFFFF,  # just below 1
    0x3F800000,  # 1
    0x3F800001,
    0x3FC00000,  # 1.5
    0x40000000,  # 2
    0x40200000,  # 2.5
    0x40490FDB,  # pi
    0x42FE0000,  # 127
    0x42FF0000,  # 127.5
    0x43000000,  # 128
    0x46FFFE00,  # 32767
    0x46FFFF00,  # 32767.5
    0x47000000,  # 32768
    0x4AFFFFFF,  # 2^23 - 0.5
    0x4B000000,  # 2^23
    0x4B7FFFFF,  # 2^24 - 1
    0x4B800000,  # 2^24
    0x4EFFFFFF,  # just below 2^31
    0x4F000000,  # 2^31
    0x4F800000,  # 2^32
    0x5F000000,  # 2^63
    0x5F800000,  # 2^64
    0x7E7FFFFF,
    0x7EFFFFFF,
    0x7F000000,
    0x7F7FFFFF,  # greatest number
    0x7F800000,  # infinity
    0x7F800001,  # signalling NaN
    0x7FBFFFFF,
    0x7FC00000,  # the canonical NaN
    0x7FFFFFFF,
)

_LANDMARKS = (0, 7, 8, 15, 16, 31, 32, 63, 64, 100, *(2**k for k in (7, 8, 15, 16, 24, 31)))
_PATTERNS = (0x55555555, 0xAAAAAAAA, 0x12345678, 0x7FFFFF80, 0x7FFFFF7F, 0x01000001, 0x01000003)
_INTEGERS = (
    *_PATTERNS,
    *(sign * (mark + step) for mark in _LANDMARKS for step in range(-2, 3) for sign in (-1, 1)),
)


def lanes(values: Sequence[int] | NDArray[np.int64]) -> I32Array:
    """Return the low 32 bits of integers as lanes."""
    return np.asarray(values, np.int64).astype(np.uint32).view(np.int32)


def float_corners() -> I32Array:
    """Return zeros, subnormals, limits, ties, infinities and NaNs, of both signs."""
    magnitudes = np.array(_MAGNITUDES, np.int64)
    return lanes(np.concatenate([magnitudes, magnitudes | _SIGN]))


def integer_corners() -> I32Array:
    """Return the limits of the integer types and of shift amounts, and their neighbours."""
    return np.unique(lanes(_INTEGERS))


def product(arrays: Operands) -> Operands:
    """Return operands that pair every element of each array with every element of the others."""
    return [grid.ravel() for grid in np.meshgrid(*arrays, indexing="ij")]


def join(parts: Sequence[Operands]) -> Operands:
    """Return the operand sets of all parts."""
    return [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]


def compose(sign: NDArray, exponent: NDArray, fraction: NDArray) -> I32Array:
    """Return floats from their fields; exponents are clipped to what the format has."""
    field = np.clip(exponent, 0, _GREATEST).astype(np.int64)
    return lanes(sign.astype(np.int64) << 31 | field << _FRACTION | fraction.astype(np.int64))


class Random:
    """Draws operands; the same seed draws the same ones."""

    def __init__(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)

    def integer(self, low: int, high: int, count: int) -> NDArray[np.int64]:
        """Draw integers from low to high, both included."""
        return np.asarray(self.generator.integers(low, high, count, endpoint=True), np.int64)

    def lanes(self, count: int) -> I32Array:
        """Draw lanes with every bit random."""
        return lanes(self.integer(0, 2**32 - 1, count))

    def integers(self, count: int) -> I32Array:
        """Draw integers of every magnitude: as many of 5 bits as of 31."""
        return lanes(self.integer(-(2**31), 2**31 - 1, count) >> self.integer(0, 31, count))

    def fractions(self, count: int) -> NDArray[np.int64]:
        """Draw fractions: random, few bits set (exact results, ties), few bits clear (carries)."""
        fraction = self.integer(0, _ONES, count)
        sparse = (1 << self.integer(0, _FRACTION, count)) | (1 << self.integer(0, _FRACTION, count))
        short = fraction & (_ONES << self.integer(0, _FRACTION, count))
        kind = self.integer(0, 7, count)
        chosen = np.choose(np.minimum(kind, 4), [sparse, ~sparse, short, short | sparse, fraction])
        return np.asarray(chosen, np.int64) & _ONES

    def signs(self, count: int) -> NDArray[np.int64]:
        """Draw sign bits."""
        return self.integer(0, 1, count)

    def floats(self, count: int, low: int = 0, high: int = _GREATEST) -> I32Array:
        """Draw floats with exponent fields from low to high, all as likely."""
        return compose(self.signs(count), self.integer(low, high, count), self.fractions(count))

    def near(self, other: I32Array, distance: int) -> I32Array:
        """Draw floats whose exponents are within `distance` of another's."""
        count = len(other)
        exponent = (other.view(np.uint32).astype(np.int64) >> _FRACTION & _GREATEST) + self.integer(
            -distance, distance, count
        )
        return compose(self.signs(count), exponent, self.fractions(count))

    def neighbours(self, other: I32Array, ulps: int) -> I32Array:
        """Draw floats within some ulps of another's magnitude, of either sign."""
        step = self.integer(-ulps, ulps, len(other)) >> self.integer(0, 20, len(other))
        return lanes((other.astype(np.int64) + step) ^ self.signs(len(other)) << 31)

    def mix(self, pool: I32Array, count: int) -> I32Array:
        """Draw from a pool."""
        return pool[self.integer(0, len(pool) - 1, count)]

    def float_pairs(self, count: int) -> Operands:
        """Draw pairs of floats, an eighth of `count` (rounded up) from each of eight strata.

        Any two, close exponents, exponents within a significand, near-cancelling, one a corner,
        subnormal, product about the least number, product about the greatest.
        """
        part = -(-count // 8)
        a = self.floats(part * 8)
        b = self.floats(part * 8)
        strata = [slice(i * part, (i + 1) * part) for i in range(8)]
        b[strata[1]] = self.near(a[strata[1]], 1)
        b[strata[2]] = self.near(a[strata[2]], 27)
        b[strata[3]] = self.neighbours(a[strata[3]], 1 << 20)
        a[strata[4]] = self.mix(float_corners(), part)
        a[strata[5]] = self.floats(part, 0, 2)
        b[strata[5]] = self.floats(part, 0, 30)
        # Products about the least and the greatest numbers.
        b[strata[6]] = self._opposite(a[strata[6]], self.integer(127 - 28, 127 + 3, part))
        b[strata[7]] = self._opposite(a[strata[7]], self.integer(127 + 250, 127 + 258, part))
        return [a, b]

    def _opposite(self, other: I32Array, total: NDArray[np.int64]) -> I32Array:
        """Draw floats whose exponent fields add up to `total` with another's."""
        exponent = total - (other.view(np.uint32).astype(np.int64) >> _FRACTION & _GREATEST)
        return compose(self.signs(len(other)), exponent, self.fractions(len(other)))
