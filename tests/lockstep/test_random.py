"""Random dispatches, legal ones and spoiled ones: simulator and hardware agree in everything."""

from __future__ import annotations

import pytest
from lockstep.generator import Limits
from lockstep.support import TARGETS, check, machine

CHUNK = 20
CHUNKS = 6
LONG_CHUNKS = 60


def play_chunk(target: str, chunk: int, limits: Limits) -> None:
    pair = machine(target)
    for seed in range(CHUNK * chunk, CHUNK * (chunk + 1)):
        check(pair, seed, limits)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_dispatches(target, chunk):
    play_chunk(target, chunk, Limits())


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("chunk", range(CHUNKS, LONG_CHUNKS))
def test_many_random_dispatches(target, chunk):
    play_chunk(target, chunk, Limits(points=20000 if chunk % 4 == 0 else 3000))
