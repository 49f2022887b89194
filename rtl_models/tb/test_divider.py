"""Bench of `divider`: quotients, remainders and roots against golden."""

from __future__ import annotations

import numpy as np
import pytest

from rtl_models.tb.unit_bench import Unit, build, check, instructions, kind_of
from rtl_models.tb.vectors import (
    I32Array,
    Operands,
    Random,
    float_corners,
    integer_corners,
    join,
    product,
)

SEED = 5
COUNT = 1_200_000

INSTRUCTIONS = instructions("div")
PART = COUNT // len(INSTRUCTIONS) // 4


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("divider")


def test_corners(unit: Unit) -> None:
    """Every pair of corner values: 0 as the divisor, the least number by -1, a NaN's root."""
    operands: dict[str, Operands] = {}
    for instruction in INSTRUCTIONS:
        corners = float_corners() if kind_of(instruction) == "float" else integer_corners()
        operands[instruction.name] = product([corners] * len(instruction.operands))
    check(unit, operands, SEED)


def random_integers(random: Random) -> Operands:
    """Draw integers of every magnitude, random bits by integers, and multiples of the divisor."""
    divisor = random.integers(PART)
    multiples = divisor * (random.integers(PART) >> 16)
    return join(
        [
            [random.integers(PART * 2), random.integers(PART * 2)],
            [random.lanes(PART), random.integers(PART)],
            [multiples, divisor],
        ]
    )


def random_quotients(random: Random) -> Operands:
    """Draw pairs of floats, also such that the quotient is a short number, or close to one."""
    short = random.floats(PART, 100, 154).view(np.float32)
    divisor = random.floats(PART, 100, 154)
    near = (short * divisor.view(np.float32)).view(np.int32)
    return join([random.float_pairs(PART * 3), [near, divisor]])


def random_remainders(random: Random) -> Operands:
    """Draw pairs of floats whose exponents differ by about what a step takes, or by anything."""
    parts: list[Operands] = [random.float_pairs(PART)]
    for distance in (8, 31, 36):
        dividend = random.floats(PART)
        parts.append([dividend, random.near(dividend, distance)])
    return join(parts)


def random_radicands(random: Random) -> I32Array:
    """Draw floats, most of them positive, squares of short numbers and their neighbours."""
    root = random.floats(PART, 64, 190).view(np.float32)
    positive = random.floats(2 * PART) & np.int32(2**31 - 1)
    squares = (root * root).view(np.int32)
    return np.concatenate([random.floats(PART), positive, squares])


def test_random(unit: Unit) -> None:
    """Numbers of every magnitude, exact results and results close to them."""
    random = Random(SEED)
    operands: dict[str, Operands] = {}
    for instruction in INSTRUCTIONS:
        if instruction.name.startswith("sqrt."):
            operands[instruction.name] = [random_radicands(random)]
        elif instruction.name == "remstep.f32":
            operands[instruction.name] = random_remainders(random)
        elif kind_of(instruction) == "float":
            operands[instruction.name] = random_quotients(random)
        else:
            operands[instruction.name] = random_integers(random)
    check(unit, operands, SEED)
