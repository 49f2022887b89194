"""The walk of a kernel over its strips, a window of strips at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isa.load import load
from isa.target import Target
from sim.kernel import Kernel, Stream
from sim.streams import I64Array, Pattern
from sim.timing.body import body_time
from sim.timing.contract import NEVER, StreamWork, Times, Work
from sim.timing.counters import Sums, kernel_counters
from sim.timing.spans import candidate_periods, common_span
from sim.timing.steady import Window
from sim.timing.strips import StreamStrips, store_strips, stream_strips
from sim.timing.trace import record_window
from sim.trace import StripRecord

WINDOW_STRIPS = 4096
"""Strips whose quantities are computed at a time; any number gives the same times."""


def kernel_time(
    target: Target,
    kernel: Kernel,
    *,
    start: int = 0,
    trace: list[StripRecord] | None = None,
    skip: bool = True,
) -> dict[str, int]:
    """Counters of a kernel from the end of its setup to its last write response.

    `start` is the cycle at which its engines start, used by `trace` only. With `skip` off every
    strip is evaluated; the result is the same.
    """
    if kernel.points == 0:
        return {}
    return _Walk(target, kernel, skip and trace is None).run(start, trace)


@dataclass
class _Ring:
    """A stream's ring: elements released (`free`) and `b1` of the strips from `first` on.

    `waits` tells whether any strip can have to wait for room, `waiting` whether the last one
    looked at did (for strip `first`).
    """

    stream: Stream
    pattern: Pattern
    first: int
    free: I64Array
    b1: I64Array
    waits: bool
    waiting: bool = False


class _Walk:
    """One kernel's walk over its strips."""

    def __init__(self, target: Target, kernel: Kernel, skip: bool) -> None:
        self._target = target
        self._kernel = kernel
        self._skip = skip
        self._rings = [self._ring(stream) for stream in kernel.inputs]
        self._sums = Sums()

    def _ring(self, stream: Stream) -> _Ring:
        size = stream.type.bytes
        pattern = Pattern.of(stream, self._kernel.iteration, self._target.ring_bytes)
        empty = np.empty(0, dtype=np.int64)
        waits = pattern.fetched_elements * size > self._target.ring_capacity
        return _Ring(stream, pattern, 0, empty, empty, waits)

    def run(self, start: int, trace: list[StripRecord] | None) -> dict[str, int]:
        """Evaluate all strips; returns the kernel's counters."""
        target, kernel = self._target, self._kernel
        strips = kernel.strips
        left = kernel.points - (strips - 1) * kernel.vlen
        whole = body_time(target, kernel.body, kernel.lanes, kernel.vlen)
        part = body_time(target, kernel.body, kernel.lanes, left)
        times = Times.at_start(len(self._rings))
        first = 0
        while first < strips:
            count = min(WINDOW_STRIPS, strips - first)
            parts = [
                stream_strips(target, ring.pattern, ring.stream.address, first, count)
                for ring in self._rings
            ]
            work = self._work(parts, first, count)
            window = Window(work, times, self._candidates(count))
            last_window = first + count == strips
            window.advance(count - last_window, whole)
            if last_window:
                window.advance(count, part)
            if trace is not None:
                lengths = [whole.length] * (count - last_window) + [part.length] * last_window
                record_window(trace, kernel, start, first, work, times, lengths)
            self._remember(window)
            first += count
            first += self._jump(window, work, parts, first)
            times.start_window()
        fetched_bytes = sum(r.pattern.fetched_elements * r.stream.type.bytes for r in self._rings)
        return kernel_counters(target, kernel, times, self._sums, fetched_bytes, whole, part)

    def _work(self, parts: Sequence[StreamStrips], first: int, count: int) -> Work:
        """What strips `first` to `first + count - 1` ask of the engines."""
        target, constants = self._target, load().timing
        requested = np.zeros(count, dtype=np.int64)
        arrivals: list[I64Array] = []
        for part in parts:
            latency = target.memory_latency + constants.read_return
            arrivals.append(
                np.where(
                    part.words > 0, requested + part.last + latency, constants.empty_strip_ready
                )
            )
            requested = requested + part.cost
        fetch = np.maximum(requested, constants.strip_fetch_min) if parts else requested
        floor = np.full(count, NEVER, dtype=np.int64)
        rooms = [self._rooms(r, p, first, floor) for r, p in zip(self._rings, parts, strict=True)]
        streams = tuple(
            StreamWork(arrival, room, part.broadcast)
            for arrival, room, part in zip(arrivals, rooms, parts, strict=True)
        )
        work = Work(fetch, floor, streams, store_strips(target, self._kernel, first, count))
        self._add(work, parts, slice(None))
        return work

    def _add(
        self, work: Work, parts: Sequence[StreamStrips], strips: slice, times: int = 1
    ) -> None:
        """Add strips of a window to the sums, `times` times."""
        sums = self._sums
        sums.fetch += times * int(work.fetch[strips].sum())
        sums.store += times * int(work.store[strips].sum())
        for part in parts:
            sums.words += times * int(part.words[strips].sum())
            sums.cuts += times * int(part.cuts[strips].sum())
            sums.broadcast += times * int(part.broadcast[strips].sum())

    def _rooms(self, ring: _Ring, part: StreamStrips, first: int, floor: I64Array) -> I64Array:
        """For each strip of a window, the strip k of F0 whose broadcast makes room, or -1.

        Both are numbered from the window's first strip, `first` of the kernel. Strips before the
        window have ended: the room they make is entered into `floor`.
        """
        count = len(part.fill)
        none = np.full(count, -1, dtype=np.int64)
        if not ring.waits:
            return none
        release = load().timing.ring_release
        missing = part.fill - self._target.ring_capacity // ring.stream.type.bytes
        free = np.concatenate((ring.free, part.free))
        source = ring.first + np.searchsorted(free, missing)
        wanted = missing > 0
        assert (~wanted | (source < first + np.arange(count))).all(), "a strip waits for itself"
        early = np.flatnonzero(wanted & (source < first))
        room = ring.b1[source[early] - ring.first] + release
        floor[early] = np.maximum(floor[early], room)
        ring.free = free
        ring.waiting = bool(wanted[-1])
        if ring.waiting:
            # Later strips wait for no earlier one than this strip does.
            drop = int(source[-1]) - ring.first
            ring.free, ring.b1 = free[drop:], ring.b1[drop:]
            ring.first += drop
        return np.where(wanted & (source >= first), source - first, none)

    def _remember(self, window: Window) -> None:
        """Keep the ends of broadcasts that later windows may wait for."""
        for number, ring in enumerate(self._rings):
            if ring.waits:
                b1 = np.concatenate((ring.b1, window.b1(number)))
                ring.b1 = b1[-len(ring.free) :]

    def _candidates(self, count: int) -> list[int]:
        """Periods to try in a window of `count` strips."""
        if not self._skip:
            return []
        return candidate_periods(self._target, [r.pattern for r in self._rings], count // 4)

    def _jump(
        self, window: Window, work: Work, parts: Sequence[StreamStrips], next_strip: int
    ) -> int:
        """Pass over strips from `next_strip` on whose times are known to repeat; how many.

        The window ended in repetition; it goes on for as long as the patterns say that the strips
        ask the same. All times, sums and what the rings remember move on as they would have.
        """
        rings = [ring for ring in self._rings if ring.waits]
        if not window.ends_in_repetition or not all(ring.waiting for ring in rings):
            return 0
        span = common_span(self._target, [r.pattern for r in self._rings], window.period)
        lags = [next_strip - ring.first for ring in rings]
        if span is None or not window.goes_on(span, next_strip, lags):
            return 0
        turns = (min(span.end, self._kernel.strips - 1) - next_strip) // span.period
        if turns <= 0:
            return 0
        growth = window.jump(turns * span.period)
        self._add(work, parts, slice(-span.period, None), turns)
        for ring, elements in zip(self._rings, span.elements, strict=True):
            ring.first += turns * span.period
            ring.free = ring.free + turns * elements
            ring.b1 = ring.b1 + growth
        return turns * span.period
