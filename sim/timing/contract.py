"""The recurrence over strips that defines the machine's timing: docs/timing.md, section "Engines".

The names are the document's, in lower case: engines f (fetch), b (broadcast) and s (store) start a
strip at time x0 and end it at x1; data is complete in the ring at time d; the vector pipe is done
with a strip's inputs and registers at time e. All times are cycles since the engines' start.

Strips are evaluated in windows, ranges of consecutive strips. Step k of a window takes strip k
through fetch, broadcast and phase 0, and takes earlier strips through the later phases, each phase
`lag` strips later than the phase before. The strip that began `delay` steps earlier ends in step k.
Steps are numbered from the window's first strip. After the last strip of the kernel, `delay` steps
follow that begin no strip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from isa.load import load
from sim.streams import I64Array
from sim.timing.pipe import ActivePhase, Pipe

NEVER = -(1 << 60)
"""A time before all others, for strips that do not exist."""


class Starts(NamedTuple):
    """When engines are free for a kernel: R, P and Q, in cycles after the start of its fetch."""

    broadcast: int = 0
    pipe: int = 0
    store: int = 0


ALL_FREE = Starts()


class PortRecord(NamedTuple):
    """The work of a port in a step; for the lanes, with the stall sums of `Times` at its start."""

    engine: str
    step: int
    phase: int
    start: int
    end: int
    input_stall: int = 0
    output_stall: int = 0


@dataclass(frozen=True)
class StreamWork:
    """Requests of the strips of a window to one input stream; one array element for each strip.

    `arrival`: cycles from f0 to the arrival of the strip's data. `room`: number of the strip whose
    b1 makes room for this strip, -1 if no strip of the window has to make room. `beats`: b1 - b0.
    """

    arrival: I64Array
    room: I64Array
    beats: I64Array


@dataclass(frozen=True)
class Work:
    """Requests of the strips of a window to the engines; one array element for each step.

    `fetch`: f1 - f0. `floor`: earliest f0 allowed by the room that strips before the window make,
    NEVER if there is no such limit. `store`: s1 - s0 of the strip that ends in the step, 0 if none
    does. In a step that begins no strip, the requests to the fetch engine and to the streams mean
    nothing.
    """

    fetch: I64Array
    floor: I64Array
    streams: tuple[StreamWork, ...]
    store: I64Array


@dataclass
class Times:
    """Times of the engines for one step after another.

    For the strip that begins in a step: f1, and b1 of each stream. For the strip that ends in the
    step: e and s1. `lane` and `special` are the ends of the ports' last work. For each group,
    `ready` is the time from which the next segment can begin on the strip that the group has in the
    step.

    `data_stall`, `input_stall` and `output_stall` are the cycles, up to each step, in which
    broadcast units waited for data, and the lanes for inputs and for room for results. Every list
    starts with `lookback()` entries for the steps before the window. `starts` says when the engines
    were free for the first strip; `passed` says how many steps came before the window.
    """

    f1: list[int]
    b1: list[list[int]]
    e: list[int]
    s1: list[int]
    lane: list[int]
    special: list[int]
    ready: list[list[int]]
    data_stall: list[int]
    input_stall: list[int]
    output_stall: list[int]
    starts: Starts
    passed: int = 0

    @property
    def steps(self) -> int:
        """Number of steps of the window whose times are known."""
        return len(self.e) - lookback()

    @classmethod
    def at_start(cls, streams: int, pipe: Pipe, starts: Starts = ALL_FREE) -> Times:
        """Times before the first strip: fetch is free at 0."""

        def never() -> list[int]:
            return [NEVER] * lookback()

        def free(time: int = 0) -> list[int]:
            return [*[NEVER] * (lookback() - 1), time]

        return cls(
            f1=free(),
            b1=[free(starts.broadcast) for _ in range(streams)],
            e=never(),
            s1=never(),
            lane=free(starts.pipe),
            special=free(starts.pipe),
            ready=[never() for _ in range(pipe.groups)],
            data_stall=[0] * lookback(),
            input_stall=[0] * lookback(),
            output_stall=[0] * lookback(),
            starts=starts,
        )

    def lists(self) -> list[list[int]]:
        """Return every list once."""
        return [self.f1, *self.b1, self.e, self.s1, *self.others()]

    def ports(self, pipe: Pipe) -> list[list[int]]:
        """The times of the ports that have anything to issue."""
        return [
            *[self.lane] * bool(pipe.segments),
            *[self.special] * bool(pipe.groups),
            *self.ready,
        ]

    def others(self) -> list[list[int]]:
        """Return the lists of which a step needs only the last entry: times of ports, and sums."""
        sums = (self.data_stall, self.input_stall, self.output_stall)
        return [self.lane, self.special, *self.ready, *sums]

    def pass_by(self, steps: int) -> None:
        """Append steps in which nothing happens."""
        for values in (self.e, self.s1, *self.ready):
            values.extend([NEVER] * steps)
        sums = (self.data_stall, self.input_stall, self.output_stall)
        for values in (self.lane, self.special, *sums):
            values.extend(values[-1:] * steps)

    def start_window(self) -> None:
        """Keep only the last steps, which the next window looks back on."""
        self.passed += self.steps
        for values in self.lists():
            del values[: -lookback()]


def lookback() -> int:
    """How many steps back a step depends on, apart from the steps that make room in a ring."""
    constants = load().timing
    return max(constants.fetched_strips, constants.landing_strips, constants.store_strips)


def evaluate(  # noqa: PLR0912, PLR0915 - one step, kept in one loop for speed
    work: Work,
    times: Times,
    end: int,
    pipe: Pipe,
    active: Sequence[ActivePhase],
    log: list[PortRecord] | None = None,
) -> None:
    """Append the times of the next steps up to `end` (exclusive), one step after another.

    `active` are the phases of each of these steps. A list given as `log` receives the work of the
    ports. The code uses comparisons instead of `max`, which takes three times as long.
    """
    first = times.steps
    if not active:  # in a kernel of one strip, the last phase comes later
        times.pass_by(end - first)
        return
    c = load().timing
    before = lookback()
    these = slice(first, end)
    streams = [
        (w.arrival[these].tolist(), w.beats[these].tolist(), b1)
        for w, b1 in zip(work.streams, times.b1, strict=True)
    ]
    waiting = [
        (w.room[these].tolist(), b1)
        for w, b1 in zip(work.streams, times.b1, strict=True)
        if (w.room[these] >= 0).any()
    ]
    steps = zip(
        work.fetch[these].tolist(),
        work.floor[these].tolist(),
        work.store[these].tolist(),
        strict=True,
    )
    delay, lag, last = pipe.delay, pipe.lag, active[-1]
    begins, ends = active[0].number == 0, last.number == pipe.phases - 1
    ready_lists = [*times.ready, []]
    idle = [times.ready[g] for g in range(pipe.groups) if g not in {a.number for a in active}]
    phases = [
        (g, t.length, t.lead, t.group, t.back, g == pipe.first_output, ready_lists[g])
        for g, t, _ in active
    ]
    # A phase without a segment can only be the first.
    lone = phases.pop(0) if not active[0].time.length else None
    ends_in_group = ends and last.time.group > 0
    before_first = times.e if begins else times.ready[active[0].number - 1]
    ring_release, slot_free, landing = c.ring_release, c.slot_free, active[0].landing
    stored_after_lanes = last.time.results + c.store_ready
    stored_after_special = c.special + c.store_ready
    # From this step on, there is a strip whose broadcast has to end before the fetch.
    fetched_strips = c.fetched_strips
    limited = fetched_strips - times.passed - first
    # How far back the lists have the strip whose buffer or registers a strip takes over.
    landing_back = c.landing_strips - delay
    slot_back = c.store_strips + lag * pipe.first_output - delay
    before_back = pipe.copies - delay if begins else lag
    f1s, es, s1s, lanes, specials = times.f1, times.e, times.s1, times.lane, times.special
    f1, lane, special = f1s[-1], lanes[-1], specials[-1]
    s1 = max(s1s[-1], times.starts.store)
    data_stalls, data_stall = times.data_stall, times.data_stall[-1]
    input_stalls, input_stall = times.input_stall, times.input_stall[-1]
    output_stalls, output_stall = times.output_stall, times.output_stall[-1]
    inputs = e = NEVER
    # Without inputs, a strip begins in the cycle after P at the earliest.
    no_inputs = NEVER if streams else times.starts.pipe + 1 - landing
    x0 = back = 0
    for index, (fetch, floor, store) in enumerate(steps):
        if begins:
            # F0(s) = max(F1(s-1), B1_i(s - fetched_strips) + ring_release for each stream i,
            #             B1_i(k) + ring_release for each stream i that needs room)
            f0 = floor if floor > f1 else f1
            if index >= limited:
                for b1s in times.b1:
                    ended = b1s[-fetched_strips] + ring_release
                    if ended > f0:
                        f0 = ended
            for rooms, b1s in waiting:
                k = rooms[index]
                if k >= 0:
                    room = b1s[k + before] + ring_release
                    if room > f0:
                        f0 = room
            f1 = f0 + fetch
            f1s.append(f1)

            landing_free = es[-landing_back] + slot_free
            inputs = no_inputs
            for arrivals, beats, b1s in streams:
                # D_i(s) = F0(s) + what the requests take: D_i(s-1) is before B1_i(s-1) in any case
                d = f0 + arrivals[index]
                # B0_i(s) = max(B1_i(s-1), D_i(s), E(s - landing_strips) + slot_free)
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
            inputs += landing

        # What the first phase waits for besides inputs: E(s-D), or the group before.
        due = before_first[-before_back]
        if lone:
            # X0_0(s) = max(X1 before, inputs(s), E(s-D), slot(s))
            g, _, _, group, back, takes_slot, ready = lone
            x0 = special if special > due else due
            if inputs > x0:
                x0 = inputs
            if takes_slot:
                slot = s1s[-slot_back] + slot_free
                if slot > x0:
                    x0 = slot
            special = x0 + group
            due = ready[-lag]
            ready.append(x0 + back)
            if log is not None:
                log.append(PortRecord("special", first + index, g, x0, special))
        elif begins and inputs > lane:
            input_stall += inputs - lane
            lane = inputs
        for g, length, lead, group, back, takes_slot, ready in phases:
            # A0_g(s) = max(A1 before, inputs(s), E(s-D) or X0_(g-1)(s) + back_(g-1), slot(s))
            if due > lane:
                lane = due
            if takes_slot:
                slot = s1s[-slot_back] + slot_free
                if slot > lane:
                    output_stall += slot - lane
                    lane = slot
            x0 = lane + lead
            lane += length
            if group:
                # X0_g(s) = max(X1 before, A0_g(s) + lead_g)
                if special > x0:
                    x0 = special
                special = x0 + group
                due = ready[-lag]
                ready.append(x0 + back)
            if log is not None:
                stalls = input_stall, output_stall
                log.append(PortRecord("lane", first + index, g, lane - length, lane, *stalls))
                if group:
                    log.append(PortRecord("special", first + index, g, x0, special))
        for ready in idle:
            ready.append(NEVER)
        lanes.append(lane)
        specials.append(special)

        if ends:
            # S0(s) = max(S1(s-1), W(s) + store_ready)
            e = lane
            s0 = lane + stored_after_lanes
            if ends_in_group:
                if x0 + back > e:
                    e = x0 + back
                if special + stored_after_special > s0:
                    s0 = special + stored_after_special
            if s1 > s0:
                s0 = s1
            s1 = s0 + store
        es.append(e)
        s1s.append(s1 if ends else NEVER)
        data_stalls.append(data_stall)
        input_stalls.append(input_stall)
        output_stalls.append(output_stall)
