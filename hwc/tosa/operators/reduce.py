"""Operators that reduce one dimension."""

from __future__ import annotations

from collections.abc import Mapping

from hwc.models.sizes import Sizes
from hwc.tosa.operators.use import Rule, Use


def _reduce(use: Use) -> tuple[Sizes, ...]:
    """The dimension stays, with size 1."""
    axis = use.axis()
    sizes = use.operands[0]
    return (use.result((*sizes[:axis], 1, *sizes[axis + 1 :])),)


def _argmax(use: Use) -> tuple[Sizes, ...]:
    """The dimension goes; it must not be empty, because nothing is then the largest element."""
    axis = use.axis()
    sizes = use.operands[0]
    use.write.at_least(sizes[axis], 1, f"along dimension {axis}")
    return (use.result((*sizes[:axis], *sizes[axis + 1 :])),)


REDUCTIONS = ("all", "any", "max", "min", "product", "sum")

RULES: Mapping[str, Rule] = {
    **{f"reduce_{name}": _reduce for name in REDUCTIONS},
    "reduce_prod": _reduce,
    "argmax": _argmax,
}
