"""Bench of `int_div`: div.i32 against golden."""

from __future__ import annotations

import pytest

from rtl_models.tb.unit_bench import Unit, build, check, instructions
from rtl_models.tb.vectors import Random, integer_corners, join, product

SEED = 5
COUNT = 500_000

NAMES = [i.name for i in instructions("div")]


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("int_div")


def test_corners(unit: Unit) -> None:
    """Every pair of corner values: 0 as the divisor, the least number by -1."""
    corners = integer_corners()
    check(unit, dict.fromkeys(NAMES, product([corners, corners])), SEED)


def test_random(unit: Unit) -> None:
    """Integers of every magnitude, random bits by integers, and multiples of the divisor."""
    random = Random(SEED)
    part = COUNT // 4
    divisor = random.integers(part)
    multiples = divisor * (random.integers(part) >> 16)
    parts = [
        [random.integers(part * 2), random.integers(part * 2)],
        [random.lanes(part), random.integers(part)],
        [multiples, divisor],
    ]
    check(unit, dict.fromkeys(NAMES, join(parts)), SEED)
