"""Skipping the steady state changes no counter, whatever the windows; and it does skip."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from kernels import BODIES, TARGETS, body, kernel_of, kernels, simple

from sim.timing import kernel_time, steady, walk


@pytest.fixture(name="evaluated")
def _evaluated(monkeypatch):
    """Count the strips that are evaluated one by one."""
    count = [0]
    original = steady.evaluate

    def counting(work, times, end, *others):
        count[0] += end - times.steps
        original(work, times, end, *others)

    monkeypatch.setattr(steady, "evaluate", counting)
    return count


def agree(target, kernel, window):
    """Compare with and without skipping."""
    expected = kernel_time(target, kernel, skip=False)
    before = walk.WINDOW_STRIPS
    walk.WINDOW_STRIPS = window
    try:
        assert kernel_time(target, kernel, quick=False) == expected
    finally:
        walk.WINDOW_STRIPS = before


ACCEL, TINY, WIDE = TARGETS.values()
LATE_WAIT = simple(TINY, (700, 640), ("f32", 0x8000, (700, 1)), ("i8", 0x8000, (1, 640)))


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(kernels(max_points=150_000), st.sampled_from([4, 50, 1000, 8192]))
@example((TINY, LATE_WAIT), 8192)
@example((TINY, LATE_WAIT), 2000)
def test_random_kernels(case, window):
    agree(*case, window)


@pytest.mark.parametrize("window", [4, 50, 8192])
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_bodies_of_several_phases(target, name, window, evaluated):
    kernel = kernel_of(target, body(BODIES[name]), 500 * target.vlen + 7, 4)
    agree(target, kernel, window)
    if window > 500:
        before = evaluated[0]
        kernel_time(target, kernel, quick=False)
        assert evaluated[0] - before < 250


@pytest.mark.parametrize("window", [700, 8192])
@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
@pytest.mark.parametrize(
    "sizes",
    [
        [(2000, 256)] * 2,
        [(2000, 256), (256,)],
        [(2000, 256), (2000, 1)],
        [(2000, 256), ()],
        [(2000, 1), (1, 256)],
        [(2000, 250), (2000, 1)],
        [(20, 5, 2000), (20, 1, 2000)],
        [(20, 3, 6000), (20, 1, 6000)],
        [(4, 16384), (16384,)],
        [(50, 3, 7, 300), (50, 1, 7, 1), (1, 3, 1, 300)],
        [],
    ],
    ids=str,
)
def test_patterns(target, sizes, window):
    rank = max((len(s) for s in sizes), default=2)
    padded = [(1,) * (rank - len(s)) + s for s in sizes]
    iteration = tuple(map(max, *padded)) if len(padded) > 1 else (2000, 300)
    for shift in (0, 4):
        inputs = [("f32", 0x100000 + shift + (n << 24), s) for n, s in enumerate(sizes)]
        agree(target, simple(target, iteration, *inputs), window)


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
@pytest.mark.parametrize(
    "sizes", [(1024, 1024), (1024,), (1024, 1), ()], ids=["dense", "row", "column", "scalar"]
)
def test_steady_state_is_skipped(target, sizes, evaluated):
    inputs = ("f32", 0x100000, (1024, 1024)), ("f32", 0x4000000, sizes)
    kernel_time(target, simple(target, (1024, 1024), *inputs), quick=False)
    assert evaluated[0] < (1 << 20) // target.vlen // 4


@pytest.mark.parametrize("shift", [0, 4, 60])
@pytest.mark.parametrize(
    ("iteration", "sizes"),
    [
        ((4000, 600), (600,)),  # larger than a ring: the same run in every pass
        ((400, 10, 600), (10, 600)),
        ((4000, 600, 2), (600, 1)),
        ((3000, 3, 100), (3000, 1, 100)),  # a block in the ring, then the next one
        ((9000, 5, 3, 10), (9000, 1, 3, 1)),
        ((9000, 5, 3, 10), (5, 3, 10)),
    ],
    ids=str,
)
def test_long_periods(iteration, sizes, shift, evaluated):
    """The first window has several periods: few strips are evaluated, and no counter changes."""
    padded = (1,) * (len(iteration) - len(sizes)) + sizes
    inputs = ("f32", 0x100000 + shift, padded), ("i8", 0x4000000, (1,) * len(iteration))
    for kernel in (simple(TINY, iteration, *inputs), simple(TINY, iteration, inputs[0])):
        expected = kernel_time(TINY, kernel, skip=False)
        before = evaluated[0]
        assert kernel_time(TINY, kernel, quick=False) == expected
        assert evaluated[0] - before < expected["strips"] // 4


def test_a_jump_moves_on_what_the_ring_of_a_column_remembers():
    """A column larger than its ring: after the jump, strips look back on elements jumped over."""
    inputs = ("f32", 0x100000, (12_000, 1)), ("i8", 0x4000000, (1, 64))
    agree(TINY, simple(TINY, (12_000, 64), *inputs), 2500)


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
@pytest.mark.parametrize("sizes", [(1 << 20, 1 << 10), (1 << 10,), ()], ids=str)
def test_a_long_steady_state_costs_no_more_than_a_short_one(target, sizes, evaluated):
    inputs = ("i8", 0x100000, (1 << 20, 1 << 10)), ("i8", 1 << 32, sizes)
    counters = kernel_time(target, simple(target, (1 << 20, 1 << 10), *inputs), quick=False)
    assert counters["strips"] == (1 << 30) // target.vlen
    assert evaluated[0] < 10_000
    # Sums are checked against what they must be; the times against short walks elsewhere.
    assert counters["broadcast_busy"] == 2 * (1 << 30) // target.lanes + counters["cuts"]
    assert counters["read_beats"] * target.axi_bytes == counters["bytes_read"] + (
        target.axi_bytes - 1 if sizes == () else 0
    )
