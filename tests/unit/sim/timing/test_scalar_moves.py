"""Skipping strips changes no time: what `sim.timing.scalar` remembers, forgets and repeats."""

import dataclasses
from math import prod

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernels import ALL_TARGETS, BODIES, TARGETS, body, simple

from isa.load import load
from sim.kernel import Kernel, Stream
from sim.timing import kernel_times, places, quick, scalar, scalar_memo
from sim.timing.body_plan import body_plan
from sim.timing.contract import ALL_FREE, Starts
from sim.timing.packed_walk import PackedWalk
from sim.timing.spans import common_span

ACCEL, TINY, WIDE = TARGETS.values()


@pytest.fixture(name="compiled", scope="module")
def _compiled():
    return quick.compiled_walk()


TARGETS_AND_SMALL_RINGS = ALL_TARGETS | {
    "small rings": dataclasses.replace(TINY, name="small rings", ring_bytes=256, memory_latency=90),
    "half": dataclasses.replace(ACCEL, name="half", ring_bytes=3072),
}
ODD = st.one_of(
    *[st.integers(*ends).map(lambda n: n | 1) for ends in ((1, 9), (9, 400), (999, 6000))]
)


@st.composite
def odd_kernels(draw, points):
    """A target and a kernel of about some points whose sizes are odd, so strips begin anywhere.

    Each stream repeats along some dimensions.
    """
    target = draw(st.sampled_from(list(TARGETS_AND_SMALL_RINGS.values())))
    inner = draw(st.lists(ODD, max_size=3))
    while prod(inner) > points:
        inner.pop()
    sizes = tuple(draw(st.permutations([*inner, max(1, points // prod(inner)) | 1])))
    operations = body(BODIES[draw(st.sampled_from(list(BODIES)))])
    read = load().operands["input"]
    codes = sorted({s for o in operations for s in o.sources if read.holds(s)})
    types = [kind for kind in load().types.values() if kind.bytes <= 4]

    def stream(code, own):
        kind = draw(st.sampled_from(types))
        address = 0x10000 + draw(st.integers(0, 4200)) * kind.bytes
        return Stream.dense(code, kind, address, own)

    inputs = []
    whole = draw(st.sampled_from(codes))
    for code in codes:
        keeps = [code == whole or draw(st.booleans()) for _ in sizes]
        inputs.append(stream(code, tuple(n if k else 1 for n, k in zip(sizes, keeps, strict=True))))
    output = stream(load().operands["output"].first, sizes)
    lanes, vlen = target.lanes, target.vlen
    return target, Kernel(0, tuple(inputs), (output,), operations, sizes, lanes, vlen, 4)


STARTS = st.builds(Starts, *[st.integers(0, 300)] * 3)


def times(target, kernel, walk, starts=ALL_FREE, span=True):
    """The times by a walk, and the number of strips it evaluated.

    Without `span`, the walk does not look for periods of the streams.
    """
    evaluated = []

    def counting(*arguments):
        walk(*arguments)
        evaluated.append(int(arguments[-1][places.EVALUATED]))

    walks = [PackedWalk.of(target, kernel, stream) for stream in kernel.inputs]
    left = kernel.points - (kernel.strips - 1) * kernel.vlen
    plan = body_plan(target, kernel.body, kernel.copies, (kernel.vlen, left))
    common = common_span(walks, kernel.vlen, 1) if span else None
    found = quick.scalar_times(target, kernel, starts, walks, plan, common, counting)
    return found, evaluated[0]


@settings(max_examples=100, suppress_health_check=list(HealthCheck), deadline=None)
@given(odd_kernels(400_000), STARTS, st.booleans())
def test_odd_kernels(compiled, case, starts, span):
    expected = kernel_times(*case, starts, skip=False)
    assert times(*case, compiled, starts, span)[0] == expected


@pytest.mark.long
@settings(max_examples=3000, suppress_health_check=list(HealthCheck), deadline=None)
@given(odd_kernels(1_000_000), STARTS, st.booleans())
def test_many_odd_kernels(compiled, case, starts, span):
    expected = kernel_times(*case, starts, skip=False)
    assert times(*case, compiled, starts, span)[0] == expected


@settings(max_examples=30, suppress_health_check=list(HealthCheck), deadline=None)
@given(odd_kernels(20_000), STARTS, st.booleans())
def test_odd_kernels_in_python(case, starts, span):
    """Without numba, arrays refuse places that they do not have."""
    expected = kernel_times(*case, starts, skip=False)
    assert times(*case, scalar.walk, starts, span)[0] == expected


@pytest.mark.parametrize(("states", "moves"), [(2, 2), (4, 4), (512, 4), (4, 1024)])
@settings(max_examples=15, suppress_health_check=list(HealthCheck), deadline=None)
@given(odd_kernels(100_000), STARTS, st.booleans())
def test_a_small_memory(compiled, states, moves, case, starts, span):
    """A walk that forgets again and again, and rests."""
    expected = kernel_times(*case, starts, skip=False)
    before = quick.STATES, quick.MOVES
    quick.STATES, quick.MOVES = states, moves
    try:
        assert times(*case, compiled, starts, span)[0] == expected
    finally:
        quick.STATES, quick.MOVES = before


def case_of(target, shape, own, kind="f32", whole="i8"):
    """A kernel of a whole stream and of one that repeats along some dimensions."""
    return target, simple(target, shape, (whole, 0x9000, shape), (kind, 0x8000, own))


CASES = {
    "a column": case_of(ACCEL, (3000, 1001), (3000, 1), whole="f32"),
    "a row that its ring does not hold": case_of(ACCEL, (2000, 5001), (1, 5001)),
    "rows that are fetched several times": case_of(ACCEL, (900, 3, 5001), (900, 1, 5001)),
    "a column of a middle size": case_of(TINY, (10, 400, 501), (1, 400, 1), "f16"),
    "half as many elements as points": case_of(WIDE, (11, 99_999, 2), (1, 99_999, 1)),
    "a third as many": case_of(ACCEL, (9, 99_999, 3), (1, 99_999, 1)),
    "a fifth, and few rows": case_of(TINY, (30, 3001, 5), (1, 3001, 1), "f32", "f32"),
    "cuts in every strip": case_of(ACCEL, (9, 49_999, 3, 2), (1, 49_999, 1, 2)),
    "cuts where nothing is fetched": case_of(WIDE, (400, 41, 87, 2), (1, 41, 1, 2), "f16"),
    "a block that fills most of a ring": case_of(ACCEL, (500, 3, 1501), (500, 1, 1501)),
    "a block that fills half of a ring": case_of(ACCEL, (500, 5, 1101), (500, 1, 1101)),
}


@pytest.mark.parametrize("span", [True, False])
@pytest.mark.parametrize("name", ["add.f32", "exp.f32"])
@pytest.mark.parametrize("ring", [256, 512, 640, 1024])
@pytest.mark.parametrize("shape", [(5001,), (501, 3, 61), (301, 2, 33), (99, 5, 101), (77, 3, 199)])
def test_rings_without_room(shape, ring, name, span, compiled):
    target = dataclasses.replace(TINY, name="small rings", ring_bytes=ring, memory_latency=90)
    own = (shape[0], *[1] * (len(shape) - 2), *shape[2:])
    kernel = simple(target, shape, ("i8", 0x9000, shape), ("f32", 0x8004, own), name=name)
    expected = kernel_times(target, kernel, ALL_FREE, skip=False)
    assert times(target, kernel, compiled, span=span)[0] == expected


@pytest.mark.parametrize("span", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_few_strips_are_evaluated(name, span, compiled):
    target, kernel = CASES[name]
    found, evaluated = times(target, kernel, compiled, span=span)
    assert found == kernel_times(target, kernel, ALL_FREE, skip=False)
    assert name.startswith("a block") or evaluated < 1200 < kernel.strips


def test_rows_in_one_place_are_told_apart(monkeypatch):
    """All hashes are equal."""
    kernel = simple(TINY, (300, 101), ("f32", 0x9000, (300, 101)), ("f32", 0x8000, (300, 1)))
    expected = kernel_times(TINY, kernel, ALL_FREE, skip=False)
    monkeypatch.setattr(scalar_memo, "HASHED", 0)
    assert times(TINY, kernel, scalar.walk)[0] == expected
