"""Bench of `fp_convert`: conversions between integers and float32 against golden."""

from __future__ import annotations

import numpy as np
import pytest

from rtl_models.tb.unit_bench import Unit, build, check
from rtl_models.tb.vectors import Random, float_corners, integer_corners, join

SEED = 3
COUNT = 1_000_000

TO_INTEGER = ("f32_to_i8", "f32_to_i16", "f32_to_i32")


@pytest.fixture(scope="module")
def unit() -> Unit:
    """The unit, built once."""
    return build("fp_convert")


def test_corners(unit: Unit) -> None:
    """Corner values, and every half between -300 and 300 (ties to even, limits of i8)."""
    halves = (np.arange(-600, 601, dtype=np.float32) / 2).view(np.int32)
    floats = np.concatenate([float_corners(), halves])
    check(unit, {"i32_to_f32": [integer_corners()], **dict.fromkeys(TO_INTEGER, [floats])}, SEED)


def test_random(unit: Unit) -> None:
    """A million numbers: integers of every magnitude, floats in and about the integers' range."""
    random = Random(SEED)
    part = COUNT // 4
    operands = {"i32_to_f32": join([[random.integers(part // 2)], [random.lanes(part // 2)]])}
    for name, limit in zip(TO_INTEGER, (127 + 7, 127 + 15, 127 + 31), strict=True):
        operands[name] = join(
            [
                [random.floats(part // 2, 120, limit + 2)],
                [random.floats(part // 4, 118, 160)],
                [random.floats(part // 4)],
            ]
        )
    check(unit, operands, SEED)
