"""One use of an ONNX operator in a model, as the rules of the operators see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

import isa
from hwc.models.sizes import NodeSizes, Sizes
from hwc.shapes import Size

OLDEST = 8
"""The opset version since which all operands broadcast as in NumPy."""


@dataclass(frozen=True)
class Use:
    """A node: its attributes, its inputs, and the writer of its rules.

    `names` are the names of the inputs, '' for an omitted one, and `inputs` their sizes, None for
    an omitted one. `elements` returns the elements of an input of integers in row-major order as
    numbers and symbols, None if only an engine knows them; `arrays` the elements of a constant.
    """

    version: int
    attributes: Mapping[str, Any]
    names: Sequence[str]
    inputs: Sequence[Sizes | None]
    results: int
    write: NodeSizes
    elements: Callable[[str], Sizes | None]
    arrays: Callable[[str], NDArray[Any] | None]

    def refuse(self, message: str) -> NoReturn:
        """Refuse the node, whatever the sizes of a call are."""
        self.write.refuse(message)

    def given(self, number: int, least: int = 0, most: int | None = None) -> Sizes:
        """Return the sizes of an input that has a rank of at least `least` and at most `most`."""
        sizes = self.optional(number)
        if sizes is None:
            self.refuse(f"has no input {number}")
        if len(sizes) < least or (most is not None and len(sizes) > most):
            wanted = f"at least {least}" if most is None else f"a rank from {least} to {most}"
            self.refuse(
                f"input {number} has rank {len(sizes)}, expected "
                f"{least if least == most else wanted}"
            )
        return sizes

    def optional(self, number: int) -> Sizes | None:
        """Return the sizes of an input; None if it is left out."""
        return self.inputs[number] if number < len(self.inputs) else None

    def values(self, number: int) -> Sizes | None:
        """Return the elements of an input of integers; None if only an engine knows them."""
        return self.elements(self.names[number])

    def array(self, number: int) -> NDArray[Any] | None:
        """Return the elements of an input that is a constant."""
        return self.arrays(self.names[number]) if number < len(self.names) else None

    def integer(self, name: str, default: int) -> int:
        """Return an integer attribute."""
        return int(self.attributes.get(name, default))

    def integers(self, name: str, count: int, default: int, low: int | None = None) -> list[int]:
        """Return an attribute that lists `count` integers of at least `low`."""
        values = [int(value) for value in self.attributes.get(name, (default,) * count)]
        if len(values) != count:
            self.refuse(f"has {name} = {values}, expected {count} numbers")
        if low is not None and min(values, default=low) < low:
            self.refuse(f"has {name} = {values}, expected numbers of at least {low}")
        return values

    def word(self, name: str, default: str) -> str:
        """Return an attribute that is one of a few words."""
        value = self.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else str(value)

    def axis(self, rank: int, default: int | None = None) -> int:
        """Return the attribute `axis`, counted from the front."""
        return self.dimension(self.attributes.get("axis", default), rank)

    def dimension(self, axis: object, rank: int) -> int:
        """Return a dimension of a tensor of rank `rank`, counted from the front."""
        if not isinstance(axis, int | np.integer) or not -rank <= axis < rank:
            self.refuse(f"has axis = {axis}, which is not an axis of a tensor of rank {rank}")
        return int(axis) % rank

    def axes(self, values: Sequence[object], rank: int, *, distinct: bool = True) -> list[int]:
        """Return dimensions, counted from the front; `distinct` refuses one that is there twice."""
        found = [self.dimension(value, rank) for value in values]
        if distinct and len(set(found)) < len(found):
            self.refuse(f"has axes = {[*values]}, which names a dimension twice")
        return found

    def static(self, number: int) -> list[int] | None:
        """Return the elements of an input of integers if all of them are numbers."""
        values = self.values(number)
        if values is None or any(isinstance(value, str) for value in values):
            return None
        return [int(value) for value in values]

    def same(self, *shapes: Sizes) -> Sizes:
        """Require equal sizes in every dimension of operands with equal ranks."""
        ranks = [*dict.fromkeys(map(len, shapes))]
        if len(ranks) > 1:
            self.refuse(f"operands of ranks {ranks[0]} and {ranks[1]}, expected equal ranks")
        columns = enumerate(zip(*shapes, strict=True))
        return tuple(self.write.equal(*sizes, dimension=d) for d, sizes in columns)

    def fits(self, number: int, sizes: Sizes) -> None:
        """Require an input that broadcasts to `sizes`: this result is not larger than `sizes`."""
        own = self.optional(number)
        if own is None:
            return
        self.given(number, 0, len(sizes))
        for place in range(1, len(own) + 1):
            about = f"in dimension {len(own) - place} of input {number}"
            self.one_or(own[-place], sizes[-place], about)

    def vector(self, number: int, size: Size, what: str) -> None:
        """Require a tensor of rank 1 and a size."""
        if self.optional(number) is not None:
            self.write.equal(self.given(number, 1, 1)[0], size, about=f"in the size of {what}")

    def shaped(self, number: int, name: str, wanted: Sizes) -> None:
        """Require the sizes of an input that may be left out."""
        if self.optional(number) is None:
            return
        sizes = self.given(number, len(wanted), len(wanted))
        for dimension, (own, size) in enumerate(zip(sizes, wanted, strict=True)):
            self.write.equal(own, size, about=f"in dimension {dimension} of {name}")

    def single(self, number: int, what: str) -> None:
        """Require a scalar, or a tensor with one element."""
        sizes = self.optional(number)
        if sizes is not None:
            for size in self.given(number, 0, 1):
                self.write.equal(size, 1, about=f"in the size of {what}")

    def one_or(self, size: Size, other: Size, about: str) -> None:
        """Require a size that is 1, or the other size."""
        if size not in (1, other):
            self.write.among(size, (1, other), about)

    def positive(self, size: Size, about: str) -> None:
        """Require a size of at least 1."""
        self.write.within(size, 1, isa.load().limits.size_limit - 1, about)

    def indices(
        self, number: int, size: Size, *, from_end: bool = True, column: int | None = None
    ) -> None:
        """Require elements that are indices of a dimension of a size.

        With `column`, these are the elements at this place of the last dimension alone.
        """
        array = self.array(number)
        if array is not None and column is not None:
            array = array[..., column]
        if array is not None:
            values: Sizes | None = (int(array.min()), int(array.max())) if array.size else ()
        else:
            values = self.values(number) if column is None else None
        if values is None:
            self.write.check_indices(self.names[number], size, from_end=from_end, column=column)
            return
        least = self.write.compute("subi", 0, size) if from_end else 0
        for value in dict.fromkeys(values):
            self.write.at_most(least, value, "for its lowest index")
            more = self.write.compute("addi", value, 1)
            self.write.at_most(more, size, "for its highest index, plus 1")


Results: TypeAlias = "tuple[Sizes | None, ...]"
"""The sizes of an operator's results; None for a result whose sizes only an engine knows."""

Rule: TypeAlias = Callable[[Use], Results]
"""Writes what an operator requires of sizes and data, and returns the sizes of its results.

Raises:
    MisfitError: no sizes of a call satisfy the operator.
"""
