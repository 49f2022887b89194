"""The recurrence over strips that is the machine's timing, and the skipping of its steady state.

docs/timing.md, section "Recurrence", states it. All times are cycles since the kernel's start. A
strip's place counts from the first strip of a window of strips. Lists of times start with
`pad_strips()` entries of the strips before the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from isa.load import load
from sim.streams import I64Array
from sim.timing_body import BodyTime

NEVER = -(1 << 60)
"""A time before all others: of strips that do not exist."""

ATTEMPT_STRIPS = 8
"""Strips evaluated between two attempts to skip."""


@dataclass(frozen=True)
class StreamWindow:
    """What the strips of a window ask of one input stream; one array element for each strip.

    `arrive`: cycles from the start of its fetch to its data. `wait`: place of the strip whose end
    of broadcast makes room, -1 if none in the window does. `beats`: of its broadcast.
    """

    arrive: I64Array
    wait: I64Array
    beats: I64Array


@dataclass(frozen=True)
class Window:
    """What consecutive strips ask of the engines.

    `fetch`: cycles of the fetch engine. `floor`: earliest start of the fetch because of strips
    before the window, NEVER if there is none. Strips ask the same as those `period` earlier, except
    at the places `breaks`, which ascend; the period is 0 if none is worth using.
    """

    fetch: I64Array
    floor: I64Array
    streams: tuple[StreamWindow, ...]
    period: int
    breaks: list[int]


@dataclass
class Times:
    """Ends of the engines' work on each strip, and stall cycles summed up to it.

    Where strips were skipped, the lists hold only what later strips look back on; `skipped` has the
    places skipped (first and last, exclusive) with the ends of broadcast of each stream there.
    """

    fetch: list[int]
    data: list[list[int]]
    broadcast: list[list[int]]
    vector: list[int]
    store: list[int]
    stall_data: list[int] = field(default_factory=list)
    stall_input: list[int] = field(default_factory=list)
    skipped: list[tuple[int, int, list[I64Array]]] = field(default_factory=list)

    @property
    def sums(self) -> tuple[list[int], list[int]]:
        """The lists that are sums over strips rather than times."""
        return self.stall_data, self.stall_input


def pad_strips() -> int:
    """Strips before a window that the recurrence looks at, besides those in a ring."""
    constants = load().timing
    return max(constants.landing_strips, constants.store_strips)


def start_times(streams: int) -> Times:
    """Times before the first strip: every engine is free at 0."""
    pad = pad_strips()

    def before() -> list[int]:
        return [NEVER] * (pad - 1) + [0]

    return Times(
        before(),
        [before() for _ in range(streams)],
        [before() for _ in range(streams)],
        before(),
        before(),
        [0] * pad,
        [0] * pad,
    )


def tail_times(times: Times) -> Times:
    """The times that the next window needs of this one."""
    pad = pad_strips()
    return Times(
        times.fetch[-pad:],
        [d[-pad:] for d in times.data],
        [b[-pad:] for b in times.broadcast],
        times.vector[-pad:],
        times.store[-pad:],
        times.stall_data[-pad:],
        times.stall_input[-pad:],
    )


def shift_times(times: Times, period: int, turns: int) -> None:
    """Move the last times on by `turns` periods of strips, growing as in the last period."""
    lists = times.fetch, *times.data, *times.broadcast, times.vector, times.store, *times.sums
    for values in lists:
        grow = turns * (values[-1] - values[-1 - period])
        values[-pad_strips() :] = [value + grow for value in values[-pad_strips() :]]


def broadcast_ends(times: Times, stream: int) -> I64Array:
    """The ends of broadcast of one stream on every strip since the window's first."""
    pad = pad_strips()
    ends = times.broadcast[stream]
    parts: list[I64Array] = []
    done = 0
    for first, last, repeats in times.skipped:
        parts += [np.array(ends[done + pad : first + pad], dtype=np.int64), repeats[stream]]
        done = last
    parts.append(np.array(ends[done + pad :], dtype=np.int64))
    return np.concatenate(parts)


