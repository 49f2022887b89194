"""The shape program: checks the sizes that came with a call and works out every other one.

It is evaluated on the host before anything is dispatched, and checks every source operation's own
rule; what the hardware checks at a loop's start is the last line of defence only. The broadcasting
rule is that of the Broadcastable trait: a size of 1 yields to the other, equal sizes stay, any
other pair is an error. A size of 0 is like any other size than 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Protocol, TypeAlias

import isa
from hwc.errors import DispatchError

Dimension: TypeAlias = int | str
"""A size: static, or the name of a symbol."""


class InputTensor(Protocol):
    """What the evaluation needs to know of an argument: its name and its declared type."""

    @property
    def name(self) -> str:
        """The MLIR name of the argument, without `%`."""
        ...

    @property
    def shape(self) -> tuple[Dimension, ...]:
        """The declared sizes."""
        ...


@dataclass(frozen=True)
class Where:
    """The source of a check: operation (`tosa.add`), `file:line:col`, dimension of its result."""

    op: str
    location: str
    dimension: int | None = None

    def __str__(self) -> str:
        at = "" if self.dimension is None else f" in dimension {self.dimension} of the result"
        return f"{self.location}: error: '{self.op}'{at}"


@dataclass(frozen=True)
class Dim:
    """`result` is the size of dimension `dim` of argument `input`.

    A symbol may be the result of several `Dim` steps, when the program requires those sizes to be
    equal: the first defines it, the others check it; `where` says which operation requires that.
    """

    result: str
    input: int
    dim: int
    where: Where | None = None


@dataclass(frozen=True)
class Broadcast:
    """`result` is what `operands` broadcast to; a static `result` is checked instead of defined."""

    result: Dimension
    operands: tuple[Dimension, ...]
    where: Where


@dataclass(frozen=True)
class Equal:
    """All `operands` have to be the same size."""

    operands: tuple[Dimension, ...]
    where: Where


@dataclass(frozen=True)
class Reshape:
    """The sizes `result` hold as many elements as the sizes `operands`.

    At most one entry of `result` is a symbol that no step before defines: its value is worked out.
    """

    operands: tuple[Dimension, ...]
    result: tuple[Dimension, ...]
    where: Where


Step: TypeAlias = Dim | Broadcast | Equal | Reshape


@dataclass(frozen=True)
class ShapeProgram:
    """Ordered steps; a step only uses symbols that steps before it define."""

    steps: tuple[Step, ...] = ()
    symbols: tuple[str, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Collect the symbols in the order of their definition."""
        defined = dict.fromkeys(s for step in self.steps for s in _results(step))
        object.__setattr__(self, "symbols", tuple(defined))

    def problems(self, inputs: Sequence[tuple[Dimension, ...]]) -> Iterator[str]:
        """Yield what is inconsistent about the program itself, given the declared input shapes."""
        known: set[str] = set()
        for i, step in enumerate(self.steps):
            if isinstance(step, Dim):
                if not 0 <= step.input < len(inputs) or not 0 <= step.dim < len(inputs[step.input]):
                    yield f"shape step {i} reads dimension {step.dim} of input {step.input}"
            else:
                used = {s for s in step.operands if isinstance(s, str)}
                yield from (
                    f"shape step {i} uses {s!r} before it is defined" for s in sorted(used - known)
                )
                if isinstance(step, Reshape) and len(set(_results(step)) - known) > 1:
                    yield f"shape step {i} has more than one size to work out"
                if isinstance(step, Broadcast) and step.result in known:
                    yield f"shape step {i} defines {step.result!r} again"
            known.update(_results(step))

    def evaluate(
        self, inputs: Sequence[InputTensor], shapes: Sequence[Sequence[int]]
    ) -> dict[str, int]:
        """Check the shapes of a call against the program and return the value of every symbol.

        `inputs` are the declared arguments, `shapes` the sizes that came, one tuple per argument.

        Raises:
            DispatchError: names the argument and dimension, what came, what was expected, and for a
                source operation's rule the operation and its place.
        """
        _check_declared(inputs, shapes)
        run = _Evaluation(inputs, shapes)
        for step in self.steps:
            run.step(step)
        return run.values


def _results(step: Step) -> tuple[str, ...]:
    if isinstance(step, Reshape):
        return tuple(d for d in step.result if isinstance(d, str))
    if isinstance(step, Equal) or isinstance(step.result, int):
        return ()
    return (step.result,)


def argument(index: int, name: str) -> str:
    """Return how error messages call an argument."""
    return f"argument {index} (%{name})"


