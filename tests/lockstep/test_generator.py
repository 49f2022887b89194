"""What the random dispatches of the default run reach."""

from __future__ import annotations

from collections import Counter

import pytest
from lockstep.generator import Generator, Limits
from lockstep.test_random import CHUNK, CHUNKS

from isa.load import load
from isa.target import load_target


@pytest.fixture(scope="module")
def features() -> Counter[str]:
    found: Counter[str] = Counter()
    target = load_target("tiny")
    for seed in range(CHUNK * CHUNKS):
        found.update(Generator(target, seed, Limits()).draw().features)
    return found


def test_every_instruction(features):
    for instruction in load().instructions.values():
        if not instruction.is_control:
            assert features[f"instruction {instruction.name}"]


def test_patterns(features):
    """From the outside in, R repeats and D is data: all up to three levels, and deeper ones."""
    patterns = {name.split()[1] for name in features if name.startswith("pattern")}
    assert {"-", "D", "R", "DR", "RD", "RDR", "DRD"} <= patterns
    assert any(len(pattern) > 3 for pattern in patterns)
    assert {name.split()[-1] for name in features if name.startswith("pattern")} >= set("123456")


def test_corners(features):
    assert features["in place"]
    assert features["zero size"]


def test_the_same_seed_gives_the_same():
    target = load_target("accel")
    one, two = (Generator(target, 7, Limits()).draw() for _ in range(2))
    assert (one.words, one.packet, one.window) == (two.words, two.packet, two.window)
    assert (one.memory == two.memory).all()
