"""Bench of `fp_fma`: sums, differences and products of floats, and fused ones, against golden."""

from __future__ import annotations

import numpy as np
import pytest

from rtl_models.tb.unit_bench import Unit, build, check, instructions
from rtl_models.tb.vectors import Operands, Random, float_corners, join, product

SEED = 8
COUNT = 1_000_000

ALL = instructions("fma")
FUSED = [i.name for i in ALL if len(i.operand_types) == 3]
PAIRS = [i.name for i in ALL if len(i.operand_types) == 2]


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("fp_fma")


def test_corners(unit: Unit) -> None:
    """Every pair of corner values; fused, with every fourth one as the addend."""
    corners = float_corners()
    operands = dict.fromkeys(PAIRS, product([corners, corners]))
    operands |= dict.fromkeys(FUSED, product([corners, corners, corners[::4]]))
    check(unit, operands, SEED)


def near_product(random: Random, a: np.ndarray, b: np.ndarray, ulps: int) -> np.ndarray:
    """Draw addends within some ulps of the products, of either sign: the sums cancel."""
    with np.errstate(all="ignore"):
        nearest = (a.view(np.float32) * b.view(np.float32)).view(np.int32)
    return random.neighbours(nearest & np.int32(2**31 - 1), ulps)


def test_random(unit: Unit) -> None:
    """Pairs: all exponents, near-cancellation, ties, subnormals, least and greatest products.

    Fused: any three floats, addends about the product, and those at all distances of a window.
    """
    random = Random(SEED)
    operands = {name: random.float_pairs(2 * COUNT // len(PAIRS)) for name in PAIRS}
    part = COUNT // 4
    parts: list[Operands] = []
    for kind in range(4):
        a, b = (
            [random.floats(part, 60, 190), random.floats(part, 60, 190)]
            if kind
            else random.float_pairs(part)
        )
        if kind == 0:
            c = random.floats(len(a))
        elif kind == 1:
            c = near_product(random, a, b, 1)
        elif kind == 2:
            c = near_product(random, a, b, 1 << 22)
        else:
            c = random.near(near_product(random, a, b, 0), 80)
        parts.append([a, b, c])
    check(unit, operands | dict.fromkeys(FUSED, join(parts)), SEED)
