"""Registers and memories that begin with random values, and resets at random times.

All of lockstep begins with random values, drawn from one seed; here are other seeds. Many resets of
one dispatch are in `test_starts.py`.
"""

from __future__ import annotations

from random import Random

import pytest
from breadth import breadth
from lockstep.support import TARGETS, check, drawn, fresh

from hwc.runtime.lockstep import Lockstep
from rtl_models.tb.random_dispatches import Limits
from sim.memory import Memory

SEEDS = range(2, 8)
LONG_SEEDS = [*range(8, 20), *breadth(range(20, 58))]
LONG_DISPATCHES = 20


def interrupt(pair: Lockstep, number: int) -> None:
    """Reset the hardware at some time of a dispatch, most often within its load or its set-up."""
    random = Random(number)
    dispatch = drawn(pair.target, number, Limits())
    memory = Memory(len(dispatch.memory), dispatch.base)
    dispatch.store(memory)
    session = pair.hardware.session(memory.size, memory.base)
    session.load(memory.base, memory.view(memory.base, memory.size))
    session.start(dispatch.job)
    session.wait(int(2 ** random.uniform(0, 13)))
    session.reset()


def after_resets(pair: Lockstep, numbers: range) -> None:
    """Run each of these random dispatches after a reset within another one."""
    for number in numbers:
        interrupt(pair, number)
        check(pair, number + 1, Limits())


@pytest.mark.parametrize("target", TARGETS)
def test_random_initial_values(target):
    """After its first reset the machine is idle and has counted nothing; then it runs."""
    for seed in SEEDS:
        with fresh(target, seed) as pair:
            outcome = pair.hardware.session(1).outcome()
            assert (outcome.status, outcome.fault, outcome.axi_error) == ("idle", None, False)
            assert not any(outcome.counters.values())
            check(pair, seed, Limits())
            after_resets(pair, range(seed, seed + 2))


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", LONG_SEEDS)
def test_many_random_initial_values(target, seed):
    with fresh(target, seed) as pair:
        check(pair, seed, Limits())
        after_resets(pair, range(1000 * seed, 1000 * seed + LONG_DISPATCHES))
