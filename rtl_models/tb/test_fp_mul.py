"""Bench of `fp_mul`: products of floats against golden."""

from __future__ import annotations

import pytest

from rtl_models.tb.unit_bench import Unit, build, check, instructions
from rtl_models.tb.vectors import Random, float_corners, product

SEED = 2
COUNT = 1_000_000

NAMES = [i.name for i in instructions("fmul")]


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("fp_mul")


def test_corners(unit: Unit) -> None:
    """Every pair of corner values."""
    corners = float_corners()
    check(unit, dict.fromkeys(NAMES, product([corners, corners])), SEED)


def test_random(unit: Unit) -> None:
    """A million pairs: all exponents, ties, products about the least and the greatest numbers."""
    random = Random(SEED)
    check(unit, {name: random.float_pairs(COUNT // len(NAMES)) for name in NAMES}, SEED)
