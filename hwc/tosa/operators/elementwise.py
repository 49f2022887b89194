"""Operators that compute each element separately, and those that change nothing but sizes."""

from __future__ import annotations

from collections.abc import Mapping

from hwc.dialects.tosa_shapes import INFERRED, new_shape
from hwc.dialects.tosa_table import OPERATORS
from hwc.models.sizes import Sizes
from hwc.tosa.operators.use import Rule, Use


def _elementwise(use: Use) -> tuple[Sizes, ...]:
    """Broadcast the operands; an operand that is a list of parameters does not take part."""
    arity = OPERATORS[use.op.operator].arity
    return (use.result(use.write.broadcast(use.operands[:arity])),)


def _table(use: Use) -> tuple[Sizes, ...]:
    use.rank(1, 1)
    return _elementwise(use)


def _rescale(use: Use) -> tuple[Sizes, ...]:
    """The scale is one for all elements, or one for each element of the last dimension."""
    sizes = use.operands[0]
    channels = use.flag("per_channel")
    if channels and not sizes:
        use.refuse("has a scale per channel, and its operand has rank 0")
    for number in (1, 2):
        (count,) = use.rank(number, 1)
        if channels:
            use.write.equal(count, sizes[-1], about="in the channels of its scale")
        else:
            use.write.equal(count, 1, about="in its scale, which is one for all elements")
    return _elementwise(use)


def _reshape(use: Use) -> tuple[Sizes, ...]:
    # Older text has an attribute in place of the operand.
    wanted = use.shape_values(1) if len(use.op.operands) > 1 else new_shape(use.op)
    sizes = [None if size == INFERRED else use.write.size(size) for size in wanted]
    return (use.result(use.write.reshape(use.operands[0], sizes)),)


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(OPERATORS, _elementwise),
    "rescale": _rescale,
    "table": _table,
    "reshape": _reshape,
}
