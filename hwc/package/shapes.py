"""The shape program: checks the sizes of a call's arguments and computes every other size.

The host evaluates the shape program before anything is dispatched, up to the first size that needs
the result of a step on the host. The program checks the rule of every source operation; the
hardware's checks at the start of a loop are only the last line of defence. `hwc.shapes.steps` has
the kinds of steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from math import prod
from typing import Protocol, TypeAlias

import isa
from hwc.errors import DispatchError, counted
from hwc.shapes import Size, SymbolTable
from hwc.shapes.steps import (
    Arithmetic,
    Dim,
    Element,
    Elements,
    Evaluation,
    IsSize,
    Learned,
    SizesRefused,
    Step,
    argument,
    show_shape,
)

Dimension: TypeAlias = Size
"""A size: static, or the name of a symbol."""


class InputTensor(Protocol):
    """What the evaluation needs to know about an argument: its name and its declared shape."""

    @property
    def name(self) -> str:
        """The MLIR name of the argument, without `%`."""
        ...

    @property
    def shape(self) -> tuple[Dimension, ...]:
        """The declared sizes."""
        ...


@dataclass(frozen=True)
class ShapeProgram:
    """Ordered steps; a step uses only symbols that earlier steps define."""

    steps: tuple[Step, ...] = ()
    symbols: tuple[str, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Collect the symbols in the order of their definition."""
        defined = dict.fromkeys(symbol for step in self.steps for symbol in step.symbols)
        object.__setattr__(self, "symbols", tuple(defined))

    @property
    def sizes(self) -> tuple[str, ...]:
        """The symbols that are sizes; the others are values from which sizes are computed."""
        checked = {s for step in self.steps if isinstance(step, IsSize) for s in step.operands}
        values = (step.result for step in self.steps if isinstance(step, Arithmetic | Element))
        unchecked = set(values) - checked
        return tuple(symbol for symbol in self.symbols if symbol not in unchecked)

    @property
    def told(self) -> frozenset[str]:
        """The symbols that are known before a step on the host has run."""
        steps = takewhile(lambda step: not isinstance(step, Learned), self.steps)
        return frozenset(symbol for step in steps for symbol in step.symbols)

    def problems(self, inputs: Sequence[tuple[Dimension, ...]]) -> Iterator[str]:
        """Yield every inconsistency of the program itself, given the declared input shapes."""
        known: set[str] = set()
        ranks = [len(shape) for shape in inputs]
        for i, step in enumerate(self.steps):
            yield from (f"shape step {i}: {problem}" for problem in step.problems(known, ranks))
            known.update(step.symbols)

    def unread(self, inputs: Sequence[tuple[Dimension, ...]]) -> Iterator[str]:
        """Yield every declared size that no step reads from, or compares with, its dimension."""
        read = {(s.argument, s.dimension, s.result) for s in self.steps if isinstance(s, Dim)}
        for i, shape in enumerate(inputs):
            for d, size in enumerate(shape):
                if isinstance(size, str) and (i, d, size) not in read:
                    yield f"no shape step compares dimension {d} of input {i} with {size!r}"

    @property
    def needs_elements(self) -> bool:
        """Whether sizes depend on elements of the arguments."""
        return any(isinstance(step, Element) for step in self.steps)

    @property
    def needs_results(self) -> bool:
        """Whether sizes depend on what steps on the host compute."""
        told: set[str] = set()
        for step in self.steps:
            if isinstance(step, Learned) and step.result not in told:
                return True
            told.update(step.symbols)
        return False

    def table(self) -> SymbolTable:
        """Return what holds, according to the steps, for every call that they accept."""
        table = SymbolTable()
        for step in self.steps:
            step.replay(table)
        table.canonicalize()
        return table

    def evaluate(
        self,
        inputs: Sequence[InputTensor],
        shapes: Sequence[Sequence[int]],
        elements: Elements | None = None,
    ) -> dict[str, int]:
        """Check the shapes of a call against the program and return the value of every symbol.

        `inputs` are the declared arguments, `shapes` the sizes of the call, one tuple per argument.
        `elements` gives the elements of the arguments; only some programs need them. The result
        does not have sizes that depend on what the host computes.

        Raises:
            DispatchError: names the argument and dimension, what was given and what was expected;
                for the rule of a source operation, the operation and its location as well.
        """
        return self.begin(inputs, shapes, elements).values

    def begin(
        self,
        inputs: Sequence[InputTensor],
        shapes: Sequence[Sequence[int]],
        elements: Elements | None = None,
    ) -> Evaluation:
        """Evaluate as `evaluate` does, and return the state for `proceed`.

        Raises:
            DispatchError: as `evaluate`.
        """
        check_declared(inputs, shapes)
        call = Evaluation([tensor.name for tensor in inputs], shapes, elements)
        self.proceed(call)
        return call

    def proceed(self, call: Evaluation) -> None:
        """Evaluate up to the first size that the host has not computed yet.

        Raises:
            DispatchError: as `evaluate`.
        """
        for step in self.steps[call.position :]:
            if isinstance(step, Learned) and (step.step, step.output) not in call.learned:
                return
            try:
                step.evaluate(call)
            except SizesRefused as refused:
                head = f"{step.origin}: " if step.origin else ""
                raise DispatchError(f"{head}{refused}") from None
            call.position += 1


def check_declared(inputs: Sequence[InputTensor], shapes: Sequence[Sequence[int]]) -> None:
    """Check sizes against the declared ones.

    Raises:
        DispatchError: names the argument and the dimension, what was given and what was expected.
    """
    if len(shapes) != len(inputs):
        raise DispatchError(wrong_count(inputs, len(shapes)))
    for i, (tensor, shape) in enumerate(zip(inputs, shapes, strict=True)):
        who = argument(i, tensor.name)
        if len(shape) != len(tensor.shape):
            raise DispatchError(
                f"{who}: got rank {len(shape)}, shape {show_shape(shape)}; "
                f"expected rank {len(tensor.shape)} ({tensor})"
            )
        for d, (size, declared) in enumerate(zip(shape, tensor.shape, strict=True)):
            if isinstance(declared, int) and size != declared:
                raise DispatchError(
                    f"{who}, dimension {d}: got size {size}, expected {declared} ({tensor})"
                )
        limits = isa.load().limits
        if max((prod(shape), *shape)) >= limits.size_limit:
            raise DispatchError(
                f"{who}: shape {show_shape(shape)} is too large: every size, and the number of "
                f"elements, has to be below 2^{limits.size_bits}"
            )


def wrong_count(inputs: Sequence[InputTensor], count: int) -> str:
    """Return the message for a call with the wrong number of arguments."""
    given = counted(count, "argument")
    names = ", ".join(f"%{t.name}: {t}" for t in inputs) or "none"
    return f"wrong number of arguments: got {given}, expected {len(inputs)} ({names})"
