"""The launch queue: launches that wait, their tags and counters, faults among them, and abort."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from lockstep.short_runs import copies, draw, long_copy, simulated
from lockstep.support import watch_queue

from isa.dispatch import Outcome
from isa.load import load
from rtl_models.tb.host_bits import ABORT, IRQ_OVERRUN, RESUME, START
from rtl_models.tb.random_dispatches import MEMORY_BASE, MEMORY_BYTES
from sim.memory import Memory
from sim.timing import load_cycles


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


def test_a_launch_comes_as_another_ends(session):
    """A push in the last cycle of a launch, and in those around it: both launches run."""
    dispatch, data = copies(session.target)
    run, after = simulated(session.target, dispatch, data)
    total = run.counters["cycles"]
    for cycles in range(total - 12, total + 3):
        session.load(MEMORY_BASE, data)
        before = session.read("completed") & 0xFFFF_FFFF
        session.start(dispatch.job)
        session.wait(cycles)
        session.write("control", START)
        while not session.wait():
            pass
        assert session.read("completed") & 0xFFFF_FFFF == before + 2
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
    session.write("irq_pending", IRQ_OVERRUN)
    for tag in tags:
        session.write("control", tag << 16 | START)
    assert session.read("irq_pending") & IRQ_OVERRUN, "no launch was lost"
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
    session.write("irq_pending", IRQ_OVERRUN)
    assert not session.read("irq_pending") & IRQ_OVERRUN


def summed(runs: list[Outcome]) -> dict[str, int]:
    return {name: sum(run.counters[name] for run in runs) for name in runs[0].counters}


def test_dispatches_wait_in_the_queue(session, monkeypatch):
    """More dispatches than the queue holds: each runs as it does alone, the counters are sums."""
    dispatch, data = long_copy(session.target)
    run, after = simulated(session.target, dispatch, data)
    free = watch_queue(monkeypatch)
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