def _check_declared(inputs: Sequence[InputTensor], shapes: Sequence[Sequence[int]]) -> None:
    if len(shapes) != len(inputs):
        names = ", ".join(f"%{t.name}: {t}" for t in inputs) or "none"
        raise DispatchError(
            f"wrong number of arguments: {len(shapes)} came, {len(inputs)} expected ({names})"
        )
    for i, (tensor, shape) in enumerate(zip(inputs, shapes, strict=True)):
        if len(shape) != len(tensor.shape):
            raise DispatchError(
                f"{argument(i, tensor.name)}: rank {len(shape)} came {_shape(shape)}, "
                f"rank {len(tensor.shape)} expected by {tensor}"
            )
        for d, (size, declared) in enumerate(zip(shape, tensor.shape, strict=True)):
            if isinstance(declared, int) and size != declared:
                raise DispatchError(
                    f"{argument(i, tensor.name)}, dimension {d}: size {size} came, "
                    f"size {declared} expected by {tensor}"
                )
        limits = isa.load().limits
        if max((prod(shape), *shape)) >= limits.size_limit:
            raise DispatchError(
                f"{argument(i, tensor.name)}: shape {_shape(shape)} is too large, "
                f"sizes and numbers of elements have to stay below 2^{limits.size_bits}"
            )


def _shape(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


class _Evaluation:
    """The state of one evaluation: values, and for messages the argument each value came from."""

    def __init__(self, inputs: Sequence[InputTensor], shapes: Sequence[Sequence[int]]) -> None:
        self.inputs = inputs
        self.shapes = shapes
        self.values: dict[str, int] = {}
        self.origin: dict[str, str] = {}

    def step(self, step: Step) -> None:
        if isinstance(step, Dim):
            self._dim(step)
        elif isinstance(step, Broadcast):
            self._broadcast(step)
        elif isinstance(step, Equal):
            self._equal(step)
        else:
            self._reshape(step)

    def _value(self, dim: Dimension) -> int:
        return self.values[dim] if isinstance(dim, str) else dim

    def _describe(self, dim: Dimension) -> str:
        if isinstance(dim, int):
            return f"{dim} (static)"
        origin = self.origin.get(dim)
        return f"{self.values[dim]}" + (f" ({origin})" if origin else "")

    def _dim(self, step: Dim) -> None:
        size = self.shapes[step.input][step.dim]
        origin = f"dimension {step.dim} of {argument(step.input, self.inputs[step.input].name)}"
        known = self.values.setdefault(step.result, size)
        if known != size:
            head = f"{step.where}: " if step.where else ""
            raise DispatchError(
                f"{head}{origin} is {size}, expected {self._describe(step.result)}: "
                f"the program requires these sizes to be equal"
            )
        self.origin.setdefault(step.result, origin)

    def _broadcast(self, step: Broadcast) -> None:
        decisive: Dimension = 1
        for dim in step.operands:
            value, so_far = self._value(dim), self._value(decisive)
            if so_far == 1:
                decisive = dim
            elif value not in (1, so_far):
                raise DispatchError(
                    f"{step.where}: sizes {self._describe(decisive)} and {self._describe(dim)} "
                    f"do not broadcast: they have to be equal, or one of them 1"
                )
        value = self._value(decisive)
        if isinstance(step.result, int):
            if value != step.result:
                raise DispatchError(
                    f"{step.where}: the operands broadcast to size {self._describe(decisive)}, "
                    f"but the result's type says {step.result}"
                )
            return
        self.values[step.result] = value
        if isinstance(decisive, str) and decisive in self.origin:
            self.origin[step.result] = self.origin[decisive]

    def _equal(self, step: Equal) -> None:
        for dim in step.operands[1:]:
            if self._value(dim) != self._value(step.operands[0]):
                raise DispatchError(
                    f"{step.where}: sizes {self._describe(step.operands[0])} and "
                    f"{self._describe(dim)} have to be equal"
                )

    def _reshape(self, step: Reshape) -> None:
        source = tuple(self._value(d) for d in step.operands)
        count = prod(source)
        unknown = {d for d in step.result if isinstance(d, str) and d not in self.values}
        for symbol in unknown:
            rest = prod(self._value(d) for d in step.result if d != symbol)
            if rest == 0 or count % rest:
                raise DispatchError(
                    f"{step.where}: {count} elements of shape {_shape(source)} do not divide "
                    f"into rows of {rest}"
                )
            self.values[symbol] = count // rest
        result = tuple(self._value(d) for d in step.result)
        if prod(result) != count:
            came = ", ".join(self._describe(d) for d in step.operands)
            raise DispatchError(
                f"{step.where}: cannot reshape {count} elements, shape {_shape(source)}, "
                f"into {prod(result)} elements, shape {_shape(result)}; the sizes are {came}"
            )
