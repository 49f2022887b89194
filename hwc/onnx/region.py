"""A region of an ONNX graph as a program in MLIR."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hwc.models.graph import Argument, Node, Region
from hwc.onnx.graph import GraphNode, OnnxGraph
from hwc.onnx.node import Axis, Lowered
from hwc.onnx.types import spelled
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
            self._node(node, lowered)
            of_line[len(self._lines) + 1] = node  # line 1 is the header of the function
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
        read = [node.inputs[i] for i in lowered.inputs]
        for name in read:
            self._constant(name)
        operands = ", ".join(self._names[name] for name in read)
        types = ", ".join(self._type(name) for name in read)
        attributes = ""
        if lowered.shape:
            shape = self._shape(read[0], lowered.shape)
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
        (result,) = (name for name in node.outputs if name)
        self._names[result] = f"%{len(self._lines)}"
        self._types[result] = str(self._graph.type_of(result))
        self._lines.append(
            f"{self._names[result]} = {operator} {operands} {attributes} : ({types}) -> "
            f"{self._type(result)}"
        )

    def _shape(self, name: str, shape: Sequence[int | Axis]) -> str:
        """Write the shape that a reshape gives a value, and return the shape's name."""
        parts: list[tuple[str, str]] = []
        for size in shape:
            value = f"%{len(self._lines)}"
            if isinstance(size, Axis):
                operand = f"{self._names[name]} {{axis = {size.number} : i32}}"
                line = f"tosa.dim {operand} : ({self._type(name)}) -> {_shape_type(1)}"
            else:
                line = f"tosa.const_shape {{values = dense<[{size}]> : tensor<1xindex>}} : "
                line += f"() -> {_shape_type(1)}"
            self._lines.append(f"{value} = {line}")
            parts.append((value, _shape_type(1)))
        result = f"%{len(self._lines)}"
        operands, types = (", ".join(words) for words in zip(*parts, strict=True))
        line = f"tosa.concat_shape {operands} : ({types}) -> {_shape_type(len(parts))}"
        self._lines.append(f"{result} = {line}")
        return result

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
    return f"tensor<{shape}{spelled(type_)}>"


def _shape_type(rank: int) -> str:
    return f"!tosa.shape<{rank}>"


def _head(definition: str) -> str:
    """Return the name of the function that a text defines."""
    return definition[definition.index("@") + 1 : definition.index("(")]
