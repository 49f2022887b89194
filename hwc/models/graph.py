"""A model as cutting sees it: nodes in order, and what is known about its tensors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from hwc import shapes
from hwc.errors import SourceError
from hwc.models.sizes import NodeSizes, Sizes
from hwc.package import Weight
from hwc.shapes.products import Product

Size: TypeAlias = int | str | None
"""A size: a number, the model's name for it, or None if it is unknown."""


@dataclass(frozen=True)
class Value:
    """What is known about a tensor before a call; the sizes are None if the rank is not known."""

    type: str
    sizes: tuple[Size, ...] | None


class Node(Protocol):
    """A node of a graph."""

    @property
    def operator(self) -> str:
        """The name of the operator, for people."""
        ...

    @property
    def operation(self) -> str:
        """The operator with its dialect or domain, for messages about its rules."""
        ...

    @property
    def origin(self) -> str:
        """The operator in the model's file that the node comes from; '' if it is `operator`."""
        ...

    def place_in(self, model: str) -> str:
        """Return the place of the node in a model's file, for messages."""
        ...

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of everything that the node reads, without duplicates."""
        ...

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the node's results, '' for a result that is left out."""
        ...


AnyNode = TypeVar("AnyNode", bound=Node)


@dataclass
class Graph(Generic[AnyNode]):
    """A model: its file, its function, and what is known about all tensors except constants."""

    name: str
    entry: str
    nodes: list[AnyNode]
    inputs: list[str]
    outputs: list[str]
    constants: dict[str, Any]
    values: dict[str, Value]
    folded: list[AnyNode] = field(default_factory=list, kw_only=True)
    """Nodes whose operands are all constants, and whose results are among the constants."""
    unused: list[AnyNode] = field(default_factory=list, kw_only=True)
    """Nodes on which no result depends; their rules about sizes hold all the same."""

    def type_of(self, name: str) -> str | None:
        """Return the element type of a value, None if a package cannot hold it."""
        return self.values[name].type if name in self.values else None

    def other_type(self, name: str) -> str:
        """Return the model's name for the type of an argument or result without a `type_of`."""
        raise NotImplementedError

    def rank(self, name: str) -> int | None:
        """Return the rank of a value, None if it is not known."""
        sizes = self.values[name].sizes if name in self.values else None
        return None if sizes is None else len(sizes)

    def drop_unused(self) -> None:
        """Remove nodes on which no result depends."""
        needed = set(self.outputs)
        kept: list[AnyNode] = []
        for node in reversed(self.nodes):
            if needed & set(node.outputs):
                needed.update(node.reads)
                kept.append(node)
        used = set(map(id, kept))
        self.unused += [node for node in self.nodes if id(node) not in used]
        self.nodes = kept[::-1]


@dataclass(frozen=True)
class Argument:
    """A value that a region reads: its name in the model, its type and its sizes."""

    name: str
    type: str
    sizes: tuple[shapes.Size, ...]

    @property
    def symbols(self) -> str:
        """The attribute after the argument's type in MLIR; sizes with the same name are equal."""
        if not any(isinstance(size, str) for size in self.sizes):
            return ""
        names = (f'"{size}"' if isinstance(size, str) else '""' for size in self.sizes)
        return f" {{hwc.symbols = [{', '.join(names)}]}}"


@dataclass
class Region:
    """The text of a region, and what its arguments, results and lines are in the model.

    `lines` maps the number of a line to the node that the line computes.
    """

    text: str
    arguments: list[str]
    results: list[str]
    lines: Mapping[int, Node] = field(default_factory=dict)


@dataclass(frozen=True)
class HostPart:
    """A part for the engine: its own `model` in the engine's format, or a function of a larger one.

    If `function` is not '', it is the part's name in `Front.module`. `weights` are the constants
    that are stored outside of the model.
    """

    model: bytes = b""
    weights: tuple[Weight, ...] = ()
    function: str = ""


class HostOnlyError(Exception):
    """A node that the machine cannot compute; the text is the reason."""


class Front(Protocol):
    """A format of models: turns nodes into programs for the machine and parts for the host.

    Nodes are numbers in the order of the graph.
    """

    engine: str

    def refusal(self, node: int) -> str | None:
        """Return why the machine cannot compute a node; None if it can."""
        ...

    def is_view(self, node: int) -> bool:
        """Whether a node computes nothing: such nodes alone do not make a region."""
        ...

    def machine_reads(self, node: int) -> Sequence[str]:
        """Return the values that the machine reads to compute a node, including constants."""
        ...

    def index_reads(self, node: int) -> Sequence[str]:
        """Return the inputs whose elements are checked before the engine runs.

        These values cross the border: the node runs in a later part than the node that makes them.
        """
        ...

    def sizes(
        self, node: Any, writer: NodeSizes, known: Mapping[str, Sizes]
    ) -> Mapping[str, Sizes]:
        """Write what a node of the graph requires of sizes; return the sizes of its results.

        `known` has the sizes of the values that the node reads, as far as they are known. A result
        whose sizes only an engine learns is left out.

        Raises:
            MisfitError: no sizes of a call satisfy the node.
        """
        ...

    def operations(self, node: int, known: Mapping[str, Sizes]) -> Sequence[Product] | None:
        """Return the operations of a node as a sum of products of sizes.

        `known` has the sizes of tensors; None if nothing tells the number.
        """
        ...

    def error(self, node: Any, message: str) -> SourceError:
        """Return an error at the place of a node."""
        ...

    def region(
        self, nodes: Sequence[int], arguments: Sequence[Argument], results: Sequence[str]
    ) -> Region:
        """Return the program of a region."""
        ...

    def part(
        self,
        nodes: Sequence[int],
        inputs: Sequence[str],
        outputs: Sequence[str],
        place: Callable[[bytes], int],
    ) -> HostPart:
        """Return a part for the engine.

        `place` stores the bytes of a constant outside of the part and returns their offset.

        Raises:
            SourceError: the engine does not know an operator of the part.
        """
        ...

    def module(self, functions: Sequence[str]) -> bytes:
        """Return one model in the engine's format with the functions of these parts.

        Raises:
            SourceError: the engine does not know an operator.
        """
        ...

    def kernel_source(self, operations: str) -> str:
        """Return the operations of a kernel under the model's names for them."""
        ...


def summary(operators: Iterable[str]) -> str:
    """Return the operators with their counts: `2 Conv, Relu`."""
    counts = Counter(operators)
    return ", ".join(f"{n} {name}" if n > 1 else name for name, n in counts.items())
