"""The machine's timing one cycle at a time: engines as state machines, queues, ring counts.

Slow and plain on purpose. It is built from docs/timing.md alone and shares nothing with the
recurrence but the kernel's description and the constants.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from walker import StripWalk, point_addresses, walk

from isa.load import load
from isa.target import Target
from sim.kernel import Kernel


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
                for ring, w in zip(m.inputs, walks, strict=True)
            ):
                m.counts.add("fetch_stall_ring")
                return
            for ring, w in zip(m.inputs, walks, strict=True):
                ring.bytes += w.reserve
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
        """Bytes in the ring; those released become room a little later."""
        while self.leaving and self.leaving[0][0] <= now:
            self.bytes -= self.leaving.popleft()[1]
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
            if self.strip == m.strips:
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
            self.landed.append(now + 1 + c.landing_ready)
            m.ended("broadcast", m.kernel.inputs[self.number].code, self.strip, now + 1)
            self.strip += 1


class Vector:
    """Issues the body, one instruction after another, one beat per cycle."""

    def __init__(self, machine: Stepper) -> None:
        self.m = machine
        self.strip = 0
        self.next = 0
        self.active = False
        self.beats_left = 0
        self.ready: dict[int, tuple[int, int]] = {}
        self.port_free = 0
        self.results_used = 0
        self.freed: deque[int] = deque()

    def cycle(self, now: int) -> None:
        """One cycle: a beat, or a reason for none."""
        m = self.m
        while self.freed and self.freed[0] <= now:
            self.freed.popleft()
            self.results_used -= 1
        if not self.active:
            if self.strip == m.strips:
                return
            if any(not ring.landed or ring.landed[0] > now for ring in m.inputs):
                m.counts.add("vector_stall_input")
                return
            if self.results_used == m.constants.store_strips:
                m.counts.add("vector_stall_output")
                return
            for ring in m.inputs:
                ring.landed.popleft()
            self.results_used += 1
            m.counts.add("strips")
            self.active, self.next, self.ready = True, 0, {}
            m.began("vector", 0, self.strip, now)
        self._issue(now)
        if self.active and self.next == len(m.kernel.body) and self._order_allows_next_strip(now):
            for ring in m.inputs:
                ring.freed.append(now + 1 + m.constants.slot_free)
            self.active = False
            m.ended("vector", 0, self.strip, now + 1)
            self.strip += 1

    def _issue(self, now: int) -> None:
        m = self.m
        if self.beats_left == 0:
            if self.next == len(m.kernel.body):
                m.counts.add("vector_stall_dependence")
                return
            operation = m.kernel.body[self.next]
            unit = operation.instruction.unit
            beats = -(-m.points(self.strip) // m.target.rate(unit, m.kernel.lanes))
            latency = load().units[unit].latency
            for source in operation.sources:
                if source in self.ready:
                    first, last = self.ready[source]
                    if now < first or now + beats - 1 < last:
                        m.counts.add("vector_stall_dependence")
                        return
            if now + latency < self.port_free:
                m.counts.add("vector_stall_dependence")
                return
            m.counts.add("instructions")
            self.beats_left = beats
            # First and last beat at which a result may be used.
            self.ready[operation.destination] = (now + latency, now + beats - 1 + latency)
            self.port_free = now + beats + latency
        m.counts.add("vector_busy")
        self.beats_left -= 1
        if self.beats_left == 0:
            self.next += 1
            if self.next == len(m.kernel.body):
                m.store.results.append(self.port_free + m.constants.store_ready)

    def _order_allows_next_strip(self, now: int) -> bool:
        """Whether the body's first instruction, issued in the next cycle, would write in order."""
        unit = self.m.kernel.body[0].instruction.unit
        return self.beats_left == 0 and now + 1 + load().units[unit].latency >= self.port_free


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
            if self.strip == m.strips:
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
    """One kernel from the end of its setup to its last write response."""

    def __init__(self, target: Target, kernel: Kernel) -> None:
        self.target = target
        self.kernel = kernel
        self.constants = load().timing
        self.strips = kernel.strips
        self.walks: list[list[StripWalk]] = [walk(target, kernel, s) for s in kernel.inputs]
        self.counts = Counts()
        # Start and end of each engine's work: engine, stream, strip -> cycles.
        self.work: dict[tuple[str, int, int], tuple[int, int]] = {}
        self.bus: deque[tuple[int, int, bool]] = deque()
        self.inputs = [Input(self, number) for number in range(len(kernel.inputs))]
        self.fetch = Fetch(self)
        self.vector = Vector(self)
        self.store = Store(self)

    def began(self, engine: str, stream: int, strip: int, now: int) -> None:
        """Note that an engine starts a strip."""
        self.work[engine, stream, strip] = (now, -1)

    def ended(self, engine: str, stream: int, strip: int, now: int) -> None:
        """Note that an engine is free again."""
        start, end = self.work[engine, stream, strip]
        assert end == -1 and now > start
        self.work[engine, stream, strip] = (start, now)

    def points(self, strip: int) -> int:
        """Points of a strip."""
        return min(self.kernel.vlen, self.kernel.points - strip * self.kernel.vlen)

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
