"""Bench of `fp_convert`: conversions between integers and float32 against golden."""

from __future__ import annotations

import numpy as np
import pytest

import isa
from rtl_models.tb.unit_bench import Unit, build, check, instructions
from rtl_models.tb.vectors import Operands, Random, float_corners, integer_corners, join
from sim.semantics.formats import LANE

SEED = 3
COUNT = 1_000_000

TO_FLOAT, TO_INTEGER = (
    [i for i in instructions("cvt") if i.operation == operation]
    for operation in ("to_float", "to_integer")
)


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("fp_convert")


def test_corners(unit: Unit) -> None:
    """Corner values, and every half between -300 and 300 (ties to even, limits of i8)."""
    halves = (np.arange(-600, 601, dtype=np.float32) / 2).view(np.int32)
    floats = np.concatenate([float_corners(), halves])
    operands: dict[str, Operands] = {i.name: [integer_corners()] for i in TO_FLOAT}
    operands |= {i.name: [floats] for i in TO_INTEGER}
    check(unit, operands, SEED)


def test_random(unit: Unit) -> None:
    """A million numbers: integers of every magnitude, floats in and about the integers' range."""
    random = Random(SEED)
    part = COUNT // (len(TO_FLOAT) + len(TO_INTEGER))
    operands: dict[str, Operands] = {}
    for instruction in TO_FLOAT:
        operands[instruction.name] = join([[random.integers(part // 2)], [random.lanes(part // 2)]])
    for instruction in TO_INTEGER:
        limit = LANE.max_exponent + isa.load().types[str(instruction.result_type)].bits - 1
        operands[instruction.name] = join(
            [
                [random.floats(part // 2, 120, limit + 2)],
                [random.floats(part // 4, 118, 160)],
                [random.floats(part // 4)],
            ]
        )
    check(unit, operands, SEED)
