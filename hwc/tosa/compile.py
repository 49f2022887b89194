"""From a model in TOSA to a package: what its operators mean, and parts for IREE."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import BytesAttr, StringAttr, TensorType
from xdsl.dialects.func import FuncOp

from hwc.dialects.tosa import CLASSES
from hwc.dialects.tosa_operation import is_operator
from hwc.dialects.tosa_rules import check
from hwc.frontend.diagnostics import LocatedError, error_at
from hwc.frontend.source import Source
from hwc.frontend.unsupported import TFLITE
from hwc.models.compile import Cut, Report, compile_graph
from hwc.models.graph import Argument, Region, summary
from hwc.package import Package, Weight
from hwc.tosa import mediapipe
from hwc.tosa.function import Value
from hwc.tosa.graph import TosaGraph, TosaNode, read_graph
from hwc.tosa.parts import part_module
from hwc.tosa.text import function_text

_VIEWS = ("identity", "reshape")


def compile_model(
    function: FuncOp,
    name: str,
    target: Mapping[str, object],
    compile_region: Callable[[Source], Package],
    cut: Cut | None = None,
) -> tuple[Package, Report]:
    """Return the package of a model, a function in a file called `name`, and what runs where.

    `compile_region` compiles a program for the target. The function is changed.

    Raises:
        SourceError: IREE is missing, or refuses an operator.
        LocatedError: it has control flow, or operations of other dialects than tosa.
    """
    graph = read_graph(function, name)
    graph.drop_unused()
    return compile_graph(graph, TosaFront(graph), target, compile_region, cut or Cut())


class TosaFront:
    """What operators of TOSA mean; see `hwc.models.graph.Front`."""

    engine = "iree"

    def __init__(self, graph: TosaGraph) -> None:
        self._graph = graph
        self._parts: dict[str, bytes] = {}

    def refusal(self, node: int) -> str | None:
        """Return why the machine does not take an operator, None if it does."""
        op = self._graph.nodes[node].op
        if op.operator not in CLASSES or is_operator(op, "custom"):
            return "not an element-wise operator of the machine"
        try:
            check(op)
        except LocatedError as error:
            return error.message.splitlines()[0]
        return None

    def is_view(self, node: int) -> bool:
        """Whether an operator only renames elements."""
        return self._graph.nodes[node].operator in _VIEWS

    def machine_reads(self, node: int) -> Sequence[str]:
        """Return all operands."""
        return self._graph.nodes[node].reads

    def region(
        self, nodes: Sequence[int], arguments: Sequence[Argument], results: Sequence[str]
    ) -> Region:
        """Return the operators as a function of their own."""
        names = [argument.name for argument in arguments]
        symbols = {argument.name: argument.symbols for argument in arguments}
        text, lines = function_text(self._graph, self._nodes(nodes), names, results, symbols)
        return Region(text, names, [*results], lines)

    def part(
        self,
        nodes: Sequence[int],
        inputs: Sequence[str],
        outputs: Sequence[str],
        place: Callable[[bytes], int],
    ) -> tuple[bytes, tuple[Weight, ...]]:
        """Return a module of IREE, with all its weights in it."""
        own = self._nodes(nodes)
        definitions: dict[str, str] = {}

        def callee(node: TosaNode) -> str | None:
            if not is_operator(node.op, "custom"):
                return None
            name = f"{node.operator.rpartition('.')[2]}_{len(definitions)}"
            definitions[name] = _definition(node, name)
            return name

        text, _ = function_text(self._graph, own, inputs, outputs, callee=callee)
        text += "".join(definitions.values())
        if text not in self._parts:
            operators = summary(node.operator for node in own)
            self._parts[text] = part_module(text, self._graph.name, operators)
        return self._parts[text], ()

    def kernel_source(self, operations: str) -> str:
        """Return the operations: they are TOSA's already."""
        return operations

    def _nodes(self, numbers: Sequence[int]) -> list[TosaNode]:
        return [self._graph.nodes[number] for number in numbers]


def _definition(node: TosaNode, name: str) -> str:
    """Return the function `name` that computes a custom operator.

    Raises:
        LocatedError: no rule has the operator.
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
