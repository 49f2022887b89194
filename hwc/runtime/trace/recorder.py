"""Records what every engine did in a call, within a limit on the size of the trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from hwc.runtime.trace.work import Wait, Work
from sim.kernel import Kernel

LIMIT = 180_000
"""The largest number of slices and samples of a trace, if merging can reach it: under 16 MB."""

ALL_STRIPS = 1 << 26
"""More strips than any kernel has."""

KERNEL_SLICES = 6
"""The size of the slices with a kernel's details, counted in ordinary slices."""

INTERVAL = 64
"""Cycles in an interval of the bus counters before any merging, as in the bench."""

INTERVALS = 60_000
"""The largest number of intervals of the bus counters: under 3 MB."""

AROUND = 32
"""Strips on either side of the wanted ones to record, because the engines hold them together."""

_T = TypeVar("_T")


class Track(NamedTuple):
    """An engine and its stream (or 0), for kernels with points, by their number in the dispatch.

    `kernel` numbers groups of kernels; a group has as many kernels as the recorder merges.
    """

    kernel: int
    engine: str
    stream: int

    @property
    def unit(self) -> tuple[str, int]:
        """The engine; each stream may have an engine of its own."""
        return self.engine, self.stream


class Sample(NamedTuple):
    """The bytes in a ring from `time` on: the largest number of the `merged` samples."""

    time: int
    nbytes: int
    merged: int = 1


class Part(NamedTuple):
    """What the sequencer does from `begin` to `end`; a set-up belongs to a `kernel`.

    Kernels are counted from 0 in the dispatch, including kernels without points.
    """

    name: str
    begin: int
    end: int
    kernel: int | None = None
    waits: Sequence[Wait] = ()

    @property
    def cost(self) -> int:
        """The number of slices that it becomes."""
        return 1 + len(self.waits)


@dataclass
class DispatchRecord:
    """What happened in a dispatch; times are cycles since its start.

    `strips` is the number of strips in the call before this dispatch. `spans` has for each group of
    kernels the first start of a fetch and the last write response. `landed` is when the last strip
    of a stream was broadcast; `bus` has the bytes of each interval.
    """

    kernels: Sequence[Kernel]
    strips: int
    works: dict[Track, list[Work]] = field(default_factory=dict)
    rings: dict[Track, list[Sample]] = field(default_factory=dict)
    landed: dict[Track, int] = field(default_factory=dict)
    bus: dict[str, dict[int, int]] = field(default_factory=lambda: {"read": {}, "written": {}})
    parts: list[Part] = field(default_factory=list)
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)
    cycles: int = 0

    def __post_init__(self) -> None:
        """Number the kernels with points, and count the strips before each."""
        self.working = [kernel for kernel in self.kernels if kernel.points]
        self.before: list[int] = []
        strips = self.strips
        for kernel in self.working:
            self.before.append(strips)
            strips += kernel.strips
        self.strips_after = strips

    @property
    def hull(self) -> tuple[int, int]:
        """The start of the first work and the end of the last; empty if there is no work."""
        works = [work for each in self.works.values() for work in (each[0], each[-1])]
        begins, ends = [work.begin for work in works], [work.end for work in works]
        return min(begins, default=0), max(ends, default=0)


