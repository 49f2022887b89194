"""Operators of a graph as the text of a function, in MLIR's generic syntax.

Every TOSA reader accepts this syntax, whichever version of the dialect it supports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, IntegerType
from xdsl.ir import Attribute

from hwc.dialects.printing import ExactPrinter
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
) -> tuple[str, dict[int, TosaNode]]:
    """Return a function of `arguments` that returns `results`, and the node of each line.

    `symbols` maps an argument to the attribute that names its sizes.
    """
    writer = FunctionWriter(graph, arguments, symbols or {})
    for node in nodes:
        writer.add(node)
    return writer.text(results), writer.lines


class FunctionWriter:
    """Writes a function one operator at a time, each on a line."""

    def __init__(
        self, graph: TosaGraph, arguments: Sequence[str], symbols: Mapping[str, str] | None = None
    ) -> None:
        self.graph = graph
        self.lines: dict[int, TosaNode] = {}
        """The node that each line belongs to."""
        self._arguments = arguments
        self._symbols = symbols or {}
        self._names = {name: f"%arg{number}" for number, name in enumerate(arguments)}
        self._body: list[str] = []
        self._count = len(self._names)

    def add(self, node: TosaNode) -> None:
        """Write a node, after the constants and shapes that it reads."""
        operands = ", ".join(self.name(name) for name in node.inputs)
        self.write(
            node,
            f'"{node.op.name}"({operands}){attributes_text(node.op.arguments)}',
            node.inputs,
            [str(self.graph.types[name]) for name in node.outputs],
        )

    def name(self, name: str) -> str:
        """Return the name of a value in the text; a constant or a shape is written first."""
        if name not in self._names:
            self.add(self.graph.constants.get(name) or self.graph.shapes[name])
        return self._names[name]

    def write(
        self, node: TosaNode, operation: str, inputs: Sequence[str], results: Sequence[str]
    ) -> None:
        """Write an operation on values of the graph that gives a node's results."""
        given = ", ".join(str(self.graph.types[name]) for name in inputs)
        names = [self.fresh() for _ in results]
        self._names.update(zip(node.outputs, names, strict=True))
        made = ", ".join(results)
        self.line(f"{', '.join(names)} = {operation} : ({given}) -> ({made})", node)

    def bind(self, value: str, name: str) -> None:
        """Give a value of the graph its name in the text."""
        self._names[value] = name

    def fresh(self) -> str:
        """Return a new name."""
        self._count += 1
        return f"%{self._count}"

    def line(self, text: str, node: TosaNode) -> None:
        """Write a line for a node."""
        self._body.append(f"  {text}")
        self.lines[len(self._body) + 1] = node  # line 1 is the header of the function

    def text(self, results: Sequence[str], name: str = "main") -> str:
        """Return the function."""
        types = _types(self.graph, results)
        given = ", ".join(
            f"{self._names[name]}: {self.graph.types[name]}{self._symbols.get(name, '')}"
            for name in self._arguments
        )
        values = ", ".join(self.name(name) for name in results)
        lines = (
            f"func.func @{name}({given}) -> ({types}) {{",
            *self._body,
            f"  return {values} : {types}",
            "}",
        )
        return "".join(f"{line}\n" for line in lines)


def _types(graph: TosaGraph, names: Sequence[str]) -> str:
    return ", ".join(str(graph.types[name]) for name in names)


def attributes_text(attributes: Mapping[str, Attribute]) -> str:
    """Return attributes in the generic form of an operation."""
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
