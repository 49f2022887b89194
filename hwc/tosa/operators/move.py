"""Operators that move elements without looking at them."""

from __future__ import annotations

from collections.abc import Mapping

from hwc.models.sizes import Sizes
from hwc.shapes import Size
from hwc.tosa.operators.use import Rule, Use


def _along(dimension: int) -> str:
    return f"in dimension {dimension}"


def _values(use: Use, number: int, count: int, what: str) -> Sizes:
    """Return the values of a shape operand, of which there have to be `count`."""
    values = use.shape_values(number)
    if len(values) != count:
        use.refuse(f"has {len(values)} values in its {what}", f"it takes {count}")
    return values


def _concat(use: Use) -> tuple[Sizes, ...]:
    """All operands have equal sizes, except along the axis."""
    axis = use.axis()
    rank = len(use.operands[0])
    shapes = [use.rank(number, rank) for number in range(len(use.operands))]
    result = [
        use.write.sum(sizes) if dimension == axis else use.write.equal(*sizes, dimension=dimension)
        for dimension, sizes in enumerate(zip(*shapes, strict=True))
    ]
    use.write.size(result[axis], _along(axis))
    return (use.result(result),)


def _pad(use: Use) -> tuple[Sizes, ...]:
    sizes = use.operands[0]
    padding = _values(use, 1, 2 * len(sizes), "padding")
    result: list[Size] = []
    for dimension, size in enumerate(sizes):
        before, after = padding[2 * dimension : 2 * dimension + 2]
        for amount in (before, after):
            use.write.size(amount, f"padding {_along(dimension)}")
        total = use.write.sum((size, before, after))
        result.append(use.write.size(total, _along(dimension)))
    return (use.result(result),)


def _reverse(use: Use) -> tuple[Sizes, ...]:
    use.axis()
    return (use.result(use.operands[0]),)


def _slice(use: Use) -> tuple[Sizes, ...]:
    sizes = use.operands[0]
    start = _values(use, 1, len(sizes), "start")
    taken = _values(use, 2, len(sizes), "size")
    for dimension, (size, first, count) in enumerate(zip(sizes, start, taken, strict=True)):
        use.write.size(first, f"start {_along(dimension)}")
        use.write.size(count, f"size {_along(dimension)}")
        use.write.at_most(
            use.write.compute("addi", first, count), size, f"start + size {_along(dimension)}"
        )
    return (use.result(taken),)


def _tile(use: Use) -> tuple[Sizes, ...]:
    sizes = use.operands[0]
    result: list[Size] = []
    for dimension, (size, times) in enumerate(
        zip(sizes, _values(use, 1, len(sizes), "multiples"), strict=True)
    ):
        use.write.size(times, f"multiple {_along(dimension)}")
        total = use.write.compute("muli", size, times)
        result.append(use.write.size(total, _along(dimension)))
    return (use.result(result),)


def _transpose(use: Use) -> tuple[Sizes, ...]:
    sizes = use.operands[0]
    perms = use.integers("perms", len(sizes)) if "perms" in use.op.arguments else use.constants(1)
    if perms is None or sorted(perms) != [*range(len(sizes))]:
        use.refuse(
            f"of a tensor of rank {len(sizes)} has perms = {perms if perms is None else [*perms]}",
            "perms lists every dimension once",
        )
    return (use.result([sizes[dimension] for dimension in perms]),)


RULES: Mapping[str, Rule] = {
    "concat": _concat,
    "pad": _pad,
    "reverse": _reverse,
    "slice": _slice,
    "tile": _tile,
    "transpose": _transpose,
}
