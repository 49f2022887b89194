"""Converts the elements of constants from the form in files to the bytes that xDSL holds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness

Bytes = bytes | memoryview


def bytes_of(element: IntegerType | AnyFloat) -> int:
    """Return the size of a stored element in bytes: as many as its bits need."""
    return -(-element.bitwidth // 8)


def stored_bytes(data: Bytes, element: IntegerType | AnyFloat) -> bytes:
    """Return stored elements, each in as many bytes as its bits need, as xDSL holds them.

    xDSL holds an i1 as a signed number, and an integer of 3 bytes, for example, in more bytes. The
    bits of a stored integer above its width mean nothing: MLIR writes the i4 -1 as 0x0F.
    """
    if element == IntegerType(1):
        return booleans(np.frombuffer(data, np.uint8) != 0)
    size, held = bytes_of(element), element.compile_time_size
    if not isinstance(element, IntegerType) or element.bitwidth == 8 * held:
        return bytes(data)
    wide = np.zeros((len(data) // size, held), np.uint8)
    wide[:, :size] = np.frombuffer(data, np.uint8).reshape(-1, size)
    kind = "u" if element.signedness.data == Signedness.UNSIGNED else "i"
    numbers = wide.reshape(-1).view(f"<{kind}{held}")
    unused = 8 * held - element.bitwidth
    return (numbers << unused >> unused).tobytes()


def booleans(values: NDArray[Any]) -> bytes:
    """Return i1 elements as xDSL holds them, as signed numbers: true is -1."""
    return (-values.astype(np.int8)).tobytes()


def from_bits(data: bytes, count: int) -> bytes:
    """Return i1 elements that are stored as bits, the lowest bit of a byte first."""
    bits = np.unpackbits(np.frombuffer(data, np.uint8), count=count, bitorder="little")
    return booleans(bits)


def from_nibbles(data: Bytes, count: int) -> bytes:
    """Return i4 elements that are stored in pairs, the first one in the lower half of a byte."""
    stored = np.frombuffer(data, np.int8)
    pairs = np.stack([stored << 4 >> 4, stored >> 4], axis=1)
    return pairs.reshape(-1)[:count].tobytes()
