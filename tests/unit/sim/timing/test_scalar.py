"""`sim.timing.scalar` says what the windows say, in Python and compiled; when it is compiled."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernels import BODIES, TARGETS, body, kernel_of, kernels, simple

from isa.load import load
from sim.streams import Pattern
from sim.timing import kernel_times, places, quick, scalar
from sim.timing.body_plan import body_plan
from sim.timing.contract import NEVER, Starts, StreamWork, Times, Work, evaluate
from sim.timing.packed_walk import PackedWalk
from sim.timing.spans import common_span

ACCEL, TINY, WIDE = TARGETS.values()
STARTS = st.builds(Starts, *[st.integers(0, 300)] * 3)
PLAIN = scalar.walk


@pytest.fixture(name="compiled", scope="module")
def _compiled():
    return quick.compiled_walk()


def agree(target, kernel, starts, walk):
    """Compare a walk with windows that skip nothing; returns the strips that it evaluated."""
    evaluated = []

    def counting(*arguments):
        walk(*arguments)
        evaluated.append(int(arguments[-1][places.EVALUATED]))

    walks = [PackedWalk.of(target, kernel, stream) for stream in kernel.inputs]
    left = kernel.points - (kernel.strips - 1) * kernel.vlen
    plan = body_plan(target, kernel.body, kernel.copies, (kernel.vlen, left))
    span = common_span(walks, kernel.vlen, 1)
    expected = kernel_times(target, kernel, starts, skip=False)
    if walk is PLAIN:
        assert quick.scalar_times(target, kernel, starts, walks, plan, span, walk) == expected
        return None
    assert quick.scalar_times(target, kernel, starts, walks, plan, span, counting) == expected
    return evaluated[0]


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(kernels(max_points=20_000), STARTS)
def test_random_kernels_in_python(case, starts):
    agree(*case, starts, PLAIN)


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(kernels(max_points=50_000), STARTS)
def test_random_kernels_compiled(compiled, case, starts):
    agree(*case, starts, compiled)


@pytest.mark.long
@settings(max_examples=10_000, suppress_health_check=list(HealthCheck), deadline=None)
@given(kernels(max_points=1_000_000), STARTS)
def test_many_random_kernels_compiled(compiled, case, starts):
    agree(*case, starts, compiled)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_bodies_of_several_phases_repeat(target, name, compiled):
    kernel = kernel_of(target, body(BODIES[name]), 500 * target.vlen + 7, 4)
    assert agree(target, kernel, Starts(), compiled) < 300
    agree(target, kernel, Starts(7, 50, 90), PLAIN)


@pytest.mark.parametrize(
    ("shape", "own", "most"),
    [
        ((5000, 1001), (1, 1001), 2000),  # a row that stays in the ring
        ((400, 20_000), (1, 20_000), 10_000),  # a row that does not
        ((5000, 1000), (1, 1), 300),
    ],
)
def test_spans_repeat(shape, own, most, compiled):
    kernel = simple(ACCEL, shape, ("f32", 0x8000, shape), ("i8", 0x8003, own))
    assert agree(ACCEL, kernel, Starts(), compiled) < most < kernel.strips


def test_a_walk_that_hardly_repeats(compiled):
    """A column, whose bursts come into the same place again after more strips than there are."""
    kernel = simple(ACCEL, (40_000, 257), ("f32", 0x8000, (40_000, 1)), ("i8", 0x8003, (1, 257)))
    agree(ACCEL, kernel, Starts(), compiled)


def stored_by_contract(target, plan, strips, beats, store):
    """What `stored_after` says, from arrays and the contract."""
    pipe = plan.pipe
    steps = strips + pipe.delay
    none = np.zeros(steps, dtype=np.int64)
    stream = StreamWork(none, none - 1, none + beats)
    stores = np.where(np.arange(steps) < pipe.delay, 0, store)
    work = Work(none, none + NEVER, (stream,) if beats else (), stores)
    times = Times.at_start(len(work.streams), pipe)
    for end, active in pipe.stretches(0, steps, strips, plan.whole, plan.part):
        evaluate(work, times, end, pipe, active)
    return times.s1[-1]


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_strips_whose_data_is_there(target, name):
    plan = body_plan(target, body(BODIES[name]), 4, (target.vlen, 3))
    for case in [(1, 0, 0), (1, 5, 3), (2, 32, 64), (9, 0, 7), (24, 32, 64), (24, 64, 1)]:
        assert quick.stored_after(target, plan, *case) == stored_by_contract(target, plan, *case)


@given(kernels(max_points=20_000), st.data())
def test_the_elements_needed_at_a_point(case, data):
    target, kernel = case
    for stream in kernel.inputs:
        pattern = Pattern.of(stream, kernel.iteration, target.ring_bytes)
        point = data.draw(st.integers(0, kernel.points - 1))
        assert pattern.needed_at(point) == pattern.needed(np.array([point]))[0]


@pytest.fixture(name="loading")
def _loading(monkeypatch):
    """A process that has not loaded anything; lists what it compiles."""
    asked = []
    monkeypatch.setattr(quick, "_compiled", quick._Compiled())
    monkeypatch.setattr(quick, "compiled_walk", lambda: asked.append(1) or scalar.walk)
    return asked


def test_long_walks_are_compiled(loading):
    column = ("f32", 0x8000, (8_000, 1)), ("i8", 0x8003, (1, 2999))
    short, long = (simple(ACCEL, (n, 2999), *column) for n in (10, 8_000))
    expected = kernel_times(ACCEL, short, Starts(), quick=False)
    assert kernel_times(ACCEL, short, Starts()) == expected
    assert not loading
    kernel_times(ACCEL, simple(ACCEL, (8,), ("f32", 0x8000, (8,))), Starts())
    assert not loading
    strips = quick.COMPILE_WORK + 1
    assert quick._compiled.walk_for(strips) is scalar.walk
    assert long.strips > quick.COMPILE_WORK
    assert loading == [1]


def test_many_short_walks_are_compiled(loading):
    kernel = simple(ACCEL, (8, 100), ("f32", 0x8000, (8, 100)))
    expected = kernel_times(ACCEL, kernel, Starts())
    assert not loading
    work = 2 * kernel.strips // quick.PLAIN_PARTS
    for _ in range(quick.COMPILE_WORK // work):
        assert kernel_times(ACCEL, kernel, Starts()) == expected
    assert loading == [1]


@pytest.mark.usefixtures("without_numba")
def test_nothing_needs_numba(monkeypatch):
    monkeypatch.setattr(quick, "_compiled", quick._Compiled())
    quick.compiled_walk.cache_clear()
    kernel = simple(TINY, (30_000, 64), ("f32", 0x8000, (30_000, 64)), ("i8", 0x8003, (1, 64)))
    assert quick._compiled.walk_for(1 << 20) is None
    assert kernel_times(TINY, kernel, Starts()) == kernel_times(TINY, kernel, Starts(), skip=False)


def test_the_histories_reach_back_far_enough():
    constants = load().timing
    assert max(constants.fetched_strips, constants.landing_strips) < places.HISTORY
