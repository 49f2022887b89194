"""Bench of `fp_mul`: mul.f32 against golden."""

from __future__ import annotations

import pytest

from rtl_models.tb.unit_bench import Unit, build, check
from rtl_models.tb.vectors import Random, float_corners, product

SEED = 2
COUNT = 1_000_000


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("fp_mul")


def test_corners(unit: Unit) -> None:
    """Every pair of corner values."""
    corners = float_corners()
    check(unit, {"mul.f32": product([corners, corners])}, SEED)


def test_random(unit: Unit) -> None:
    """A million pairs: all exponents, ties, products about the least and the greatest numbers."""
    check(unit, {"mul.f32": Random(SEED).float_pairs(COUNT)}, SEED)
