"""A part for the host as the text of a module for IREE.

IREE computes TOSA's operators with differences that this text avoids:

- Where sizes are dynamic, IREE's lowering of an element-wise operator has the size 1 for 0 and 1
  together, and a division by zero or a long shift is undefined. Element-wise operators are
  therefore written as hwc lowers them (`linalg-to-portable`), each as a function.
- IREE takes no size of 0 in types.
- IREE has the largest of no finite number as the lowest number, not as -inf.
- IREE takes only constant shapes, and result types that follow from the types of the operands.
  Sizes that a call decides are computed from the operands, and types are cast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import TensorType

from hwc.dialects import tosa_shapes
from hwc.dialects.element_types import element_name
from hwc.dialects.tosa_operation import ShapeType, is_operator
from hwc.dialects.tosa_table import OPERATORS
from hwc.frontend.diagnostics import error_at
from hwc.frontend.source import Source
from hwc.models.sizes import Sizes
from hwc.shapes import Size
from hwc.tosa import host_operators
from hwc.tosa.graph import TosaGraph, TosaNode
from hwc.tosa.text import FunctionWriter, attributes_text, function_text, sized
from isa.stored import STORED

Definition = Callable[[TosaNode, str], str]
"""Returns the text of the private function with a name that computes a node."""

_INDEX = {"addi", "subi", "muli", "divui", "ceildivui", "remui", "maxsi", "minsi"}
"""The kinds of steps that `arith` has on index."""


class HostWriter(FunctionWriter):
    """Writes a part; see the module.

    The types in the text have all sizes that are known: `known` has the sizes of values, and
    `inferred`, for each node, the sizes of each result as they follow from the operands alone, by
    which IREE checks the type of a result. `on_machine` says whether the machine
    could compute a node. `portable` returns the function of a program in upstream dialects, and
    `custom` defines custom operators.
    """

    def __init__(
        self,
        graph: TosaGraph,
        arguments: Sequence[str],
        known: Mapping[str, Sizes],
        inferred: Mapping[TosaNode, Sequence[Sizes]],
        on_machine: Callable[[TosaNode], bool],
        portable: Callable[[Source], str],
        custom: Definition,
    ) -> None:
        super().__init__(graph, arguments)
        self._known_sizes = known
        self._inferred = inferred
        self._on_machine = on_machine
        self._portable = portable
        self._custom = custom
        self._functions: dict[str, TosaNode] = {}
        self._texts: list[str] = []
        self._values: dict[str, list[str]] = {}

    def module(self, results: Sequence[str]) -> tuple[str, dict[int, TosaNode]]:
        """Return the module, whose function `main` is the part, and the node of each line."""
        text = self.text(results)
        lines = dict(self.lines)
        for definition, node in zip(self._texts, self._functions.values(), strict=True):
            first = text.count("\n") + 1
            lines |= dict.fromkeys(range(first, first + definition.count("\n")), node)
            text += definition
        return text, lines

    def add(self, node: TosaNode) -> None:
        """Write a node, after the constants and shapes that it reads."""
        op = node.op
        if is_operator(op, "custom"):
            self._call(node, node.inputs, self._custom)
        elif self._has_portable_form(node):
            self._call(node, self._tensors(node), self._elementwise)
        elif (write := host_operators.writer_of(op)) is not None:
            write(self, node)
        elif any(isinstance(value.type, ShapeType) for value in op.operands):
            self._with_shapes(node)
        else:
            self._operator(node, [self.name(name) for name in node.inputs])

    def _has_portable_form(self, node: TosaNode) -> bool:
        """Whether hwc lowers a node to a function with its operands and results.

        It lowers a type that takes several buffers to one operand for each.
        """
        values = (*node.op.operands, *node.op.results)
        stored = (element_name(value) for value in values if isinstance(value.type, TensorType))
        return (
            node.op.operator in OPERATORS
            and node in self._inferred
            and self._on_machine(node)
            and not any(name in STORED and len(STORED[name].parts) > 1 for name in stored)
        )

    def type_of(self, name: str) -> str:
        """Return the type of a value with all sizes that are known."""
        type_ = self.graph.types[name]
        return _taken(type_, self.sizes(name)) if isinstance(type_, TensorType) else str(type_)

    def sizes(self, name: str) -> Sizes:
        """Return the sizes of a tensor."""
        type_ = self.graph.types[name]
        assert isinstance(type_, TensorType)
        return self._known_sizes[name] if name in self._known_sizes else type_.get_shape()

    def _call(self, node: TosaNode, inputs: Sequence[str], define: Definition) -> None:
        """Write a call of a function that computes the node; it has the types of the graph."""
        types = [str(self.graph.types[name]) for name in inputs]
        operands = ", ".join(
            self.cast(self.name(name), self.type_of(name), type_, node)
            for name, type_ in zip(inputs, types, strict=True)
        )
        function = f"{node.operator.rpartition('.')[2]}_{len(self._functions)}"
        self._texts.append(define(node, function))
        self._functions[function] = node
        call = f'"func.call"({operands}) <{{callee = @{function}}}> : ({", ".join(types)})'
        self.write(node, call, [str(self.graph.types[name]) for name in node.outputs])

    def _tensors(self, node: TosaNode) -> list[str]:
        """Return the operands of a node, apart from constants that the compiler computes."""
        return [n for n in node.reads if not self.graph.folds(n, self._on_machine)]

    def _elementwise(self, node: TosaNode, name: str) -> str:
        """Return the function that computes an element-wise operator: its portable lowering."""
        text, _ = function_text(self.graph, [node], self._tensors(node), node.outputs)
        function = self._portable(Source(self.graph.name, text))
        return function.replace("func.func @main(", f"func.func private @{name}(", 1)

    def _operator(self, node: TosaNode, operands: Sequence[str]) -> None:
        """Write an operator, with result types that follow from the operands."""
        given = ", ".join(map(self.type_of, node.inputs))
        call = f'"{node.op.name}"({", ".join(operands)}){attributes_text(node.op.arguments)}'
        types = [self._inferred_type(node, number) for number in range(len(node.outputs))]
        self.write(node, f"{call} : ({given})", types)

    def _inferred_type(self, node: TosaNode, number: int) -> str:
        """Return the type of a result as it follows from the operands."""
        type_ = node.op.results[number].type
        if node not in self._inferred or not isinstance(type_, TensorType):
            return str(type_)
        return _taken(type_, self._inferred[node][number])

    def _with_shapes(self, node: TosaNode) -> None:
        """Write an operator that reads shapes: with constants, or with sizes of the call."""
        op = node.op
        shapes = {
            name: [each.number for each in tosa_shapes.known_values(value)]
            for name, value in zip(node.inputs, op.operands, strict=True)
            if isinstance(value.type, ShapeType)
        }
        if None not in {number for values in shapes.values() for number in values}:
            self._operator(
                node,
                [
                    self._constant_shape(node, shapes[name]) if name in shapes else self.name(name)
                    for name in node.inputs
                ],
            )
            return
        raise error_at(
            op,
            f"'{op.name}' on the host has a shape that only a call decides",
            "give the shape as a constant",
        )

    def _constant_shape(self, node: TosaNode, values: Sequence[int | None]) -> str:
        name, count = self.fresh(), len(values)
        data = f"dense<{[*values] if values else ''}> : tensor<{count}xindex>"
        type_ = f"!tosa.shape<{count}>"
        self.line(f'{name} = "tosa.const_shape"() <{{values = {data}}}> : () -> {type_}', node)
        return name

    def index(self, value: Size, node: TosaNode) -> str:
        """Write an index constant."""
        name = self.fresh()
        self.line(f"{name} = arith.constant {value} : index", node)
        return name

    def values(self, name: str, node: TosaNode) -> list[str]:
        """Write the values of a shape as indices, and return their names."""
        if name not in self._values:
            source = self.graph.constants.get(name) or self.graph.shapes[name]
            op = source.op
            known = tosa_shapes.known_values(op.results[0])
            self._values[name] = [
                self._value(source, position, node)
                if each.number is None
                else self.index(each.number, node)
                for position, each in enumerate(known)
            ]
        return self._values[name]

    def _value(self, source: TosaNode, position: int, node: TosaNode) -> str:
        op = source.op
        if is_operator(op, "dim"):
            return self.dimension(source.inputs[0], tosa_shapes.dimension_of(op), node)
        if op.operator not in tosa_shapes.ELEMENT_WISE:
            number, place = list(tosa_shapes.positions(op))[position]
            return self.values(source.inputs[number], node)[place]
        kind = tosa_shapes.ELEMENT_WISE[op.operator]
        if kind not in _INDEX:
            raise error_at(
                op,
                f"'{op.name}' is computed for a part on the host, which does not have it",
                "compute the shape with other operators, or as a constant",
            )
        operands = [self.values(name, node)[position] for name in source.inputs]
        name = self.fresh()
        self.line(f"{name} = arith.{kind} {', '.join(operands)} : index", node)
        return name

    def dimension(self, tensor: str, dimension: int, node: TosaNode) -> str:
        """Write the size of a dimension of a tensor as an index."""
        operand, number, name = self.name(tensor), self.index(dimension, node), self.fresh()
        types = f"({self.type_of(tensor)}, index) -> index"
        self.line(f'{name} = "tensor.dim"({operand}, {number}) : {types}', node)
        return name

    def gathered(
        self,
        node: TosaNode,
        sizes: Sequence[str],
        place: Callable[[int, str], str],
    ) -> None:
        """Write a result of dynamic `sizes` whose elements are elements of operand 0.

        `place` writes the index of an element in a dimension of the operand, from that in the
        result.
        """
        type_ = node.op.results[0].type
        assert isinstance(type_, TensorType)
        element, rank = type_.get_element_type(), len(sizes)
        dynamic = f"tensor<{'?x' * rank}{element}>"
        empty, result, old, value = (self.fresh() for _ in range(4))
        source = self.name(node.inputs[0])
        self.line(f"{empty} = tensor.empty({', '.join(sizes)}) : {dynamic}", node)
        loops = ", ".join(f"d{number}" for number in range(rank))
        kinds = ", ".join(['"parallel"'] * rank)
        self.line(
            f"{result} = linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({loops})>], "
            f"iterator_types = [{kinds}]}} outs({empty} : {dynamic}) {{",
            node,
        )
        self.line(f"^bb0({old}: {element}):", node)
        places: list[str] = []
        for number in range(rank):
            index = self.fresh()
            self.line(f"{index} = linalg.index {number} : index", node)
            places.append(place(number, index))
        self.line(
            f"{value} = tensor.extract {source}[{', '.join(places)}] : "
            f"{self.type_of(node.inputs[0])}",
            node,
        )
        self.line(f"linalg.yield {value} : {element}", node)
        self.line(f"}} -> {dynamic}", node)
        output = node.outputs[0]
        self.bind(output, self.cast(result, dynamic, self.type_of(output), node))

    def arith(self, kind: str, left: str, right: str, node: TosaNode) -> str:
        """Write an operation on two indices."""
        name = self.fresh()
        self.line(f"{name} = arith.{kind} {left}, {right} : index", node)
        return name


def _taken(type_: TensorType, sizes: Sequence[Size]) -> str:
    """Return a type with these sizes as IREE takes it: a size of 0 is dynamic."""
    return str(sized(type_, [size or "0" for size in sizes]))
