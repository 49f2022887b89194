"""The machine between runs: launches that wait, reset during a run, memories with stalls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from lockstep.directed import INPUTS, OUTPUTS, Program, Stream
from lockstep.support import TARGETS, machine

import isa
from isa.dispatch import Fault, Outcome
from isa.load import load
from isa.operands import O, S
from isa.target import Target
from rtl_models.simulation.host_registers import fields
from rtl_models.simulation.session import Session
from rtl_models.tb.random_dispatches import MEMORY_BASE, MEMORY_BYTES, Dispatch, Generator, Limits
from sim.counters import ANY_TIMING
from sim.machine import Machine
from sim.memory import Memory
from sim.timing import load_cycles


@pytest.fixture(params=TARGETS)
def session(request) -> Iterator[Session]:
    session = machine(request.param).hardware.session(MEMORY_BYTES)
    session.stall(0)
    yield session
    session.stall(0)


START, RESUME, ABORT = 1, 2, 8
OVERRUN = fields("irq_pending")["overrun"].mask
"""The interrupt of a launch that is lost."""

MAX_SEEDS = 1000
"""More than it takes to draw every fault, for any target and any instruction set."""

SMALL = Limits(kernels=2, points=1000, spoiled=False)
SPOILED = replace(SMALL, spoiled=True)


def draw(target: Target, seed: int, limits: Limits = SMALL) -> tuple[Dispatch, np.ndarray]:
    """A dispatch and the memory with it."""
    dispatch = Generator(target, seed, limits).draw()
    memory = Memory(MEMORY_BYTES, MEMORY_BASE)
    dispatch.store(memory)
    return dispatch, memory.view(MEMORY_BASE, MEMORY_BYTES)


def simulated(target: Target, dispatch: Dispatch, data: np.ndarray) -> tuple[Outcome, np.ndarray]:
    memory = Memory(MEMORY_BYTES, MEMORY_BASE)
    memory.view(MEMORY_BASE, MEMORY_BYTES)[:] = data
    return Machine(target).run(memory, dispatch.job), memory.view(MEMORY_BASE, MEMORY_BYTES)


def long_copy(target: Target) -> tuple[Dispatch, np.ndarray]:
    """A copy of many strips and the memory with it: a reset in the middle finds every engine busy.

    No two strips write the same, so that none that is mixed up with another goes unnoticed. Strips
    of the output do not begin where bursts do.
    """
    points = 10 * target.vlen + 1
    program = Program()
    streams = [
        Stream(S(0), "i32", (points,), INPUTS),
        Stream(O(0), "i32", (points,), OUTPUTS + 4 * (target.vlen // 2 + 3)),
    ]
    program.kernel(streams, [isa.encode("mov", dst=O(0), a=S(0))])
    program.store()
    return program.dispatch(), program.memory


def copies(target: Target) -> tuple[Dispatch, np.ndarray]:
    """Kernels that copy, each fetched while the one before is stored, and the memory with them."""
    points = 2 * target.vlen + 1
    program = Program()
    for number in range(6):
        streams = [
            Stream(S(0), "i32", (points,), INPUTS + 4 * points * number),
            Stream(O(0), "i32", (points,), OUTPUTS + 4 * (points + 3) * number),
        ]
        program.kernel(streams, [isa.encode("mov", dst=O(0), a=S(0))])
    program.store()
    return program.dispatch(), program.memory


def test_reset_at_any_time(session):
    """A run after a reset during a run equals the first, whenever the reset came."""
    first, data = long_copy(session.target)
    run, after = simulated(session.target, first, data)
    total = run.counters["cycles"]
    loaded = load_cycles(session.target, first.job.images)
    words = range(loaded, loaded + first.job.program_words + 1)
    setup = range(words.stop, words.stop + 32, 4)
    kernel = (total // 3, total // 2, 2 * total // 3, total - 5)
    for cycles in (1, 3, loaded // 2, *words, *setup, *kernel):
        session.load(MEMORY_BASE, data)
        session.start(first.job)
        assert not session.wait(cycles)
        session.reset()
        idle = session.outcome()
        assert (idle.status, idle.fault) == ("idle", None)
        assert not any(idle.counters.values())
        session.load(MEMORY_BASE, data)
        assert session.run(first.job) == run, f"after a reset in cycle {cycles} a run differs"
        same = session.save(MEMORY_BASE, MEMORY_BYTES) == after
        assert same.all(), f"after a reset in cycle {cycles} a run leaves other memory"


def test_start_after_a_completed_run(session):
    """Other programs, and the same again, each as if it were the first after a reset."""
    for seed in (3, 5, 6, 3):
        dispatch, data = draw(session.target, seed)
        run, after = simulated(session.target, dispatch, data)
        assert run.status == "done"
        session.load(MEMORY_BASE, data)
        assert session.run(dispatch.job) == run, seed
        np.testing.assert_array_equal(session.save(MEMORY_BASE, MEMORY_BYTES), after)


def test_start_after_every_fault(session):
    """After each fault, anywhere in a program, a legal program runs."""
    legal, legal_data = draw(session.target, 3)
    legal_run, legal_after = simulated(session.target, legal, legal_data)
    seen: set[str] = set()
    for seed in range(MAX_SEEDS):
        if seen == set(load().faults):
            break
        dispatch, data = draw(session.target, seed, Limits())
        run, after = simulated(session.target, dispatch, data)
        if run.fault is None or run.fault.name in seen:
            continue
        seen.add(run.fault.name)
        session.load(MEMORY_BASE, data)
        assert session.run(dispatch.job) == run, seed
        np.testing.assert_array_equal(session.save(MEMORY_BASE, MEMORY_BYTES), after)
        session.load(MEMORY_BASE, legal_data)
        assert session.run(legal.job) == legal_run, f"after fault {run.fault.name} a run differs"
        np.testing.assert_array_equal(session.save(MEMORY_BASE, MEMORY_BYTES), legal_after)
    assert seen == set(load().faults)


def test_a_fault_leaves_what_earlier_kernels_wrote(session):
    """A second kernel that reads nothing legal: the first one's output is there, and no more."""
    target = session.target
    for seed in range(200):
        dispatch, data = draw(target, seed)
        ends = [at for at, word in enumerate(dispatch.words) if word == isa.encode("end")]
        if len(ends) == 2:
            break
    else:
        raise AssertionError("no dispatch with two kernels")
    first = [*dispatch.words[: ends[0] + 1], isa.encode("halt")]
    memory = Memory(MEMORY_BYTES, MEMORY_BASE)
    replace(dispatch, words=first).store(memory)
    _, after = simulated(
        target, replace(dispatch, words=first), memory.view(MEMORY_BASE, len(data))
    )
    broken = list(dispatch.words)
    broken[ends[0] + 1] = 0xFF  # the first word of the second kernel
    replace(dispatch, words=broken).store(memory)
    session.load(MEMORY_BASE, memory.view(MEMORY_BASE, MEMORY_BYTES))
    outcome = session.run(dispatch.job)
    assert outcome.fault == Fault("illegal_instruction", ends[0] + 1)
    window = slice(dispatch.window[0] - MEMORY_BASE, None)
    got = session.save(MEMORY_BASE, MEMORY_BYTES)
    np.testing.assert_array_equal(got[window], after[window])


