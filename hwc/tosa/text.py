"""Operators of a graph as the text of a function, in MLIR's generic syntax.

Every TOSA reader accepts this syntax, whichever version of the dialect it supports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute

from hwc.dialects.printing import ExactPrinter
from hwc.models.graph import Argument
from hwc.shapes import Size
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
    known: Sequence[Argument] = (),
) -> tuple[str, dict[int, TosaNode]]:
    """Return a function of `arguments` that returns `results`, and the node of each line.

    `known` are arguments whose sizes are known better than by their types.
    """
    writer = FunctionWriter(graph, arguments, known)
    for node in nodes:
        writer.add(node)
    return writer.text(results), writer.lines


class FunctionWriter:
    """Writes a function one operator at a time, each on a line."""

    def __init__(
        self, graph: TosaGraph, arguments: Sequence[str], known: Sequence[Argument] = ()
    ) -> None:
        self.graph = graph
        self.lines: dict[int, TosaNode] = {}
        """The node that each line belongs to."""
        self._arguments = arguments
        self._known = {argument.name: argument for argument in known}
        self._names: dict[str, str] = {}
        self._body: list[str] = []
        self._count = len(arguments)

    def type_of(self, name: str) -> str:
        """Return the type of a value in the text."""
        return str(self.graph.types[name])

    def cast(self, value: str, given: str, wanted: str, node: TosaNode | None = None) -> str:
        """Write a cast of a value from one type to another, unless they are equal."""
        if given == wanted:
            return value
        name = self.fresh()
        self.line(f'{name} = "tensor.cast"({value}) : ({given}) -> {wanted}', node)
        return name

    def add(self, node: TosaNode) -> None:
        """Write a node, after the constants and shapes that it reads."""
        operands = ", ".join(self.name(name) for name in node.inputs)
        operation = f'"{node.op.name}"({operands}){attributes_text(node.op.arguments)}'
        given = ", ".join(map(self.type_of, node.inputs))
        self.write(node, f"{operation} : ({given})", [self.type_of(name) for name in node.outputs])

    def name(self, name: str) -> str:
        """Return the name of a value in the text; what is not computed yet is written first."""
        if name in self._names:
            return self._names[name]
        if name in self._arguments:
            given = f"%arg{self._arguments.index(name)}"
            self._names[name] = self.cast(given, self._declared(name), self.type_of(name))
        else:
            self.add(self.graph.constants.get(name) or self.graph.shapes[name])
        return self._names[name]

    def write(self, node: TosaNode, operation: str, types: Sequence[str]) -> None:
        """Write an operation that gives a node's results in these types, and casts of them."""
        names = [self.fresh() for _ in types]
        self.line(f"{', '.join(names)} = {operation} -> ({', '.join(types)})", node)
        for output, name, type_ in zip(node.outputs, names, types, strict=True):
            self.bind(output, self.cast(name, type_, self.type_of(output), node))

    def bind(self, value: str, name: str) -> None:
        """Give a value of the graph its name in the text."""
        self._names[value] = name

    def fresh(self) -> str:
        """Return a new name."""
        self._count += 1
        return f"%{self._count}"

    def line(self, text: str, node: TosaNode | None) -> None:
        """Write a line, for a node if there is one."""
        self._body.append(f"  {text}")
        if node is not None:
            self.lines[len(self._body) + 1] = node  # line 1 is the header of the function

    def text(self, results: Sequence[str], name: str = "main") -> str:
        """Return the function."""
        types = ", ".join(str(self.graph.types[result]) for result in results)
        values = ", ".join(
            self.cast(self.name(result), self.type_of(result), str(self.graph.types[result]))
            for result in results
        )
        given = ", ".join(
            f"%arg{number}: {self._declared(argument)}{self._symbols(argument)}"
            for number, argument in enumerate(self._arguments)
        )
        lines = (
            f"func.func @{name}({given}) -> ({types}) {{",
            *self._body,
            f"  return {values} : {types}",
            "}",
        )
        return "".join(f"{line}\n" for line in lines)

    def _declared(self, name: str) -> str:
        """Return the type of an argument."""
        type_, known = self.graph.types[name], self._known.get(name)
        return str(type_ if known is None else sized(type_, known.sizes))

    def _symbols(self, name: str) -> str:
        """Return the attribute that names the sizes of an argument."""
        return self._known[name].symbols if name in self._known else ""


def sized(type_: Attribute, sizes: Sequence[Size]) -> Attribute:
    """Return the type of a tensor with these sizes; a symbol is dynamic."""
    assert isinstance(type_, TensorType)
    shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    return TensorType(type_.get_element_type(), shape, type_.encoding)


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
