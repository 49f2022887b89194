"""The timing model: cycles and counters of a kernel from its description alone.

docs/timing.md is its specification, and the contract of the RTL. Timing never changes a result, and
results never change timing: only shapes, types, addresses and the body do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np

from isa.load import load
from isa.target import Target
from sim.kernel import Kernel, Stream
from sim.streams import I64Array, Pattern, pad
from sim.timing_body import BodyTime, body_time
from sim.timing_recurrence import (
    NEVER,
    StreamWindow,
    Times,
    Window,
    advance,
    broadcast_ends,
    pad_strips,
    shift_times,
    start_times,
    tail_times,
)
from sim.timing_steady import common_span
from sim.timing_strips import StreamStrips, burst_cycles, stream_strips
from sim.timing_trace import record_window
from sim.trace import StripRecord

WINDOW_STRIPS = 4096
"""Strips whose quantities are computed at a time; any number gives the same times."""


def load_cycles(target: Target, images: Sequence[tuple[int, int]]) -> int:
    """Cycles from start until program and packet are in the machine.

    `images` are the address and the number of words of each, in the order of their fetch.
    """
    word_bytes = load().word_bits // 8
    requested = last = 0
    for address, words in images:
        if words:
            cost, own = burst_cycles(target, address, words * word_bytes)
            requested, last = requested + cost, requested + own
    return last + target.memory_latency + load().timing.load


def word_cycles(words: int) -> int:
    """Cycles to execute configuration words or `halt`."""
    return words * load().timing.word


def setup_cycles(decoded: int, streams: int) -> int:
    """Cycles of `loop`: the body's words are decoded, then the streams' shapes set up."""
    constants = load().timing
    return decoded * constants.word + constants.setup_base + streams * constants.setup_per_stream


def roofline(target: Target, counters: Mapping[str, int]) -> float:
    """Ideal cycles of a kernel or a run with these counters: its busiest part never waits."""
    return max(
        counters["bytes_read"] / target.axi_bytes,
        counters["bytes_written"] / target.axi_bytes,
        float(counters["vector_busy"]),
    )


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
    """A stream's ring: from strip `first` on, elements released and end of broadcast.

    `waits` tells whether any strip can have to wait for room, `waiting` whether the last one
    evaluated looked back for it (to strip `first`).
    """

    stream: Stream
    pattern: Pattern
    first: int
    free: I64Array
    broadcast: I64Array
    waits: bool
    waiting: bool = False


class _Walk:
    """One kernel's walk over its strips, a window at a time."""

    def __init__(self, target: Target, kernel: Kernel, skip: bool) -> None:
        self._target = target
        self._kernel = kernel
        self._skip = skip
        self._strips = -(-kernel.points // target.vlen)
        self._last_points = kernel.points - (self._strips - 1) * target.vlen
        self._rings = [self._ring(stream) for stream in kernel.inputs]
        self._sums = dict.fromkeys(("fetch", "broadcast", "words", "cuts"), 0)

    def _ring(self, stream: Stream) -> _Ring:
        sizes = pad(stream.sizes, len(self._kernel.iteration))
        size = stream.type.bytes
        pattern = Pattern.of(sizes, self._kernel.iteration, size, self._target.ring_bytes)
        empty = np.empty(0, dtype=np.int64)
        waits = pattern.fetched_elements * size > self._target.ring_capacity
        return _Ring(stream, pattern, 0, empty, empty, waits)

    def run(self, start: int, trace: list[StripRecord] | None) -> dict[str, int]:
        """Evaluate all strips; returns the kernel's counters."""
        target, body = self._target, self._kernel.body
        whole = body_time(target, body, target.vlen)
        part = body_time(target, body, self._last_points)
        store_whole = self._store_cycles(target.vlen, last=False)
        store_part = self._store_cycles(self._last_points, last=True)
        times = start_times(len(self._rings))
        first = 0
        while first < self._strips:
            count = min(WINDOW_STRIPS, self._strips - first)
            parts = [
                stream_strips(target, ring.pattern, ring.stream.address, first, count)
                for ring in self._rings
            ]
            window = self._window(parts, first, count)
            last_window = first + count == self._strips
            advance(window, times, count - last_window, whole, store_whole)
            if last_window:
                advance(window, times, count, part, store_part)
            if trace is not None:
                lengths = [whole.length] * (count - last_window) + [part.length] * last_window
                stores = [store_whole] * (count - last_window) + [store_part] * last_window
                record_window(trace, self._kernel, start, first, window, times, lengths, stores)
            self._remember(times)
            first += count
            first += self._jump(window, parts, times, first)
            times = tail_times(times)
        return self._counters(times, whole, part, store_whole, store_part)

    def _store_cycles(self, points: int, last: bool) -> int:
        """Cycles of the store engine for a strip of `points` points."""
        cycles = 0
        for stream in self._kernel.outputs:
            step = min(self._target.lanes, self._target.axi_bytes // stream.type.bytes)
            inside_word = (stream.address + stream.nbytes) % self._target.axi_bytes != 0
            cycles += -(-points // step) + (last and inside_word)
        return cycles

    def _window(self, parts: Sequence[StreamStrips], first: int, count: int) -> Window:
        """What strips `first` to `first + count - 1` ask of the engines."""
        target, constants = self._target, load().timing
        requested = np.zeros(count, dtype=np.int64)
        arrives: list[I64Array] = []
        for part in parts:
            latency = target.memory_latency + constants.read_return
            arrives.append(
                np.where(
                    part.words > 0, requested + part.last + latency, constants.empty_strip_ready
                )
            )
            requested = requested + part.cost
            self._sums["words"] += int(part.words.sum())
            self._sums["cuts"] += int(part.cuts.sum())
            self._sums["broadcast"] += int(part.broadcast.sum())
        fetch = np.maximum(requested, constants.strip_fetch_min) if parts else requested
        self._sums["fetch"] += int(fetch.sum())
        floor = np.full(count, NEVER, dtype=np.int64)
        waits = [self._waits(r, p, first, floor) for r, p in zip(self._rings, parts, strict=True)]
        columns = [fetch, *arrives, *(p.broadcast for p in parts)]
        places = np.arange(count)
        columns += [np.where(wait >= 0, places - wait, 0) for wait in waits if wait.max() >= 0]
        period, breaks = self._period(columns, count) if self._skip else (0, [])
        streams = tuple(
            StreamWindow(arrive, wait, part.broadcast)
            for arrive, wait, part in zip(arrives, waits, parts, strict=True)
        )
        return Window(fetch, floor, streams, period, breaks)

    def _waits(self, ring: _Ring, part: StreamStrips, first: int, floor: I64Array) -> I64Array:
        """Place in the window of the strip whose broadcast makes room for each strip, or -1.

        Strips before the window have ended: the room they make is entered into `floor`.
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
        room = ring.broadcast[source[early] - ring.first] + release
        floor[early] = np.maximum(floor[early], room)
        ring.free = free
        ring.waiting = bool(wanted[-1])
        if ring.waiting:
            # Later strips wait for no earlier one than this strip does.
            drop = int(source[-1]) - ring.first
            ring.free, ring.broadcast = free[drop:], ring.broadcast[drop:]
            ring.first += drop
        return np.where(wanted & (source >= first), source - first, none)

    def _remember(self, times: Times) -> None:
        """Keep the ends of broadcasts that later windows may wait for."""
        for number, ring in enumerate(self._rings):
            if ring.waits:
                ends = np.concatenate((ring.broadcast, broadcast_ends(times, number)))
                ring.broadcast = ends[-len(ring.free) :]

    def _jump(self, window: Window, parts: Sequence[StreamStrips], times: Times, end: int) -> int:
        """Pass over strips from `end` on whose times are known to repeat; returns how many.

        The window ended in repetition; it goes on for as long as the patterns say that the strips
        ask the same. All times, sums and what the rings remember move on as they would have.
        """
        count = len(window.fetch)
        if (
            not times.skipped
            or times.skipped[-1][1] != count
            or not all(ring.waiting for ring in self._rings if ring.waits)
        ):
            return 0
        span = common_span(self._target, [r.pattern for r in self._rings], window.period)
        fetch_step = times.fetch[-1] - times.fetch[-1 - window.period]
        step = times.vector[-1] - times.vector[-1 - window.period]
        lags = [end - ring.first for ring in self._rings if ring.waits]
        if span is None or (lags and fetch_step != step):
            return 0
        depth = 2 * span.period + max(pad_strips(), *lags, 0)
        if count - times.skipped[-1][0] < depth or end - depth < span.begin:
            return 0
        turns = (min(span.end, self._strips - 1) - end) // span.period
        if turns <= 0:
            return 0
        shift_times(times, window.period, turns * (span.period // window.period))
        last = slice(-span.period, None)
        self._sums["fetch"] += turns * int(window.fetch[last].sum())
        for part in parts:
            self._sums["words"] += turns * int(part.words[last].sum())
            self._sums["cuts"] += turns * int(part.cuts[last].sum())
            self._sums["broadcast"] += turns * int(part.broadcast[last].sum())
        for ring, elements in zip(self._rings, span.elements, strict=True):
            ring.first += turns * span.period
            ring.free = ring.free + turns * elements
            ring.broadcast = ring.broadcast + turns * (span.period // window.period) * step
        return turns * span.period

    def _period(self, columns: Sequence[I64Array], count: int) -> tuple[int, list[int]]:
        """A period of what the strips ask, and where it is broken; (0, []) if none pays."""
        columns = [c for c in columns if (c != c[0]).any()]
        best, best_breaks, best_cost = 0, [], count * 3 // 4
        for period in self._candidates(count):
            same = np.ones(max(0, count - period), dtype=bool)
            for column in columns:
                same &= column[period:] == column[:-period]
            breaks = np.flatnonzero(~same) + period
            # Around a break the engines need some strips to settle.
            cost = (len(breaks) + 1) * (2 * period + 4 * pad_strips())
            if cost < best_cost:
                best, best_breaks, best_cost = period, breaks.tolist(), cost
        return best, best_breaks

    def _candidates(self, count: int) -> list[int]:
        """Periods that addresses and patterns suggest, ascending; whether they hold is checked."""
        vlen = self._target.vlen
        kinds: dict[str, list[int]] = {"word": [1], "burst": [1], "cut": [1], "unit": [1]}
        for ring in self._rings:
            pattern, size = ring.pattern, ring.stream.type.bytes
            per_word = self._target.axi_bytes // size * pattern.repeats[0]
            kinds["word"].append(lcm(per_word, vlen) // vlen)
            kinds["burst"].append(lcm(per_word * self._target.burst_beats, vlen) // vlen)
            kinds["cut"].append(lcm(pattern.cut_points or 1, vlen) // vlen)
            kinds["unit"].append(lcm(pattern.unit_points, vlen) // vlen)
        base = {name: lcm(*values) for name, values in kinds.items()}
        found = {1, *base.values()}
        found |= {lcm(a, b) for a in base.values() for b in base.values()}
        return sorted(p for p in found if p <= count // 4)

    def _counters(
        self, times: Times, whole: BodyTime, part: BodyTime, store_whole: int, store_part: int
    ) -> dict[str, int]:
        """The kernel's counters: between 0 and its end an engine is busy or waits for a cause."""
        kernel, strips, sums = self._kernel, self._strips, self._sums
        target, constants = self._target, load().timing
        bus = target.axi_bytes
        stall_data, stall_input = times.stall_data[-1], times.stall_input[-1]
        body_cycles = whole.length * (strips - 1) + part.length
        vector_busy = whole.beats * (strips - 1) + part.beats
        store_busy = store_whole * (strips - 1) + store_part
        broadcast_ends = sum(ends[-1] for ends in times.broadcast)
        # Without inputs nothing is fetched and no cycle counts as a stall for it.
        fetch_end = times.fetch[-1] if self._rings else 0
        vector_end = times.vector[-1]
        return {
            "cycles": times.store[-1] + target.memory_latency + constants.write_return,
            "strips": strips,
            "instructions": strips * len(kernel.body),
            "bytes_read": sum(
                r.pattern.fetched_elements * r.stream.type.bytes for r in self._rings
            ),
            "bytes_written": sum(s.nbytes for s in kernel.outputs),
            "read_beats": sums["words"],
            "write_beats": sum(
                -(-(s.address + s.nbytes) // bus) - s.address // bus for s in kernel.outputs
            ),
            "cuts": sums["cuts"],
            "fetch_busy": sums["fetch"],
            "fetch_stall_ring": fetch_end - sums["fetch"],
            "broadcast_busy": sums["broadcast"],
            "broadcast_stall_data": stall_data,
            "broadcast_stall_slot": broadcast_ends - sums["broadcast"] - stall_data,
            "vector_busy": vector_busy,
            "vector_stall_dependence": body_cycles - vector_busy,
            "vector_stall_input": stall_input,
            "vector_stall_output": vector_end - body_cycles - stall_input,
            "store_busy": store_busy,
            "store_stall_input": times.store[-1] - store_busy,
        }
