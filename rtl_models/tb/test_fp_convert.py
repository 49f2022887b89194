"""Bench of `fp_convert`: conversions between integers and floats against golden."""

from __future__ import annotations

import numpy as np
import pytest

import isa
from isa.model import ElementType
from rtl_models.tb.unit_bench import Unit, build, check, instructions
from rtl_models.tb.vectors import Operands, Random, float_corners, integer_corners, join
from sim.semantics.formats import FORMATS, LANE

SEED = 3
COUNT = 1_000_000

OF_INTEGERS, OF_FLOATS = (
    [i for i in instructions("cvt") if isa.load().types[i.operand_types[0]].kind == kind]
    for kind in ("integer", "float")
)


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("fp_convert")


def test_corners(unit: Unit) -> None:
    """Corner values, and every half between -300 and 300 (ties to even, limits of i8)."""
    halves = (np.arange(-600, 601, dtype=np.float32) / 2).view(np.int32)
    floats = np.concatenate([float_corners(), halves])
    operands: dict[str, Operands] = {i.name: [integer_corners()] for i in OF_INTEGERS}
    operands |= {i.name: [floats] for i in OF_FLOATS}
    check(unit, operands, SEED)


def test_random(unit: Unit) -> None:
    """A million numbers: integers of every magnitude, floats in and about the result's range."""
    random = Random(SEED)
    part = COUNT // (len(OF_INTEGERS) + len(OF_FLOATS))
    operands: dict[str, Operands] = {}
    for instruction in OF_INTEGERS:
        operands[instruction.name] = join([[random.integers(part // 2)], [random.lanes(part // 2)]])
    for instruction in OF_FLOATS:
        low, high = _exponents(isa.load().types[str(instruction.result_type)])
        operands[instruction.name] = join(
            [
                [random.floats(part // 2, low, high)],
                [random.floats(part // 4, 118, 160)],
                [random.floats(part // 4)],
            ]
        )
    check(unit, operands, SEED)


def _exponents(result: ElementType) -> tuple[int, int]:
    """Exponent fields of the lanes that are in the range of a type, and some beyond."""
    if result.kind == "integer":
        return 120, LANE.bias + result.bits + 1
    format_ = FORMATS[result.name]
    low, high = format_.min_exponent - format_.fraction_bits, format_.max_exponent
    return max(LANE.bias + low - 2, 0), min(LANE.bias + high + 2, 2 * LANE.bias)
