"""Random dispatches, legal and illegal: simulator and hardware agree in everything."""

from __future__ import annotations

import pytest
from breadth import breadth
from lockstep.directed import INPUTS, OUTPUTS, Program, Stream, agree
from lockstep.support import SMALL_RINGS, TARGETS, check, fresh, machine

import isa
from hwc.runtime.lockstep import Lockstep
from isa.operands import O, S, T, V
from rtl_models.tb.random_dispatches import DEFAULT_SEEDS, Limits

CHUNKS = 6
CHUNK = DEFAULT_SEEDS // CHUNKS
LONG_CHUNKS, MOST_CHUNKS = 18, 60

LONG_STRIPS = {"vlen": 256, "ring_bytes": 4096}
"""A lane instruction has more beats than a special one takes cycles to its result."""

EXTREMES = {
    "bursts of one word": {"burst_beats": 1, "memory_latency": 8},
    "a bus of 8 rows": {"axi_bits": 512, "burst_beats": 16},
    "rows of 4 bus words": {"lanes": 8, "special_rate": 4},
    "strips of 128 rows": LONG_STRIPS,
    "rings of four strips": SMALL_RINGS,
}
"""Sizes that no named target has."""


def play_chunk(pair: Lockstep, chunk: int, limits: Limits) -> None:
    for seed in range(CHUNK * chunk, CHUNK * (chunk + 1)):
        check(pair, seed, limits)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_dispatches(target, chunk):
    play_chunk(machine(target), chunk, Limits())


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "chunk", [*range(CHUNKS, LONG_CHUNKS), *breadth(range(LONG_CHUNKS, MOST_CHUNKS))]
)
def test_many_random_dispatches(target, chunk):
    with fresh(target, 1 + chunk) as pair:
        play_chunk(pair, chunk, Limits(points=20000 if chunk % 4 == 0 else 3000))


@pytest.mark.long
@pytest.mark.parametrize("changes", EXTREMES.values(), ids=EXTREMES)
def test_extreme_sizes(changes):
    with fresh("tiny", 1, name="extreme", **changes) as pair:
        play_chunk(pair, 0, Limits())


@pytest.mark.long
def test_groups_of_a_strip_follow_each_other():
    """What a group waits for is there before the group before it on the same strip has ended."""
    body = [
        isa.encode("exp.f32", dst=T(0), a=S(0)),
        isa.encode("abs.f32", dst=V(0), a=T(0)),
        isa.encode("exp.f32", dst=T(1), a=V(0)),
        isa.encode("add.f32", dst=O(0), a=T(1), b=S(0)),
    ]
    with fresh("tiny", 1, name="extreme", **LONG_STRIPS) as pair:
        for points in (256, 129):
            program = Program()
            streams = [Stream(S(0), "f32", (points,), INPUTS)]
            streams += [Stream(O(0), "f32", (points,), OUTPUTS)]
            program.kernel(streams, body, copies=4)
            assert agree(pair, program).fault is None
