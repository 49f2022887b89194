"""Bench of `int_mul`: integer products against golden."""

from __future__ import annotations

import numpy as np
import pytest

from rtl_models.tb.unit_bench import Unit, build, check, instructions
from rtl_models.tb.vectors import Operands, Random, integer_corners, join, lanes, product

SEED = 4
COUNT = 200_000

LOW_BITS, SHIFTED = (
    [i.name for i in instructions("mul") if i.operation in operations]
    for operations in (("mul", "mulhu"), ("mulsh", "mulshd", "shrw"))
)


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("int_mul")


def test_corners(unit: Unit) -> None:
    """Every pair of corner values; for shifted products limits of the type with every shift."""
    corners = integer_corners()
    limits = lanes([-(2**31), -(2**31) + 1, -(2**16), -3, -1, 0, 1, 2, 5, 2**16, 2**31 - 1])
    shifts = np.arange(-1, 129, dtype=np.int32)
    operands: dict[str, Operands] = dict.fromkeys(LOW_BITS, product([corners, corners]))
    operands |= dict.fromkeys(SHIFTED, product([limits, limits, shifts]))
    check(unit, operands, SEED)


def test_random(unit: Unit) -> None:
    """Random integers of every magnitude and random bits."""
    random = Random(SEED)
    operands: dict[str, Operands] = {
        name: join(
            [[random.integers(COUNT // 2) for _ in "ab"], [random.lanes(COUNT // 2) for _ in "ab"]]
        )
        for name in LOW_BITS
    }
    for name in SHIFTED:
        operands[name] = [random.integers(COUNT), random.integers(COUNT), random.lanes(COUNT)]
    check(unit, operands, SEED)
