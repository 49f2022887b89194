"""The elements of constants as files store them, made the bytes that xDSL holds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness

Bytes = bytes | memoryview


def bytes_of(element: IntegerType | AnyFloat) -> int:
    """Return the bytes of a stored element: as many as its bits need."""
    return -(-element.bitwidth // 8)


def stored_bytes(data: Bytes, element: IntegerType | AnyFloat) -> bytes:
    """Return elements of as many bytes as they need as xDSL holds them.

    xDSL holds an i1 as a number with a sign, and an integer of an odd number of bytes in more. The
    bits of a stored integer above its width say nothing: MLIR writes the i4 -1 as 0x0F.
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
