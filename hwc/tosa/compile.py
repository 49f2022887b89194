"""Compiles a TOSA model to a package: what its operators mean, and the parts for IREE."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import BytesAttr, StringAttr, TensorType
from xdsl.dialects.func import FuncOp

from hwc.dialects.tosa import CLASSES
from hwc.dialects.tosa_operation import is_operator
from hwc.dialects.tosa_rules import check
from hwc.errors import SourceError
from hwc.frontend.diagnostics import LocatedError, error_at
from hwc.frontend.source import Source
from hwc.frontend.unsupported import TFLITE
from hwc.models.compile import Cut, compile_graph
from hwc.models.graph import Argument, HostPart, Region, summary
from hwc.models.report import Report
from hwc.models.sizes import NodeSizes, Sizes
from hwc.package import Package
from hwc.shapes.products import Product
from hwc.tosa import mediapipe
from hwc.tosa.arithmetic import operations
from hwc.tosa.function import Value
from hwc.tosa.graph import TosaGraph, TosaNode, read_graph
from hwc.tosa.host_text import HostWriter
from hwc.tosa.operators import INDEXED
from hwc.tosa.parts import PartText, RefusedError, missing, parts_module
from hwc.tosa.reasons import reason
from hwc.tosa.sizes import node_sizes
from hwc.tosa.text import function_text

_VIEWS = ("identity", "reshape")


def compile_model(
    function: FuncOp,
    name: str,
    target: Mapping[str, object],
    compile_region: Callable[[Source], Package],
    portable: Callable[[Source], str],
    cut: Cut | None = None,
    seconds: list[tuple[str, float]] | None = None,
) -> tuple[Package, Report]:
    """Return the package of a model, a function from the file `name`, and what runs where.

    `compile_region` compiles a program for the target, and `portable` returns the function of a
    program in upstream dialects. The function is modified. `seconds` gets the time of IREE.

    Raises:
        SourceError: IREE is missing, or refuses an operator.
        LocatedError: the function has control flow, or operations of dialects other than tosa.
    """
    graph = read_graph(function, name)
    graph.drop_unused()
    front = TosaFront(graph, portable, seconds)
    return compile_graph(graph, front, target, compile_region, cut or Cut())


class TosaFront:
    """The meaning of TOSA operators; see `hwc.models.graph.Front`."""

    engine = "iree"

    def __init__(
        self,
        graph: TosaGraph,
        portable: Callable[[Source], str],
        seconds: list[tuple[str, float]] | None = None,
    ) -> None:
        self._graph = graph
        self._seconds = [] if seconds is None else seconds
        self._portable = portable
        self._names: dict[str, str] = {}
        self._parts: dict[str, PartText] = {}
        self._inferred: dict[TosaNode, Sequence[Sizes]] = {}
        self._known: Mapping[str, Sizes] = {}

    def refusal(self, node: int) -> str | None:
        """Return why the machine cannot compute an operator; None if it can."""
        own = self._graph.nodes[node]
        constants = (name for name in own.inputs if name in self._graph.constants)
        if not all(self._graph.folds(name, self._is_for_machine) for name in constants):
            return "it reads a constant that only the host computes"
        return self._refusal(own)

    @staticmethod
    def _refusal(node: TosaNode) -> str | None:
        op = node.op
        if op.operator not in CLASSES or is_operator(op, "custom"):
            return reason(op.operator)
        try:
            check(op)
        except LocatedError as error:
            return error.message.splitlines()[0]
        return None

    def _is_for_machine(self, node: TosaNode) -> bool:
        return self._refusal(node) is None

    def is_view(self, node: int) -> bool:
        """Whether an operator is an identity or a reshape."""
        return self._graph.nodes[node].operator in _VIEWS

    def machine_reads(self, node: int) -> Sequence[str]:
        """Return the names of all operands."""
        return self._graph.nodes[node].reads

    def index_reads(self, node: int) -> Sequence[str]:
        """Return the indices of `gather` and `scatter`."""
        inputs = self._graph.nodes[node].inputs
        number = INDEXED.get(self._graph.nodes[node].operator)
        return () if number is None else inputs[number : number + 1]

    def sizes(
        self, node: TosaNode, writer: NodeSizes, known: Mapping[str, Sizes]
    ) -> Mapping[str, Sizes]:
        """Write the rules of an operator; see `hwc.tosa.operators`."""
        if is_operator(node.op, "custom"):
            _definition(node, "checked")
        found, self._inferred[node] = node_sizes(self._graph, node, writer, known)
        self._known = {**known, **found}
        return found

    def operations(self, node: int, known: Mapping[str, Sizes]) -> Sequence[Product] | None:
        """Return the operations of an operator; see `hwc.tosa.arithmetic`."""
        own = self._graph.nodes[node]
        operands = [self._sizes_of(name, known) for name in own.inputs]
        result = self._sizes_of(own.outputs[0], known) if own.outputs else None
        if result is None:
            return None
        return operations(own.op, operands, result)

    def _sizes_of(self, name: str, known: Mapping[str, Sizes]) -> Sizes | None:
        """Return the sizes of a tensor; None if they are not known, or the value is a shape."""
        if name in known:
            return known[name]
        type_ = self._graph.types[name]
        if not isinstance(type_, TensorType) or not type_.has_static_shape():
            return None
        return type_.get_shape()

    def error(self, node: TosaNode, message: str) -> SourceError:
        """Return an error at the operator."""
        return error_at(node.op, message)

    def region(
        self, nodes: Sequence[int], arguments: Sequence[Argument], results: Sequence[str]
    ) -> Region:
        """Return the operators as a separate function."""
        names = [argument.name for argument in arguments]
        text, lines = function_text(self._graph, self._nodes(nodes), names, results, arguments)
        return Region(text, names, [*results], lines)

    def part(
        self,
        nodes: Sequence[int],
        inputs: Sequence[str],
        outputs: Sequence[str],
        place: Callable[[bytes], int],
    ) -> HostPart:
        """Return a function of the IREE module, which contains all weights; compile nothing yet."""
        part = self._part_text(self._nodes(nodes), inputs, outputs)
        name = self._names.setdefault(part.text, f"part{len(self._names)}")
        self._parts.setdefault(name, part)
        return HostPart(function=name)

    def module(self, functions: Sequence[str]) -> bytes:
        """Compile the functions of parts as one IREE module.

        Raises:
            SourceError: the package iree-base-compiler is missing.
            LocatedError: IREE refuses an operator.
        """
        parts = {name: self._parts[name] for name in functions}
        nodes = [node for part in parts.values() for node in part.nodes]
        start = time.perf_counter()
        try:
            module = parts_module(parts)
        except ImportError as error:
            operators = summary(node.operator for node in nodes)
            raise missing(self._graph.name, operators) from error
        except RefusedError as refused:
            first = refused.node or self._failing(nodes)
            raise _not_compiled(first, refused.reason) from refused
        self._seconds.append(("iree-compile", time.perf_counter() - start))
        return module

    def _failing(self, nodes: Sequence[TosaNode]) -> TosaNode:
        """Return an operator that IREE does not compile, or the first if IREE compiles each."""
        while len(nodes) > 1:
            middle = len(nodes) // 2
            halves = (nodes[:middle], nodes[middle:])
            refused = [half for half in halves if not self._compiles(half)]
            if not refused:
                break
            nodes = refused[0]
        return nodes[0]

    def _compiles(self, nodes: Sequence[TosaNode]) -> bool:
        made = {name for node in nodes for name in node.outputs}
        read = dict.fromkeys(name for node in nodes for name in node.reads)
        inputs = [n for n in read if n not in made and n not in self._graph.constants]
        try:
            parts_module({"part": self._part_text(nodes, inputs, [*made])})
        except RefusedError:
            return False
        return True

    def _part_text(
        self, nodes: Sequence[TosaNode], inputs: Sequence[str], outputs: Sequence[str]
    ) -> PartText:
        """Return operators as a function, with the private functions that it calls."""
        writer = HostWriter(
            self._graph,
            inputs,
            self._known,
            self._inferred,
            self._is_for_machine,
            self._portable,
            _definition,
        )
        for node in nodes:
            writer.add(node)
        text, lines = writer.module(outputs)
        return PartText(text, tuple(nodes), lines)

    def kernel_source(self, operations: str) -> str:
        """Return the operations unchanged: they already have TOSA's names."""
        return operations

    def _nodes(self, numbers: Sequence[int]) -> list[TosaNode]:
        return [self._graph.nodes[number] for number in numbers]


