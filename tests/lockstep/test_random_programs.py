"""Random programs with random shapes: simulator and hardware agree in everything."""

from __future__ import annotations

import pytest
from breadth import breadth
from lockstep import counts
from lockstep.support import TARGETS, fresh, machine
from random_programs.check import Way, check

from hwc.runtime.lockstep import Lockstep

CHUNK = 40
CHUNKS, LONG_CHUNKS, MOST_CHUNKS = 2, 8, 25
"""Chunks of programs for each target: 240 programs as a rule, 3,000 in the long run."""


def play(pair: Lockstep, chunk: int) -> None:
    target = pair.target.name
    for seed in range(CHUNK * chunk, CHUNK * (chunk + 1)):
        before = {what: getattr(pair, what) for what in ("dispatches", "faults", "cycles")}
        pair.differences.clear()
        check(seed, Way(target, forms=(), device=pair))
        done = {what: getattr(pair, what) - number for what, number in before.items()}
        counts.add(target, cases=1, differences=len(pair.differences), **done)
        line = f"PYTHONPATH=.:tests python -m random_programs.check {seed}"
        differences = "\n".join(pair.differences)
        assert not pair.differences, f"seed {seed}:\n{differences}\nprogram: {line}"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_programs(target, chunk):
    play(machine(target), chunk)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "chunk", [*range(CHUNKS, LONG_CHUNKS), *breadth(range(LONG_CHUNKS, MOST_CHUNKS))]
)
def test_many_random_programs(target, chunk):
    with fresh(target, 1 + chunk) as pair:
        play(pair, chunk)
