"""What the random dispatches of the default run reach, on every target."""

from __future__ import annotations

from collections import Counter

import pytest
from lockstep.generator import (
    MEMORY_BASE,
    MEMORY_BYTES,
    TYPE_WEIGHTS,
    UNIT_WEIGHTS,
    Generator,
    Limits,
)
from lockstep.spoil import AIM_WEIGHTS
from lockstep.support import TARGETS, place
from lockstep.test_random import CHUNK, CHUNKS

from isa.load import load
from isa.target import load_target
from sim.machine import Machine
from sim.memory import Memory


@pytest.fixture(scope="module", params=TARGETS)
def features(request) -> Counter[str]:
    """What the default seeds draw, and the faults with which the simulator stops on them."""
    found: Counter[str] = Counter()
    target = load_target(request.param)
    for seed in range(CHUNK * CHUNKS):
        dispatch = Generator(target, seed, Limits()).draw()
        found.update(dispatch.features)
        memory = Memory(MEMORY_BYTES, MEMORY_BASE)
        place(dispatch, memory)
        run = Machine(target).run(
            memory,
            dispatch.program_address,
            len(dispatch.words),
            dispatch.packet_address,
            len(dispatch.packet),
            window=dispatch.window,
            with_timing=False,
        )
        found[f"fault {run.fault.name if run.fault else 'none'}"] += 1
    return found


def test_every_instruction(features):
    missing = [
        instruction.name
        for instruction in load().instructions.values()
        if not instruction.is_control and not features[f"instruction {instruction.name}"]
    ]
    assert not missing


def test_every_type(features):
    assert set(TYPE_WEIGHTS) == set(load().types)
    assert all(features[f"type {name}"] for name in load().types)


def test_every_fault(features):
    missing = [name for name in load().faults if not features[f"fault {name}"]]
    assert not missing
    assert features["fault none"] > CHUNK * CHUNKS // 2


def test_weights_name_what_there_is():
    assert set(AIM_WEIGHTS) == {*load().faults, "largest_program", "largest_packet"}
    assert set(UNIT_WEIGHTS) == set(load().units)


def test_patterns(features):
    """From the outside in, R repeats and D is data: all up to three levels, and deeper ones."""
    patterns = {name.split()[1] for name in features if name.startswith("pattern")}
    assert {"-", "D", "R", "DR", "RD", "RDR", "DRD"} <= patterns
    assert any(len(pattern) > 3 for pattern in patterns)
    assert {name.split()[-1] for name in features if name.startswith("pattern")} >= set("123456")


def test_corners(features):
    assert features["in place"]
    assert features["zero size"]
    assert features["aimed largest_program"]
    assert features["aimed largest_packet"]


def test_the_same_seed_gives_the_same():
    target = load_target("accel")
    one, two = (Generator(target, 7, Limits()).draw() for _ in range(2))
    assert (one.words, one.packet, one.window) == (two.words, two.packet, two.window)
    assert (one.memory == two.memory).all()
