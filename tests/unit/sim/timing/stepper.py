"""The machine's timing one cycle at a time: engines as state machines, queues, ring counts.

Slow and plain on purpose. It is built from docs/timing.md alone and shares nothing with the
recurrence but the kernel's description and the constants.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from walker import StripWalk, point_addresses, walk

from isa.load import load
from isa.target import Target
from sim.kernel import Kernel, Operation
from sim.timing.contract import ALL_FREE, Starts


@dataclass
class Counts:
    """Counters, by name; missing ones are 0."""

    values: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, value: int = 1) -> None:
        """Count."""
        self.values[name] = self.values.get(name, 0) + value


class Fetch:
    """Requests bursts, strip by strip, stream by stream, once every ring has room for its strip."""

    def __init__(self, machine: Stepper) -> None:
        self.m = machine
        self.strip = 0
        self.busy = 0
        self.schedule: deque[tuple[int, bool] | None] = deque()

    def cycle(self, now: int) -> None:
        """One cycle: start the next strip if there is room, then go on with its requests."""
        m, c = self.m, self.m.constants
        if self.busy == 0:
            if self.strip == m.strips or not m.inputs:
                return
            walks = [w[self.strip] for w in m.walks]
            if any(
                ring.held(now) + w.reserve > m.target.ring_capacity
                or ring.strips == c.fetched_strips
                for ring, w in zip(m.inputs, walks, strict=True)
            ):
                m.counts.add("fetch_stall_ring")
                return
            for ring, w in zip(m.inputs, walks, strict=True):
                ring.bytes += w.reserve
                ring.strips += 1
            # Every cycle of the request schedule asks for one bus word, or for none.
            schedule: list[tuple[int, bool] | None] = []
            for number, w in enumerate(walks):
                m.inputs[number].arriving.append([None if w.bursts else now + c.empty_strip_ready])
                for at, burst in enumerate(w.bursts):
                    final = at == len(w.bursts) - 1
                    for beat in range(burst.beats):
                        schedule.append((number, final and beat == burst.beats - 1))
                    schedule += [None] * (m.target.burst_gap - burst.beats)
            schedule += [None] * (c.strip_fetch_min - len(schedule))
            self.schedule = deque(schedule)
            self.busy = len(schedule)
            m.began("fetch", 0, self.strip, now)
        m.counts.add("fetch_busy")
        request = self.schedule.popleft()
        if request is not None:
            number, ends_strip = request
            m.counts.add("read_beats")
            # On the bus after the memory's latency; usable after the cycle that carries it.
            m.bus.append((now + m.target.memory_latency, number, ends_strip))
        self.busy -= 1
        if self.busy == 0:
            m.ended("fetch", 0, self.strip, now + 1)
            self.strip += 1


class Input:
    """A ring with its broadcast unit and its landing buffers."""

    def __init__(self, machine: Stepper, number: int) -> None:
        self.m = machine
        self.number = number
        self.bytes = 0
        self.strips = 0  # that are fetched, and whose broadcast has not ended
        self.leaving: deque[tuple[int, int]] = deque()
        # When the data of each requested strip is usable, None until its last beat is on the bus.
        self.arriving: deque[list[int | None]] = deque()
        self.complete = 0
        self.strip = 0
        self.busy = 0
        self.landed: deque[int] = deque()
        self.landing_used = 0
        self.freed: deque[int] = deque()

    def held(self, now: int) -> int:
        """Bytes in the ring; what a strip has released becomes room a little later."""
        while self.leaving and self.leaving[0][0] <= now:
            self.bytes -= self.leaving.popleft()[1]
            self.strips -= 1
        return self.bytes

    def cycle(self, now: int) -> None:
        """One cycle of the broadcast unit."""
        m, c = self.m, self.m.constants
        while self.arriving:
            (usable,) = self.arriving[0]
            if usable is None or usable > now:
                break  # strips become usable in order
            self.arriving.popleft()
            self.complete += 1
        while self.freed and self.freed[0] <= now:
            self.freed.popleft()
            self.landing_used -= 1
        if self.busy == 0:
            if self.strip == m.strips or now < m.starts.broadcast:
                return
            if self.complete <= self.strip:
                m.counts.add("broadcast_stall_data")
                return
            if self.landing_used == c.landing_strips:
                m.counts.add("broadcast_stall_slot")
                return
            self.landing_used += 1
            self.busy = m.walks[self.number][self.strip].beats
            m.began("broadcast", m.kernel.inputs[self.number].code, self.strip, now)
        m.counts.add("broadcast_busy")
        self.busy -= 1
        if self.busy == 0:
            done = m.walks[self.number][self.strip]
            m.counts.add("cuts", done.cuts)
            m.counts.add("bytes_read", done.reserve)
            self.leaving.append((now + 1 + c.ring_release, done.release))
            # The strip's last row is used rows - 1 cycles after its first one, at the earliest.
            last_row = c.last_row_ready - (m.rows(self.strip) - 1)
            self.landed.append(now + 1 + max(c.landing_ready, last_row))
            m.ended("broadcast", m.kernel.inputs[self.number].code, self.strip, now + 1)
            self.strip += 1


class Beat(NamedTuple):
    """A beat of a port: `number` counts the beats of the instruction."""

    now: int
    port: str
    operation: Operation
    strip: int
    number: int


class Strip:
    """A strip in the vector pipe: the work that the ports have left, and when it is done."""

    def __init__(self) -> None:
        # Begin of each lane instruction that was issued, by phase and number in its segment.
        self.begun: dict[tuple[int, int], int] = {}
        # First cycle in which a lane segment may begin to read a group's results, by phase.
        self.readable: dict[int, int] = {}
        self.lanes_end = self.results = 0


class Port:
    """Issues lane instructions or special ones: segment after segment, one beat per cycle."""

    def __init__(self, vector: Vector, name: str, latency: int) -> None:
        self.v = vector
        self.name = name
        self.latency = latency
        phases, strips = len(vector.segments), vector.m.strips
        # Two phases with one group may be two strips apart if there are copies for that.
        lag = 2 if vector.m.kernel.copies == 4 and sum(map(bool, vector.groups)) < 2 else 1
        self.order = deque(
            (step - lag * phase, phase)
            for step in range(strips + lag * phases)
            for phase in range(phases)
            if 0 <= step - lag * phase < strips and vector.code(name, phase)
        )
        self.active = False
        self.next = 0
        self.beats_left = 0
        self.rest = 0
        self.ready: dict[int, int] = {}

    def cycle(self, now: int) -> None:
        """One cycle: a beat, or a reason for none."""
        if not self.order:
            return
        strip, phase = self.order[0]
        if not self.active:
            cause = self.v.obstacle(self.name, strip, phase, now)
            if cause:
                self.v.m.counts.add(cause)
                return
            self.v.begin(self.name, strip, phase)
            self.active, self.next, self.beats_left, self.rest, self.ready = True, 0, 0, 0, {}
            self.v.m.began(self.name, 0, strip, now, phase)
        code = self.v.code(self.name, phase)
        if self.beats_left == 0 and self.next < len(code):
            if any(self.ready.get(source, now) > now for source in code[self.next].sources):
                self._stall("dependence")
                return
            self._begin_instruction(now, strip, phase, code)
        if self.beats_left:
            self.v.m.counts.add(f"{self.name}_busy")
            number = self.v.beats(self.name, strip) - self.beats_left
            self.v.m.beats.append(Beat(now, self.name, code[self.next - 1], strip, number))
            self.beats_left -= 1
        else:
            self._stall("dependence")
        self.rest -= 1
        if self.next == len(code) and self.rest <= 0 and self.beats_left == 0:
            self.active = False
            self.v.m.ended(self.name, 0, strip, now + 1, phase)
            self.order.popleft()

    def _begin_instruction(self, now: int, strip: int, phase: int, code: list[Operation]) -> None:
        m = self.v.m
        m.counts.add("instructions")
        beats = self.v.beats(self.name, strip)
        self.beats_left = beats
        self.ready[code[self.next].destination] = now + self.latency
        state = self.v.strips[strip]
        state.results = max(state.results, now + beats + self.latency)
        last = self.next == len(code) - 1
        if self.name == "lane":
            state.begun[phase, self.next] = now
            # The segment keeps the port until its results are there.
            self.rest = max(beats, self.latency) if last else 0
            state.lanes_end = now + self.rest
        elif last:
            # A segment that begins then reads its last row when the last result is there.
            state.readable[phase] = now + beats + self.latency - self.v.beats("lane", strip)
        self.next += 1
        if last:
            self.v.ended(strip, self.name, phase)

    def _stall(self, cause: str) -> None:
        self.v.m.counts.add("special_stall" if self.name == "special" else f"lane_stall_{cause}")


class Vector:
    """The two ports of the vector pipe, which share strips, registers and buffers."""

    def __init__(self, machine: Stepper) -> None:
        self.m = machine
        self.segments: list[list[Operation]] = [[]]
        self.groups: list[list[Operation]] = [[]]
        for operation in machine.kernel.body:
            special = load().units[operation.instruction.unit].rate == "special"
            if not special and self.groups[-1]:
                self.segments.append([])
                self.groups.append([])
            (self.groups if special else self.segments)[-1].append(operation)
        parts = [*self.segments, *self.groups]
        # The last segment and the last group of a strip, as phases; -1 for none.
        self.last = {
            "lane": max((g for g, code in enumerate(self.segments) if code), default=-1),
            "special": max((g for g, code in enumerate(self.groups) if code), default=-1),
        }
        outputs = {s.code for s in machine.kernel.outputs}
        self.stores = min(
            number % len(self.segments)
            for number, part in enumerate(parts)
            if any(o.destination in outputs for o in part)
        )
        self.strips: dict[int, Strip] = {}
        self.released: dict[int, int] = {}
        self.results_used = 0
        self.freed: deque[int] = deque()
        c = machine.constants
        self.lanes, self.specials = Port(self, "lane", c.lane), Port(self, "special", c.special)

    def code(self, port: str, phase: int) -> list[Operation]:
        """The instructions of a port in a phase."""
        return (self.segments if port == "lane" else self.groups)[phase]

    def beats(self, port: str, strip: int) -> int:
        """Beats of an instruction of a port."""
        rate = self.m.kernel.lanes if port == "lane" else self.m.target.special_rate
        return -(-self.m.points(strip) // rate)

    def cycle(self, now: int) -> None:
        """One cycle of both ports."""
        while self.freed and self.freed[0] <= now:
            self.freed.popleft()
            self.results_used -= 1
        if now >= self.m.starts.pipe:
            self.lanes.cycle(now)
            self.specials.cycle(now)

    def _first_part(self, port: str, phase: int) -> bool:
        return phase == 0 and (port == "lane" or not self.segments[0])

    def _takes_slot(self, port: str, phase: int) -> bool:
        return phase == self.stores and (port == "lane" or not self.segments[phase])

    def obstacle(self, port: str, strip: int, phase: int, now: int) -> str:
        """The counter of the cause why a segment or a group cannot begin; empty if it can."""
        causes = {}
        if self._first_part(port, phase):
            # Nothing has landed in the first cycle, so a kernel without inputs waits, too.
            landed = all(r.landed and r.landed[0] <= now for r in self.m.inputs)
            causes["input"] = now == self.m.starts.pipe or not landed
            before = strip - self.m.kernel.copies
            causes["special"] = before >= 0 and self.released.get(before, now + 1) > now
        elif port == "lane":
            readable = self.strips[strip].readable if strip in self.strips else {}
            causes["special"] = readable.get(phase - 1, now + 1) > now
        else:
            causes["operands"] = not self.operands_ready(strip, phase, now)
        if self._takes_slot(port, phase):
            causes["output"] = self.results_used == self.m.constants.store_strips
        cause = next((cause for cause, holds in causes.items() if holds), "")
        if cause:
            return f"lane_stall_{cause}" if port == "lane" else "special_stall"
        return ""

    def operands_ready(self, strip: int, phase: int, now: int) -> bool:
        """Whether a group may begin: its segment began earlier, and has the rows it reads."""
        begun = self.strips[strip].begun if strip in self.strips else {}
        if begun.get((phase, 0), now) == now:
            return False
        writer = {o.destination: n for n, o in enumerate(self.segments[phase])}
        needed = {writer[s] for o in self.groups[phase] for s in o.sources if s in writer}
        return all(begun.get((phase, n), now) + self.m.constants.lane <= now for n in needed)

    def begin(self, port: str, strip: int, phase: int) -> None:
        """Take what a segment or group takes when it begins."""
        if self._first_part(port, phase):
            for ring in self.m.inputs:
                ring.landed.popleft()
            self.m.counts.add("strips")
            self.strips[strip] = Strip()
        if self._takes_slot(port, phase):
            self.results_used += 1

    def ended(self, strip: int, port: str, phase: int) -> None:
        """The last instruction of a segment or group begins: release the strip if it was the last.

        A last segment comes after all groups, or its strip ends with a group.
        """
        state, (lane, special) = self.strips[strip], self.last.values()
        ends_in_group = special >= lane
        lanes_over = lane < 0 or (lane, len(self.segments[lane]) - 1) in state.begun
        if not lanes_over or (ends_in_group and special not in state.readable):
            return
        end = max(state.lanes_end, state.readable[special] if ends_in_group else 0)
        self.released[strip] = end
        for ring in self.m.inputs:
            ring.freed.append(end + self.m.constants.slot_free)
        self.m.store.results.append(state.results + self.m.constants.store_ready)


class Store:
    """Packs results into bus words, strip by strip, output by output.

    A step takes elements that follow each other in memory; where they do not, and after the last
    one, what the bus word has so far is flushed.
    """

    def __init__(self, machine: Stepper) -> None:
        self.m = machine
        self.strip = 0
        self.results: deque[int] = deque()
        # Output, address and bytes of each step; 0 bytes flush.
        self.steps: deque[tuple[int, int, int]] = deque()
        self.addresses = {
            s.code: point_addresses(machine.kernel.iteration, s) for s in machine.kernel.outputs
        }
        # Bytes of the bus word in work up to the last one packed, 0 if there is none.
        self.filled = dict.fromkeys(self.addresses, 0)

    def cycle(self, now: int) -> None:
        """One cycle: up to a bus word of results of one output."""
        m = self.m
        if not self.steps:
            if self.strip == m.strips or now < m.starts.store:
                return
            if not self.results or self.results[0] > now:
                m.counts.add("store_stall_input")
                return
            self.results.popleft()
            for stream in m.kernel.outputs:
                self._plan(stream.code, stream.type.bytes)
            m.began("store", 0, self.strip, now)
        m.counts.add("store_busy")
        self._pack(*self.steps.popleft())
        if not self.steps:
            m.ended("store", 0, self.strip, now + 1)
            self.strip += 1
            m.vector.freed.append(now + 1 + m.constants.slot_free)

    def _pack(self, code: int, address: int, nbytes: int) -> None:
        """Pack a step into the bus word in work; write the word if it is full or flushed."""
        m = self.m
        bus = m.target.axi_bytes
        m.counts.add("bytes_written", nbytes)
        if nbytes:
            assert self.filled[code] in (0, address % bus), "a step follows the packed bytes"
            self.filled[code] = address % bus + nbytes
        if nbytes == 0 or self.filled[code] >= bus:
            m.counts.add("write_beats")
            self.filled[code] = max(0, self.filled[code] - bus) if nbytes else 0
            assert self.filled[code] < bus, "one bus word per cycle"

    def _plan(self, code: int, size: int) -> None:
        """List the steps of the strip for one output with elements of `size` bytes."""
        m = self.m
        addresses, bus = self.addresses[code], m.target.axi_bytes
        most = min(m.kernel.lanes, bus // size)
        now = self.strip * m.kernel.vlen
        end = now + m.points(self.strip)

        def run_ends(point: int) -> bool:
            return point + 1 == len(addresses) or addresses[point + 1] != addresses[point] + size

        while now < end:
            first = last = now
            while last + 1 < end and last + 1 - first < most and not run_ends(last):
                last += 1
            self.steps.append((code, addresses[first], (last + 1 - first) * size))
            if run_ends(last) and (addresses[last] + size) % bus:
                self.steps.append((code, 0, 0))
            now = last + 1


class Stepper:
    """One kernel from the start of its fetch to its last write response.

    The other engines are free for it at `starts`.
    """

    def __init__(self, target: Target, kernel: Kernel, starts: Starts = ALL_FREE) -> None:
        self.target = target
        self.starts = starts
        self.kernel = kernel
        self.constants = load().timing
        self.strips = kernel.strips
        self.walks: list[list[StripWalk]] = [walk(target, kernel, s) for s in kernel.inputs]
        self.counts = Counts()
        # Start and end of each engine's work: engine, stream, strip, phase -> cycles.
        self.work: dict[tuple[str, int, int, int], tuple[int, int]] = {}
        self.beats: list[Beat] = []
        self.bus: deque[tuple[int, int, bool]] = deque()
        self.inputs = [Input(self, number) for number in range(len(kernel.inputs))]
        self.fetch = Fetch(self)
        self.vector = Vector(self)
        self.store = Store(self)

    def began(self, engine: str, stream: int, strip: int, now: int, phase: int = 0) -> None:
        """Note that an engine starts a strip."""
        self.work[engine, stream, strip, phase] = (now, -1)

    def ended(self, engine: str, stream: int, strip: int, now: int, phase: int = 0) -> None:
        """Note that an engine is free again."""
        start, end = self.work[engine, stream, strip, phase]
        assert end == -1 and now > start
        self.work[engine, stream, strip, phase] = (start, now)

    def points(self, strip: int) -> int:
        """Points of a strip."""
        return min(self.kernel.vlen, self.kernel.points - strip * self.kernel.vlen)

    def rows(self, strip: int) -> int:
        """Rows of a strip."""
        return -(-self.points(strip) // self.kernel.lanes)

    def run(self, limit: int = 5_000_000) -> dict[str, int]:
        """Step until the last strip is stored; returns the counters. AssertionError if it hangs."""
        now = 0
        while self.store.strip < self.strips:
            self.fetch.cycle(now)
            busy_bus = 0
            while self.bus and self.bus[0][0] <= now:
                at, number, ends_strip = self.bus.popleft()
                assert at == now, "the bus carries one word per cycle"
                busy_bus += 1
                if ends_strip:
                    arriving = self.inputs[number].arriving
                    strip = next(entry for entry in arriving if entry[0] is None)
                    strip[0] = now + 1 + self.constants.read_return
            assert busy_bus <= 1, "the bus carries one word per cycle"
            for ring in self.inputs:
                ring.cycle(now)
            self.vector.cycle(now)
            self.store.cycle(now)
            now += 1
            assert now < limit, "the machine hangs"
        for ring in self.inputs:
            assert ring.held(now + limit) == 0, "the ring is empty at the end"
        self.counts.add("cycles", now + self.target.memory_latency + self.constants.write_return)
        return self.counts.values
