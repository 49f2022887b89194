"""The shapes of a sweep: which sizes of a program are given, and every combination of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from hwc.errors import UserError
from hwc.package import Package
from hwc.shapes import Size
from hwc.shapes.steps import Dim
from hwc.sweeps.ranges import Names

Layout = tuple[tuple[int, ...], ...]
"""For each dimension of each argument: its static size, or -1 - i for size i of the grid.

A size is never negative, so the sign tells the two apart.
"""


@dataclass(frozen=True)
class Grid:
    """All combinations of the values of sizes; the last size changes fastest."""

    sizes: Mapping[str, tuple[int, ...]]
    layout: Layout

    def __len__(self) -> int:
        return prod(len(values) for values in self.sizes.values())

    def point(self, number: int) -> tuple[int, ...]:
        """Return the value of each size at a point."""
        found: list[int] = []
        for values in reversed(list(self.sizes.values())):
            number, position = divmod(number, len(values))
            found.append(values[position])
        return tuple(reversed(found))

    def shapes(self, point: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the shape of each argument at a point."""
        return [tuple(d if d >= 0 else point[-1 - d] for d in shape) for shape in self.layout]


def grid(package: Package, sizes: Mapping[Names, tuple[int, ...]]) -> Grid:
    """Return the grid of a program; a size with several names goes by the first.

    Raises:
        UserError: a name is not a size of the program, a size is given twice, or one is missing.
    """
    table = package.shape_program.table()
    roots = {name: table.resolve(symbol) for name, symbol in _names(package)}
    named = _named(package)
    given: dict[Size, int] = {}
    for number, names in enumerate(sizes):
        for name in names:
            if name not in roots:
                raise UserError(f"shapes: error: no size is called {name!r}; {_known(package)}")
            if given.setdefault(roots[name], number) != number:
                other = list(sizes)[given[roots[name]]][0]
                raise UserError(f"shapes: error: {name} always equals {other}; give one of the two")

    def position(size: Size, where: str) -> int:
        root = table.resolve(size)
        if isinstance(size, str) and root in given:
            return -1 - given[root]
        if isinstance(root, int):
            return root
        name = size if size in named else where
        raise UserError(f"shapes: error: the size {name} is not given; {_known(package)}")

    layout = tuple(
        tuple(position(size, f"{tensor.name}.{d}") for d, size in enumerate(tensor.shape))
        for tensor in package.inputs
    )
    return Grid({names[0]: values for names, values in sizes.items()}, layout)


def _names(package: Package) -> Iterator[tuple[str, str]]:
    """Yield the names by which sizes can be given, each with its symbol."""
    named = _named(package)
    for tensor in package.inputs:
        for dimension, size in enumerate(tensor.shape):
            if isinstance(size, str):
                yield size, size
                yield f"{tensor.name}.{dimension}", size
                if size in named:
                    yield f"{tensor.name}.{size}", size


def _named(package: Package) -> set[str]:
    """Return the symbols that a person has named."""
    return {s.result for s in package.shape_program.steps if isinstance(s, Dim) and s.named}


def _known(package: Package) -> str:
    """Return a text that names the sizes of a program, and says where each occurs."""
    table, named = package.shape_program.table(), _named(package)
    called: dict[Size, str] = {}
    places: dict[Size, list[str]] = {}
    for tensor in package.inputs:
        for dimension, size in enumerate(tensor.shape):
            root = table.resolve(size)
            if isinstance(size, str) and isinstance(root, str):
                called.setdefault(root, root if root in named else size)
                places.setdefault(root, []).append(f"{tensor.name}.{dimension}")
    sizes = [
        f"{called[root]} ({', '.join(where)})" if called[root] in named else " = ".join(where)
        for root, where in places.items()
    ]
    return f"the sizes of the program are {', '.join(sizes)}" if sizes else "it has no dynamic size"
