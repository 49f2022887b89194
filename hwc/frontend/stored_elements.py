"""The elements of constants as other programs store them, made the bytes that xDSL holds.

Most types have the same bytes everywhere. The others are the rows here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import FixedBitwidthType, IntegerType
from xdsl.ir import Attribute

Bytes = bytes | memoryview


@dataclass(frozen=True)
class Row:
    """A type whose elements take another number of bytes, or mean something else.

    `held` makes the bytes that xDSL holds from the stored ones, and returns None if they are not
    elements of the type.
    """

    size: int
    held: Callable[[Bytes], bytes | None]


def _booleans(data: Bytes) -> bytes | None:
    """Return i1 that are stored as bytes: 0, or 1 or 255 for true."""
    values = np.frombuffer(data, np.uint8)
    return booleans(values != 0) if np.isin(values, (0, 1, 255)).all() else None


def _six_bytes(data: Bytes) -> bytes:
    """Return i48 as 64 bits with the sign."""
    stored = np.frombuffer(data, np.uint8).reshape(-1, 6)
    wide = np.zeros((len(stored), 8), np.uint8)
    wide[:, 2:] = stored
    return (wide.view("<i8") >> 16).tobytes()


ROWS: Mapping[Attribute, Row] = {
    IntegerType(1): Row(1, _booleans),
    IntegerType(48): Row(6, _six_bytes),
}


def stored_size(type_: FixedBitwidthType) -> int:
    """Return the bytes of one stored element."""
    return ROWS[type_].size if type_ in ROWS else type_.compile_time_size


def held_bytes(type_: Attribute, data: Bytes) -> bytes | None:
    """Return stored elements as xDSL holds them; None if they are not elements of the type."""
    return ROWS[type_].held(data) if type_ in ROWS else bytes(data)


def booleans(values: NDArray[Any]) -> bytes:
    """Return i1 as xDSL holds them, numbers with a sign: true is -1."""
    return (-values.astype(np.int8)).tobytes()


def from_bits(data: bytes, count: int) -> bytes:
    """Return elements of i1 that are stored as bits, the lowest of a byte first."""
    bits = np.unpackbits(np.frombuffer(data, np.uint8), count=count, bitorder="little")
    return booleans(bits)


def from_nibbles(data: Bytes, count: int) -> bytes:
    """Return elements of i4 that are stored in pairs, the first in the lower half of a byte."""
    stored = np.frombuffer(data, np.int8)
    pairs = np.stack([stored << 4 >> 4, stored >> 4], axis=1)
    return pairs.reshape(-1)[:count].tobytes()
