"""The rules of a graph's nodes about sizes and data; see `hwc.onnx.host_rules`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, product
from math import prod
from typing import Any

from numpy.typing import NDArray

from hwc.errors import SourceError
from hwc.models.graph import Value
from hwc.models.sizes import MisfitError, NodeSizes, Sizes
from hwc.onnx import old_versions
from hwc.onnx.elements import LARGEST, elements_of
from hwc.onnx.graph import GraphNode, OnnxGraph, attributes
from hwc.onnx.host_rules import OLDEST, RULES, Rule, Use
from hwc.shapes.steps import Step

_VIEWS = frozenset({"Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"})
_OLDEST_VIEWS = 5
"""The opset version since which these operators are as in opset `OLDEST`."""

_INTEGERS = frozenset({"i32", "i64"})
_FOLLOWED = _INTEGERS | {"i1"}


class HostRules:
    """Writes the rules of the nodes of a graph."""

    def __init__(self, graph: OnnxGraph) -> None:
        """Find out which elements are checked as data: no shape step knows them.

        The graph gets ranks of values that follow from rules, where ONNX infers none.

        Raises:
            SourceError: no call satisfies the rules of a node.
        """
        self._graph = graph
        self._reads: dict[str, list[str]] = {}
        self._reads = self._data()

    def index_reads(self, node: GraphNode) -> Sequence[str]:
        """Return the inputs whose elements are checked before ONNX Runtime reads them."""
        return self._reads.get(_key(node), ())

    def sizes(
        self, node: GraphNode, writer: NodeSizes, known: Mapping[str, Sizes]
    ) -> dict[str, Sizes]:
        """Write the rule of a node, if all sizes that it reads are known; see `Front.sizes`."""
        found = self._found(node, writer, known)
        reads = self.index_reads(node)
        # An index whose sizes only a call knows is ONNX Runtime's to check.
        writer.indices[:] = [rule for rule in writer.indices if rule.tensor in reads]
        return found

    def _found(
        self, node: GraphNode, writer: NodeSizes, known: Mapping[str, Sizes]
    ) -> dict[str, Sizes]:
        graph = self._graph
        rule = self._rule(node.operator)
        if rule is None or node.outside:
            return {}
        shapes = [self.sizes_of(name, known) if name else None for name in node.inputs]
        if any(sizes is None for name, sizes in zip(node.inputs, shapes, strict=True) if name):
            return {}

        def elements(name: str) -> Sizes | None:
            return self._elements(name, writer, known)

        use = Use(
            graph.version,
            attributes(node.proto),
            node.inputs,
            shapes,
            len(node.outputs),
            writer,
            elements,
            self._array,
        )
        made = {
            name: sizes
            for name, sizes in zip(node.outputs, rule(use), strict=False)
            if name and sizes is not None and graph.rank(name) in {None, len(sizes)}
        }
        types = [graph.type_of(name) for name in node.inputs]
        first = node.outputs[0]
        if first in made and graph.type_of(first) in _FOLLOWED:
            writer.elements[first] = elements_of(node.operator, use, types, made[first])
        return made

    def _rule(self, operator: str) -> Rule | None:
        version = self._graph.version
        if version >= OLDEST or (version >= _OLDEST_VIEWS and operator in _VIEWS):
            return RULES.get(operator)
        return old_versions.rule(operator, version)

    def sizes_of(self, name: str, known: Mapping[str, Sizes]) -> Sizes | None:
        """Return the sizes of a value; None if only an engine knows them."""
        if name in self._graph.constants:
            return tuple(self._graph.constants[name].dims)
        return known.get(name)

    def _array(self, name: str) -> NDArray[Any] | None:
        return self._graph.array(name) if name in self._graph.constants else None

    def _elements(self, name: str, writer: NodeSizes, known: Mapping[str, Sizes]) -> Sizes | None:
        graph = self._graph
        array = self._array(name)
        if array is not None:
            few = array.dtype.kind in "iub" and array.size <= LARGEST
            return tuple(int(each) for each in array.reshape(-1)) if few else None
        if name not in writer.elements and name in graph.inputs:
            sizes = [size for size in known.get(name, (None,)) if isinstance(size, int)]
            if len(sizes) < len(known.get(name, (None,))) or prod(sizes) > LARGEST:
                return None
            if graph.type_of(name) not in _INTEGERS:
                return None
            number = graph.inputs.index(name)
            places = product(*map(range, sizes))
            read = tuple(writer.element(number, place) for place in places)
            writer.elements[name] = lambda: read
        made = writer.elements.get(name)
        return None if made is None else made()

    def _data(self) -> dict[str, list[str]]:
        """Write all rules once, with symbols for the sizes that no rule gives.

        Raises:
            SourceError: no call satisfies the rules of a node.
        """
        graph, steps = self._graph, list[Step]()
        fresh = (f"n{number}" for number in count())
        elements: dict[str, Any] = {}

        def sizes(name: str) -> Sizes | None:
            value = graph.values.get(name)
            if value is None or value.sizes is None:
                return None
            return tuple(next(fresh) if size is None else size for size in value.sizes)

        known = {name: found for name in graph.inputs if (found := sizes(name)) is not None}
        reads: dict[str, list[str]] = {}
        for node in graph.nodes:
            writer = NodeSizes(steps, lambda _: next(fresh), node.operation, "", elements)
            try:
                made = self._found(node, writer, known)
            except MisfitError as misfit:
                place = node.place_in(graph.name)
                raise SourceError(f"{place}: error: {misfit}") from None
            reads[_key(node)] = [*dict.fromkeys(rule.tensor for rule in writer.indices)]
            for name in node.outputs:
                found = made.get(name) or sizes(name)
                if found is not None:
                    known[name] = found
                    _learn_rank(graph, name, found)
        return reads


def _learn_rank(graph: OnnxGraph, name: str, sizes: Sizes) -> None:
    value = graph.values.get(name)
    if value is not None and value.sizes is None:
        numbers = tuple(size if isinstance(size, int) else None for size in sizes)
        graph.values[name] = Value(value.type, numbers)


def _key(node: GraphNode) -> str:
    """Return a name that only one node has: its first result."""
    return next((name for name in node.outputs if name), "")
