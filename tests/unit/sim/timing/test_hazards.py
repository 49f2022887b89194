"""Each row that an instruction reads is the one that the program means, whatever ports wait for.

The contract has no interlock between strips, or between the ports, beyond its times. So this looks
at every beat of the stepped machine: which values are in the registers, landing buffers and result
buffers when it reads and writes them. With `jitter` the ports begin later, at random.
"""

import random
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernels import ALL_TARGETS, BODIES, TARGETS, body, kernel_of, kernels
from stepper import Stepper

from isa.load import load

LANE = body("abs v0, s0")[0]
"""An instruction of the lanes."""


class Machine(Stepper):
    """The stepped machine, whose ports sometimes wait without a cause."""

    def __init__(self, target, kernel, jitter, seed):
        super().__init__(target, kernel)
        chance = random.Random(seed)
        obstacle = self.vector.obstacle
        waits = {}

        def delayed(port, strip, phase, now):
            cause = obstacle(port, strip, phase, now)
            if not cause:
                until = waits.setdefault((port, strip, phase), now + chance.randint(0, jitter))
                cause = "jitter" if now < until else ""
            return cause

        self.vector.obstacle = delayed


def wrong_reads(target, kernel, jitter=0, seed=0, copies=None):
    """Reads and wrong ones of a run; registers have `copies`, by default those of the kernel."""
    machine = Machine(target, kernel, jitter, seed)
    machine.run()
    copies = kernel.copies if copies is None else copies
    latency = {"lane": machine.constants.lane, "special": machine.constants.special}
    parts = target.lanes // target.special_rate
    number = {id(o): n for n, o in enumerate(kernel.body)}
    writers = producers(kernel)

    def place(code, strip, row, part):
        return code, strip % copies, row, part

    writes = defaultdict(list)
    for beat in machine.beats:
        code = beat.operation.destination
        value = number[id(beat.operation)], beat.strip
        there = beat.now + latency[beat.port]
        if beat.port == "special":
            row, part = divmod(beat.number, parts)
            writes[place(code, beat.strip, row, part)].append((there, value))
        else:
            for part in range(parts):
                writes[place(code, beat.strip, beat.number, part)].append((there, value))
    for found in writes.values():
        found.sort()
    reads = wrong = 0
    for beat in machine.beats:
        special = beat.port == "special"
        row, part = divmod(beat.number, parts) if special else (beat.number, None)
        last = -(-machine.points(beat.strip) // target.special_rate) - 1
        rows = [part] if special else [q for q in range(parts) if row * parts + q <= last]
        for code, writer in writers[number[id(beat.operation)]].items():
            for q in rows:
                reads += 1
                seen = [
                    v for there, v in writes[place(code, beat.strip, row, q)] if there <= beat.now
                ]
                wrong += not seen or seen[-1] != (writer, beat.strip)
    wrong += wrong_buffers(machine, kernel, latency)
    return reads, wrong


def producers(kernel):
    """For each instruction the registers that it reads, each with the instruction that wrote it."""
    last, found = {}, []
    for n, operation in enumerate(kernel.body):
        found.append({s: last[s] for s in operation.sources if s in last})
        last[operation.destination] = n
    return found


def wrong_buffers(machine, kernel, latency):
    """Beats that read a landing buffer, or write a result buffer, that is another strip's."""
    c, work = machine.constants, machine.work
    parts = machine.target.lanes // machine.target.special_rate
    outputs = {s.code for s in kernel.outputs}
    wrong = 0
    for beat in machine.beats:
        row = beat.number // (parts if beat.port == "special" else 1)
        for source in beat.operation.sources:
            if not load().operands["input"].holds(source):
                continue
            landed = work["broadcast", source, beat.strip, 0][1]
            wrong += beat.now < landed + c.landing_ready
            # Of the rows, one lands in a cycle, at most.
            rows_after = machine.rows(beat.strip) - 1 - row
            wrong += beat.now < landed + c.last_row_ready - rows_after
            # A broadcast fills a row in a cycle, at most.
            after = work.get(("broadcast", source, beat.strip + c.landing_strips, 0))
            wrong += after is not None and after[0] + row < beat.now
        if beat.operation.destination in outputs:
            there = beat.now + latency[beat.port]
            wrong += there > work["store", 0, beat.strip, 0][0]
            before = work.get(("store", 0, beat.strip - c.store_strips, 0))
            wrong += before is not None and there - 1 < before[1]
    return wrong


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
@pytest.mark.parametrize("text", BODIES.values(), ids=list(BODIES))
def test_bodies_of_programs(target, text):
    operations = body(text)
    phases = (
        sum(
            a.special and not b.special
            for a, b in zip(operations, [*operations[1:], LANE], strict=True)
        )
        + 1
    )
    for copies in (2, 4):
        for points, jitter in ((4 * target.vlen + 3, 0), (4 * target.vlen + 3, 90), (2, 0)):
            if phases <= copies:
                kernel = kernel_of(target, operations, points, copies)
                reads, wrong = wrong_reads(target, kernel, jitter, seed=copies)
                assert reads > 0 and wrong == 0


@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(kernels(max_points=1500), st.sampled_from([0, 7, 150]), st.integers(0, 99))
def test_random_kernels(case, jitter, seed):
    assert wrong_reads(*case, jitter, seed)[1] == 0


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_one_copy_of_the_registers_is_noticed(target):
    """A machine whose strips share their registers, with the times of one that has copies."""
    kernel = kernel_of(target, body(BODIES["one stream"]), 5 * target.vlen, 2)
    assert wrong_reads(target, kernel)[1] == 0
    assert wrong_reads(target, kernel, copies=1)[1] > 100


@pytest.mark.parametrize("late", ["lead", "back"])
def test_times_one_cycle_too_short_are_noticed(late, monkeypatch):
    """The contract's times are not longer than hazards require."""
    target = ALL_TARGETS["tiny"]
    kernel = kernel_of(target, body(BODIES["one stream"]), 5 * target.vlen, 2)
    original = Machine.__init__

    def shorter(self, *args):
        original(self, *args)
        if late == "lead":
            ready = self.vector.operands_ready
            self.vector.operands_ready = lambda s, p, now: ready(s, p, now + 1)
        else:
            self.vector.specials.latency -= 1

    monkeypatch.setattr(Machine, "__init__", shorter)
    assert wrong_reads(target, kernel)[1] > 0
