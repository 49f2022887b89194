"""Kernels one after another: each begins as early as it may, and reads what those before wrote."""

from __future__ import annotations

import numpy as np
import pytest
from lockstep.directed import INPUTS, OUTPUTS, Program, Stream, agree
from lockstep.support import TARGETS, machine
from lockstep.test_coverage_holes import operate

from isa.dispatch import DONE
from isa.load import load
from isa.operands import O, S, T
from rtl_models.simulation.session import Session
from rtl_models.tb.random_dispatches import MEMORY_BASE, MEMORY_BYTES
from sim.counters import ANY_TIMING
from sim.machine import Machine
from sim.memory import Memory

KERNELS = 7
APART = 0x4000
"""Bytes between the places for outputs: more than the longest stream."""


def program(target: str, seed: int) -> Program:
    """Small kernels whose inputs are the last outputs, lie next to them, or have nothing to do.

    With an even seed the kernels are independent of each other.
    """
    rng = np.random.default_rng([seed, TARGETS.index(target)])
    of = machine(target).target
    made = Program()
    written: list[Stream] = []
    for number in range(KERNELS):
        points = int(rng.choice([1, of.lanes, of.vlen, of.vlen + 1, 3 * of.vlen]))
        kind = str(rng.choice(["i8", "i32"]))
        nbytes = points * load().types[kind].bytes
        inputs: list[Stream] = []
        for code in range(int(rng.integers(0, 3))):
            address = INPUTS + 64 * int(rng.integers(0, 99))
            if written and seed % 2 and rng.random() < 0.7:
                last = written[-int(rng.integers(1, min(3, len(written)) + 1))]
                places = (last.address, last.address - nbytes, last.address + last.bytes)
                address = int(rng.choice(places))
            size = max(1, load().types[kind].bytes)
            inputs.append(Stream(S(code), kind, (points,), address - address % size))
        place = OUTPUTS + APART * (1 + number % 4)
        output = Stream(O(0), kind, (points,), place + 4 * int(rng.integers(0, 8)))
        sources = [stream.code for stream in inputs]
        if not sources:
            body = [operate("mov", O(0), load().operands["immediate"].first, imm=number)]
        elif rng.random() < 0.3:
            body = [operate("div.i32", T(0), *(sources * 2)[:2]), operate("mov", O(0), T(0))]
        else:
            body = [operate("add.i32", O(0), *(sources * 2)[:2])]
        shared = [s for s in inputs if s.address < output.address + output.bytes
                  and output.address < s.address + s.bytes]  # fmt: skip
        if shared:
            continue
        made.kernel([*inputs, output], body, copies=2)
        written.append(output)
    return made


@pytest.mark.parametrize("target", TARGETS)
def test_kernels_that_depend_on_each_other_or_do_not(target):
    for seed in range(24):
        outcome = agree(machine(target), program(target, seed))
        assert outcome.fault is None


@pytest.mark.parametrize("target", TARGETS)
def test_independent_kernels_overlap(target):
    """Four take less than four times the time of one."""
    cycles: list[int] = []
    for count in (1, 4):
        made = Program()
        points = machine(target).target.vlen
        for number in range(count):
            inputs = [Stream(S(i), "i32", (points,), INPUTS + 64 * i) for i in range(2)]
            output = Stream(O(0), "i32", (points,), OUTPUTS + APART * number)
            made.kernel([*inputs, output], [operate("add.i32", O(0), S(0), S(1))])
        cycles.append(agree(machine(target), made).counters["cycles"])
    assert cycles[1] < 3 * cycles[0]


@pytest.mark.parametrize("target", TARGETS)
def test_with_a_memory_that_hesitates(target):
    """Bits, and what no time changes."""
    session: Session = machine(target).hardware.session(MEMORY_BYTES)
    for seed in range(12):
        made = program(target, seed)
        job = made.store()
        memory = Memory(MEMORY_BYTES, MEMORY_BASE)
        memory.view(MEMORY_BASE, MEMORY_BYTES)[:] = made.memory
        run = Machine(session.target).run(memory, job)
        session.stall(seed + 1)
        session.load(MEMORY_BASE, made.memory)
        outcome = session.run(job)
        got = session.save(MEMORY_BASE, MEMORY_BYTES)
        session.stall(0)
        assert outcome.status == DONE
        for name in ANY_TIMING:
            assert outcome.counters[name] == run.counters[name], (seed, name)
        np.testing.assert_array_equal(got, memory.view(MEMORY_BASE, MEMORY_BYTES))
