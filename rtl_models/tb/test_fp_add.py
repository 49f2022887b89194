"""Bench of `fp_add`: sums and differences of floats against golden."""

from __future__ import annotations

import pytest

from rtl_models.tb.unit_bench import Unit, build, check, instructions
from rtl_models.tb.vectors import Random, float_corners, product

SEED = 1
COUNT = 1_000_000

NAMES = [i.name for i in instructions("fadd")]


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("fp_add")


def test_corners(unit: Unit) -> None:
    """Every pair of corner values, added and subtracted."""
    corners = float_corners()
    check(unit, dict.fromkeys(NAMES, product([corners, corners])), SEED)


def test_random(unit: Unit) -> None:
    """A million pairs: all exponents, near-cancellation, subnormals, with corners mixed in."""
    random = Random(SEED)
    check(unit, {name: random.float_pairs(COUNT // len(NAMES)) for name in NAMES}, SEED)
