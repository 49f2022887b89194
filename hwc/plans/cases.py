"""When each alternative of a choice is selected, shown with typical shapes of the arguments.

In these shapes, the arguments that determine the sizes of one kernel are narrow together: rows,
columns or single elements. All other arguments are full. One size of each case is free. Bisection
finds the best alternatives for the free size; it assumes that the difference between the cycles of
two alternatives changes its sign only once between two powers of 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from hwc.errors import DispatchError
from hwc.package import Package
from hwc.plans.choose import Planner
from hwc.shapes import Size
from hwc.shapes.ranges import ANY, Range
from hwc.shapes.steps import Dim
from hwc.shapes.symbols import SymbolTable

USUAL_SIZES = (64, 64, 8)
"""Sizes of dimensions that are not 1, not static and not free, from the innermost outwards; the
last size is for all further dimensions."""

LARGEST = 1 << 16
"""The largest free size."""

FREE = "n"
"""The symbol for the free size."""

Shapes = tuple[tuple[Size, ...], ...]
Best = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Case:
    """Shapes of the arguments, with one free size, and the best alternatives for it.

    `best` has, in ascending order, the first value of the free size for which an alternative is
    selected, and the number of the alternative. The very first value is the smallest possible one.
    Values above 32 are exact to 3 %.
    """

    shapes: Shapes
    best: Best


def cases(package: Package, planner: Planner, number: int) -> list[Case]:
    """Return when each alternative of choice `number` is selected.

    If several cases have the same alternatives for the same free sizes, only the first is returned.
    Shapes that the program refuses are left out. The list is empty if the choice depends on a size
    that is known only after a step on the host has run.
    """
    if not package.shape_program.told.issuperset(planner.decisions[number].symbols):
        return []
    found: dict[Best, Case] = {}
    table = package.shape_program.table()
    for shapes in _shapes(package, table, _narrow(package, planner, number)):
        allowed = _allowed(package, table, shapes)
        if allowed is None or allowed.low == allowed.high:
            continue
        best = _best(package, planner, number, shapes, allowed)
        if best:
            found.setdefault(best, Case(shapes, best))
    return list(found.values())


def _narrow(package: Package, planner: Planner, number: int) -> list[frozenset[int]]:
    """Return the sets of arguments that are narrow together: the sources of a kernel's sizes."""
    table = package.shape_program.table()
    places: dict[Size, set[int]] = {}
    for step in package.shape_program.steps:
        if isinstance(step, Dim):
            places.setdefault(table.resolve(step.result), set()).add(step.argument)
    sets: dict[frozenset[int], None] = {}
    for alternative in planner.decisions[number].alternatives:
        for kernel in alternative.kernels:
            leaves = {n for size in kernel.symbols for n in table.leaves(size)}
            sets[frozenset(i for leaf in leaves for i in places.get(leaf, ()))] = None
    every = range(len(package.inputs))
    parts = [chosen for chosen in sets if 0 < len(chosen) < len(every)]
    return parts or [frozenset((i,)) for i in every]


def _allowed(package: Package, table: SymbolTable, shapes: Shapes) -> Range | None:
    """Return the values of the free size that the facts allow; None if there are none."""
    allowed: Range | None = ANY
    for tensor, shape in zip(package.inputs, shapes, strict=True):
        for symbol, size in zip(tensor.shape, shape, strict=True):
            if size == FREE and allowed:
                allowed = allowed.meet(table.range_of(symbol))
    return allowed


def _shapes(package: Package, table: SymbolTable, narrow: list[frozenset[int]]) -> Iterator[Shapes]:
    """Yield the shapes to try, without duplicates."""
    rank = max((len(tensor.shape) for tensor in package.inputs), default=0)
    seen: set[Shapes] = set()
    for free, ones, chosen in product(sorted({0, max(0, rank - 1)}), _ones(rank), narrow):
        symbols = {
            size: 1
            for i in chosen
            for from_end, size in enumerate(reversed(package.inputs[i].shape))
            if from_end in ones and isinstance(size, str)
        }
        drawn: dict[str, Size] = dict(symbols)
        shapes = tuple(_shape(package, table, i, drawn, free) for i in range(len(package.inputs)))
        if shapes not in seen and any(FREE in shape for shape in shapes):
            seen.add(shapes)
            yield shapes


def _ones(rank: int) -> list[frozenset[int]]:
    """Return sets of dimensions, counted from the innermost: none, leading, trailing, single."""
    every = range(rank)
    sets = [every[:0], *(every[i:] for i in every), *(every[: i + 1] for i in every)]
    return list(dict.fromkeys(frozenset(s) for s in (*sets, *((i,) for i in every))))


def _shape(
    package: Package, table: SymbolTable, number: int, drawn: dict[str, Size], free: int
) -> tuple[Size, ...]:
    """Return the shape of an argument; dimension `free`, counted from the innermost, is free."""
    shape: list[Size] = []
    for from_end, size in enumerate(reversed(package.inputs[number].shape)):
        known = table.range_of(size)
        usual: Size = FREE
        if from_end != free or known.low == known.high:
            usual = known.at_least(_usual(package, from_end)) or known.high
        shape.append(drawn.setdefault(size, usual) if isinstance(size, str) else size)
    return tuple(reversed(shape))


def _usual(package: Package, from_end: int) -> int:
    """Return a size other than 1 for a dimension: an argument's static size, or a usual size."""
    for tensor in package.inputs:
        size = tensor.shape[-1 - from_end] if from_end < len(tensor.shape) else 1
        if isinstance(size, int) and size != 1:
            return size
    return USUAL_SIZES[min(from_end, len(USUAL_SIZES) - 1)]


def _best(package: Package, planner: Planner, number: int, shapes: Shapes, allowed: Range) -> Best:
    """Return the best alternatives by the free size, as far as the program accepts the shapes.

    The free size is always `allowed`: the next larger allowed size replaces a size that is not.
    """

    def best(size: int) -> int | None:
        free = allowed.at_least(size)
        if free is None:
            return None
        given = [tuple(free if n == FREE else int(n) for n in shape) for shape in shapes]
        try:
            symbols = package.shape_program.evaluate(package.inputs, given)
        except DispatchError:
            return None
        return planner.best(number, symbols)

    found: list[tuple[int, int]] = []
    size = before = max(1, allowed.low)
    while size <= LARGEST and (chosen := best(size)) is not None:
        if not found:
            found.append((size, chosen))
        elif chosen != found[-1][1]:
            found.append((_first(best, before, size), chosen))
        size, before = 4 * size, size
    return tuple((allowed.at_least(first) or first, chosen) for first, chosen in found)


def _first(best: Callable[[int], int | None], before: int, size: int) -> int:
    """Return the first size after `before` that has the same best alternative as `size`."""
    wanted = best(size)
    while size - before > max(1, size // 32):
        middle = (before + size) // 2
        if best(middle) == wanted:
            size = middle
        else:
            before = middle
    return size
