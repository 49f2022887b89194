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

    A value that is not a tensor has a `text` for its type. `held` says for each dimension whether
    it never expands, apart from what an operator says; () is none.
    """

    name: str
    kind: str
    declared: Declared = ()
    text: str = ""
    held: tuple[bool, ...] = ()

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


@dataclass(frozen=True)
class Fact:
    """A fact about the sizes of arguments: its text, and whether it holds for their shapes."""

    text: str
    holds: Callable[[Mapping[str, Shape]], bool]


@dataclass
class Graph:
    """A program of one function.

    `axes` says for each argument which axis of the program each of its dimensions is, None for one
    that has size 1 as a rule; calls with other sizes follow it. `symbols` are names of dimensions,
    "" for none. With `strict`, no dynamic dimension expands in any operator of TOSA. `facts` are
    written into the program, `options` are given when it is compiled.
    """

    arguments: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    returned: list[Value] = field(default_factory=list)
    axes: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    symbols: dict[str, tuple[str, ...]] = field(default_factory=dict)
    strict: bool = False
    facts: list[Fact] = field(default_factory=list)
    options: list[Fact] = field(default_factory=list)

    def evaluate(self, arrays: Sequence[Array]) -> dict[str, Any]:
        """Return every value of a call.

        Raises:
            RefusedError: the shapes do not fit.
        """
        values: dict[str, Any] = {}
        for argument, array in zip(self.arguments, arrays, strict=True):
            check_sizes(argument, array.shape)
            values[argument.name] = array
        self._check_language({name: array.shape for name, array in values.items()})
        for node in self.nodes:
            values[node.value.name] = node.evaluate([values[v.name] for v in node.operands])
        return values

    def _check_language(self, shapes: Mapping[str, Shape]) -> None:
        """Refuse sizes that differ although they have one name, and those that break a fact."""
        sizes: dict[str, int] = {}
        for argument, names in self.symbols.items():
            for name, size in zip(names, shapes[argument], strict=True):
                if name and sizes.setdefault(name, size) != size:
                    raise RefusedError(f"{name} is {size} in {argument}, and {sizes[name]}")
        for fact in (*self.facts, *self.options):
            if not fact.holds(shapes):
                raise RefusedError(f"{fact.text} does not hold")

    def text(self, values: Mapping[str, Any] | None = None) -> str:
        """Return the program with declared types, or with the shapes of `values`: static.

        The static program says nothing about its sizes.
        """
        dynamic = values is None

        def type_of(value: Value) -> str:
            known = None if values is None else values[value.name]
            return value.type(known.shape if isinstance(known, np.ndarray) else None)

        arguments = ", ".join(
            f"{v.name}: {type_of(v)}{self._argument_attributes(v) if dynamic else ''}"
            for v in self.arguments
        )
        results = ", ".join(type_of(v) for v in self.returned)
        names = ", ".join(v.name for v in self.returned)
        body = "".join(f"  {node.write(type_of)}\n" for node in self.nodes)
        end = f"  return {names} : {results}\n" if self.returned else "  return\n"
        head = f"func.func @main({arguments}) -> ({results})"
        return f"{head}{self._attributes() if dynamic else ''} {{\n{body}{end}}}\n"

    def _argument_attributes(self, value: Value) -> str:
        attributes: list[str] = []
        if (names := self.symbols.get(value.name)) is not None:
            attributes.append(f"hwc.symbols = [{', '.join(map(_quoted, names))}]")
        if any(value.held):
            held = ", ".join(str(d) for d, is_held in enumerate(value.held) if is_held)
            attributes.append(f"hwc.nonexpanding = array<i64: {held}>")
        return f" {{{', '.join(attributes)}}}" if attributes else ""

    def _attributes(self) -> str:
        attributes: list[str] = []
        if self.facts:
            attributes.append(f"hwc.assume = [{', '.join(_quoted(f.text) for f in self.facts)}]")
        if self.strict:
            attributes.append('hwc.broadcast = "strict"')
        return f" attributes {{{', '.join(attributes)}}}" if attributes else ""

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


def _quoted(text: str) -> str:
    return f'"{text}"'
