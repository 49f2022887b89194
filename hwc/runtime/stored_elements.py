"""Converts host arrays of types that exist only in memory to arrays of their parts, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import isa
from isa.stored import STORED

Array = NDArray[Any]


def split(type_: str, array: Array) -> list[Array]:
    """Return the parts of an array; an array whose type the machine has is its own only part.

    Every element is a number of the type: the bits above it are copies of its sign.
    """
    stored = STORED.get(type_)
    if stored is None:
        return [array]
    rest, parts = array, list[Array]()
    for name in stored.parts:
        part = isa.load().types[name]
        parts.append(rest.astype(part.dtype))
        rest = rest >> min(part.bits, 8 * stored.bytes - 1)
    return parts


def join(type_: str, parts: Sequence[Array]) -> Array:
    """Return the array that has these parts."""
    stored = STORED.get(type_)
    if stored is None:
        return parts[0]
    whole, above = np.zeros(parts[0].shape, stored.dtype), 0
    for part in parts[:-1]:
        whole |= part.view(part.dtype.str.replace("i", "u")).astype(stored.dtype) << above
        above += 8 * part.itemsize
    return whole | parts[-1].astype(stored.dtype) << above