def _not_compiled(node: TosaNode, reason: str) -> LocatedError:
    """Return the error that IREE does not compile an operator."""
    types = [
        v.type for v in (*node.op.operands, *node.op.results) if isinstance(v.type, TensorType)
    ]
    count = len(types) - len(node.op.results)
    operands, results = (", ".join(map(str, part)) for part in (types[:count], types[count:]))
    reason = reason or f"it has no code for operands of {operands} and a result of {results}"
    dynamic = not all(type_.has_static_shape() for type_ in types)
    advice = "make more of its sizes static" if dynamic else "use another type or another operator"
    return error_at(node.op, f"IREE does not compile '{node.operation}': {reason}", advice)


def _definition(node: TosaNode, name: str) -> str:
    """Return the text of the function `name`, which computes a custom operator.

    Raises:
        LocatedError: no rule computes the operator.
    """
    types = [value.type for value in (*node.op.operands, *node.op.results)]
    tensors = [each for each in types if isinstance(each, TensorType)]
    *given, result = (Value("", e.get_shape(), str(e.get_element_type())) for e in tensors)
    attributes = node.op.arguments.get("implementation_attrs")
    data = attributes.data if isinstance(attributes, StringAttr | BytesAttr) else b""
    data = data.encode() if isinstance(data, str) else data
    domain, _, operator = node.operator.rpartition(".")
    why, text = "no engine knows it", None
    if domain == TFLITE and len(tensors) == len(types) and len(node.op.results) == 1:
        try:
            text = mediapipe.definition(operator, data, given, result, name)
        except mediapipe.UnknownFormError as error:
            why = str(error)
    if text is None:
        raise error_at(
            node.op,
            f"nothing computes the operator {node.operator}: {why}",
            f"operators of {TFLITE} that are known: {', '.join(mediapipe.RULES)}",
        )
    return text