def advance(window: Window, times: Times, last: int, body: BodyTime, store: int) -> None:
    """Append the times of the window's next strips, up to place `last` (exclusive).

    All of these strips take the body `body` and `store` cycles of the store engine.
    """
    skipper = _Skipper(window, times, last) if window.period else None
    pad = pad_strips()
    place = len(times.vector) - pad
    while place < last:
        stop = skipper.next_attempt(place) if skipper else last
        _evaluate(window, times, place, stop, body, store)
        place = stop
        if skipper and place < last:
            place = skipper.skip(place)


def _evaluate(  # noqa: PLR0912, PLR0915 - one strip, kept in one loop for speed
    window: Window, times: Times, first: int, last: int, body: BodyTime, store: int
) -> None:
    """Append the times of the strips at places `first` to `last` - 1, one by one."""
    constants = load().timing
    release, slot_free = constants.ring_release, constants.slot_free
    landing_ready, landing = constants.landing_ready, constants.landing_strips
    results, store_slots = body.results + constants.store_ready, constants.store_strips
    length = body.length
    pad = pad_strips()
    here = slice(first, last)
    fetch_ends, vector_ends, store_ends = times.fetch, times.vector, times.store
    streams = [
        (w.arrive[here].tolist(), w.wait[here].tolist(), w.beats[here].tolist(), data, broadcast)
        for w, data, broadcast in zip(window.streams, times.data, times.broadcast, strict=True)
    ]
    strips = zip(window.fetch[here].tolist(), window.floor[here].tolist(), strict=True)
    fetch_end, vector_end, store_end = fetch_ends[-1], vector_ends[-1], store_ends[-1]
    stall_data, stall_input = times.stall_data[-1], times.stall_input[-1]
    for place, (fetch, floor) in enumerate(strips):
        start = floor if floor > fetch_end else fetch_end
        for _, wait, _, _, broadcast in streams:
            source = wait[place]
            if source >= 0:
                room = broadcast[source + pad] + release
                if room > start:
                    start = room
        fetch_end = start + fetch
        fetch_ends.append(fetch_end)
        slot = vector_ends[-landing] + slot_free
        ready = NEVER
        for arrive, _, beats, data, broadcast in streams:
            arrival = start + arrive[place]
            if arrival < data[-1]:
                arrival = data[-1]
            data.append(arrival)
            end = broadcast[-1]
            if arrival > end:
                stall_data += arrival - end
                end = arrival
            if slot > end:
                end = slot
            end += beats[place]
            broadcast.append(end)
            if end > ready:
                ready = end
        ready += landing_ready
        if ready > vector_end:
            stall_input += ready - vector_end
            vector_end = ready
        slot = store_ends[-store_slots] + slot_free
        if slot > vector_end:
            vector_end = slot
        if vector_end + results > store_end:
            store_end = vector_end + results
        store_end += store
        store_ends.append(store_end)
        vector_end += length
        vector_ends.append(vector_end)
        times.stall_data.append(stall_data)
        times.stall_input.append(stall_input)


