"""Bench of `fp_add`: add.f32 and sub.f32 against golden."""

from __future__ import annotations

import pytest

from rtl_models.tb.bench import Bench
from rtl_models.tb.unit_bench import build, check
from rtl_models.tb.vectors import Random, float_corners, product

SEED = 1
COUNT = 1_000_000


@pytest.fixture(scope="module")
def unit() -> Bench:
    """The unit, built once."""
    return build("fp_add", "fadd")


def test_corners(unit: Bench) -> None:
    """Every pair of corner values, added and subtracted."""
    corners = float_corners()
    check(unit, dict.fromkeys(("add.f32", "sub.f32"), product([corners, corners])), SEED)


def test_random(unit: Bench) -> None:
    """A million pairs: all exponents, near-cancellation, subnormals, with corners mixed in."""
    random = Random(SEED)
    check(unit, {name: random.float_pairs(COUNT // 2) for name in ("add.f32", "sub.f32")}, SEED)
