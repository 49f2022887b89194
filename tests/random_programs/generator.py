"""Random programs: a seed gives a graph, the arguments of a call that fits, and further calls."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from element_types import DTYPES, FLOATS, INTEGERS
from random_programs.graph import Array, Graph, Node, RefusedError, Shape, Value
from random_programs.language import say_something

MAX_RANK = 4
MAX_POINTS = 600
SIZES = (0, 1, 1, 2, 3, 3, 4, 5, 7, 8)
"""Sizes of axes; a program whose sizes are all small is evaluated fast."""


@dataclass
class Generator:
    """Generates one program; `dynamic` is the share of dimensions that are declared as `?`.

    `local_strict` is the share of operators with `hwc.strict`.
    """

    rng: random.Random
    dynamic: float
    graph: Graph = field(default_factory=Graph)
    arrays: dict[str, object] = field(default_factory=dict)
    tensors: list[Value] = field(default_factory=list)
    axes: list[int] = field(default_factory=list)
    local_strict: float = 0.0

    def run(
        self,
        arguments: int,
        operations: int,
        results: int,
        drawn: Sequence[tuple[int, Operation]] | None = None,
    ) -> None:
        """Generate a program with at most these numbers of arguments, operations and results.

        The operations are `drawn` by their weights. Without `drawn`, they are all of OPERATIONS,
        and the program says something about its sizes.
        """
        self.axes = [self.rng.choice(SIZES) for _ in range(MAX_RANK)]
        for _ in range(arguments):
            self._argument()
        if not self.tensors:  # all of them were too large
            return
        if drawn is None:
            say_something(self)
            drawn = OPERATIONS
        for _ in range(operations):
            weights = [weight for weight, _ in drawn]
            (operation,) = self.rng.choices([add for _, add in drawn], weights)
            operation(self)
        computed = [v for v in self.tensors if v not in self.graph.arguments] or self.tensors
        self.graph.returned = [
            computed[-1],
            *(self.rng.choice(self.tensors) for _ in range(results - 1)),
        ]

    def call(self) -> list[Array]:
        """Return the arguments of the call with which the program was generated."""
        return [np.asarray(self.arrays[v.name]) for v in self.graph.arguments]

    # -- what operations use

    def array(self, value: Value) -> Array:
        """Return what a tensor is in the call with which the program is generated."""
        return np.asarray(self.arrays[value.name])

    def name(self) -> str:
        """Return a new SSA name."""
        return f"%v{len(self.graph.nodes)}"

    def pick(self, *kinds: str) -> Value | None:
        """Return a tensor of one of these element types, rather a recent one."""
        candidates = [v for v in self.tensors if v.kind in kinds]
        if not candidates:
            return None
        return self.rng.choice(candidates[-3:] if self.rng.random() < 0.6 else candidates)

    def pair(self, *kinds: str) -> tuple[Value, Value] | None:
        """Return two tensors of one element type that broadcast."""
        a = self.pick(*kinds)
        for _ in range(6 if a else 0):
            assert a is not None
            b = self.pick(a.kind)
            assert b is not None
            if self.fits(a, b):
                return (a, b) if self.rng.random() < 0.5 else (b, a)
        return None

    def fits(self, *values: Value) -> bool:
        """Whether tensors broadcast, to few points."""
        try:
            shape = np.broadcast_shapes(*(self.array(v).shape for v in values))
        except ValueError:
            return False
        return int(np.prod(shape)) <= MAX_POINTS

    def declare(self, shape: Shape, inferred: Sequence[int | None]) -> tuple[int | None, ...]:
        """Return sizes for a result's type: what operands say, at times less, rarely more."""
        declared: list[int | None] = []
        for size, known in zip(shape, inferred, strict=True):
            if known is None:
                declared.append(size if self.rng.random() > 0.5 + self.dynamic / 2 else None)
            else:
                declared.append(None if self.rng.random() < self.dynamic / 3 else known)
        return tuple(declared)

    def add(self, node: Node) -> bool:
        """Append an operation, unless the program's own call does not fit it; say whether."""
        try:
            result = node.evaluate([self.arrays[v.name] for v in node.operands])
        except RefusedError:
            return False
        self.graph.nodes.append(node)
        self.arrays[node.value.name] = result
        if isinstance(result, np.ndarray) and not node.value.text:
            self.tensors.append(node.value)
        return True

    # -- arguments

    def _argument(self) -> None:
        rank = min(MAX_RANK, self.rng.choice((0, 1, 2, 2, 3, 3, 4)))
        axes = tuple(
            a if self.rng.random() < 0.7 else None for a in range(MAX_RANK - rank, MAX_RANK)
        )
        shape = tuple(1 if a is None else self.axes[a] for a in axes)
        if int(np.prod(shape)) > MAX_POINTS:
            return
        kind = self.rng.choice((*FLOATS, *FLOATS, *DTYPES))
        declared = tuple(None if self.rng.random() < self.dynamic else n for n in shape)
        value = Value(f"%a{len(self.graph.arguments)}", kind, declared)
        self.graph.arguments.append(value)
        self.graph.axes[value.name] = axes
        self.arrays[value.name] = random_array(self.rng, shape, kind)
        self.tensors.append(value)


