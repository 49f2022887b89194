"""Passes what the simulator reports about a dispatch to a recorder."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from hwc.runtime.trace.beats import read_beats, write_beats
from hwc.runtime.trace.recorder import AROUND, INTERVAL, Part, Recorder, Track
from hwc.runtime.trace.work import CAUSES, Wait, Work
from isa.dispatch import Outcome
from isa.load import load
from isa.progress import Task
from isa.target import Target
from sim.kernel import Kernel
from sim.streams import I64Array
from sim.timing.body import PhasePauses, body_pauses, phases_of
from sim.timing.packed_walk import PackedWalk
from sim.timing.strips import InputStrips
from sim.trace import SequenceRecord, StripRecord

_BLOCK = 2048
"""The number of strips whose requests are computed at a time; it does not affect the trace."""


class SimulatedTrace:
    """Takes the records of a dispatch."""

    def __init__(
        self, target: Target, recorder: Recorder, kernels: Sequence[Kernel], tracing: Task
    ) -> None:
        """Begin the dispatch, which completes these kernels; `tracing` counts their strips."""
        self._recorder = recorder
        self._tracing = tracing
        self._kernels = kernels
        recorder.begin(kernels)
        working = [kernel for kernel in kernels if kernel.points]
        self._working = {
            kernel.pc: _Strips(target, recorder, kernel, number)
            for number, kernel in enumerate(working)
        }

    def wanted(self, kernel: Kernel) -> range:
        """Return the strips of a kernel whose records are needed."""
        return self._recorder.wanted(self._working[kernel.pc].number, AROUND)

    def append(self, record: StripRecord, /) -> None:
        """Take the record of a strip."""
        self._working[record.kernel].append(record)
        if record.engine == "store":
            self._tracing.advance()

    def end(self, sequence: Sequence[SequenceRecord], outcome: Outcome) -> None:
        """Take the records of the sequencer, and how the dispatch ended."""
        recorder = self._recorder
        for strips in self._working.values():
            strips.flush()
        for run in outcome.kernels or ():
            if run.pc in self._working:
                recorder.span(self._working[run.pc].number, run.start, run.end)
        cycles = outcome.counters["cycles"]
        recorder.end(cycles, _parts(sequence, cycles))


class _Strips:
    """The strips of a kernel with points."""

    def __init__(self, target: Target, recorder: Recorder, kernel: Kernel, number: int) -> None:
        self.number = number
        self._target = target
        self._recorder = recorder
        self._kernel = kernel
        self._walks = [PackedWalk.of(target, kernel, stream) for stream in kernel.inputs]
        self._streams = {stream.code: i for i, stream in enumerate(kernel.inputs)}
        self._left = kernel.points - (kernel.strips - 1) * kernel.vlen
        phases = phases_of(kernel.body)
        self._whole = body_pauses(target, phases, kernel.lanes, kernel.vlen)
        self._part = body_pauses(target, phases, kernel.lanes, self._left)
        # For each stream: the ends of broadcasts with what they release, and what is released.
        self._ends: list[deque[tuple[int, int]]] = [deque() for _ in kernel.inputs]
        self._freed = [0] * len(kernel.inputs)
        # For the current block of strips: their requests, and when their fetches start.
        self._first = self._next = 0
        self._requests: list[InputStrips] = []
        self._fetches: list[int] = []
        self._fetched = 0
        self._stores: list[int] = []
        self._stored = 0

    def append(self, record: StripRecord) -> None:
        """Take the record of a strip."""
        if record.engine == "fetch":
            self._fetch(record.strip, record.start)
        elif record.engine == "broadcast":
            self._broadcast(record)
        elif record.engine == "store":
            self._store(record.strip, record.start)
        track = Track(self.number, record.engine, record.stream)
        last = record.strip == self._kernel.strips - 1
        points = self._left if last else self._kernel.vlen
        waits = _waits(record, self._part if last else self._whole)
        work = Work.of(record.strip, record.phase, points, record.start, record.end, waits)
        self._recorder.work(track, work)

    def flush(self) -> None:
        """Report the bus traffic of the strips so far."""
        if self._fetches:
            starts = np.array(self._fetches, dtype=np.int64)
            begin = self._fetched - self._first
            own = slice(begin, begin + len(starts))
            streams = [_cut(strips, own) for strips in self._requests]
            for times, nbytes in read_beats(self._target, streams, starts):
                self._bus("read", times, nbytes)
            self._fetches = []
        if self._stores:
            starts = np.array(self._stores, dtype=np.int64)
            for times, nbytes in write_beats(self._target, self._kernel, self._stored, starts):
                self._bus("written", times, nbytes)
            self._stores = []

    def _fetch(self, strip: int, start: int) -> None:
        if not self._first <= strip < self._next:
            self.flush()
            self._first = strip
            self._next = min(strip + _BLOCK, self._kernel.strips)
            count = self._next - strip
            self._requests = [walk.strips(strip, count) for walk in self._walks]
        if not self._fetches:
            self._fetched = strip
        self._fetches.append(start)
        for i, (stream, requests) in enumerate(
            zip(self._kernel.inputs, self._requests, strict=True)
        ):
            ends = self._ends[i]
            while ends and ends[0][0] <= start:
                self._freed[i] = ends.popleft()[1]
            held = int(requests.fill[strip - self._first]) - self._freed[i]
            track = Track(self.number, "ring", stream.code)
            self._recorder.ring(track, strip, start, held * stream.type.bytes)

    def _broadcast(self, record: StripRecord) -> None:
        i = self._streams[record.stream]
        free = int(self._requests[i].free[record.strip - self._first])
        self._ends[i].append((record.end, free))
        if record.strip == self._kernel.strips - 1:
            self._recorder.landed(Track(self.number, "ring", record.stream), record.end)

    def _store(self, strip: int, start: int) -> None:
        if strip != self._stored + len(self._stores) or len(self._stores) == _BLOCK:
            self.flush()
        if not self._stores:
            self._stored = strip
        self._stores.append(start)

    def _bus(self, direction: str, times: I64Array, nbytes: I64Array) -> None:
        intervals = times // INTERVAL
        if len(intervals):
            first = int(intervals.min())
            sums = np.bincount(intervals - first, nbytes).astype(np.int64)
            for number in np.flatnonzero(sums).tolist():
                self._recorder.bus(direction, first + number, int(sums[number]))


def _cut(strips: InputStrips, own: slice) -> InputStrips:
    segments = [(begin[own], end[own]) for begin, end in strips.segments]
    return InputStrips(
        strips.fill[own], strips.free[own], segments, strips.beats[own], strips.cuts[own]
    )


def _waits(record: StripRecord, pauses: Sequence[PhasePauses]) -> list[Wait]:
    """Return what an engine waits for before a strip and during its work on the strip."""
    time = record.start - sum(record.waits.values())
    waits: list[Wait] = []
    for cause in CAUSES[record.engine]:
        cycles = record.waits.get(cause, 0)
        if cycles:
            waits.append(Wait(cause, time, time + cycles))
            time += cycles
    if record.engine in ("lane", "special"):
        lane = record.engine == "lane"
        phase = pauses[record.phase]
        cause = "dependence" if lane else "any"
        for begin, end in phase.segment if lane else phase.group:
            waits.append(Wait(cause, record.start + begin, record.start + end))
    return waits


def _parts(sequence: Sequence[SequenceRecord], cycles: int) -> list[Part]:
    """Return what the sequencer did."""
    parts = [Part("load", 0, sequence[0].begin)]
    setup = load().timing.setup_start
    for number, record in enumerate(sequence):
        if record.loop > record.begin:
            parts.append(Part("words", record.begin, record.loop))
        if record.kernel is None:
            continue
        # The sequencer asks for the fetch in the first cycle after the shapes are known, and for
        # the end of earlier work in the last cycle before the kernel starts.
        waits: list[Wait] = []
        if record.fetch_wait:
            begin = record.start - record.end_wait - record.fetch_wait - setup + 1
            waits.append(Wait("fetch", begin, begin + record.fetch_wait))
        if record.end_wait:
            waits.append(Wait("end", record.start - 1 - record.end_wait, record.start - 1))
        parts.append(Part("setup", record.loop, record.start, number, waits))
    if cycles > sequence[-1].loop:
        parts.append(Part("ending", sequence[-1].loop, cycles))
    return parts
