"""The sizes of a TOSA model's tensors, from the rules of its operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hwc.dialects import tosa_shapes
from hwc.dialects.compile_time_operands import constant_shape
from hwc.dialects.tosa_operation import ShapeType, is_operator
from hwc.frontend.diagnostics import error_at
from hwc.models.sizes import MisfitError, NodeSizes, Sizes
from hwc.shapes import Size
from hwc.tosa.graph import TosaGraph, TosaNode
from hwc.tosa.operators import RULES
from hwc.tosa.operators.check import check
from hwc.tosa.operators.use import Use, declared_sizes


def node_sizes(
    graph: TosaGraph, node: TosaNode, writer: NodeSizes, known: Mapping[str, Sizes]
) -> tuple[Mapping[str, Sizes], Sequence[Sizes]]:
    """Write the rules of an operator; return the sizes of its results by name.

    The second value has the sizes of the results as they follow from the operands alone. `known`
    has the sizes of the tensors that the operator reads. The types of constants, and of the results
    of an operator without a rule, are static.

    Raises:
        LocatedError: an attribute or a rank is not allowed, no sizes of a call satisfy the
            operator, or it has no rule for sizes that only a call decides.
    """
    return _node_sizes(_Shapes(graph, writer, known), node)


def _node_sizes(shapes: _Shapes, node: TosaNode) -> tuple[Mapping[str, Sizes], Sequence[Sizes]]:
    check(node.op)
    rule = RULES.get(node.op.operator)
    if rule is None:
        static = [_static(node, number) for number in range(len(node.outputs))]
        return dict(zip(node.outputs, static, strict=True)), static
    tensors = [
        shapes.tensor(name)
        for name, value in zip(node.inputs, node.op.operands, strict=True)
        if not isinstance(value.type, ShapeType)
    ]
    use = Use(node.op, node.inputs, tensors, shapes.writer, lambda n: shapes.values(node.inputs[n]))
    try:
        results = rule(use)
    except MisfitError as misfit:
        raise error_at(node.op, str(misfit), _given(node, tensors)) from None
    return dict(zip(node.outputs, results, strict=True)), use.inferred


def _given(node: TosaNode, operands: Sequence[Sizes]) -> str:
    """Return the sizes of the operands and the types of the results, for a message."""
    tensors = (n for n, v in enumerate(node.op.operands) if not isinstance(v.type, ShapeType))
    given = [
        f"operand {number} is {_shown(sizes)}"
        for number, sizes in zip(tensors, operands, strict=True)
    ]
    results = [declared_sizes(value) for value in node.op.results]
    given += [f"the result is {_shown(sizes)}" for sizes in results if sizes is not None]
    return ", ".join(given)


def _shown(sizes: Sequence[Size | None]) -> str:
    """Return sizes as in a type; a size that only a call decides is a question mark."""
    return "x".join(str(n) if isinstance(n, int) else "?" for n in sizes) or "a scalar"


def _static(node: TosaNode, number: int) -> Sizes:
    """Return the sizes of a result of an operator without a rule."""
    declared = declared_sizes(node.op.results[number])
    sizes = tuple(size for size in declared or () if size is not None)
    if declared is None or len(sizes) < len(declared):
        raise error_at(
            node.op,
            f"nothing is known about the sizes of the result of {node.operation}",
            "give the result a type with static sizes",
        )
    return sizes


class _Shapes:
    """The values of shapes, which are computed from the sizes of tensors."""

    def __init__(self, graph: TosaGraph, writer: NodeSizes, known: Mapping[str, Sizes]) -> None:
        self._graph = graph
        self.writer = writer
        self._known = dict(known)
        self._found: dict[str, Sizes] = {}

    def tensor(self, name: str) -> Sizes:
        """Return the sizes of a tensor."""
        if name in self._known:
            return self._known[name]
        todo = [self._graph.constants[name]]
        while todo:  # not recursive: chains of operators may be long
            node = todo[-1]
            if missing := [each for each in self._tensors_of(node) if each not in self._known]:
                todo += [self._graph.constants[each] for each in missing]
                continue
            self._known |= self._constant(todo.pop())
        return self._known[name]

    @staticmethod
    def _tensors_of(node: TosaNode) -> list[str]:
        operands = zip(node.inputs, node.op.operands, strict=True)
        return [name for name, value in operands if not isinstance(value.type, ShapeType)]

    def _constant(self, node: TosaNode) -> Mapping[str, Sizes]:
        """Return the sizes of the results of an operator that reads constants alone."""
        if is_operator(node.op, "const"):
            return {node.outputs[0]: _static(node, 0)}
        writer = NodeSizes([], str, node.operation, node.place_in(self._graph.name))
        return _node_sizes(_Shapes(self._graph, writer, self._known), node)[0]

    def values(self, name: str) -> Sizes:
        """Return the values of a shape."""
        todo = [name]
        while todo:  # not recursive: chains of operators may be long
            node = self._graph.constants.get(todo[-1]) or self._graph.shapes[todo[-1]]
            if missing := [each for each in self._shapes_of(node) if each not in self._found]:
                todo += missing
                continue
            tosa_shapes.check_shape_operator(node.op)
            self._found[todo.pop()] = self._computed(node)
        return self._found[name]

    @staticmethod
    def _shapes_of(node: TosaNode) -> list[str]:
        operands = zip(node.inputs, node.op.operands, strict=True)
        return [name for name, value in operands if isinstance(value.type, ShapeType)]

    def _computed(self, node: TosaNode) -> Sizes:
        op = node.op
        if is_operator(op, "const_shape"):
            return tuple(constant_shape(op))
        if is_operator(op, "dim"):
            return (self.tensor(node.inputs[0])[tosa_shapes.dimension_of(op)],)
        operands = [self._found[name] for name in self._shapes_of(node)]
        if op.operator not in tosa_shapes.ELEMENT_WISE:
            return tuple(operands[number][place] for number, place in tosa_shapes.positions(op))
        kind = tosa_shapes.ELEMENT_WISE[op.operator]
        values: list[Size] = [
            self.writer.compute(kind, *column) for column in zip(*operands, strict=True)
        ]
        return tuple(values)
