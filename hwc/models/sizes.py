"""What the nodes of a part on the host require of sizes, as steps of the shape program.

The rules of an operator do not depend on where the operator runs. On the machine, the passes write
them; for a part on the host, the front end does, with a `NodeSizes` for each node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NoReturn, TypeAlias

from hwc.package import Indices
from hwc.shapes import Size
from hwc.shapes.steps import (
    ARITHMETIC,
    Among,
    Arithmetic,
    AtMost,
    Broadcast,
    Congruent,
    Element,
    Equal,
    Evaluation,
    IsSize,
    Origin,
    Reshape,
    SizesRefused,
    Step,
    Within,
)

Sizes = tuple[Size, ...]
"""The sizes of a tensor: numbers, or symbols of the shape program."""

KnownElements: TypeAlias = "Callable[[], Sizes | None]"
"""Returns the elements of a tensor of integers, in row-major order; None if they are not known."""


class MisfitError(Exception):
    """Sizes that no call can satisfy; the text begins with the operation."""


class NodeSizes:
    """Writes the steps of one node.

    A value is a number, or a symbol of an earlier step. What only numbers decide is decided at
    once; the methods then raise a `MisfitError`. `about` says for messages what a rule is about,
    such as `in the inner dimension`; `dimension` is the dimension of the result instead.
    """

    def __init__(
        self,
        steps: list[Step],
        fresh: Callable[[str], str],
        operation: str,
        location: str,
        elements: dict[str, KnownElements] | None = None,
    ) -> None:
        """Begin; steps are appended to `steps`, and `fresh` returns an unused name.

        `elements` are the known elements of all tensors, by name; front ends add to them.
        """
        self._steps = steps
        self._fresh = fresh
        self._origin = Origin(operation, location)
        self.indices: list[Indices] = []
        """The rules about data, which are checked before the engine runs."""
        self.elements = {} if elements is None else elements

    def refuse(self, message: str, about: str = "") -> NoReturn:
        """Refuse the node."""
        raise MisfitError(f"{replace(self._origin, about=about).subject}: {message}")

    def equal(self, *sizes: Size, about: str = "", dimension: int | None = None) -> Size:
        """Require equal sizes; return the size, a number if there is one."""
        distinct = [*dict.fromkeys(sizes)]
        if len(distinct) > 1:
            self._add(Equal(tuple(distinct)), about, dimension)
        return next((size for size in distinct if isinstance(size, int)), distinct[0])

    def broadcast(self, shapes: Sequence[Sequence[Size]]) -> Sizes:
        """Return the sizes to which operands broadcast."""
        rank = max(map(len, shapes), default=0)
        padded = [(1,) * (rank - len(sizes)) + tuple(sizes) for sizes in shapes]
        columns = enumerate(zip(*padded, strict=True))
        return tuple(self._broadcast(sizes, dimension) for dimension, sizes in columns)

    def _broadcast(self, sizes: Sequence[Size], dimension: int) -> Size:
        distinct = tuple(dict.fromkeys(size for size in sizes if size != 1))
        if len(distinct) < 2:  # noqa: PLR2004
            return next(iter(distinct), 1)
        numbers = tuple(size for size in distinct if isinstance(size, int))
        if len(numbers) > 1:
            self._add(Broadcast("", numbers), "", dimension)
        result = self._fresh("d")
        self._add(Broadcast(result, distinct), "", dimension)
        return next(iter(numbers), result)

    def compute(self, kind: str, *values: Size) -> Size:
        """Return a value that a kind of `hwc.shapes.steps.ARITHMETIC` computes."""
        step = ARITHMETIC[kind]
        if kind in _NEUTRAL and values[1] == _NEUTRAL[kind]:
            return values[0]
        if kind in _COMMUTATIVE and values[0] == _NEUTRAL[kind]:
            return values[1]
        numbers = [value for value in values if isinstance(value, int)]
        if len(numbers) == len(values):
            try:
                return step.compute(numbers)
            except SizesRefused as refused:
                self.refuse(str(refused))
        result = self._fresh("n")
        self._add(step(result, values), "")
        return result

    def sum(self, values: Iterable[Size]) -> Size:
        """Return the sum of values."""
        total: Size = 0
        for value in values:
            total = self.compute("addi", total, value)
        return total

    def product(self, values: Iterable[Size]) -> Size:
        """Return the product of values."""
        total: Size = 1
        for value in values:
            total = self.compute("muli", total, value)
        return total

    def size(self, value: Size, about: str = "") -> Size:
        """Require that a value can be a size, and return it."""
        self._add(IsSize((value,)), about)
        return value

    def multiple(self, value: Size, modulus: int, about: str = "") -> None:
        """Require a multiple of a positive number."""
        if modulus > 1:
            self._add(Congruent(value, modulus, 0), about)

    def within(self, value: Size, low: int, high: int, about: str = "") -> None:
        """Require a value from `low` to `high`."""
        self._add(Within(value, low, high), about)

    def at_most(self, value: Size, limit: Size, about: str = "") -> None:
        """Require a value that is not above a limit."""
        if value != limit:
            self._add(AtMost(value, limit), about)

    def at_least(self, value: Size, limit: Size, about: str = "") -> None:
        """Require a value that is not below a limit."""
        if isinstance(value, int) and isinstance(limit, int):
            if value < limit:
                self.refuse(f"got {value}, expected at least {limit}", about)
        else:
            self.at_most(limit, value, about)

    def among(self, size: Size, choices: Sequence[Size], about: str = "") -> None:
        """Require one of several sizes."""
        step = Among(size, tuple(dict.fromkeys(choices)))
        if not isinstance(size, int) or all(isinstance(choice, int) for choice in choices):
            self._add(step, about)
        elif size not in choices:
            self._add(Equal((size, *(c for c in step.choices if isinstance(c, str)))), about)

    def reshape(self, source: Sequence[Size], result: Sequence[Size | None]) -> Sizes:
        """Require as many elements in the result; at most one of its sizes is None: inferred."""
        sizes = tuple(self._fresh("r") if size is None else size for size in result)
        source = tuple(source)
        if source != sizes:
            inferred = [size for size, given in zip(sizes, result, strict=True) if given is None]
            step = Reshape(source, sizes)
            if all(isinstance(size, int) for size in source) and all(
                isinstance(size, int) for size in result if size is not None
            ):
                call = self._evaluated(step, "", None)
                return tuple(call.values[size] if size in inferred else size for size in sizes)  # type: ignore[index]
            self._steps.append(replace(step, origin=self._origin))
        return sizes

    def declared(self, found: Sequence[Size], declared: Sequence[Size | None]) -> Sizes:
        """Compare sizes with those that the type of the result states; return what is known."""
        if len(found) != len(declared):
            self.refuse(
                f"the result has rank {len(declared)}, but the operands give rank {len(found)}"
            )
        return tuple(
            size if other is None else self.equal(size, other, dimension=dimension)
            for dimension, (size, other) in enumerate(zip(found, declared, strict=True))
        )

    def check_indices(
        self,
        tensor: str,
        size: Size,
        *,
        from_end: bool = False,
        distinct: bool = False,
        column: int | None = None,
    ) -> None:
        """Require that the elements of a tensor, which crosses the border, are indices.

        With `column`, these are the elements at this place of the last dimension alone.
        """
        self.indices.append(Indices(tensor, size, from_end, distinct, self._origin, column))

    def element(self, argument: int, indices: Sequence[Size]) -> Size:
        """Return an element of an argument of the program."""
        result = self._fresh("e")
        self._steps.append(Element(result, argument, tuple(indices), origin=self._origin))
        return result

    def is_size(self, size: Size) -> bool:
        """Whether a symbol is the size of a tensor, so that no call makes it negative."""
        return any(
            size in (step.operands if isinstance(step, IsSize) else step.symbols)
            for step in self._steps
            if not isinstance(step, Arithmetic | Element)
        )

    def _add(self, step: Step, about: str, dimension: int | None = None) -> None:
        if all(isinstance(size, int) for size in step.reads):
            self._evaluated(step, about, dimension)
        else:
            origin = replace(self._origin, about=about, dimension=dimension)
            self._steps.append(replace(step, origin=origin))

    def _evaluated(self, step: Step, about: str, dimension: int | None) -> Evaluation:
        """Evaluate a step that reads numbers alone."""
        call = _Numbers((), ())
        origin = replace(self._origin, about=about, dimension=dimension)
        try:
            replace(step, origin=origin).evaluate(call)
        except SizesRefused as refused:
            raise MisfitError(f"{origin.subject}: {refused}") from None
        return call


class _Numbers(Evaluation):
    """An evaluation without a call: the program states all sizes, so their origin goes unsaid."""

    def describe(self, size: Size) -> str:
        """Return a size for a message."""
        return str(self.value(size))


_NEUTRAL = {"addi": 0, "subi": 0, "muli": 1, "divui": 1, "divsi": 1, "floordivsi": 1}
_COMMUTATIVE = frozenset({"addi", "muli"})
