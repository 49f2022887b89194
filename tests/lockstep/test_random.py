"""Random dispatches, legal and illegal: simulator and hardware agree in everything."""

from __future__ import annotations

import pytest
from breadth import breadth
from lockstep.support import TARGETS, check, fresh, machine

from hwc.runtime.lockstep import Lockstep
from rtl_models.tb.random_dispatches import DEFAULT_SEEDS, Limits

CHUNKS = 6
CHUNK = DEFAULT_SEEDS // CHUNKS
LONG_CHUNKS, MOST_CHUNKS = 18, 60

EXTREMES = {
    "bursts of one word": {"burst_beats": 1, "memory_latency": 8},
    "a bus of 8 rows": {"axi_bits": 512, "burst_beats": 16},
    "rows of 4 bus words": {"lanes": 8, "special_rate": 4},
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
