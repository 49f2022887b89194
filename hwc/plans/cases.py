"""When each alternative of a choice is taken, in shapes of arguments that a person recognises.

The shapes are those of calls in which operands have all sizes, are rows, columns or single
elements, one argument at a time. One size of a case is a free number; the alternatives that are
best for it are found by bisection, which supposes that a difference of cycles changes its sign only
once between two powers of 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from hwc.errors import DispatchError
from hwc.package import Package
from hwc.plans.choose import Planner
from hwc.shapes import Size

USUAL_SIZE = 64
"""The size of dimensions that are neither 1, nor static, nor the free one."""

LARGEST = 1 << 16
"""The free size goes up to here."""

FREE = "n"
"""How the free size is written."""

Shapes = tuple[tuple[Size, ...], ...]


@dataclass(frozen=True)
class Case:
    """Shapes of the arguments, with one free size, and the best alternatives for it.

    `best` has the number of an alternative and the first value of the free size for which it is
    taken, in ascending order; the first value is 1.
    """

    shapes: Shapes
    best: tuple[tuple[int, int], ...]


def cases(package: Package, planner: Planner, number: int) -> list[Case]:
    """Return when each alternative of choice `number` is taken.

    Of cases with the same alternatives for the same free sizes only the first is returned. Shapes
    that the program refuses are left out.
    """
    found: dict[tuple[tuple[int, int], ...], Case] = {}
    for shapes in _shapes(package):
        best = _best(package, planner, number, shapes)
        if best is not None:
            found.setdefault(best, Case(shapes, best))
    return list(found.values())


def _shapes(package: Package) -> Iterator[Shapes]:
    """Yield the shapes to try, each once: one argument at a time has sizes of 1."""
    inputs = package.inputs
    rank = max((len(tensor.shape) for tensor in inputs), default=0)
    seen: set[Shapes] = set()
    for free, tensor in product(range(rank), inputs):
        for ones in product((False, True), repeat=len(tensor.shape)):
            chosen = zip(tensor.shape, ones, strict=True)
            symbols: dict[str, Size] = {n: 1 for n, one in chosen if one and isinstance(n, str)}
            shapes = tuple(_with(package, i, dict(symbols), free) for i in range(len(inputs)))
            if shapes not in seen and any(FREE in shape for shape in shapes):
                seen.add(shapes)
                yield shapes


def _with(package: Package, number: int, symbols: dict[str, Size], free: int) -> tuple[Size, ...]:
    """Return the shape of an argument; dimension `free`, counted from the innermost, is free."""
    shape: list[Size] = []
    sizes = package.inputs[number].shape
    for from_end, size in zip(range(len(sizes) - 1, -1, -1), sizes, strict=True):
        usual: Size = FREE if from_end == free else _usual(package, from_end)
        shape.append(symbols.setdefault(size, usual) if isinstance(size, str) else size)
    return tuple(shape)


def _usual(package: Package, from_end: int) -> int:
    """Return the size of a dimension that is not 1: the static one there is, or USUAL_SIZE."""
    for tensor in package.inputs:
        size = tensor.shape[-1 - from_end] if from_end < len(tensor.shape) else 1
        if isinstance(size, int) and size != 1:
            return size
    return USUAL_SIZE


def _best(
    package: Package, planner: Planner, number: int, shapes: Shapes
) -> tuple[tuple[int, int], ...] | None:
    """Return the best alternatives by the free size; None if the program refuses the shapes."""

    def best(free: int) -> int | None:
        given = [tuple(free if n == FREE else int(n) for n in shape) for shape in shapes]
        try:
            symbols = package.shape_program.evaluate(package.inputs, given)
        except DispatchError:
            return None
        return planner.best(number, symbols)

    found: list[tuple[int, int]] = []
    before = 1
    size = 1
    while size <= LARGEST:
        chosen = best(size)
        if chosen is None:
            return None
        if not found:
            found.append((size, chosen))
        elif chosen != found[-1][1]:
            found.append((_first(best, before, size), chosen))
        before, size = size, 2 * size
    return tuple(found)


def _first(best: Callable[[int], int | None], before: int, size: int) -> int:
    """Return the first size after `before` for which the best alternative is that of `size`."""
    wanted = best(size)
    while size - before > 1:
        middle = (before + size) // 2
        if best(middle) == wanted:
            size = middle
        else:
            before = middle
    return size
