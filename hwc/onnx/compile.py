"""Compiles an ONNX model to a package: what its nodes mean, and the parts for ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

import isa
from hwc.errors import SourceError
from hwc.frontend.source import Source
from hwc.models.compile import Cut, compile_graph
from hwc.models.graph import Argument, HostOnlyError, HostPart, Region, Size, summary
from hwc.models.report import Report
from hwc.models.sizes import NodeSizes, Sizes
from hwc.onnx.arithmetic import ARITHMETIC, Counting
from hwc.onnx.engine import check_known, inferred_results, part_refusal
from hwc.onnx.graph import GraphNode, OnnxGraph, attributes, read_graph
from hwc.onnx.host_sizes import HostRules
from hwc.onnx.node import Lowered, Node
from hwc.onnx.operators import VIEWS, lower, onnx_names
from hwc.onnx.parts import part_model
from hwc.onnx.region import region
from hwc.onnx.types import spelled
from hwc.package import Package
from hwc.package.onnx_errors import Refusal
from hwc.shapes.products import Product


def compile_model(
    content: bytes,
    name: str,
    target: Mapping[str, object],
    compile_region: Callable[[Source], Package],
    cut: Cut | None = None,
) -> tuple[Package, Report]:
    """Return the package of an ONNX model, and what runs where.

    `compile_region` compiles a program for the target.

    Raises:
        SourceError: the model is damaged or not supported.
    """
    graph = graph_of(content, name)
    return compile_graph(graph, OnnxFront(graph), target, compile_region, cut or Cut())


def graph_of(content: bytes, name: str) -> OnnxGraph:
    """Return a model's graph, ready to be cut: nodes compute every result, and no node is unused.

    Raises:
        SourceError: the model is damaged or not supported.
    """
    graph = read_graph(content, name)
    graph.values |= inferred_results(graph)
    _copy_direct_outputs(graph)
    graph.drop_unused()
    return graph


def _copy_direct_outputs(graph: OnnxGraph) -> None:
    """Add a copy node for each result that is itself an argument or a constant."""
    import onnx  # noqa: PLC0415 - an optional package

    made = {name for node in graph.nodes for name in node.outputs}
    for number, name in enumerate(graph.outputs):
        if name in made:
            continue
        known = graph.values.get(name) or graph.constant_value(name)
        if known is None:  # no package holds it
            continue
        new = f"{name}.copy"
        proto = onnx.helper.make_node("Identity", [name], [new])
        graph.nodes.append(GraphNode(proto, (name,), (new,)))
        graph.outputs[number] = new
        graph.values[new] = known


class OnnxFront:
    """The meaning of ONNX nodes; see `hwc.models.graph.Front`."""

    engine = "onnxruntime"

    def __init__(self, graph: OnnxGraph) -> None:
        self._graph = graph
        self._rules = HostRules(graph)
        self._reasons: dict[int, str] = {}
        self._lowered: dict[int, Lowered] = {}
        for number, node in enumerate(graph.nodes):
            try:
                self._lowered[number] = self._lower(node)
            except HostOnlyError as error:
                self._reasons[number] = str(error)

    def refusal(self, node: int) -> str | None:
        """Return why no rule accepts a node; None if one does."""
        return self._reasons.get(node)

    def is_view(self, node: int) -> bool:
        """Whether a node is one of VIEWS."""
        return self._graph.nodes[node].operator in VIEWS

    def machine_reads(self, node: int) -> Sequence[str]:
        """Return the inputs that the node's rule uses."""
        inputs = self._graph.nodes[node].inputs
        return [inputs[number] for number in self._lowered[node].reads]

    def index_reads(self, node: int) -> Sequence[str]:
        """Return the indices that the node's rule checks; see `hwc.onnx.host_rules`."""
        return self._rules.index_reads(self._graph.nodes[node])

    def sizes(
        self, node: GraphNode, writer: NodeSizes, known: Mapping[str, Sizes]
    ) -> Mapping[str, Sizes]:
        """Write the rule of a node, if all sizes that it reads are known; see `Front.sizes`."""
        return self._rules.sizes(node, writer, known)

    def operations(self, node: int, known: Mapping[str, Sizes]) -> Sequence[Product] | None:
        """Return the operations of a node; see `hwc.onnx.arithmetic`.

        Sizes that no rule gives are those that ONNX infers.
        """
        own = self._graph.nodes[node]
        count = ARITHMETIC.get(own.operator)
        if count is None or own.outside or not own.outputs:
            return None

        def sizes(name: str) -> Sizes | None:
            found = self._rules.sizes_of(name, known)
            return _inferred(self._graph, name) if found is None else found

        inputs = [sizes(name) if name else None for name in own.inputs]
        return count(Counting(attributes(own.proto), inputs, sizes(own.outputs[0])))

    def error(self, node: GraphNode, message: str) -> SourceError:
        """Return an error at the place of a node."""
        return SourceError(f"{node.place_in(self._graph.name)}: error: {message}")

    def region(
        self, nodes: Sequence[int], arguments: Sequence[Argument], results: Sequence[str]
    ) -> Region:
        """Return the program that the rules produce for the nodes."""
        lowered = [(self._graph.nodes[number], self._lowered[number]) for number in nodes]
        return region(self._graph, lowered, arguments, results)

    def part(
        self,
        nodes: Sequence[int],
        inputs: Sequence[str],
        outputs: Sequence[str],
        place: Callable[[bytes], int],
    ) -> HostPart:
        """Return an ONNX model of the nodes.

        Raises:
            SourceError: ONNX Runtime does not know an operator of the model, or rejects the model.
        """
        own = [self._graph.nodes[number] for number in nodes]
        for node in own:
            check_known(node, self._graph.name)
        part, refused = self._checked(own, inputs, outputs, place)
        if refused is not None:
            raise self._refused(own, refused)
        return part

    def _checked(
        self,
        nodes: Sequence[GraphNode],
        inputs: Sequence[str],
        outputs: Sequence[str],
        place: Callable[[bytes], int],
    ) -> tuple[HostPart, Refusal | None]:
        """Return a part, and why ONNX Runtime does not take it."""
        model, weights = part_model(self._graph, nodes, inputs, outputs, place)
        arrays = {weight.name: self._graph.array(weight.name) for weight in weights}
        held = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        return HostPart(model, weights), part_refusal(model, held)

    def _refused(self, nodes: Sequence[GraphNode], refused: Refusal) -> SourceError:
        """Return the error for a part, at the first node that ONNX Runtime does not take alone."""
        if not refused.node:
            for node in nodes:
                crossing = [name for name in node.reads if name not in self._graph.constants]
                made = [name for name in node.outputs if name]
                if len(nodes) > 1 and not all(map(self._graph.type_of, (*crossing, *made))):
                    continue
                if len(nodes) > 1 and not self._checked([node], crossing, made, lambda _: 0)[1]:
                    continue
                return self.error(
                    node, f"onnxruntime does not take '{node.operator}': {refused.reason}"
                )
        what = f"'{refused.operator}'" if refused.operator else "a part for the host"
        operators = "" if refused.node else f" ({summary(node.operator for node in nodes)})"
        return SourceError(
            f"{refused.place_in(self._graph.name)}: error: onnxruntime does not take "
            f"{what}{operators}: {refused.reason}"
        )

    def module(self, functions: Sequence[str]) -> bytes:
        """Return nothing: every part is a model of its own."""
        return b""

    def kernel_source(self, operations: str) -> str:
        """Return operations under their ONNX names."""
        return onnx_names(operations)

    def _lower(self, node: GraphNode) -> Lowered:
        graph = self._graph
        if node.outside:
            raise HostOnlyError("it has a subgraph")
        inputs = tuple(_type(graph, name) for name in node.inputs)
        results = [name for name in node.outputs if name]
        result = _type(graph, results[0]) if results else None
        for name, type_ in zip(node.inputs, inputs, strict=True):
            if name and type_ is None:
                raise HostOnlyError("the type of an input is not known")
        ranks = [graph.rank(name) if name else 0 for name in (*node.inputs, *results)]
        if result is None or None in ranks:
            raise HostOnlyError("the type or the rank of a tensor is not known")
        known = [rank for rank in ranks if rank is not None]
        if max(known, default=0) > isa.load().limits.rank_max:
            raise HostOnlyError(f"the machine has ranks up to {isa.load().limits.rank_max}")
        seen = Node(
            node.operator,
            graph.version,
            attributes(node.proto),
            inputs,
            tuple(known[: len(node.inputs)]),
            tuple(graph.array(name) if name else None for name in node.inputs),
            result,
            len(results),
            tuple(_sizes(graph, name) for name in node.inputs),
        )
        return lower(seen)


def _sizes(graph: OnnxGraph, name: str) -> Sequence[Size | None]:
    """Return what is known about a value's sizes; nothing if its rank is not known."""
    if name in graph.constants:
        return tuple(graph.constants[name].dims)
    return (graph.values[name].sizes or ()) if name in graph.values else ()


def _inferred(graph: OnnxGraph, name: str) -> Sizes | None:
    """Return the sizes that ONNX infers for a value; None if it does not infer all of them."""
    value = graph.values.get(name)
    if value is None or value.sizes is None:
        return None
    sizes = tuple(size for size in value.sizes if size is not None)
    return sizes if len(sizes) == len(value.sizes) else None


def _type(graph: OnnxGraph, name: str) -> str | None:
    """Return a value's type as MLIR spells it; None if the value is omitted or has no type."""
    known = graph.type_of(name) if name else None
    return None if known is None else spelled(known)
