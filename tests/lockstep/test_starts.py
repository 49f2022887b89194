"""The machine between runs: reset during a run, starts after faults, memories with stalls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from lockstep.short_runs import SPOILED, copies, draw, long_copy, simulated

import isa
from isa.dispatch import Fault
from isa.load import load
from isa.operands import O
from rtl_models.tb.random_dispatches import MEMORY_BASE, MEMORY_BYTES, Limits
from sim.counters import ANY_TIMING
from sim.memory import Memory
from sim.timing import load_cycles

MAX_SEEDS = 1000
"""More than it takes to draw every fault, for any target and any instruction set."""


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


def test_an_error_while_the_next_kernel_is_fetched(session):
    """A kernel writes beyond memory while others wait: they are forgotten, the next run is whole.

    Which kernel it is decides how far the engines are with those after it.
    """
    dispatch, data = copies(session.target)
    run, after = simulated(session.target, dispatch, data)
    base, limit = dispatch.window
    words = [isa.decode(word) for word in dispatch.words]
    outputs = [
        at for at, word in enumerate(words) if word.name == "base" and word.fields["stream"] == O(0)
    ]
    assert len(outputs) == 6
    for at in outputs:
        broken_words = list(dispatch.words)
        fields = words[at].fields
        broken_words[at] = isa.encode(
            "base", **{**fields, "offset": fields["offset"] + session.memory_bytes}
        )
        broken = replace(dispatch, words=broken_words)
        memory = Memory(MEMORY_BYTES, MEMORY_BASE)
        memory.view(MEMORY_BASE, MEMORY_BYTES)[:] = data
        broken.store(memory)
        session.load(MEMORY_BASE, memory.view(MEMORY_BASE, MEMORY_BYTES))
        outcome = session.run(replace(dispatch.job, window=(base, limit + session.memory_bytes)))
        loop = next(i for i in range(at, len(words)) if words[i].name == "loop")
        assert (outcome.axi_error, outcome.status) == (True, "fault")
        assert outcome.fault == Fault("none", loop), "the wrong kernel is told"
        session.load(MEMORY_BASE, data)
        assert session.run(dispatch.job) == run, "after an error on the bus a run differs"
        np.testing.assert_array_equal(session.save(MEMORY_BASE, MEMORY_BYTES), after)