def test_a_reset_leaves_memory_outside_of_outputs_alone(session):
    """A run that is cut short writes only to addresses that the whole run writes."""
    dispatch, data = long_copy(session.target)
    run, after = simulated(session.target, dispatch, data)
    total = run.counters["cycles"]
    changed = data != after
    parts = 0
    for cycles in range(total // 4, total, total // 16):
        session.load(MEMORY_BASE, data)
        session.start(dispatch.job)
        session.wait(cycles)
        session.reset()
        got = session.save(MEMORY_BASE, MEMORY_BYTES)
        np.testing.assert_array_equal(got[~changed], data[~changed])
        parts += bool((got != data).any() and (got != after).any())
    assert parts, "no reset found the run in the middle of its writes"


def test_nothing_is_written_after_a_reset(session):
    """What the host stores in memory right after a reset stays: the bus has forgotten all words."""
    dispatch, data = long_copy(session.target)
    total = simulated(session.target, dispatch, data)[0].counters["cycles"]
    for cycles in range(total // 2, total // 2 + 40):
        session.load(MEMORY_BASE, data)
        session.start(dispatch.job)
        assert not session.wait(cycles)
        session.reset()
        session.load(MEMORY_BASE, data)
        assert session.outcome().status == "idle"
        np.testing.assert_array_equal(session.save(MEMORY_BASE, MEMORY_BYTES), data)


def test_a_limit_beyond_the_address_bits(session):
    """Upper bits of an address pass the window's check and are dropped afterwards."""
    dispatch, data = draw(session.target, 3)
    run, after = simulated(session.target, dispatch, data)
    beyond = 1 << session.target.address_bits
    bases = {isa.decode(w).fields["param"] for w in dispatch.words if isa.decode(w).name == "base"}
    packet = [
        value + beyond * (i - 1 in bases and value + beyond < 1 << 64)
        for i, value in enumerate(dispatch.packet)
    ]
    moved = replace(dispatch, packet=packet)
    memory = Memory(MEMORY_BYTES, MEMORY_BASE)
    moved.store(memory)
    session.load(MEMORY_BASE, memory.view(MEMORY_BASE, MEMORY_BYTES))
    base, limit = dispatch.window
    assert session.run(replace(dispatch.job, window=(base, limit + beyond))) == run
    start = dispatch.window[0] - MEMORY_BASE
    got = session.save(MEMORY_BASE, MEMORY_BYTES)
    np.testing.assert_array_equal(got[start:], after[start:])


def test_launches_wait_for_each_other(session):
    """Each of three runs as it does alone; what is written for the next does not reach it."""
    dispatch, data = long_copy(session.target)
    run, after = simulated(session.target, dispatch, data)
    session.load(MEMORY_BASE, data)
    before = session.read("completed") & 0xFFFF_FFFF
    for _ in range(3):
        session.start(dispatch.job)
        session.write("program_address", 0)
    ended: list[int] = []
    while not session.wait(run.counters["cycles"] // 2):
        ended.append((session.read("completed") & 0xFFFF_FFFF) - before)
    assert set(ended) == {0, 1, 2}, "the launches did not run one after another"
    assert session.read("completed") & 0xFFFF_FFFF == before + 3
    assert session.outcome() == run
    np.testing.assert_array_equal(session.save(MEMORY_BASE, MEMORY_BYTES), after)


def test_the_tag_of_the_launch_that_ended_last(session):
    """A queue that is full takes no launch: the tags of those it took come back, one by one."""
    dispatch, data = long_copy(session.target)
    run, after = simulated(session.target, dispatch, data)
    depth = session.read("status") >> 16
    tags = [0xA5A5, 0x5A5A, 0xFFFF, 0x0001, 0x1234, 0x8000][: depth + 2]
    session.load(MEMORY_BASE, data)
    session.start(dispatch.job, ())
    session.write("irq_pending", OVERRUN)
    for tag in tags:
        session.write("control", tag << 16 | START)
    assert session.read("irq_pending") & OVERRUN, "no launch was lost"
    seen: list[int] = []
    stopped = False
    while not stopped:
        stopped = session.wait(run.counters["cycles"] // 4)
        tag = session.read("completed") >> 32
        if tag in tags and tag not in seen:
            seen.append(tag)
    assert seen == tags[:depth]
    assert session.outcome() == run
    np.testing.assert_array_equal(session.save(MEMORY_BASE, MEMORY_BYTES), after)
    session.write("irq_pending", OVERRUN)
    assert not session.read("irq_pending") & OVERRUN


def summed(runs: list[Outcome]) -> dict[str, int]:
    return {name: sum(run.counters[name] for run in runs) for name in runs[0].counters}


def test_dispatches_wait_in_the_queue(session, monkeypatch):
    """More dispatches than the queue holds: each runs as it does alone, the counters are sums."""
    dispatch, data = long_copy(session.target)
    run, after = simulated(session.target, dispatch, data)
    free: list[int] = []
    start = session.start

    def watched(job, control):
        start(job, control)
        free.append(session.read("status") >> 16)

    monkeypatch.setattr(session, "start", watched)
    session.load(MEMORY_BASE, data)
    done, outcome = session.run_all([dispatch.job] * 7)
    assert (done, outcome.status) == (7, "done")
    assert outcome.counters == summed([run] * 7)
    assert 0 in free, "the queue was never full"
    np.testing.assert_array_equal(session.save(MEMORY_BASE, MEMORY_BYTES), after)
    monkeypatch.undo()
    assert session.run(dispatch.job) == run, "a run after them differs"


def test_counters_are_kept_as_the_push_said(session):
    """What the host writes while a launch waits does not change whether it keeps counters."""
    dispatch, data = long_copy(session.target)
    run, _ = simulated(session.target, dispatch, data)
    session.load(MEMORY_BASE, data)
    session.start(dispatch.job)
    session.start(dispatch.job, ("start", "keep_counters"))
    session.write("control", 0)
    assert session.wait()
    assert session.outcome().counters == summed([run] * 2)


@pytest.mark.parametrize("number", [0, 1, 5])
def test_a_fault_ends_what_waits_in_the_queue(session, number):
    """No dispatch runs after one that faults, and the next call is like the first."""
    dispatch, data = long_copy(session.target)
    run, _ = simulated(session.target, dispatch, data)
    wrong = replace(dispatch, packet=[load().version + 1])
    memory = Memory(MEMORY_BYTES, MEMORY_BASE)
    memory.view(MEMORY_BASE, MEMORY_BYTES)[:] = data
    # Beside the program of the copy, in the room for programs and packets.
    wrong = replace(wrong, packet_address=dispatch.packet_address + 1024)
    words = np.array(wrong.packet, "<u8").view(np.uint8)
    memory.view(wrong.packet_address, words.nbytes)[:] = words
    fault, _ = simulated(session.target, wrong, memory.view(MEMORY_BASE, MEMORY_BYTES))
    assert fault.fault is not None
    session.load(MEMORY_BASE, memory.view(MEMORY_BASE, MEMORY_BYTES))
    jobs = [dispatch.job] * 7
    jobs[number] = wrong.job
    done, outcome = session.run_all(jobs)
    assert (done, outcome.status, outcome.fault) == (number, "fault", fault.fault)
    assert outcome.counters == summed([run] * number + [fault])
    assert session.read("status") >> 16 == 4, "launches are left in the queue"
    assert session.run(dispatch.job) == run


@pytest.mark.parametrize("drawn", [long_copy, copies])
def test_abort_at_any_time(session, drawn):
    """A run after an aborted one equals the first, in cycles as well; what waited waits on."""
    dispatch, data = drawn(session.target)
    run, after = simulated(session.target, dispatch, data)
    total = run.counters["cycles"]
    changed = data != after
    loaded = load_cycles(session.target, dispatch.job.images)
    parts = 0
    kernel = range(total // 3, total - 20, total // 23)
    for cycles in (1, loaded // 2, loaded, loaded + 4, loaded + 30, *kernel):
        session.load(MEMORY_BASE, data)
        session.start(dispatch.job)
        session.write("control", START)
        before = session.read("completed") & 0xFFFF_FFFF
        assert not session.wait(cycles)
        session.write("control", ABORT)
        assert session.wait(total), "the bus does not come to rest"
        aborted = session.outcome()
        assert (aborted.status, aborted.fault) == ("aborted", None)
        assert 0 < aborted.counters["cycles"] < total
        assert session.read("completed") & 0xFFFF_FFFF == before + 1
        got = session.save(MEMORY_BASE, MEMORY_BYTES)
        np.testing.assert_array_equal(got[~changed], data[~changed])
        correct = (got == data) | (got == after)
        assert correct.all(), f"an abort in cycle {cycles} leaves words that no run writes"
        parts += bool((got != data).any() and (got != after).any())
        session.load(MEMORY_BASE, data)
        session.write("control", RESUME)
        assert session.wait(2 * total)
        assert session.outcome() == run, f"after an abort in cycle {cycles} a run differs"
        np.testing.assert_array_equal(session.save(MEMORY_BASE, MEMORY_BYTES), after)
    assert parts, "no abort found the run in the middle of its writes"


def test_an_abort_without_a_run_has_no_effect(session):
    """Neither on what was, nor on the next run."""
    dispatch, data = draw(session.target, 6)
    session.load(MEMORY_BASE, data)
    outcome = session.run(dispatch.job)
    session.write("control", ABORT)
    assert session.outcome() == outcome
    session.load(MEMORY_BASE, data)
    assert session.run(dispatch.job) == outcome


def test_registers_keep_what_a_run_said(session):
    """Status, fault and counters stay until the next start."""
    dispatch, data = draw(session.target, 6)
    session.load(MEMORY_BASE, data)
    outcome = session.run(dispatch.job)
    assert session.outcome() == outcome
    assert not session.wait(0) or session.outcome() == outcome


def test_memory_that_hesitates(session):
    """Bits, faults and what no time changes stay the same with random stalls on all channels."""
    for seed in range(20):
        dispatch, data = draw(session.target, 100 + seed, SPOILED)
        run, after = simulated(session.target, dispatch, data)
        session.stall(seed + 1)
        session.load(MEMORY_BASE, data)
        outcome = session.run(dispatch.job)
        assert not outcome.axi_error
        assert (outcome.status, outcome.fault) == (run.status, run.fault), seed
        for name in ANY_TIMING:
            assert outcome.counters[name] == run.counters[name], (seed, name)
        got = session.save(MEMORY_BASE, MEMORY_BYTES)
        np.testing.assert_array_equal(got, after, err_msg=f"seed {seed}")


def test_an_error_on_the_bus_stops_the_program(session):
    """A window beyond memory: the kernel ends, the program stops with status fault, no code."""
    dispatch, data = draw(session.target, 8)
    session.load(MEMORY_BASE, data)
    beyond = MEMORY_BASE + session.memory_bytes
    outcome = session.run(replace(dispatch.job, program_address=beyond))
    assert outcome.axi_error, "the error on the bus is forgotten"
    assert outcome.status == "fault"
    assert outcome.fault is None
    run, _ = simulated(session.target, dispatch, data)
    assert session.run(dispatch.job) == run, "after an error on the bus a run differs"
