"""What each kernel of a dispatch took: every counter of the dispatch is shared out, once."""

import pytest
from dispatch import DATA, PACKET, PROGRAM, host, streams

from isa.dispatch import Job, Outcome
from isa.load import load
from isa.target import load_target
from rtl_models.tb.random_dispatches import MEMORY_BASE, MEMORY_BYTES, Generator, Limits
from sim import timing
from sim.machine import Machine
from sim.memory import Memory
from sim.trace import StripRecord

SEEDS = 40
"""Random dispatches for each target."""


def check_sums(outcome: Outcome, loaded: int) -> None:
    """The kernels' cycles follow each other, and all their counters add up to the dispatch's.

    `loaded` is when program and packet are loaded. After the last kernel only `halt`, or what a
    faulty word takes, may be left.
    """
    kernels = outcome.kernels
    assert kernels is not None
    for name in load().counters:
        total = sum(kernel.counters[name] for kernel in kernels)
        if name != "cycles":
            assert total == outcome.counters[name], name
    ended = loaded
    for kernel in kernels:
        assert list(kernel.counters) == list(load().counters)
        assert kernel.counters["cycles"] == kernel.end - ended >= 0
        assert kernel.start <= kernel.stored_first <= kernel.end
        ended = kernel.end
    assert ended <= outcome.counters["cycles"]
    if not outcome.fault:
        # `halt` follows the start of the last kernel, and mostly ends before that kernel does.
        begun = kernels[-1].start if kernels else ended
        assert outcome.counters["cycles"] == max(ended, begun + timing.word_cycles(1))


@pytest.mark.parametrize("name", ["tiny", "accel", "wide"])
def test_random_dispatches(name):
    target = load_target(name)
    machine, faults, several = Machine(target), 0, 0
    for seed in range(SEEDS):
        dispatch = Generator(target, seed, Limits()).draw()
        memory = Memory(MEMORY_BYTES, MEMORY_BASE)
        dispatch.store(memory)
        job = dispatch.job
        images = [memory.view(at, 8 * words).tobytes() for at, words in job.images]
        timed = machine.time(*images, job)
        outcome = Machine(target).run(memory, job)
        assert timed == outcome
        assert timed.kernels == outcome.kernels
        faults += outcome.fault is not None
        if outcome.kernels:
            several += len(outcome.kernels) > 1
            check_sums(outcome, timing.load_cycles(target, job.images))
    assert faults > SEEDS // 10
    assert several > SEEDS // 10


def kernel(inputs, output, rows, body="add.f32 o0, s0, s0"):
    """The words of a kernel with one input of 300 elements a row, and one output."""
    sizes = (rows, 300)
    configured = streams(("s0", "f32", inputs, sizes), ("o0", "f32", output, sizes))
    return f"{configured}loop\n{body}\nend\n"


def test_kernels_that_overlap():
    """The fetch of a kernel that reads something else begins before the kernel before ends."""
    machine = host("tiny")
    text = kernel(0, 1, 2) + kernel(2, 3, 3) + kernel(2, 3, 0) + "halt\n"
    outcome = machine.run(text, [DATA + 0x10000 * i for i in range(4)])
    first, second, none = outcome.kernels
    assert second.start < first.end < second.end
    assert second.occupied == second.end - second.start > second.counters["cycles"]
    assert first.occupied == first.counters["cycles"] > first.end - first.start
    assert (first.sizes, second.sizes, none.sizes) == ((2, 300), (3, 300), (0, 300))
    assert {n: c for n, c in none.counters.items() if c and n != "cycles"} == {}
    check_sums(outcome, timing.load_cycles(machine.target, ((PROGRAM, 28), (PACKET, 5))))


def test_kernels_are_where_the_trace_has_them():
    machine = host("tiny")
    text = kernel(0, 1, 9) + kernel(1, 2, 5, "tanh.f32 o0, s0") + "halt\n"
    trace: list[StripRecord] = []
    outcome = machine.run(text, [DATA + 0x10000 * i for i in range(3)], trace=trace)
    for run in outcome.kernels:
        own = [record for record in trace if record.kernel == run.pc]
        stores = [record.end for record in own if record.engine == "store"]
        assert run.start == min(r.start for r in own if r.engine == "fetch")
        assert run.stored_first == stores[0]
        answer = machine.target.memory_latency + load().timing.write_return
        assert run.end == stores[-1] + answer


def test_nothing_is_timed_without_timing():
    outcome = host("tiny").run(
        kernel(0, 1, 2) + "halt\n", [DATA, DATA + 0x10000], with_timing=False
    )
    assert outcome.kernels is None


def test_words_that_the_machine_does_not_hold():
    """`time` refuses what `run` refuses, with the same outcome."""
    machine = host("tiny")
    target = machine.target
    for words, packet in ((target.instruction_words + 1, 1), (1, target.parameter_words + 1)):
        job = Job(PROGRAM, words, PACKET, packet, (DATA, DATA))
        ran = machine.machine.run(machine.memory, job)
        assert ran.fault.name == ("program" if words > 1 else "packet") + "_too_large"
        assert machine.machine.time(bytes(8 * words), bytes(8 * packet), job) == ran
        assert ran.kernels == ()