def random_array(rng: random.Random, shape: Shape, kind: str) -> Array:
    """Return random elements of a type; floats are halves, so that sums are short and exact."""
    source = np.random.default_rng(rng.getrandbits(32))
    if kind in FLOATS:
        return np.asarray(source.integers(-64, 65, shape) / 2, DTYPES[kind])
    if kind not in INTEGERS:
        return np.asarray(source.integers(0, 2, shape), np.bool_)
    info = np.iinfo(DTYPES[kind])
    return np.asarray(source.integers(info.min, info.max, shape, endpoint=True), DTYPES[kind])


Operation = Callable[[Generator], None]

OPERATIONS: list[tuple[int, Operation]] = []
"""A weight for each operation; the modules of operations add theirs."""


def operation(weight: int) -> Callable[[Operation], Operation]:
    """Register an operation with a weight."""

    def register(function: Operation) -> Operation:
        OPERATIONS.append((weight, function))
        return function

    return register


def calls(generator: Generator, count: int) -> Iterator[list[Array]]:
    """Yield the program's own call, and others of which some fit and some do not.

    The others have new sizes for all axes, or a dimension of one argument changes.
    """
    rng, graph = generator.rng, generator.graph
    own = generator.call()
    yield own
    for _ in range(count):
        shapes = [a.shape for a in own]
        if rng.random() < 0.6:
            shapes = _resized(generator)
        dimensions = [(i, d) for i, shape in enumerate(shapes) for d in range(len(shape))]
        if dimensions and rng.random() < 0.6:
            i, d = rng.choice(dimensions)
            changed = list(shapes[i])
            changed[d] = rng.choice((0, 1, 1, 2, 3, 5))
            shapes[i] = tuple(changed)
        if all(int(np.prod(s)) <= MAX_POINTS for s in shapes):
            yield [
                random_array(rng, shape, argument.kind)
                for shape, argument in zip(shapes, graph.arguments, strict=True)
            ]


def _resized(generator: Generator) -> list[Shape]:
    """Return shapes of the arguments with other sizes of the axes, where the types allow it."""
    rng, graph = generator.rng, generator.graph
    sizes = [rng.choice(SIZES) for _ in range(MAX_RANK)]
    for argument in graph.arguments:
        for axis, declared in zip(graph.axes[argument.name], argument.declared, strict=True):
            if axis is not None and declared is not None:
                sizes[axis] = declared
    shapes: list[Shape] = []
    for argument in graph.arguments:
        shape: list[int] = []
        for axis, declared in zip(graph.axes[argument.name], argument.declared, strict=True):
            size = 1 if axis is None else sizes[axis]
            if declared is None and rng.random() < 0.1:
                size = 1
            shape.append(size if declared is None else declared)
        shapes.append(tuple(shape))
    return shapes


def generate(seed: int) -> Generator:
    """Return the program of a seed."""
    from random_programs import (  # noqa: F401, PLC0415 - they register their operations
        elementwise,
        host_tensors,
        maps,
        operations,
        quantised,
        shape_operations,
        tensor_operations,
    )

    rng = random.Random(f"program {seed}")
    generator = Generator(rng, dynamic=rng.choice((0.3, 0.8, 1.0, 1.0)))
    with np.errstate(all="ignore"):
        while not generator.graph.arguments:
            generator.run(rng.randint(1, 4), rng.choice((1, 2, 4, 7)), rng.randint(1, 2))
    return generator