class _Skipper:
    """Finds that the times of strips repeat, and appends repetitions without evaluating them.

    Once the strips that the recurrence looks back on have the times of those one period earlier
    plus a constant, and the coming strips ask what those a period earlier asked, every coming time
    is the time one period earlier plus that constant: by induction, without error.

    The fetch engine (and with it the arrival of data) may advance faster than the other engines
    when nothing holds it back; then two constants serve, as long as neither side waits for the
    other.
    """

    def __init__(self, window: Window, times: Times, last: int) -> None:
        self._window = window
        self._times = times
        self._last = last
        self._next = 0

    def next_attempt(self, place: int) -> int:
        """Place at which to try next, or the end if no skip can start before it."""
        return min(self._last, max(place + 1, self._next))

    def skip(self, place: int) -> int:
        """Append repetitions from `place` on if possible; returns the first place not appended."""
        window, period = self._window, self._window.period
        breaks = window.breaks
        index = int(np.searchsorted(breaks, place))
        stop = min(self._last, breaks[index] if index < len(breaks) else self._last)
        self._next = place + max(ATTEMPT_STRIPS, period // 2)
        if stop - place < period:
            self._next = stop + 1
            return place
        if place < period:
            self._next = period
            return place
        steps = self._steps(place)
        if steps is None:
            return place
        fetch_step, step = steps
        stop = self._bound_by_floor(place, stop, fetch_step)
        if stop - place < period:
            return place
        self._append(stop - place, fetch_step, step)
        self._next = stop + 1
        return stop

    def _steps(self, place: int) -> tuple[int, int] | None:
        """By how much times grow per period: fetch and data, the others; None if not constant."""
        times, period = self._times, self._window.period
        lags = self._lags(place)
        pad = pad_strips()
        depth = max(pad, lags)
        if place < period + depth:
            self._next = period + depth
            return None
        fetch_step = times.fetch[-1] - times.fetch[-1 - period]
        step = times.vector[-1] - times.vector[-1 - period]
        if not all(_grows(t, period, pad, fetch_step) for t in (times.fetch, *times.data)):
            return None
        if not all(_grows(t, period, pad, step) for t in (times.vector, times.store)):
            return None
        if not all(_grows(t, period, depth, step) for t in times.broadcast):
            return None
        if fetch_step == step or (fetch_step < step and lags == 0 and self._data_early()):
            return fetch_step, step
        return None

    def _lags(self, place: int) -> int:
        """Most strips by which the fetch looks back in the last period; 0 if it does not."""
        places = np.arange(place - self._window.period, place)
        most = 0
        for stream in self._window.streams:
            wait = stream.wait[place - self._window.period : place]
            most = max(most, int(np.where(wait >= 0, places - wait, 0).max()))
        return most

    def _data_early(self) -> bool:
        """Whether no broadcast of the last period waited for data, nor will any later."""
        times, period = self._times, self._window.period
        constants = load().timing
        for data, broadcast in zip(times.data, times.broadcast, strict=True):
            for back in range(1, period + 1):
                slot = times.vector[-back - constants.landing_strips] + constants.slot_free
                if data[-back] > max(broadcast[-back - 1], slot):
                    return False
        return True

    def _bound_by_floor(self, place: int, stop: int, fetch_step: int) -> int:
        """The end of the skip that no floor disturbs; `place` if one did in the last period."""
        floor, period = self._window.floor, self._window.period
        ends = np.array(self._times.fetch[-1 - period :], dtype=np.int64)
        if (floor[place - period : place] > ends[:-1]).any():
            return place
        ahead = floor[place:stop]
        if ahead.max() <= ends[-1]:
            return stop
        before = np.concatenate((ends[-1:], _repeat(ends[1:], stop - place, fetch_step)))[:-1]
        late = np.flatnonzero(ahead > before)
        return place + int(late[0]) if len(late) else stop

    def _append(self, count: int, fetch_step: int, step: int) -> None:
        """Append `count` strips to every list: what is looked back on, and zeros before that."""
        times, period = self._times, self._window.period
        place = len(times.vector) - pad_strips()
        tail = min(count, period + pad_strips())
        repeats = [_repeat(np.array(ends[-period:]), count, step) for ends in times.broadcast]
        times.skipped.append((place, place + count, repeats))
        for steps, lists in (
            (fetch_step, (times.fetch, *times.data)),
            (step, (times.vector, times.store)),
            (None, times.sums),
        ):
            for values in lists:
                grow = values[-1] - values[-1 - period] if steps is None else steps
                ahead = _repeat(np.array(values[-period:]), count, grow, count - tail)
                values.extend([0] * (count - tail))
                values.extend(ahead.tolist())
        for stream, values, ahead in zip(
            self._window.streams, times.broadcast, repeats, strict=True
        ):
            # A later strip may wait for any strip from the first that one still waits for.
            waits = stream.wait[place + count :]
            waits = waits[waits >= 0]
            oldest = int(waits[0]) if len(waits) else place + count
            kept = min(count, max(tail, place + count - oldest))
            values.extend([0] * (count - kept))
            values.extend(ahead[count - kept :].tolist())


def _grows(values: Sequence[int], period: int, depth: int, step: int) -> bool:
    """Whether each of the last `depth` values is the one a period earlier plus `step`."""
    size = len(values)
    if values[-1] - values[-1 - period] != step:
        return False
    return all(values[at] - values[at - period] == step for at in range(size - depth, size))


def _repeat(cycle: I64Array, count: int, step: int, first: int = 0) -> I64Array:
    """Continue `cycle` periodically for `count` values, `step` more each time; from `first` on."""
    turn, place = np.divmod(np.arange(first, count), len(cycle))
    return cycle[place] + (turn + 1) * step
