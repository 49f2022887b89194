"""The sizes of one call while the steps of its shape program are evaluated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hwc.shapes.symbols import Size


class SizesRefused(ValueError):  # noqa: N818 - it says what is wrong with a call, not with hwc
    """The sizes of a call do not satisfy a step; says which sizes, and what they have to be."""


def argument(index: int, name: str) -> str:
    """Return the name of an argument in messages."""
    return f"argument {index} (%{name})"


def show_shape(shape: Sequence[int]) -> str:
    """Format the sizes of a tensor as NumPy does."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


STATIC = "static"
"""Where a size comes from that the program states as a number."""

Elements: TypeAlias = Callable[[int, tuple[int, ...]], int]
"""Returns the element of an argument, given by number, at indices within the argument."""


class Evaluation:
    """The state of one evaluation; `values` has the value of every symbol defined so far.

    `names` are the names of the arguments, and `shapes` their sizes in this call. `elements` gives
    their elements if the call has them. `learned` has the name and the shape of each tensor that a
    step on the host has computed, by the numbers of the step and the output. `position` is the
    number of steps evaluated so far. For messages, the evaluation remembers what determined the
    value of a symbol: a dimension or an element of an argument, a number in the program, or an
    operation of the program.
    """

    def __init__(
        self,
        names: Sequence[str],
        shapes: Sequence[Sequence[int]],
        elements: Elements | None = None,
    ) -> None:
        self.names = names
        self.shapes = shapes
        self._elements = elements
        self.values: dict[str, int] = {}
        self.learned: dict[tuple[int, int], tuple[str, Sequence[int]]] = {}
        self.position = 0
        self._decided_by: dict[str, str] = {}

    def value(self, size: Size) -> int:
        """Return a size as a number; earlier steps have defined the symbols."""
        return self.values[size] if isinstance(size, str) else size

    def dimension(self, argument_: int, dimension: int) -> str:
        """Return the name of a dimension of an argument in messages."""
        return f"dimension {dimension} of {argument(argument_, self.names[argument_])}"

    def read(self, symbol: str, argument_: int, dimension: int, named: bool = False) -> None:
        """Define a symbol from a dimension of an argument; if `named`, messages show its name."""
        self.values[symbol] = self.shapes[argument_][dimension]
        where = self.dimension(argument_, dimension)
        self._decided_by[symbol] = f"'{symbol}', {where}" if named else where

    def element(self, argument_: int, indices: tuple[int, ...]) -> int:
        """Return an element of an argument.

        Raises:
            SizesRefused: only the sizes of the arguments are known.
        """
        if self._elements is None:
            who = argument(argument_, self.names[argument_])
            raise SizesRefused(f"sizes depend on the elements of {who}, which are not given")
        return self._elements(argument_, indices)

    def explain(self, symbol: str, source: str) -> None:
        """Remember where the value of a symbol comes from, for messages."""
        self._decided_by[symbol] = source

    def define(self, symbol: str, value: int, decided_by: Size | None = None) -> None:
        """Define a symbol; `decided_by` is the size that the value was taken from, if any."""
        self.values[symbol] = value
        if isinstance(decided_by, int):
            self._decided_by[symbol] = STATIC
        elif decided_by in self._decided_by:
            self._decided_by[symbol] = self._decided_by[decided_by]

    def describe(self, size: Size) -> str:
        """Return a size for a message: its value, and where the value comes from."""
        if isinstance(size, int):
            return f"{size} ({STATIC})"
        source = self._decided_by.get(size)
        return f"{self.values[size]}" + (f" ({source})" if source else "")
