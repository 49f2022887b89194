"""Arrays to test with: ordinary values, extremes, and every kind of bit pattern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from element_types import DTYPES, FLOATS, INTEGERS
from numpy.typing import NDArray

SPECIAL_F32 = np.array(
    [
        *(0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000),
        *(0x3F800000, 0xBF800000, 0x3F000000, 0x40000000, 0x7F7FFFFF, 0xFF7FFFFF),
        *(0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7FA00001, 0x4F000000),
        *(0xCF000000, 0x4EFFFFFF, 0x42FE0000, 0x42FF0000, 0xC3000000, 0xC3010000),
    ],
    np.uint32,
).view(np.float32)
"""Zeros, subnormals, ones, largest, infinities, NaNs, and the edges of the integer types."""


def elements(
    element_type: str, shape: Sequence[int], rng: np.random.Generator, shift: bool = False
) -> NDArray[Any]:
    """Random elements with the extremes mixed in; `shift` keeps to legal shift amounts."""
    shape = tuple(shape)
    dtype = DTYPES[element_type]
    if element_type in FLOATS:
        return _floats(shape, np.dtype(dtype), rng)
    if element_type not in INTEGERS:
        return rng.integers(0, 2, shape, np.uint8).astype(bool)
    info = np.iinfo(dtype)
    if shift:
        return rng.integers(0, info.bits, shape, dtype)
    values = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    small = rng.integers(-9, 10, shape, dtype)
    extreme = rng.choice(np.array([info.min, info.max, 0, -1, 1], dtype), shape)
    return _mixed(rng, values, small, extreme)


def _floats(shape: tuple[int, ...], dtype: np.dtype[Any], rng: np.random.Generator) -> NDArray[Any]:
    nbytes = dtype.itemsize
    bits = rng.integers(0, 1 << 8 * nbytes, shape, np.dtype(f"u{nbytes}")).view(dtype)
    normal = rng.standard_normal(shape, dtype=np.float32)
    special = rng.choice(SPECIAL_F32, shape)
    with np.errstate(over="ignore", invalid="ignore"):  # infinities and NaNs are welcome
        return _mixed(rng, bits, *(a.astype(dtype) for a in (normal, normal * 20, special)))


def _mixed(rng: np.random.Generator, *arrays: NDArray[Any]) -> NDArray[Any]:
    which = rng.integers(0, len(arrays), arrays[0].shape)
    return np.choose(which, arrays)
