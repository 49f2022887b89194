"""Bench of `alu`: every instruction of its unit against golden."""

from __future__ import annotations

import numpy as np
import pytest

from rtl_models.tb.unit_bench import Unit, build, check, instructions, kind_of
from rtl_models.tb.vectors import Operands, Random, float_corners, integer_corners, join, product

SEED = 6
COUNT = 24_000

INSTRUCTIONS = instructions("alu")
FLOATS = [i for i in INSTRUCTIONS if kind_of(i) == "float"]
FLOAT_COUNT = -(-1_000_000 // len(FLOATS))
"""Random operand sets of each instruction of `fp_alu`: a million of them all."""


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("alu")


def test_corners(unit: Unit) -> None:
    """Every pair of the corner values of the instruction's types (shift amounts are among them)."""
    operands: dict[str, Operands] = {}
    for instruction in INSTRUCTIONS:
        corners = float_corners() if instruction in FLOATS else integer_corners()
        count = len(instruction.operands)
        few = [corners[:: len(corners) // 9]] if count == 3 else []
        operands[instruction.name] = product([corners] * min(count, 2) + few)
    check(unit, operands, SEED)


def test_random(unit: Unit) -> None:
    """Random operands of the instruction's types, narrow instructions with lanes of any value."""
    random = Random(SEED)
    operands: dict[str, Operands] = {}
    for instruction in INSTRUCTIONS:
        count = len(instruction.operands)
        if instruction in FLOATS:
            parts = [
                random.float_pairs(FLOAT_COUNT // 2)[:count],
                [random.floats(FLOAT_COUNT // 2 + 1, 120, 155) for _ in range(count)],
            ]
        else:
            parts = [
                [random.integers(COUNT // 3) for _ in range(count)],
                [random.lanes(COUNT // 3) for _ in range(count)],
                # Shift amounts, equal operands.
                [
                    random.lanes(COUNT // 3),
                    random.integer(0, 40, COUNT // 3).astype(np.int32),
                    random.lanes(COUNT // 3),
                ][:count],
                [random.integers(COUNT // 12)] * count,
            ]
        operands[instruction.name] = join(parts)
    check(unit, operands, SEED)
