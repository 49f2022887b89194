"""The search for exact repetition: times that need no evaluation, because earlier times repeat.

Once the strips that the recurrence looks back on have the times of the strips one period earlier
plus a constant, and the coming strips make the same requests as the strips one period earlier,
every coming time is the time one period earlier plus that constant: by induction, without error.

The fetch engine is never more than a few strips ahead of the broadcast, so it advances as fast as
the other engines; without input streams it does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.streams import I64Array
from sim.timing.contract import PortRecord, Times, Work, evaluate, lookback
from sim.timing.pipe import ActivePhase, Pipe
from sim.timing.spans import CommonSpan

ATTEMPT_STRIPS = 8
"""Strips evaluated between two attempts to repeat."""


@dataclass(frozen=True)
class _Repeated:
    """Strips `first` to `end` (exclusive) that were repeated, and their b1 for each stream."""

    first: int
    end: int
    b1: list[I64Array]


class Window:
    """Computes the times of a window's steps, evaluating only those that do not repeat.

    Where steps were repeated, the lists of `times` hold only times that later steps need.
    """

    def __init__(
        self, work: Work, times: Times, pipe: Pipe, candidates: Sequence[int], pays: bool = False
    ) -> None:
        """`candidates` are the periods to try, in strips; with none, every step is evaluated.

        With `pays`, the first candidate is used however often strips break the period.
        """
        self._work = work
        self._times = times
        self._pipe = pipe
        self._period, self._breaks = _find_period(work, candidates, pays)
        self._repeated: list[_Repeated] = []
        self._next_attempt = 0

    def advance(
        self, end: int, active: Sequence[ActivePhase], log: list[PortRecord] | None = None
    ) -> None:
        """Append the times of the window's next steps up to `end`; all have the `active` phases."""
        times = self._times
        while times.steps < end:
            stop = min(end, max(times.steps + 1, self._next_attempt)) if self._period else end
            evaluate(self._work, times, stop, self._pipe, active, log)
            if self._period and stop < end:
                self._repeat(stop, end)

    def b1(self, stream: int) -> I64Array:
        """The ends of broadcast of one stream on every strip of the window."""
        ends = self._times.b1[stream][lookback() :]
        parts: list[I64Array] = []
        done = 0
        for repeated in self._repeated:
            parts += [np.array(ends[done : repeated.first], dtype=np.int64), repeated.b1[stream]]
            done = repeated.end
        parts.append(np.array(ends[done:], dtype=np.int64))
        return np.concatenate(parts)

    @property
    def period(self) -> int:
        """Strips after which the requests of the window's strips repeat; 0 if they do not."""
        return self._period

    @property
    def ends_in_repetition(self) -> bool:
        """Whether the window's last strips were repeated."""
        return bool(self._repeated) and self._repeated[-1].end == len(self._work.fetch)

    def goes_on(self, span: CommonSpan, next_strip: int, lags: Sequence[int]) -> bool:
        """Whether the repetition at the window's end goes on until the end of `span`.

        Strips are numbered from the kernel's first strip here; `next_strip` comes after the window.
        For each ring that may have to wait, `lags` has the number of strips that `next_strip` looks
        back for room.
        """
        depth = 2 * span.period + max(lookback(), *lags, 0)
        repeated = len(self._work.fetch) - self._repeated[-1].first
        return repeated >= depth and next_strip - depth >= span.begin

    def jump(self, strips: int) -> int:
        """Advance the last times by whole periods; return the growth of e, s1 and b1."""
        turns = strips // self._period
        engines = turns * self._growth()
        self._times.passed += strips
        for values in self._times.lists():
            grown = turns * (values[-1] - values[-1 - self._period])
            values[-lookback() :] = [value + grown for value in values[-lookback() :]]
        return engines

    def _growth(self) -> int:
        """Cycles by which the times of the engines grew in the last period."""
        e = self._times.e
        return e[-1] - e[-1 - self._period]

    def _repeat(self, strip: int, end: int) -> None:
        """Append repetitions from `strip` on, at most up to `end`, if the times permit."""
        period, breaks = self._period, self._breaks
        index = int(np.searchsorted(breaks, strip))
        end = min(end, breaks[index] if index < len(breaks) else end)
        self._next_attempt = strip + max(ATTEMPT_STRIPS, period // 2)
        if end - strip < period:
            self._next_attempt = end + 1
            return
        if strip < period:
            self._next_attempt = period
            return
        growth = self._steady_growth(strip)
        if growth is None:
            return
        end = self._bound_by_floor(strip, end, growth)
        if end - strip < period:
            return
        self._append(strip, end, growth)
        self._next_attempt = end + 1

    def _steady_growth(self, strip: int) -> int | None:
        """How much the times before `strip` grow in a period; None if not by a constant."""
        times, period = self._times, self._period
        lag = self._lag(strip)
        depth = max(lookback(), lag)
        if strip < period + depth:
            self._next_attempt = period + depth
            return None
        growth = self._growth()
        fetches = [times.f1] if self._work.streams else []
        engines = [*fetches, times.e, times.s1]
        if not all(_grow(t, period, lookback(), growth) for t in engines):
            return None
        ports = times.ports(self._pipe)
        if not all(_grow(t, period, self._pipe.lag, growth) for t in ports):
            return None
        return growth if all(_grow(t, period, depth, growth) for t in times.b1) else None

    def _lag(self, strip: int) -> int:
        """The most strips that the fetch looked back for room in the last period; 0 for none."""
        strips = np.arange(strip - self._period, strip)
        rooms = [stream.room[strip - self._period : strip] for stream in self._work.streams]
        return max((int(np.where(r >= 0, strips - r, 0).max()) for r in rooms), default=0)

    def _bound_by_floor(self, strip: int, end: int, growth: int) -> int:
        """The end of the repetition that no floor disturbs; `strip` if one did already."""
        floor, period = self._work.floor, self._period
        f1 = np.array(self._times.f1[-1 - period :], dtype=np.int64)
        if (floor[strip - period : strip] > f1[:-1]).any():
            return strip
        ahead = floor[strip:end]
        if ahead.max() <= f1[-1]:
            return end
        before = np.concatenate((f1[-1:], _continue(f1[1:], end - strip, growth)))[:-1]
        late = np.flatnonzero(ahead > before)
        return strip + int(late[0]) if len(late) else end

    def _append(self, strip: int, end: int, growth: int) -> None:
        """Append strips to every list: the times that later strips need, and zeros before them."""
        times, period, count = self._times, self._period, end - strip
        tail = min(count, period + lookback())
        b1s = [_continue(np.array(b1[-period:]), count, growth) for b1 in times.b1]
        self._repeated.append(_Repeated(strip, end, b1s))
        for values in (times.f1, times.e, times.s1, *times.others()):
            step = values[-1] - values[-1 - period]
            ahead = _continue(np.array(values[-period:]), count, step, count - tail)
            values.extend([0] * (count - tail))
            values.extend(ahead.tolist())
        for stream, values, ahead in zip(self._work.streams, times.b1, b1s, strict=True):
            # Later strips may wait for any strip from the oldest one still waited for.
            rooms = stream.room[end:]
            rooms = rooms[rooms >= 0]
            oldest = int(rooms[0]) if len(rooms) else end
            kept = min(count, max(tail, end - oldest))
            values.extend([0] * (count - kept))
            values.extend(ahead[count - kept :].tolist())


def _find_period(work: Work, candidates: Sequence[int], pays: bool) -> tuple[int, list[int]]:
    """A period of the strips' requests, and the strips that break it; (0, []) if none pays off.

    `pays` says that the first candidate pays off.

    A strip breaks the period if its requests differ from those of the strip one period earlier.
    """
    count = len(work.fetch)
    if not candidates:
        return 0, []
    strips = np.arange(count)
    columns = [work.fetch, work.store]
    for stream in work.streams:
        columns += [stream.arrival, stream.beats]
        columns.append(np.where(stream.room >= 0, strips - stream.room, 0))
    columns = [c for c in columns if (c != c[0]).any()]
    best, best_breaks, best_cost = 0, [], count * 3 // 4
    for period in candidates:
        same = np.ones(max(0, count - period), dtype=bool)
        for column in columns:
            same &= column[period:] == column[:-period]
        breaks = np.flatnonzero(~same) + period
        # Around a break the engines need some strips to settle.
        cost = (len(breaks) + 1) * (2 * period + 4 * lookback())
        if pays:
            return period, breaks.tolist()
        if cost < best_cost:
            best, best_breaks, best_cost = period, breaks.tolist(), cost
    return best, best_breaks


def _grow(values: Sequence[int], period: int, depth: int, step: int) -> bool:
    """Whether each of the last `depth` values is the value one period earlier plus `step`."""
    size = len(values)
    if values[-1] - values[-1 - period] != step:
        return False
    return all(values[at] - values[at - period] == step for at in range(size - depth, size))


def _continue(cycle: I64Array, count: int, step: int, first: int = 0) -> I64Array:
    """Values `first` to `count` - 1 after a cycle that repeats, `step` more each time."""
    turn, index = np.divmod(np.arange(first, count), len(cycle))
    return cycle[index] + (turn + 1) * step
