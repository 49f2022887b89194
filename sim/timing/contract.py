"""The recurrence over strips that is the machine's timing: docs/timing.md, section "Engines".

The names are the document's, in lower case: engines f (fetch), b (broadcast), v (vector
pipe) and s (store) start a strip at time x0 and end it at x1; its data is complete in the ring at
time d. All times are cycles since the engines' start.

Strips are evaluated in windows, ranges of consecutive strips, and numbered from the window's first.
"""

from __future__ import annotations

from dataclasses import dataclass

from isa.load import load
from sim.streams import I64Array
from sim.timing.body import BodyTime

NEVER = -(1 << 60)
"""A time before all others: of strips that do not exist."""


@dataclass(frozen=True)
class StreamWork:
    """Requests of the strips of a window to one input stream; one array element for each strip.

    `arrival`: cycles from f0 to the arrival of the strip's data. `room`: number of the strip whose
    b1 makes room for this one, -1 if no strip of the window has to. `beats`: b1 - b0.
    """

    arrival: I64Array
    room: I64Array
    beats: I64Array


@dataclass(frozen=True)
class Work:
    """Requests of the strips of a window to the engines; one array element for each strip.

    `fetch`: f1 - f0. `floor`: earliest f0 because of room that strips before the window make, NEVER
    if there is none. `store`: s1 - s0.
    """

    fetch: I64Array
    floor: I64Array
    streams: tuple[StreamWork, ...]
    store: I64Array


@dataclass
class Times:
    """Times of the engines for one strip after another: f1, v1, s1, and d and b1 of each stream.

    `data_stall` and `input_stall` are the cycles, up to each strip, in which broadcast units waited
    for data and the vector pipe for its inputs. Every list starts with `lookback()` entries for the
    strips before the window.
    """

    f1: list[int]
    d: list[list[int]]
    b1: list[list[int]]
    v1: list[int]
    s1: list[int]
    data_stall: list[int]
    input_stall: list[int]

    @property
    def strips(self) -> int:
        """Number of strips of the window whose times are known."""
        return len(self.v1) - lookback()

    @classmethod
    def at_start(cls, streams: int) -> Times:
        """Times before the first strip: every engine is free at 0."""

        def before() -> list[int]:
            return [NEVER] * (lookback() - 1) + [0]

        return cls(
            before(),
            [before() for _ in range(streams)],
            [before() for _ in range(streams)],
            before(),
            before(),
            [0] * lookback(),
            [0] * lookback(),
        )

    def lists(self) -> list[list[int]]:
        """Every list, each of them once."""
        return [self.f1, *self.d, *self.b1, self.v1, self.s1, self.data_stall, self.input_stall]

    def start_window(self) -> None:
        """Keep only the last strips: the next window looks back on them."""
        for values in self.lists():
            del values[: -lookback()]


def lookback() -> int:
    """Strips before a strip on which it depends, besides those that make room in a ring."""
    constants = load().timing
    return max(constants.landing_strips, constants.store_strips)


def evaluate(  # noqa: PLR0915 - one strip, kept in one loop for speed
    work: Work, times: Times, end: int, body: BodyTime
) -> None:
    """Append the times of the next strips up to `end` (exclusive), one strip after another.

    `body` is the time of the kernel's body on each of these strips. Comparisons stand for `max`,
    which takes three times as long.
    """
    c = load().timing
    before = lookback()
    first = times.strips
    these = slice(first, end)
    streams = [
        (w.arrival[these].tolist(), w.room[these].tolist(), w.beats[these].tolist(), d, b1)
        for w, d, b1 in zip(work.streams, times.d, times.b1, strict=True)
    ]
    strips = zip(
        work.fetch[these].tolist(),
        work.floor[these].tolist(),
        work.store[these].tolist(),
        strict=True,
    )
    ring_release, slot_free, landing_ready = c.ring_release, c.slot_free, c.landing_ready
    landing_strips, store_strips = c.landing_strips, c.store_strips
    length, results_stored = body.length, body.results + c.store_ready
    f1s, v1s, s1s = times.f1, times.v1, times.s1
    f1, v1, s1 = f1s[-1], v1s[-1], s1s[-1]
    data_stall, input_stall = times.data_stall[-1], times.input_stall[-1]
    data_stalls, input_stalls = times.data_stall, times.input_stall
    for index, (fetch, floor, store) in enumerate(strips):
        # F0(s) = max(F1(s-1), B1_i(k) + ring_release for each stream i that needs room)
        f0 = floor if floor > f1 else f1
        for _, rooms, _, _, b1s in streams:
            k = rooms[index]
            if k >= 0:
                room = b1s[k + before] + ring_release
                if room > f0:
                    f0 = room
        f1 = f0 + fetch
        f1s.append(f1)

        landing_free = v1s[-landing_strips] + slot_free
        inputs = NEVER
        for arrivals, _, beats, ds, b1s in streams:
            # D_i(s) = max(D_i(s-1), F0(s) + what the stream's requests take)
            d = f0 + arrivals[index]
            if d < ds[-1]:
                d = ds[-1]
            ds.append(d)
            # B0_i(s) = max(B1_i(s-1), D_i(s), V1(s - landing_strips) + slot_free)
            b0 = b1s[-1]
            if d > b0:
                data_stall += d - b0
                b0 = d
            if landing_free > b0:
                b0 = landing_free
            b1 = b0 + beats[index]
            b1s.append(b1)
            if b1 > inputs:
                inputs = b1

        # V0(s) = max(V1(s-1), B1_i(s) + landing_ready, S1(s - store_strips) + slot_free)
        v0 = v1
        inputs += landing_ready
        if inputs > v0:
            input_stall += inputs - v0
            v0 = inputs
        results_free = s1s[-store_strips] + slot_free
        if results_free > v0:
            v0 = results_free
        v1 = v0 + length
        v1s.append(v1)

        # S0(s) = max(S1(s-1), W(s) + store_ready)  with  W(s) = V0(s) + results
        s0 = v0 + results_stored
        if s1 > s0:
            s0 = s1
        s1 = s0 + store
        s1s.append(s1)

        data_stalls.append(data_stall)
        input_stalls.append(input_stall)
