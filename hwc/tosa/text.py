"""Operators of a graph as the text of a function, in MLIR's generic syntax.

Every TOSA reader accepts this syntax, whichever version of the dialect it supports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, IntegerType
from xdsl.ir import Attribute

from hwc.dialects.printing import ExactPrinter
from hwc.models.graph import Node
from hwc.tosa.graph import TosaGraph, TosaNode

_WHOLE_BYTES = (8, 16, 32, 64)
"""Element widths in bits that hexadecimal constants encode alike in all versions of MLIR."""
_SHORT = 16
"""In elements; longer constants are written in hexadecimal."""


def function_text(
    graph: TosaGraph,
    nodes: Iterable[TosaNode],
    arguments: Sequence[str],
    results: Sequence[str],
    symbols: Mapping[str, str] | None = None,
    callee: Callable[[TosaNode], str | None] = lambda _: None,
) -> tuple[str, dict[int, Node]]:
    """Return a function of `arguments` that returns `results`, and the node of each line.

    `symbols` maps an argument to the attribute that names its sizes. `callee` returns the name of
    the function that computes a node, or None if the node is written as an operator.
    """
    writer = _Writer(graph, arguments, symbols or {}, callee)
    for node in nodes:
        writer.add(node)
    return writer.text(results), writer.lines


class _Writer:
    def __init__(
        self,
        graph: TosaGraph,
        arguments: Sequence[str],
        symbols: Mapping[str, str],
        callee: Callable[[TosaNode], str | None],
    ) -> None:
        self._callee = callee
        self._graph = graph
        self._arguments = arguments
        self._symbols = symbols
        self._names = {name: f"%arg{number}" for number, name in enumerate(arguments)}
        self._body: list[str] = []
        self.lines: dict[int, Node] = {}

    def add(self, node: TosaNode) -> None:
        """Write a node, after the constants and shapes that it reads."""
        for name in node.inputs:
            if name not in self._names:
                self.add(self._graph.constants.get(name) or self._graph.shapes[name])
        results = [f"%{len(self._names) + number}" for number in range(len(node.outputs))]
        operands = ", ".join(self._names[name] for name in node.inputs)
        name, attributes = node.op.name, _attributes(node.op.arguments)
        if callee := self._callee(node):
            name, attributes = "func.call", f" <{{callee = @{callee}}}>"
        types = self._signature(node.inputs, node.outputs)
        self._names.update(zip(node.outputs, results, strict=True))
        self._body.append(f'  {", ".join(results)} = "{name}"({operands}){attributes} : {types}')
        self.lines[len(self._body) + 1] = node  # line 1 is the header of the function

    def text(self, results: Sequence[str]) -> str:
        """Return the function."""
        types = _types(self._graph, results)
        given = ", ".join(
            f"{self._names[name]}: {self._graph.types[name]}{self._symbols.get(name, '')}"
            for name in self._arguments
        )
        values = ", ".join(self._names[name] for name in results)
        lines = (
            f"func.func @main({given}) -> ({types}) {{",
            *self._body,
            f"  return {values} : {types}",
            "}",
        )
        return "".join(f"{line}\n" for line in lines)

    def _signature(self, inputs: Sequence[str], outputs: Sequence[str]) -> str:
        return f"({_types(self._graph, inputs)}) -> ({_types(self._graph, outputs)})"


def _types(graph: TosaGraph, names: Sequence[str]) -> str:
    return ", ".join(str(graph.types[name]) for name in names)


def _attributes(attributes: Mapping[str, Attribute]) -> str:
    if not attributes:
        return ""
    written = (f"{name} = {_text(value)}" for name, value in sorted(attributes.items()))
    return f" <{{{', '.join(written)}}}>"


def _text(attribute: Attribute) -> str:
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        element, data = attribute.get_element_type(), attribute.data.data
        bits = 8 * element.compile_time_size if isinstance(element, AnyFloat) else 0
        if isinstance(element, IntegerType):
            bits = element.width.data
        if bits in _WHOLE_BYTES and 8 * len(data) > _SHORT * bits:
            return f'dense<"0x{data.hex().upper()}"> : {attribute.type}'
    text = StringIO()
    ExactPrinter(text).print_attribute(attribute)
    return text.getvalue()
