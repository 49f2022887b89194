"""The walk of an input stream whose ring holds the elements of its runs, packed.

docs/timing.md, section "Streams", defines every quantity here by its name. Fill, free and capacity
count elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd, lcm, prod

import numpy as np

from isa.target import Target
from sim.kernel import Kernel, Stream
from sim.streams import I64Array, Pattern
from sim.timing.bursts import Segment, cost_is_words
from sim.timing.strips import InputStrips, Span, strip_ends


@dataclass(frozen=True)
class PackedWalk:
    """The walk of a stream at `address`, with `vlen` points in a strip and `lanes` in a beat."""

    target: Target
    pattern: Pattern
    address: int
    lanes: int
    vlen: int

    @classmethod
    def of(cls, target: Target, kernel: Kernel, stream: Stream) -> PackedWalk:
        """The walk of one of a kernel's input streams."""
        pattern = Pattern.of(stream, kernel.iteration, target.ring_bytes)
        return cls(target, pattern, stream.address, kernel.lanes, kernel.vlen)

    @property
    def capacity(self) -> int:
        """Elements that a ring can hold."""
        return self.target.ring_capacity // self.pattern.element_bytes

    @property
    def total(self) -> int:
        """Elements fetched over the whole walk."""
        return self.pattern.fetched_elements

    @property
    def fetched_bytes(self) -> int:
        """Bytes of all elements fetched over the whole walk."""
        return self.total * self.pattern.element_bytes

    def strips(self, first: int, count: int) -> InputStrips:
        """Compute the requests of strips `first` to `first + count - 1`."""
        pattern = self.pattern
        points = pattern.points
        ends = strip_ends(points, self.vlen, first, count)
        # Fill is also needed for the strip before: a strip requests the difference.
        fill = self._fill(ends - 1)
        if first == 0:
            fill[0] = 0
        free = pattern.released(np.minimum(ends[1:], points - 1))
        if ends[-1] == points:
            free[-1] = pattern.fetched_elements
        cuts = self._cuts(ends)
        beats = -(-(ends[1:] - ends[:-1]) // self.lanes) + cuts
        return InputStrips(fill[1:], free, self._segments(fill[:-1], fill[1:]), beats, cuts)

    def periods(self) -> Mapping[str, int]:
        """Points after which bus words, bursts, cuts and units may repeat, by name."""
        return {
            "word": self._word_points,
            "burst": self._word_points * self.target.burst_beats,
            "cut": self.pattern.cut_points or 1,
            "unit": self.pattern.unit_points,
        }

    def span(self) -> Span | None:
        """The range of points in which the walk is known to repeat; None if it is not known."""
        pattern = self.pattern
        points = pattern.points
        if pattern.fetched_elements == 1:
            return Span(1, points - 1, 1, 0)
        if pattern.unit_points == points:
            # One held block: nothing is fetched after the first pass, and nothing is released
            # before the last pass.
            one_pass = points // pattern.repeats[pattern.held]
            cut = pattern.cut_points
            cuts = cut < points and cut % self.lanes != 0
            return Span(one_pass, points - one_pass, lcm(cut, self.lanes) if cuts else 1, 0)
        burst = self.alike_bytes
        if self._one_run:
            # Elements follow each other in memory, so requests depend on the position in a unit and
            # in a burst. A bus word must not reach beyond the end.
            block, unit = pattern.block_elements, pattern.unit_points
            units = burst // gcd(burst, block * pattern.element_bytes)
            last = -(-self.target.axi_bytes // (block * pattern.element_bytes))
            if self._cost_is_words:
                return Span(0, points - last * unit, self.vlen, self.vlen // unit)
            return Span(0, points - last * unit, units * unit, units * block)
        outer = pattern.data[-1]
        if outer == 1:
            # The same runs again and again.
            turns = pattern.repeats[-1]
            return Span(0, points, points // turns, pattern.fetched_elements // turns)
        # The outermost index moves all runs in memory, until they are in the same place in a burst.
        moved = prod(pattern.data[:-1]) * pattern.element_bytes
        period = burst // gcd(burst, moved)
        fetched = pattern.fetched_elements // outer
        return Span(0, points, points // outer * period, period * fetched)

    @property
    def _cost_is_words(self) -> bool:
        """Whether every strip but the first requests the same number of words in as many cycles."""
        target, pattern = self.target, self.pattern
        bus, size = target.axi_bytes, pattern.element_bytes
        elements, rest = divmod(self.vlen, pattern.repeats[0])
        words, part = divmod(elements * size, bus)
        if pattern.held or rest or part or not words or bus % size or self.address % size:
            return False
        first_word = (self.address + (elements - 1) * size) // bus + 1
        return cost_is_words(first_word, words, target.burst_beats, target.burst_gap)

    @property
    def alike_bytes(self) -> int:
        """Bytes by which requests may move in memory without any change of words and cost."""
        pattern, bus = self.pattern, self.target.axi_bytes
        # A strip that does not use more than two elements requests a word of a run, or none.
        aligned = bus % pattern.element_bytes == self.address % pattern.element_bytes == 0
        if pattern.repeats[0] >= self.vlen and aligned:
            return bus
        return self.target.burst_beats * bus

    @property
    def _word_points(self) -> int:
        """Points that the elements of a bus word serve, if they are used one after another."""
        return self.target.axi_bytes // self.pattern.element_bytes * self.pattern.repeats[0]

    def _fill(self, points: I64Array) -> I64Array:
        """Elements fetched for the points up to each point: whole bus words, within the run."""
        needed = self.pattern.needed(np.maximum(points, 0))
        run, position = self._run(needed - 1)
        size, bus = self.pattern.element_bytes, self.target.axi_bytes
        run_elements = self.pattern.run_elements
        base = self.address + self.pattern.run_start(run) * size
        word_end = ((base + position * size) // bus + 1) * bus
        return run * run_elements + np.minimum((word_end - base) // size, run_elements)

    def _run(self, elements: I64Array) -> tuple[I64Array, I64Array]:
        """Split element numbers in fetch order into the run and the position in it."""
        if self._one_run:
            return np.zeros_like(elements), elements
        run = elements // self.pattern.run_elements
        return run, elements - run * self.pattern.run_elements

    @property
    def _one_run(self) -> bool:
        return self.pattern.run_elements == self.pattern.fetched_elements

    def _segments(self, before: I64Array, after: I64Array) -> list[Segment]:
        """The bytes of elements `before` to `after` - 1 in fetch order.

        The elements are in one run, or in the end of one run and the beginning of the next.
        """
        run, position = self._run(after - 1)
        run_first = after - 1 - position
        split = np.maximum(before, run_first)
        tail = self._segment(run, run_first, split, np.maximum(split, after))
        if self._one_run:
            return [tail]
        begin = np.minimum(before, run_first)
        run, position = self._run(begin)
        return [self._segment(run, begin - position, begin, run_first), tail]

    def _segment(
        self, run: I64Array, run_first: I64Array, begin: I64Array, end: I64Array
    ) -> Segment:
        """The bytes of elements `begin` to `end` - 1 of the run that starts at `run_first`."""
        size = self.pattern.element_bytes
        base = self.address + (self.pattern.run_start(run) - run_first) * size
        return base + begin * size, base + end * size

    def _cuts(self, ends: I64Array) -> I64Array:
        """Count the ends of blocks inside each strip that split a beat."""
        block = self.pattern.cut_points
        if block == 0:
            return np.zeros(len(ends) - 1, dtype=np.int64)
        both = int(np.lcm(block, self.lanes))
        last, first = ends[1:] - 1, ends[:-1]
        return last // block - first // block - (last // both - first // both)
