"""Golden semantics of the machine's table (`isa/insns/table.yaml`): its entries, and its uses.

The table is the only state that instructions keep from kernel to kernel. TOSA 1.0, section "TABLE",
defines what `lookup` and `interp` compute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from isa.load import load
from sim.semantics.lanes import I32Array, sign_extended

ENTRY_BITS = 16
"""Bits of an entry."""

FRACTION_BITS = 7
"""Low bits of an i16 that give the position between two entries."""

EMPTY: I32Array = np.zeros(load().limits.table_entries, np.int32)
"""The table before the first `fill`."""
EMPTY.flags.writeable = False


def fill(a: I32Array) -> I32Array:
    """Copy all 32 bits; `filled` computes the new table."""
    return np.array(a)


def filled(points: I32Array) -> I32Array:
    """Return the table after a `fill` with these points, in the order of the walk."""
    table = EMPTY.copy()
    points = points[: len(table)]
    table[: len(points)] = sign_extended(points, ENTRY_BITS)
    return table


def lookup(table: I32Array, a: I32Array) -> I32Array:
    """Return entry a + 128 for an i8, held in the low bits of its lane."""
    return table[(a & 0xFF) ^ 0x80]


def interp(table: I32Array, a: I32Array) -> I32Array:
    """Interpolate between two entries for an i16, held in the low bits of its lane."""
    position = (a & 0xFFFF) ^ 0x8000
    index, fraction = position >> FRACTION_BITS, position & ((1 << FRACTION_BITS) - 1)
    base = table[index]
    return (base << FRACTION_BITS) + (table[index + 1] - base) * fraction


READING: Mapping[str, Callable[[I32Array, I32Array], I32Array]] = {
    "lookup": lookup,
    "interp": interp,
}
"""Operations whose first argument is the table."""

FILL = "fill"
"""The operation that writes the table."""
