"""Operators that read or write elements by index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from hwc.models.sizes import Sizes
from hwc.shapes import Size
from hwc.tosa.operators.use import Rule, Use


def _indices(use: Use, number: int, size: Size, *, distinct: bool = False) -> None:
    """Require that operand `number`, of rank 2, has indices below `size`."""
    known = use.constants(number)
    if known is None:
        use.write.check_indices(use.names[number], size, distinct=distinct)
        return
    if min(known, default=0) < 0:
        use.refuse(f"has the index {min(known)}", "indices count from 0")
    if known:
        use.write.at_least(size, max(known) + 1, "for the size that its indices need")
    if distinct and known:
        length = cast("int", use.operands[number][1])
        rows = (known[start : start + length] for start in range(0, len(known), length))
        if any(len(set(row)) < len(row) for row in rows):
            use.refuse("has an index twice", "each element is written at most once")


def _gather(use: Use) -> tuple[Sizes, ...]:
    """Values N x K x C, indices N x W: the result is N x W x C."""
    batch, count, channels = use.rank(0, 3)
    other, taken = use.rank(1, 2)
    batch = use.write.equal(batch, other, dimension=0)
    _indices(use, 1, count)
    return (use.result((batch, taken, channels)),)


def _scatter(use: Use) -> tuple[Sizes, ...]:
    """values_in N x K x C, indices N x W, input N x W x C: the result is N x K x C."""
    batch, count, channels = use.rank(0, 3)
    of_indices, taken = use.rank(1, 2)
    of_input, given, width = use.rank(2, 3)
    batch = use.write.equal(batch, of_indices, of_input, dimension=0)
    use.write.equal(taken, given, about="for the indices and dimension 1 of the input")
    channels = use.write.equal(channels, width, dimension=2)
    use.write.at_most(taken, count, "for the number of indices")
    _indices(use, 1, count, distinct=True)
    return (use.result((batch, count, channels)),)


RULES: Mapping[str, Rule] = {"gather": _gather, "scatter": _scatter}
