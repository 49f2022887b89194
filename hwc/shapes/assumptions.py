"""What would be known about sizes if some shapes were equal, for a plan that needs them equal."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from hwc.shapes.products import Size
from hwc.shapes.symbols import SizeConflict, SymbolTable


def assuming_equal(table: SymbolTable, shapes: Sequence[Sequence[Size]]) -> SymbolTable | None:
    """Return a copy of `table` in which `shapes`, padded with 1 on the left, are equal.

    A broadcast of sizes lies between its operands: if bcast(a, b) and bcast(a, c) are the same
    number, so is bcast(a, b, c). None if the shapes cannot be equal.
    """
    new = deepcopy(table)
    rank = max(len(shape) for shape in shapes)
    try:
        for i in range(1, rank + 1):
            _unify(new, [shape[-i] if i <= len(shape) else 1 for shape in shapes])
        new.canonicalize()
    except SizeConflict:
        return None
    return new


def _unify(table: SymbolTable, sizes: Sequence[Size]) -> None:
    """Make the sizes of one dimension equal, and every broadcast that lies between them."""
    members = [table.leaves(size) for size in sizes]
    union = frozenset[Size]().union(*members)
    between = [
        name
        for name in table.broadcasts
        if (leaves := table.leaves(name)) <= union and any(m <= leaves for m in members)
    ]
    for size in (*sizes[1:], *between):
        table.require_equal(sizes[0], size)
