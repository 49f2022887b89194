"""Bench of `special`: the special functions against golden."""

from __future__ import annotations

import numpy as np
import pytest

from rtl_models.tb.unit_bench import Unit, build, check, instructions
from rtl_models.tb.vectors import (
    I32Array,
    Operands,
    Random,
    float_corners,
    join,
    product,
)

SEED = 7
COUNT = 1_200_000

UNARY, BINARY = (
    [i.name for i in instructions("sfu") if len(i.operands) == count] for count in (1, 2)
)
EDGES = (0.5, 1.0, 2.0, 4.0, np.pi / 4, np.pi / 2, np.pi, 2.0**0.5, 0.5**0.5, 88.72, 103.97, 9.01)
"""Where a function changes its way: folds, ends of tables, overflow, underflow."""


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("special")


def corners() -> I32Array:
    """Return the corners of all floats and of the functions, with neighbours of both signs."""
    edges = np.array(EDGES, np.float32).view(np.int32)
    around = np.concatenate([edges + step for step in range(-3, 4)])
    return np.concatenate([float_corners(), around, around | np.int32(-(2**31))])


def near_one(random: Random, count: int) -> I32Array:
    """Draw numbers around 1, as many within an ulp as within a factor of two."""
    return random.neighbours(np.full(count, 0x3F800000, np.int32), 1 << 23)


def powers(random: Random, count: int) -> Operands:
    """Draw bases and powers, many of them whole, whose result is finite as a rule."""
    base = np.concatenate([near_one(random, count // 2), random.floats(count - count // 2, 1, 254)])
    logarithm = np.log2(np.abs(base.view(np.float32).astype(np.float64)))
    goal = random.generator.uniform(-152, 130, count)
    power = (goal / np.where(logarithm == 0, 1, logarithm)).astype(np.float32)
    power = np.where(random.integer(0, 2, count) == 0, np.rint(power), power)
    return [base, power.view(np.int32)]


def test_corners(unit: Unit) -> None:
    """Every corner value of every function, every pair of them for pow."""
    operands: dict[str, Operands] = {name: [corners()] for name in UNARY}
    operands |= dict.fromkeys(BINARY, product([corners(), corners()]))
    check(unit, operands, SEED)


def test_random(unit: Unit) -> None:
    """All exponents, exponents whose results are numbers, numbers around 1 and at the edges."""
    random = Random(SEED)
    part = COUNT // (len(UNARY) + len(BINARY)) // 4
    operands: dict[str, Operands] = {}
    edges = np.array(EDGES, np.float32).view(np.int32)
    for name in UNARY:
        strata = [
            random.floats(part),
            random.floats(part, 127 - 20, 127 + 8),
            near_one(random, part),
            random.neighbours(random.mix(edges, part), 1 << 12),
        ]
        operands[name] = [np.concatenate(strata)]
    for name in BINARY:
        operands[name] = join(
            [
                powers(random, 3 * part),
                [random.floats(part // 2, 100, 150), random.floats(part // 2, 120, 135)],
                [random.floats(part // 2), random.floats(part // 2)],
            ]
        )
    check(unit, operands, SEED)
