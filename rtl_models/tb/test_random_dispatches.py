"""What the random dispatches of the default run reach, on every target."""

from __future__ import annotations

from collections import Counter

import pytest

from isa.load import load
from isa.target import load_target
from rtl_models.tb.random_dispatches import (
    DEFAULT_SEEDS,
    MEMORY_BASE,
    MEMORY_BYTES,
    TYPE_WEIGHTS,
    UNIT_WEIGHTS,
    Generator,
    Limits,
)
from rtl_models.tb.spoil import AIM_WEIGHTS
from sim.machine import Machine
from sim.memory import Memory


@pytest.fixture(scope="module", params=("tiny", "accel", "wide"))
def features(request: pytest.FixtureRequest) -> Counter[str]:
    """What the default seeds draw, and the faults with which the simulator stops on them."""
    found: Counter[str] = Counter()
    target = load_target(request.param)
    for seed in range(DEFAULT_SEEDS):
        dispatch = Generator(target, seed, Limits()).draw()
        found.update(dispatch.features)
        memory = Memory(MEMORY_BYTES, MEMORY_BASE)
        dispatch.store(memory)
        outcome = Machine(target).run(memory, dispatch.job, with_timing=False)
        found[f"fault {outcome.fault.name if outcome.fault else 'none'}"] += 1
    return found


def test_every_instruction(features: Counter[str]) -> None:
    missing = [
        instruction.name
        for instruction in load().instructions.values()
        if not instruction.is_control and not features[f"instruction {instruction.name}"]
    ]
    assert not missing


def test_every_type(features: Counter[str]) -> None:
    assert set(TYPE_WEIGHTS) == set(load().types)
    assert all(features[f"type {name}"] for name in load().types)


def test_every_fault(features: Counter[str]) -> None:
    missing = [name for name in load().faults if not features[f"fault {name}"]]
    assert not missing
    assert features["fault none"] > DEFAULT_SEEDS // 2


def test_weights_name_what_there_is() -> None:
    assert set(AIM_WEIGHTS) == {*load().faults, "largest_program", "largest_packet"}
    assert set(UNIT_WEIGHTS) == set(load().units)


def test_patterns(features: Counter[str]) -> None:
    """From the outside in, R repeats and D is data: all up to three levels, and deeper ones."""
    patterns = {name.split()[1] for name in features if name.startswith("pattern")}
    assert {"-", "D", "R", "DR", "RD", "RDR", "DRD"} <= patterns
    assert any(len(pattern) > 3 for pattern in patterns)
    assert {name.split()[-1] for name in features if name.startswith("pattern")} >= set("123456")


def test_corners(features: Counter[str]) -> None:
    assert features["in place"]
    assert features["zero size"]
    assert features["aimed largest_program"]
    assert features["aimed largest_packet"]


def test_the_same_seed_gives_the_same() -> None:
    target = load_target("accel")
    one, two = (Generator(target, 7, Limits()).draw() for _ in range(2))
    assert (one.words, one.packet, one.window) == (two.words, two.packet, two.window)
    assert (one.memory == two.memory).all()
