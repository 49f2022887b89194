"""A region of an ONNX graph as a program in MLIR."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hwc.models.graph import Argument, Node, Region
from hwc.onnx.graph import GraphNode, OnnxGraph
from hwc.onnx.node import Axis, Lowered, ShapeSize
from hwc.onnx.types import in_region
from hwc.shapes import Size


def region(
    graph: OnnxGraph,
    nodes: Sequence[tuple[GraphNode, Lowered]],
    arguments: Sequence[Argument],
    results: Sequence[str],
) -> Region:
    """Return the program that computes `results` with the nodes, in order."""
    return _Writer(graph, arguments).write(nodes, results)


class _Writer:
    def __init__(self, graph: OnnxGraph, arguments: Sequence[Argument]) -> None:
        self._graph = graph
        self._arguments = arguments
        self._names = {argument.name: f"%arg{i}" for i, argument in enumerate(arguments)}
        self._types = {argument.name: argument.type for argument in arguments}
        self._functions: dict[str, str] = {}
        self._lines: list[str] = []

    def write(self, nodes: Sequence[tuple[GraphNode, Lowered]], results: Sequence[str]) -> Region:
        declared = ", ".join(
            f"%arg{i}: {_tensor(a.sizes, a.type)}{a.symbols}" for i, a in enumerate(self._arguments)
        )
        of_line: dict[int, Node] = {}
        for node, lowered in nodes:
            first = len(self._lines) + 2  # line 1 is the header of the function
            self._node(node, lowered)
            of_line |= dict.fromkeys(range(first, len(self._lines) + 2), node)
        names = ", ".join(self._names[name] for name in results)
        types = ", ".join(self._type(name) for name in results)
        self._lines.append(f"return {names} : {types}")
        body = "".join(f"  {line}\n" for line in self._lines)
        text = f"func.func @main({declared}) -> ({types}) {{\n{body}}}\n"
        text += "".join(
            definition.replace(_head(definition), name, 1)
            for definition, name in self._functions.items()
        )
        return Region(text, [a.name for a in self._arguments], list(results), of_line)

    def _node(self, node: GraphNode, lowered: Lowered) -> None:
        for number in lowered.reads:
            self._constant(node.inputs[number])
        (result,) = (name for name in node.outputs if name)
        type_ = str(self._graph.type_of(result))
        self._names[result] = self._operation(node, lowered, type_, self._graph.rank(result) or 0)
        self._types[result] = type_

    def _operand(self, node: GraphNode, operand: int | Lowered) -> tuple[str, str]:
        """Return the name and the type of an operand; write what computes it."""
        if isinstance(operand, int):
            name = node.inputs[operand]
            return self._names[name], self._type(name)
        rank = self._rank(node, operand)
        name = self._operation(node, operand, operand.type, rank)
        return name, _tensor((None,) * rank, operand.type)

    def _rank(self, node: GraphNode, operand: int | Lowered) -> int:
        """Return the rank of an operand."""
        if isinstance(operand, int):
            return self._graph.rank(node.inputs[operand]) or 0
        return len(operand.shape) or max(self._rank(node, each) for each in operand.inputs)

    def _operation(self, node: GraphNode, lowered: Lowered, type_: str, rank: int) -> str:
        """Write an operation whose result has this type and rank; return the result's name."""
        read = [self._operand(node, operand) for operand in lowered.inputs]
        operands, types = (", ".join(words) for words in zip(*read, strict=True))
        attributes = ""
        if lowered.shape:
            shape = self._shape(node, read[0], lowered.shape)
            operands, types = f"{operands}, {shape}", f"{types}, {_shape_type(len(lowered.shape))}"
        operator = lowered.name
        if lowered.text:
            head = lowered.text.partition("(")[0]
            name = self._functions.setdefault(lowered.text, "")
            if not name:
                same = sum(text.partition("(")[0] == head for text in self._functions) - 1
                name = f"{lowered.name}_{same + 1}" if same else lowered.name
                self._functions[lowered.text] = name
            domain, _, rest = name.partition(".")
            attributes = (
                f'{{domain_name = "{domain}", implementation_attrs = "", operator_name = "{rest}"}}'
            )
            operator = "tosa.custom"
        made = _tensor((None,) * rank, type_)
        return self._line(f"{operator} {operands} {attributes} : ({types}) -> {made}")

    def _shape(self, node: GraphNode, operand: tuple[str, str], shape: Sequence[ShapeSize]) -> str:
        """Write the shape that a reshape gives an operand, and return the shape's name."""
        parts = [self._size(node, operand, size) for size in shape]
        types = ", ".join([_shape_type(1)] * len(parts))
        return self._line(
            f"tosa.concat_shape {', '.join(parts)} : ({types}) -> {_shape_type(len(parts))}"
        )

    def _size(self, node: GraphNode, operand: tuple[str, str], size: ShapeSize) -> str:
        """Write one size of the shape of an operand, and return its name."""
        of_one = _shape_type(1)
        if isinstance(size, tuple):
            product, *rest = (self._size(node, operand, each) for each in size)
            for each in rest:
                types = f"({of_one}, {of_one}) -> {of_one}"
                product = self._line(f"tosa.mul_shape {product}, {each} : {types}")
            return product
        if isinstance(size, Axis):
            name, type_ = operand if size.of is None else self._operand(node, size.of)
            axis = f"{{axis = {size.number} : i32}}"
            return self._line(f"tosa.dim {name} {axis} : ({type_}) -> {of_one}")
        values = f"{{values = dense<[{size}]> : tensor<1xindex>}}"
        return self._line(f"tosa.const_shape {values} : () -> {of_one}")

    def _line(self, operation: str) -> str:
        """Write an operation, and return the name of its result."""
        self._lines.append(f"%{len(self._lines)} = {operation}")
        return f"%{len(self._lines) - 1}"

    def _constant(self, name: str) -> None:
        """Write a constant before its first reader."""
        array = self._graph.array(name)
        if name in self._names or array is None:
            return
        type_ = str(self._graph.type_of(name))
        self._names[name] = f"%{len(self._lines)}"
        self._types[name] = type_
        data = np.ascontiguousarray(array).reshape(-1)
        if (
            data.size
            and (data.view(f"u{data.itemsize}") == data.view(f"u{data.itemsize}")[0]).all()
        ):
            data = data[:1]
        text = f'"0x{data.astype(data.dtype.newbyteorder("<")).tobytes().hex().upper()}"'
        if array.dtype == np.bool_:
            text = str(data.reshape(array.shape if data.size > 1 else ()).tolist()).lower()
        self._lines.append(
            f'{self._names[name]} = "tosa.const"() {{values = dense<{text if array.size else ""}> '
            f": {self._type(name)}}} : () -> {self._type(name)}"
        )

    def _type(self, name: str) -> str:
        array = self._graph.array(name)
        sizes: Sequence[Size | None]
        if array is not None:
            sizes = array.shape
        elif name in {argument.name for argument in self._arguments}:
            sizes = next(a.sizes for a in self._arguments if a.name == name)
        else:
            sizes = (None,) * (self._graph.rank(name) or 0)
        return _tensor(sizes, self._types[name])


def _tensor(sizes: Sequence[Size | None], type_: str) -> str:
    shape = "".join(f"{size}x" if isinstance(size, int) else "?x" for size in sizes)
    return f"tensor<{shape}{in_region(type_)}>"


def _shape_type(rank: int) -> str:
    return f"!tosa.shape<{rank}>"


def _head(definition: str) -> str:
    """Return the name of the function that a text defines."""
    return definition[definition.index("@") + 1 : definition.index("(")]
