"""Input streams in canonical form: which elements a ring holds, and when.

docs/timing.md, section "Streams", defines the terms: level, held level, unit, run. Everything here
is arithmetic on point numbers; arrays of points give arrays of elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from sim.kernel import Stream
from sim.views import merge, pad_strides

I64Array = NDArray[np.int64]


def canonical_levels(
    iteration: Sequence[int], strides: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the repeats (rep0, rep1, ...) and data (dat0, dat1, ...), innermost first.

    `strides` are a dense stream's, padded to the rank of `iteration`. Both tuples have the
    same length, at least 1; a missing level is 1. Their product is the number of points.
    """
    sizes, (steps,) = merge(iteration, [strides])
    levels: list[list[int]] = [[1, 1]]
    elements = 1
    for size, stride in zip(reversed(sizes), reversed(steps), strict=True):
        if stride:
            assert stride == elements, "elements of a stream lie without gaps"
            levels[-1][1] = size
            elements *= size
        elif levels[-1] == [1, 1]:
            levels[-1][0] = size
        else:
            levels.append([size, 1])
    return tuple(level[0] for level in levels), tuple(level[1] for level in levels)


@dataclass(frozen=True)
class Pattern:
    """The walk of one input stream over the iteration's points.

    `repeats` and `data` are the canonical levels, `held` the level whose block stays in the ring
    while it is repeated (0: only an element in use is held), `element_bytes` the size of an
    element in memory. Elements are numbered in the order of their fetch.
    """

    repeats: tuple[int, ...]
    data: tuple[int, ...]
    held: int
    element_bytes: int

    @classmethod
    def of(cls, stream: Stream, iteration: Sequence[int], ring_bytes: int) -> Pattern:
        """Bring a stream into canonical form and choose what a ring of `ring_bytes` holds."""
        strides = pad_strides(stream.strides, len(iteration))
        return _pattern(tuple(iteration), strides, stream.type.bytes, ring_bytes)

    @cached_property
    def points(self) -> int:
        """Points of the iteration space."""
        return prod(self.repeats) * prod(self.data)

    @cached_property
    def block_elements(self) -> int:
        """Elements fetched in one unit: the held block, or 1."""
        return prod(self.data[: self.held])

    @cached_property
    def unit_points(self) -> int:
        """Points of one hold unit."""
        return prod(self.repeats[: self.held + 1]) * self.block_elements

    @cached_property
    def run_elements(self) -> int:
        """Elements fetched from contiguous memory before the walk turns back or moves on."""
        return self.block_elements * self.data[self.held]

    @cached_property
    def fetched_elements(self) -> int:
        """Elements fetched over the whole walk."""
        return self.points // self.unit_points * self.block_elements

    @cached_property
    def cut_points(self) -> int:
        """Points between two ends of blocks, which may have to cut a beat; 0 if nothing is held."""
        return self.repeats[0] * self.data[0] * self.repeats[1] if self.held else 0

    def needed(self, points: I64Array) -> I64Array:
        """Return how many elements must have been fetched when each point is reached."""
        unit, position = _divide(points, self.unit_points)
        return unit * self.block_elements + self._high(position)

    def needed_at(self, point: int) -> int:
        """Return how many elements must have been fetched when one point is reached."""
        points, whole = self.unit_points, self.block_elements
        unit, position = divmod(point, points)
        needed = unit * whole
        for level in range(self.held, 0, -1):
            points //= self.repeats[level]
            if position >= points:  # in a later pass, which needs the whole block
                return needed + whole
            points //= self.data[level - 1]
            whole //= self.data[level - 1]
            inside, position = divmod(position, points)
            needed += inside * whole
        return needed + 1

    def released(self, points: I64Array) -> I64Array:
        """Return how many elements are no longer needed from each point on."""
        unit, position = _divide(points, self.unit_points)
        return unit * self.block_elements + self._low(position)

    def run_start(self, runs: I64Array) -> I64Array:
        """Return the number in memory of the first element of each run of the walk."""
        start = np.zeros_like(runs)
        elements = self.run_elements
        for level in range(self.held + 1, len(self.repeats)):
            runs, _ = _divide(runs, self.repeats[level])
            runs, digit = _divide(runs, self.data[level])
            start += digit * elements
            elements *= self.data[level]
        return start

    def _high(self, position: I64Array) -> I64Array:
        """Elements of a unit needed up to a position in it.

        In the first pass of a level, everything so far is needed; in a later pass, the whole block.
        """
        high = np.zeros_like(position)
        open_ = np.ones(position.shape, dtype=bool)
        for _, again, inside, whole, part in self._digits(position):
            high += np.where(open_, np.where(again > 0, whole, inside * part), 0)
            open_ &= again == 0
        return high + open_

    def _low(self, position: I64Array) -> I64Array:
        """Elements of a unit not needed from this position on; only last passes release any."""
        low = np.zeros_like(position)
        open_ = np.ones(position.shape, dtype=bool)
        for level, again, inside, _, part in self._digits(position):
            open_ &= again == self.repeats[level] - 1
            low += np.where(open_, inside * part, 0)
        return low

    def _digits(self, position: I64Array):
        """Walk the levels from the held one inwards.

        Yields the level, the number of its pass, the digit of the data inside it, the elements of
        its block and the elements of one step of that digit.
        """
        points, whole = self.unit_points, self.block_elements
        for level in range(self.held, 0, -1):
            points //= self.repeats[level]
            again, position = _divide(position, points)
            count = self.data[level - 1]
            points //= count
            inside, position = _divide(position, points)
            yield level, again, inside, whole, whole // count
            whole //= count


@lru_cache(maxsize=4096)
def _pattern(
    iteration: tuple[int, ...], strides: tuple[int, ...], element_bytes: int, ring_bytes: int
) -> Pattern:
    """Return the pattern of a stream; cached, as planning and running a call need the same ones."""
    repeats, data = canonical_levels(iteration, strides)
    held = 0
    for level in range(1, len(repeats)):
        if repeats[level] > 1 and prod(data[:level]) * element_bytes <= ring_bytes:
            held = level
    return Pattern(repeats, data, held, element_bytes)


def _divide(values: I64Array, divisor: int) -> tuple[I64Array, I64Array]:
    """Divide by a positive number: quotients and remainders."""
    if divisor == 1:
        return values, np.zeros_like(values)
    quotient = values // divisor
    return quotient, values - quotient * divisor
