"""Passes what the hardware reports about a dispatch to a recorder."""

from __future__ import annotations

from collections.abc import Sequence

from hwc.runtime.trace.recorder import Part, Recorder, Track
from hwc.runtime.trace.work import Wait, Work
from sim.kernel import Kernel

_SEQUENCER = "sequencer"


class HardwareTrace:
    """Takes the lines of a dispatch's detailed trace; detail_trace.sv describes them."""

    def __init__(self, recorder: Recorder, kernels: Sequence[Kernel]) -> None:
        """Begin the dispatch, which completes these kernels."""
        self._recorder = recorder
        self._working = [kernel for kernel in kernels if kernel.points]
        recorder.begin(kernels)
        # A wait may be reported before or after the work that it is part of.
        self._waits: dict[Track, list[Wait]] = {}
        self._works: dict[tuple[str, int], tuple[Track, Work]] = {}
        self._fetched: dict[int, int] = {}
        self._rings: dict[Track, int] = {}
        self._parts: list[tuple[str, int]] = []
        self._ended: dict[int, int] = {}

    def __call__(self, words: list[str]) -> None:
        """Take the words of a line."""
        kind, *rest = words
        if kind == "strip":
            engine, *numbers = rest
            kernel, stream, strip, phase, start, end = map(int, numbers)
            if engine != "fetch":  # the end of a fetch comes with its span
                self._work(Track(kernel, engine, stream), strip, phase, start, end)
        elif kind == "span":
            engine, what, *numbers = rest
            kernel, stream, start, end = map(int, numbers)
            track = Track(kernel, engine, stream)
            if what == "busy":
                strip = self._fetched.get(kernel, 0)
                self._fetched[kernel] = strip + 1
                self._work(track, strip, 0, start, end)
            else:
                self._wait(track, Wait(what, start, end))
        elif kind == "ring":
            kernel, stream, time, nbytes = map(int, rest)
            track = Track(kernel, "ring", stream)
            strip = self._rings.get(track, 0)
            self._rings[track] = strip + 1
            self._recorder.ring(track, strip, time, nbytes)
        elif kind == "bus":
            self._recorder.bus(rest[0], int(rest[1]), int(rest[2]))
        elif kind == "part":
            self._parts.append((rest[0], int(rest[1])))
        else:
            kernel, begin, end = map(int, rest)
            self._recorder.span(kernel, begin, end)

    def end(self, cycles: int) -> None:
        """End the dispatch after `cycles` cycles."""
        for track, _ in list(self._works.values()):
            self._tell(track)
        ends = [begin for _, begin in self._parts[1:]] + [cycles]
        parts: list[Part] = []
        loops = 0
        for (name, begin), end in zip(self._parts, ends, strict=True):
            if name == "setup":
                waits = self._waits.pop(Track(loops, _SEQUENCER, 0), [])
                parts.append(Part(name, begin, end, loops, waits))
                loops += 1
            else:
                parts.append(Part(name, begin, end))
        self._recorder.end(cycles, parts)

    def _work(self, track: Track, strip: int, phase: int, start: int, end: int) -> None:
        self._tell(track)
        kernel = self._working[track.kernel]
        last = strip == kernel.strips - 1
        points = kernel.points - strip * kernel.vlen if last else kernel.vlen
        waits = self._waits.pop(track, [])
        self._works[track.unit] = track, Work.of(strip, phase, points, start, end, waits)
        if track.engine == "broadcast" and last:
            self._recorder.landed(track._replace(engine="ring"), end)

    def _wait(self, track: Track, wait: Wait) -> None:
        last, work = self._works.get(track.unit, (None, None))
        if work is not None and last == track and wait.begin < work.end:
            waits = [*work.waits, wait]
            work = Work.of(work.first, work.phase, work.points, work.start, work.end, waits)
            self._works[track.unit] = track, work
        else:
            self._waits.setdefault(track, []).append(wait)

    def _tell(self, track: Track) -> None:
        """Report the engine's last work; no more waits can belong to it."""
        if track.unit in self._works:
            self._recorder.work(*self._works.pop(track.unit))