class Recorder:
    """Takes what happens in a call, one dispatch after another.

    Each engine reports its work in order of time. If there is too much work, it is merged: on each
    track, `group` consecutive pieces become one. If that is not enough, `kernels` consecutive
    kernels of a dispatch become one. Both numbers are powers of two. They depend only on what
    happened, never on the order in which different engines report. With `strips`, only the work on
    these strips is kept; strips are numbered across the whole call.
    """

    def __init__(self, strips: range | None = None, limit: int = LIMIT) -> None:
        self.strips = strips
        self.dispatches: list[DispatchRecord] = []
        self.group = self.kernels = 1
        self.interval = INTERVAL
        self._limit = limit
        self._cost = 0
        self._intervals = 0
        self._now = DispatchRecord((), 0)

    @property
    def total_strips(self) -> int:
        """The number of strips of all dispatches so far."""
        return self.dispatches[-1].strips_after if self.dispatches else 0

    def begin(self, kernels: Sequence[Kernel]) -> None:
        """Begin a dispatch that completes these kernels, or restart the current one."""
        self._now = DispatchRecord(kernels, self.total_strips)

    def wanted(self, kernel: int, around: int = 0) -> range:
        """The strips to report of a kernel with points, and `around` more on either side."""
        strips = self._now.working[kernel].strips
        if self.strips is None:
            return range(strips)
        before = self._now.before[kernel]
        first = min(max(0, self.strips.start - around - before), strips)
        return range(first, max(first, min(strips, self.strips.stop + around - before)))

    def work(self, track: Track, work: Work) -> None:
        """Take the work on a strip."""
        if self.strips is not None and work.first not in self.wanted(track.kernel):
            return
        track = self._grouped(track)
        works = self._now.works.setdefault(track, [])
        if works and works[-1].count < self._pieces:
            self._cost -= works[-1].cost
            works[-1] = work = works[-1].merged(work, track.engine)
        else:
            works.append(work)
        self._add(work.cost)

    def ring(self, track: Track, strip: int, time: int, nbytes: int) -> None:
        """Take the bytes in the ring of a stream when the fetch of a strip starts."""
        if self.strips is not None and strip not in self.wanted(track.kernel):
            return
        samples = self._now.rings.setdefault(self._grouped(track), [])
        if samples and samples[-1].merged < self._pieces:
            samples[-1] = _most(samples[-1], Sample(time, nbytes))
        else:
            samples.append(Sample(time, nbytes))
            self._add(1)

    def landed(self, track: Track, time: int) -> None:
        """Take the end of the broadcast of a stream's last strip, which empties its ring."""
        if self._now.working[track.kernel].strips - 1 in self.wanted(track.kernel):
            self._now.landed[self._grouped(track)] = time

    def bus(self, direction: str, interval: int, nbytes: int) -> None:
        """Take bytes on the bus in an interval of `INTERVAL` cycles."""
        intervals = self._now.bus[direction]
        number = interval * INTERVAL // self.interval
        if number not in intervals:
            self._intervals += 1
        intervals[number] = intervals.get(number, 0) + nbytes
        if self.strips is None:  # else most of them are cut
            self._limit_intervals()

    def span(self, kernel: int, begin: int, end: int) -> None:
        """Take the start of a kernel's fetch, and its last write response."""
        group = kernel // self.kernels
        if group in self._now.spans:
            begin = min(begin, self._now.spans[group][0])
            end = max(end, self._now.spans[group][1])
            self._now.spans[group] = begin, end
        else:
            self._now.spans[group] = begin, end
            self._add(KERNEL_SLICES)

    def end(self, cycles: int, parts: Sequence[Part]) -> None:
        """End the dispatch after `cycles` cycles; take everything that the sequencer did."""
        now = self._now
        now.cycles = cycles
        now.parts = list(parts) if self.kernels == 1 else _as_one(parts)
        if self.strips is not None:
            self._cut(now)
            self._limit_intervals()
        self._add(sum(part.cost for part in now.parts))
        self.dispatches.append(now)
        self._now = DispatchRecord((), now.strips_after)

    def _cut(self, now: DispatchRecord) -> None:
        """Keep only what happened around the wanted strips."""
        begin, end = now.hull
        for intervals in now.bus.values():
            for number in list(intervals):
                if not (number * self.interval < end and begin < (number + 1) * self.interval):
                    del intervals[number]
                    self._intervals -= 1
        now.parts = [part for part in now.parts if part.begin < end and begin < part.end]
        kept = {track.kernel for track in now.works}
        now.spans = {kernel: span for kernel, span in now.spans.items() if kernel in kept}

    @property
    def _pieces(self) -> int:
        """The number of pieces that become one: all pieces of a group of kernels."""
        return self.group if self.kernels == 1 else 1 << 62

    def _grouped(self, track: Track) -> Track:
        return track if self.kernels == 1 else track._replace(kernel=track.kernel // self.kernels)

    def _add(self, cost: int) -> None:
        self._cost += cost
        while self._cost > self._limit and self._merge():
            pass

    def _all(self) -> Iterator[DispatchRecord]:
        yield from self.dispatches
        yield self._now

    def _merge(self) -> bool:
        """Merge twice as many pieces or kernels, if there are enough; return whether it merged."""
        if self.group < ALL_STRIPS:
            self.group *= 2
            for dispatch in self._all():
                for track, works in dispatch.works.items():
                    works[:] = _in_pairs(works, track.engine)
                for samples in dispatch.rings.values():
                    samples[:] = _joined_pairs(samples, _most)
        elif self.kernels < max(len(dispatch.working) for dispatch in self._all()):
            self.kernels *= 2
            for dispatch in self._all():
                _merge_kernels(dispatch)
        else:
            return False
        self._cost = sum(self._cost_of(dispatch) for dispatch in self._all())
        return True

    def _cost_of(self, dispatch: DispatchRecord) -> int:
        works = sum(work.cost for works in dispatch.works.values() for work in works)
        samples = sum(len(samples) for samples in dispatch.rings.values())
        parts = sum(part.cost for part in dispatch.parts)
        return works + samples + parts + KERNEL_SLICES * len(dispatch.spans)

    def _limit_intervals(self) -> None:
        while self._intervals > INTERVALS:
            self.interval *= 2
            self._intervals = 0
            for dispatch in self._all():
                for direction, intervals in dispatch.bus.items():
                    merged: dict[int, int] = {}
                    for number, nbytes in intervals.items():
                        merged[number // 2] = merged.get(number // 2, 0) + nbytes
                    dispatch.bus[direction] = merged
                    self._intervals += len(merged)


def _merge_kernels(dispatch: DispatchRecord) -> None:
    """Merge groups of kernels in pairs; of the sequencer, keep only the time."""
    works, rings = dispatch.works, dispatch.rings
    landed, spans = dispatch.landed, dispatch.spans
    dispatch.works, dispatch.rings, dispatch.landed, dispatch.spans = {}, {}, {}, {}
    for track in sorted(works):
        own = dispatch.works.setdefault(track._replace(kernel=track.kernel // 2), [])
        for work in works[track]:
            own[:] = [own[0].merged(work, track.engine)] if own else [work]
    for track in sorted(rings):
        own = dispatch.rings.setdefault(track._replace(kernel=track.kernel // 2), [])
        for sample in rings[track]:
            own[:] = [_most(own[0], sample)] if own else [sample]
    for track in sorted(landed):
        dispatch.landed[track._replace(kernel=track.kernel // 2)] = landed[track]
    for kernel in sorted(spans):
        begin, end = spans[kernel]
        before = dispatch.spans.get(kernel // 2, (begin, end))
        dispatch.spans[kernel // 2] = min(begin, before[0]), max(end, before[1])
    dispatch.parts = _as_one(dispatch.parts)


def _as_one(parts: Sequence[Part]) -> list[Part]:
    """Return one part that spans everything that the sequencer did."""
    return [Part("run", parts[0].begin, parts[-1].end)] if parts else []


def _in_pairs(works: Sequence[Work], engine: str) -> list[Work]:
    return _joined_pairs(works, lambda one, after: one.merged(after, engine))


def _most(one: Sample, after: Sample) -> Sample:
    return Sample(one.time, max(one.nbytes, after.nbytes), one.merged + after.merged)


def _joined_pairs(items: Sequence[_T], join: Callable[[_T, _T], _T]) -> list[_T]:
    """Join items in pairs; the last item may be left over."""
    pairs = [join(a, b) for a, b in zip(items[::2], items[1::2], strict=False)]
    return pairs + list(items[len(items) - len(items) % 2 :])
