"""The recurrence against the machine stepped cycle by cycle: every counter, every cycle."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernels import ALL_TARGETS, BODIES, ODD_TARGETS, TARGETS, body, kernel_of, kernels, simple
from stepper import Stepper

from isa.load import load
from sim.timing import kernel_time, kernel_times
from sim.timing.contract import ALL_FREE, Starts


def agree(target, kernel, starts=ALL_FREE):
    """Compare all counters of both models, and when each engine works on each strip."""
    stepper, trace = Stepper(target, kernel, starts), []
    expected = {name: value for name, value in stepper.run().items() if value}
    counters = kernel_times(target, kernel, starts, trace=trace).counters
    assert {name: value for name, value in counters.items() if value} == expected
    work = {(r.engine, r.stream, r.strip, r.phase): (r.start, r.end) for r in trace}
    assert work == stepper.work
    assert kernel_times(target, kernel, starts).counters == counters
    if starts == ALL_FREE:
        assert kernel_time(target, kernel) == counters


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(kernels())
def test_random_kernels(case):
    agree(*case)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(kernels(max_points=2000), st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))
def test_engines_that_are_free_later(case, broadcast, pipe, store):
    """As after a kernel before: the pipe comes first, then broadcast and store."""
    agree(*case, Starts(pipe + broadcast, pipe, pipe + store))


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
@pytest.mark.parametrize("sizes", [(64, 100), (1, 100), (64, 1), (1, 1)])
def test_two_dimensional_patterns(target, sizes):
    agree(target, simple(target, (64, 100), ("f32", 0x8000, (64, 100)), ("f32", 0x10004, sizes)))


@pytest.mark.parametrize("kind", ["i8", "f32"])
@pytest.mark.parametrize("target", ALL_TARGETS.values(), ids=list(ALL_TARGETS))
@pytest.mark.parametrize(
    ("iteration", "sizes"),
    [
        ((4, 3, 700), (4, 1, 700)),  # on tiny, f32: a block beyond the ring is fetched again
        ((4, 3, 512), (4, 1, 512)),
        ((7, 3, 5, 11, 3), (7, 1, 5, 1, 3)),
        ((7, 3, 5, 11, 3), (1, 3, 1, 11, 1)),
        ((3, 7, 100, 3), (3, 1, 100, 1)),
        ((9, 2, 3, 2, 30), (9, 1, 3, 1, 30)),
        ((2, 3, 2, 601), (2, 1, 2, 601)),
        ((3, 40, 2, 30), (1, 40, 1, 30)),
        ((1000, 3), (1000, 1)),
        ((3, 2, 700, 2), (3, 1, 700, 1)),
    ],
    ids=str,
)
def test_deep_patterns(target, iteration, sizes, kind):
    size = {"i8": 1, "f32": 4}[kind]
    dense = (kind, 0x9000 + 3 * size, iteration)
    agree(target, simple(target, iteration, dense, (kind, 0x8000 + 5 * size, sizes)))
    agree(target, simple(target, iteration, (kind, 0x8000, sizes), name="abs.f32"))


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_some_kernel_of_the_stepper_reaches_every_counter(target):
    """A dense and a repeated operand, slow and fast bodies: each stall occurs somewhere."""
    # Lanes wait for special functions, and inside of themselves at the end of a short strip.
    chain = kernel_of(target, body(BODIES["one stream"]), target.vlen + 1, 2)
    counts = [Stepper(target, chain).run()]
    counts += [
        Stepper(machine, simple(machine, iteration, *inputs, name=name)).run()
        for machine in (target, ODD_TARGETS["narrow"])
        for iteration, inputs, name in (
            ((64, 300), [("f32", 0x8000, (64, 300))], "exp.f32"),
            ((64, 300), [("i8", 0x8000, (64, 300))], "add.f32"),
            ((5, 3, 301), [("i8", 0x8000, (5, 1, 301)), ("i8", 0x8000, (1, 3, 1))], "add.f32"),
        )
    ]
    seen = {name for count in counts for name, value in count.items() if value}
    assert set(load().counters) <= seen
