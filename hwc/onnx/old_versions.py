"""Operators as ONNX defined them before opset 7 and 8: other rules about sizes and axes.

Before opset 7, the second operand of a binary operator broadcasts to the first one, and only if
`broadcast` says so: its dimensions are those of the first operand from `axis` on, or else the last
ones. Before opset 8, the operands of `Max`, `Min`, `Mean` and `Sum` have one shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hwc.models.graph import HostOnlyError
from hwc.onnx.host_rules.use import Results, Rule, Use
from hwc.onnx.node import Axis, Lowered, Node

NUMPYS = 7
"""The opset version since which binary operators broadcast as in NumPy."""

_BINARY = ("Add", "And", "Div", "Equal", "Greater", "Less", "Mul", "Or", "Pow", "Sub", "Xor")
_OF_MANY = ("Max", "Mean", "Min", "Sum")


def aligned(node: Node, lowered: Lowered) -> Lowered:
    """Return the lowering of a node whose operands broadcast as its version says.

    `lowered` broadcasts them as in NumPy.

    Raises:
        HostOnlyError: their ranks do not fit.
    """
    if node.version >= NUMPYS:
        return lowered
    if node.operator == "PRelu" and node.ranks[1] == 1 and node.ranks[0] > 1:
        return _moved(node, lowered, 1)  # a slope for each channel
    if node.operator not in _BINARY:
        return lowered
    first, second = node.ranks
    axis = _axis(node.attributes, first, second)
    if axis is None:
        raise HostOnlyError("the ranks of its operands do not fit")
    return lowered if axis + second == first or not second else _moved(node, lowered, axis)


def _axis(attributes: Mapping[str, Any], first: int, second: int) -> int | None:
    """Return the dimension of the first operand with which the second one begins; None without.

    `first` and `second` are the ranks.
    """
    if not attributes.get("broadcast", 0):
        return 0 if first == second else None
    axis = int(attributes.get("axis", first - second))
    if "axis" in attributes and axis < 0:
        axis += first
    return axis if 0 <= axis <= first - second else None


def _moved(node: Node, lowered: Lowered, axis: int) -> Lowered:
    """Return the lowering with the second operand at dimension `axis` of the first one."""
    own = node.ranks[1]
    shape = (*map(Axis, range(own)), *[1] * (node.ranks[0] - axis - own))
    operand = Lowered("tosa.reshape", (1,), shape=shape, type=node.type_of(1))
    return replace(lowered, inputs=tuple(operand if n == 1 else n for n in lowered.inputs))


def _binary(use: Use) -> Results:
    first, second = use.given(0), use.given(1)
    axis = _axis(use.attributes, len(first), len(second))
    if axis is None:
        use.write.refuse(
            f"inputs of ranks {len(first)} and {len(second)} do not fit: since opset {NUMPYS}, "
            "operands broadcast as in NumPy; before, only as the attributes broadcast and axis say"
        )
    for number, (size, own) in enumerate(zip(second, first[axis:], strict=False), axis):
        if use.attributes.get("broadcast", 0):
            use.write.among(size, (1, own), about=f"in dimension {number} of the result")
        else:
            use.write.equal(own, size, dimension=number)
    return (first,)


def _of_one_shape(use: Use) -> Results:
    first = use.given(0)
    for number in range(1, len(use.inputs)):
        other = use.given(number, len(first), len(first))
        for dimension, sizes in enumerate(zip(first, other, strict=True)):
            use.write.equal(*sizes, dimension=dimension)
    return (first,)


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(_OF_MANY, _of_one_shape),
}
"""What operators required of sizes before opset 7 (binary ones) and 8 (those of many operands)."""


def rule(operator: str, version: int) -> Rule | None:
    """Return what an operator of an old version requires of sizes; None if hwc has no rule."""
    return None if operator in _BINARY and version >= NUMPYS else RULES.get(operator)
