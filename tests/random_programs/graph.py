"""A program as a graph that writes itself as MLIR text and that NumPy evaluates.

The evaluation is the independent meaning of the program: it knows nothing of hwc, takes the shapes
of a call as they come, and either gives every value or refuses the call. The text is written with
the declared types, or with the shapes that the values have in one call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Shape: TypeAlias = tuple[int, ...]
Declared: TypeAlias = tuple[int | None, ...]
"""The sizes of a type; None is dynamic."""


class RefusedError(Exception):
    """The shapes of a call do not fit the program."""


@dataclass(frozen=True)
class Value:
    """A tensor of the program: its SSA name, element type and declared sizes.

    A value that is not a tensor has a `text` for its type and no element type.
    """

    name: str
    kind: str
    declared: Declared = ()
    text: str = ""

    def type(self, shape: Sequence[int | None] | None = None) -> str:
        """Return the type as MLIR text, with the sizes `shape` instead of the declared ones."""
        if self.text:
            return self.text
        sizes = self.declared if shape is None else shape
        return f"tensor<{''.join('?x' if n is None else f'{n}x' for n in sizes)}{self.kind}>"


Types: TypeAlias = Callable[[Value], str]
"""The type of a value in the text that is being written."""


@dataclass(frozen=True)
class Node:
    """An operation: how it is written, and what NumPy computes from its operands.

    `run` raises `RefusedError` if the shapes of the operands do not fit.
    """

    value: Value
    operands: tuple[Value, ...]
    write: Callable[[Types], str]
    run: Callable[..., Any]

    def evaluate(self, operands: Sequence[Any]) -> Any:
        """Return the value; its sizes have to be the declared ones."""
        with np.errstate(all="ignore"):
            result = self.run(*operands)
        if isinstance(result, np.ndarray):
            check_sizes(self.value, result.shape)
        return result


def check_sizes(value: Value, shape: Shape) -> None:
    """Refuse a shape that the declared type of a value does not allow."""
    fits = len(shape) == len(value.declared)
    if not fits or any(d not in (None, n) for d, n in zip(value.declared, shape, strict=True)):
        raise RefusedError(f"{value.name} has the shape {shape}, declared {value.declared}")


@dataclass
class Graph:
    """A program of one function.

    `axes` says for each argument which axis of the program each of its dimensions is, None for one
    that has size 1 as a rule; calls with other sizes follow it.
    """

    arguments: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    returned: list[Value] = field(default_factory=list)
    axes: dict[str, tuple[int | None, ...]] = field(default_factory=dict)

    def evaluate(self, arrays: Sequence[Array]) -> dict[str, Any]:
        """Return every value of a call.

        Raises:
            RefusedError: the shapes do not fit.
        """
        values: dict[str, Any] = {}
        for argument, array in zip(self.arguments, arrays, strict=True):
            check_sizes(argument, array.shape)
            values[argument.name] = array
        for node in self.nodes:
            values[node.value.name] = node.evaluate([values[v.name] for v in node.operands])
        return values

    def text(self, values: Mapping[str, Any] | None = None) -> str:
        """Return the program with declared types, or with the shapes of `values`: static."""

        def type_of(value: Value) -> str:
            known = None if values is None else values[value.name]
            return value.type(known.shape if isinstance(known, np.ndarray) else None)

        arguments = ", ".join(f"{v.name}: {type_of(v)}" for v in self.arguments)
        results = ", ".join(type_of(v) for v in self.returned)
        names = ", ".join(v.name for v in self.returned)
        body = "".join(f"  {node.write(type_of)}\n" for node in self.nodes)
        end = f"  return {names} : {results}\n" if self.returned else "  return\n"
        return f"func.func @main({arguments}) -> ({results}) {{\n{body}{end}}}\n"

    def parts(self) -> Iterator[Graph]:
        """Yield for each tensor that an operation computes the program that returns it alone."""
        for node in self.nodes:
            if node.value.text:
                continue
            needed = {node.value.name}
            nodes: list[Node] = []
            for other in reversed(self.nodes):
                if other.value.name in needed:
                    needed.update(v.name for v in other.operands)
                    nodes.insert(0, other)
            yield replace(self, nodes=nodes, returned=[node.value])
