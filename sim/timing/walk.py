"""The walk of a kernel over its strips, a window of strips at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isa.load import load
from isa.target import Target
from sim.kernel import Kernel
from sim.streams import I64Array
from sim.timing.body_plan import BodyPlan, body_plan
from sim.timing.bursts import requests
from sim.timing.contract import (
    ALL_FREE,
    NEVER,
    PortRecord,
    Starts,
    StreamWork,
    Times,
    Work,
    lookback,
)
from sim.timing.counters import Ends, KernelTime, StripSums, Sums, kernel_counters
from sim.timing.packed_walk import PackedWalk
from sim.timing.quick import quick_times
from sim.timing.spans import candidate_periods, common_span
from sim.timing.steady import Window
from sim.timing.strips import InputStrips, InputWalk, store_strips
from sim.timing.trace import record_window
from sim.trace import SelectiveTrace, StripTrace

WINDOW_STRIPS = 4096
"""The most strips whose quantities are computed at a time; any number gives the same times."""

FIRST_STRIPS = 64
"""Strips in the first window: most walks repeat within a few strips, and this window shows that."""

LONGEST_PERIOD, PERIODS = 1 << 15, 6
"""The longest period in strips, and the periods in the first window of a walk with a long period.

`PERIODS` periods are enough to show that times repeat. With a period longer than `LONGEST_PERIOD`,
the search would need too much memory, and every strip is evaluated.
"""


def kernel_time(
    target: Target,
    kernel: Kernel,
    *,
    start: int = 0,
    trace: StripTrace | None = None,
    skip: bool = True,
    quick: bool = True,
) -> dict[str, int]:
    """Counters of a kernel whose engines are all free, from their start to its last write response.

    `start` is the cycle at which the engines start, used only by `trace`. Without `skip`, every
    strip is evaluated; without `quick`, strips are evaluated in windows. The result is the same.
    """
    if kernel.points == 0:
        return {}
    return kernel_times(
        target, kernel, ALL_FREE, start=start, trace=trace, skip=skip, quick=quick
    ).counters


def kernel_times(
    target: Target,
    kernel: Kernel,
    starts: Starts,
    *,
    start: int = 0,
    trace: StripTrace | None = None,
    skip: bool = True,
    quick: bool = True,
) -> KernelTime:
    """The times of a kernel whose engines are free at `starts`; the kernel must have points."""
    walks = [PackedWalk.of(target, kernel, stream) for stream in kernel.inputs]
    left = kernel.points - (kernel.strips - 1) * kernel.vlen
    plan = body_plan(target, kernel.body, kernel.copies, (kernel.vlen, left))
    if quick and skip and trace is None:
        time = quick_times(target, kernel, starts, walks, plan)
        if time is not None:
            return time
    return _Walk(target, kernel, starts, walks, plan, skip).run(start, trace)


@dataclass
class _Ring:
    """A stream's ring: `free` and `b1` of the strips from `first` on.

    `waits` says whether any strip may have to wait for room; `waiting` says whether the last strip
    examined had to wait (for strip `first`).
    """

    walk: InputWalk
    first: int
    free: I64Array
    b1: I64Array
    waits: bool
    waiting: bool = False


class _Walk:
    """One kernel's walk over its strips."""

    def __init__(
        self,
        target: Target,
        kernel: Kernel,
        starts: Starts,
        walks: Sequence[InputWalk],
        plan: BodyPlan,
        skip: bool,
    ) -> None:
        self._target = target
        self._kernel = kernel
        self._starts = starts
        self._skip = skip
        self._plan = plan
        self._pipe = plan.pipe
        none = np.empty(0, dtype=np.int64)
        self._rings = [_Ring(w, 0, none, none, waits=w.total > w.capacity) for w in walks]
        self._sums = Sums()
        self._period = 0

    def run(self, start: int, trace: StripTrace | None) -> KernelTime:
        """Evaluate all strips."""
        target, kernel = self._target, self._kernel
        strips = kernel.strips
        whole, part = self._plan.whole, self._plan.part
        times = Times.at_start(len(self._rings), self._pipe, self._starts)
        wanted = _wanted(trace, kernel)
        first = stored_first = 0
        most = WINDOW_STRIPS
        if self._skip and not wanted:
            most = self._first_window()
        while first < strips:
            count = min(most, strips - first)
            most = max(WINDOW_STRIPS, most if self._period else 0)
            work, sums = self._work(first, count)
            self._sums.add(sums)
            # A strip that ends in a step of this window may have begun in an earlier step.
            behind = first - self._pipe.delay
            records = bool(wanted) and behind < wanted.stop and wanted.start < first + count
            long = not records and 0 < self._period <= count // PERIODS
            candidates = [] if records else self._candidates(count)
            periods = [self._period] if long else candidates
            window = Window(work, times, self._pipe, periods, pays=long)
            log: list[PortRecord] | None = [] if records else None
            steps = first, first + len(work.fetch)
            for end, active in self._pipe.stretches(*steps, strips, whole, part):
                window.advance(end - first, active, log)
            if first == 0:
                # The strip is in the first window, and no repetition begins with it.
                stored_first = times.s1[lookback() + self._pipe.delay]
            if trace is not None and log is not None:
                record_window(trace, kernel, self._pipe, start, first, work, times, log)
            self._remember(window)
            first += count
            first += self._jump(window, sums, first, wanted)
            times.start_window()
        ends = Ends(
            # Without inputs nothing is fetched, and no cycle counts as a stall for it.
            fetched=times.f1[-1] if kernel.inputs else 0,
            landed=[b1[-1] for b1 in times.b1],
            lane=times.lane[-1],
            special=times.special[-1],
            stored=times.s1[-1],
            data_stall=times.data_stall[-1],
            input_stall=times.input_stall[-1],
            output_stall=times.output_stall[-1],
        )
        fetched_bytes = sum(ring.walk.fetched_bytes for ring in self._rings)
        counters = kernel_counters(
            target, kernel, self._starts, ends, self._sums, fetched_bytes, self._plan
        )
        return KernelTime.of(counters, ends, stored_first)

    def _work(self, first: int, count: int) -> tuple[Work, StripSums]:
        """Requests of strips `first` to `first + count - 1` to the engines, and their sums.

        After the kernel's last strip, steps follow that begin no strip.
        """
        target, constants = self._target, load().timing
        latency = target.memory_latency + constants.read_return
        requested = words = cuts = broadcast = np.zeros(count, dtype=np.int64)
        floor = np.full(count, NEVER, dtype=np.int64)
        streams: list[StreamWork] = []
        for ring in self._rings:
            strips = ring.walk.strips(first, count)
            reads = requests(target, strips.segments)
            arrival = np.where(
                reads.words > 0, requested + reads.last + latency, constants.empty_strip_ready
            )
            room = self._rooms(ring, strips, first, floor)
            streams.append(StreamWork(arrival, room, strips.beats))
            requested = requested + reads.cost
            words = words + reads.words
            cuts = cuts + strips.cuts
            broadcast = broadcast + strips.beats
        fetch = np.maximum(requested, constants.strip_fetch_min) if streams else requested
        store = self._stores(first, count)
        sums = StripSums(fetch, broadcast, store, words, cuts)
        after = len(store) - count
        if after:
            fetch, floor = _extended(fetch, after), _extended(floor, after)
            streams = [
                StreamWork(*(_extended(v, after) for v in vars(s).values())) for s in streams
            ]
        return Work(fetch, floor, tuple(streams), store), sums

    def _stores(self, first: int, count: int) -> I64Array:
        """Cycles of the store engine for the strip that ends in each step of a window."""
        delay = self._pipe.delay
        begin = max(0, first - delay)
        end = first + count - (0 if first + count == self._kernel.strips else delay)
        stores = store_strips(self._target, self._kernel, begin, max(0, end - begin))
        return np.concatenate((np.zeros(begin - (first - delay), dtype=np.int64), stores))

    def _rooms(self, ring: _Ring, strips: InputStrips, first: int, floor: I64Array) -> I64Array:
        """For each strip of a window, the strip k of F0 whose broadcast makes room, or -1.

        Both are numbered from the window's first strip, `first` of the kernel. Strips before the
        window have ended: the room they make is entered into `floor`.
        """
        count = len(strips.fill)
        none = np.full(count, -1, dtype=np.int64)
        if not ring.waits:
            return none
        release = load().timing.ring_release
        missing = strips.fill - ring.walk.capacity
        free = np.concatenate((ring.free, strips.free))
        source = ring.first + np.searchsorted(free, missing)
        wanted = missing > 0
        assert (~wanted | (source < first + np.arange(count))).all(), "a strip waits for itself"
        early = np.flatnonzero(wanted & (source < first))
        room = ring.b1[source[early] - ring.first] + release
        floor[early] = np.maximum(floor[early], room)
        ring.free = free
        ring.waiting = bool(wanted[-1])
        if ring.waiting:
            # Later strips never wait for an earlier strip than this strip does.
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

    def _first_window(self) -> int:
        """Strips in the first window: several periods, if the walks have a period that pays off."""
        span = common_span([r.walk for r in self._rings], self._kernel.vlen, 1)
        if span is not None and span.period <= LONGEST_PERIOD:
            periods = PERIODS * span.period
            # Some periods are evaluated in any case, so the walk has to have many periods.
            if FIRST_STRIPS < periods < self._kernel.strips // 4:
                self._period = span.period
                return periods + FIRST_STRIPS
        return min(FIRST_STRIPS, WINDOW_STRIPS)

    def _candidates(self, count: int) -> list[int]:
        """Periods to try in a window of `count` strips."""
        if not self._skip:
            return []
        return candidate_periods([r.walk for r in self._rings], self._kernel.vlen, count // 4)

    def _jump(self, window: Window, sums: StripSums, next_strip: int, wanted: range) -> int:
        """Skip the strips from `next_strip` on whose times are known to repeat; return how many.

        None of the skipped strips is `wanted`.

        If the window ended in repetition, the repetition goes on for as long as the walks say that
        the requests repeat. All times, sums and ring records advance as if every strip had been
        evaluated.
        """
        rings = [ring for ring in self._rings if ring.waits]
        if not window.ends_in_repetition or not all(ring.waiting for ring in rings):
            return 0
        span = common_span([r.walk for r in self._rings], self._kernel.vlen, window.period)
        lags = [next_strip - ring.first for ring in rings]
        if span is None or not window.goes_on(span, next_strip, lags):
            return 0
        end = min(span.end, self._kernel.strips - 1)
        if wanted and next_strip - self._pipe.delay < wanted.stop:
            end = min(end, wanted.start)
        turns = (end - next_strip) // span.period
        if turns <= 0:
            return 0
        growth = window.jump(turns * span.period)
        self._sums.add(sums, slice(-span.period, None), turns)
        for ring, fetched in zip(self._rings, span.growths, strict=True):
            ring.first += turns * span.period
            ring.free = ring.free + turns * fetched
            ring.b1 = ring.b1 + growth
        return turns * span.period


def _wanted(trace: StripTrace | None, kernel: Kernel) -> range:
    """The strips whose records a trace needs."""
    if trace is None:  # first, because the check of the protocol takes longer than a short walk
        return range(0)
    return trace.wanted(kernel) if isinstance(trace, SelectiveTrace) else range(kernel.strips)


def _extended(values: I64Array, count: int) -> I64Array:
    """The values, followed by `count` zeros."""
    return np.concatenate((values, np.zeros(count, dtype=np.int64)))
