"""The memory that the simulated machine and its host share: one flat arena of bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isa.errors import UserError
from isa.load import load

ALIGNMENT = load().limits.window_alignment
"""Bytes to which the arena and its first address are aligned: a window's granularity."""


class Memory:
    """`size` bytes at the addresses from `base` on, zero at first unless `cleared` is off.

    An address aligned to n bytes is aligned to n bytes in the arena too (n up to `ALIGNMENT`), so
    views of wider types are aligned whenever the machine's address is.
    """

    def __init__(self, size: int, base: int = 0x1000, *, cleared: bool = True) -> None:
        """Make an arena; UserError if `size` is negative or `base` is not aligned."""
        if size < 0:
            raise UserError(f"memory: size {size} is negative; give a number of bytes, 0 or more")
        if base < 0 or base % ALIGNMENT:
            raise UserError(f"memory: base {base:#x} is not a multiple of {ALIGNMENT}")
        # For uncleared memory, NumPy asks for huge pages: page faults take a third of the time.
        make = np.zeros if cleared else np.empty
        raw = make(size + ALIGNMENT, dtype=np.uint8)
        skip = -raw.ctypes.data % ALIGNMENT
        self.base = base
        self.size = size
        self._bytes = raw[skip : skip + size]

    @property
    def end(self) -> int:
        """First address after the arena."""
        return self.base + self.size

    def view(self, address: int, nbytes: int) -> NDArray[np.uint8]:
        """Return the `nbytes` bytes at `address` as a writable view.

        UserError if some of the bytes are outside the arena.
        """
        first = address - self.base
        if nbytes < 0 or first < 0 or first + nbytes > self.size:
            raise UserError(
                f"memory: {nbytes} bytes at {address:#x} are outside of the simulated memory "
                f"[{self.base:#x}, {self.end:#x})"
            )
        return self._bytes[first : first + nbytes]
