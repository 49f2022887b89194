"""The contents of a package: tensors of the program, buffers of the machine, steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, Literal, TypeAlias, TypeGuard, get_args

import isa
from hwc.errors import PackageError
from hwc.package.host import HostStep
from hwc.package.host_types import HOST_TYPES, UNSIGNED, spelling, tensor_type, tensor_types
from hwc.package.link import Dispatch, Memories, chosen_kernels, chosen_numbers, link
from hwc.package.machine import Choice, Kernel, MachineStep
from hwc.package.shapes import Dimension, ShapeProgram
from hwc.package.work import Work
from hwc.shapes.modes import BROADCAST_MODES, RANK_MODES
from hwc.shapes.steps import Learned
from isa.stored import STORED

BufferKind: TypeAlias = Literal[
    "input", "output", "intermediate", "constant", "values", "positions"
]
BUFFER_KINDS: tuple[BufferKind, ...] = get_args(BufferKind)

BUFFER_ALIGNMENT = 64
"""In bytes; the alignment of every buffer, and of every constant within the constant bytes."""


def sizes_of(shape: Iterable[Dimension], symbols: Mapping[str, int]) -> tuple[int, ...]:
    """Return the sizes of a shape, given the values of the symbols."""
    return tuple(symbols[d] if isinstance(d, str) else d for d in shape)


def part_name(buffer: str, number: int) -> str:
    """Return the name of the buffer for one part of a tensor; `buffer` holds the first part."""
    return f"{buffer}.{number}" if number else buffer


@dataclass(frozen=True)
class Tensor:
    """An argument or a result of the program.

    `name` is the MLIR name without `%` (results may be called `result0`, ...). Each entry of
    `shape` is a static size or the name of a symbol of the shape program. `buffer` names the buffer
    that holds the elements, dense and row-major. A tensor may be a view of its buffer: the shapes
    may differ, but the number of elements is the same. A tensor of a type that exists only in
    memory (`isa.stored`) has one buffer for each part of the type.
    """

    name: str
    type: str
    shape: tuple[Dimension, ...]
    buffer: str

    @cached_property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The names and the element types of the buffers that hold the elements."""
        stored = STORED.get(self.type)
        types = (self.type,) if stored is None else stored.parts
        return tuple((part_name(self.buffer, i), type_) for i, type_ in enumerate(types))

    def __str__(self) -> str:
        sizes = "".join(f"{'?' if isinstance(d, str) else d}x" for d in self.shape)
        return f"tensor<{sizes}{spelling(self.type)}>"


@dataclass(frozen=True)
class Buffer:
    """A dense row-major piece of the machine's memory that dispatches refer to by name.

    The host fills buffers of four kinds before anything runs (`filled_by_host`):

    - `input`: an argument of the call.
    - `constant`: the package's constant bytes from byte `offset` on, little-endian, one byte per
      i1.
    - `values`: the numbers and symbols of `values`, in row-major order.
    - `positions`: the number of each element: 0, 1, 2, ...

    `values` and `positions` hold integers or booleans. `offset` is 0 except for constants, and
    `values` is empty except for kind `values`.
    """

    name: str
    kind: BufferKind
    type: str
    shape: tuple[Dimension, ...]
    offset: int = 0
    values: tuple[Dimension, ...] = ()

    @property
    def filled_by_host(self) -> bool:
        """Whether the host fills the buffer before anything runs."""
        return self.kind in {"input", "constant", "values", "positions"}

    def elements(self, symbols: Mapping[str, int]) -> int:
        """Return the number of elements, given the values of the symbols."""
        return prod(sizes_of(self.shape, symbols))

    def nbytes(self, symbols: Mapping[str, int]) -> int:
        """Return the size in bytes, given the values of the symbols."""
        return self.elements(symbols) * tensor_type(self.type).bytes


Step: TypeAlias = MachineStep | HostStep
"""A step of a package; every kind of step has `kind`, `choices`, `kernels` and `problems`."""

Plan: TypeAlias = tuple[int, ...]
"""For each choice of a package, in order, the number of the alternative to run."""


@dataclass(frozen=True)
class Stretch:
    """Steps that run together: all steps, or a single step if the package has steps on the host.

    `first` is the number of the first step, and `first_choice` the number of its first choice.
    """

    steps: tuple[Step, ...]
    first: int
    first_choice: int

    @cached_property
    def choices(self) -> range:
        """The numbers of the choices of these steps."""
        count = sum(len(step.choices) for step in self.steps)
        return range(self.first_choice, self.first_choice + count)


@dataclass(frozen=True)
class Package:
    """A program compiled for one target and for every shape that the program accepts.

    `target` is the description of the target, from `isa.target.Target.to_dict`. `steps` run one
    after another. The buffer of an output has kind `output`; two outputs may share a buffer.
    `broadcast` and `ranks` tell people which rules the program was compiled with; the checks
    themselves are in the shape program. `source_digest` is the SHA-256 of the source text in
    hexadecimal. A reader of the kernels' lines uses the digest to recognize the text; '' without
    lines. `work` has the arithmetic of a model, None for a program that runs on the machine alone.
    The constructor checks nothing; `check` does, and saving and loading call `check`.
    """

    target: Mapping[str, Any]
    entry: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    buffers: tuple[Buffer, ...]
    steps: tuple[Step, ...]
    constants: bytes | memoryview
    shape_program: ShapeProgram
    source_name: str = "-"
    source_digest: str = ""
    broadcast: str = BROADCAST_MODES[0]
    ranks: str = RANK_MODES[0]
    work: Work | None = None
    _by_name: dict[str, Buffer] = field(init=False, repr=False, compare=False)
    _positions: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the buffers by name."""
        object.__setattr__(self, "_by_name", {b.name: b for b in self.buffers})
        positions = {b.name: number for number, b in enumerate(self.buffers)}
        object.__setattr__(self, "_positions", positions)

    def buffer(self, name: str) -> Buffer:
        """Return the buffer called `name`."""
        return self._by_name[name]

    def in_order(self, names: Iterable[str]) -> list[Buffer]:
        """Return the buffers with these names, in the package's order."""
        return [self._by_name[name] for name in sorted(names, key=self._positions.__getitem__)]

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices of all steps, in order."""
        return tuple(choice for step in self.steps for choice in step.choices)

    @property
    def first_plan(self) -> Plan:
        """The plan that selects the first alternative of every choice; empty without choices."""
        return (0,) * len(self.choices)

    @property
    def dispatches(self) -> tuple[Dispatch, ...]:
        """The dispatches of a call that follows the first plan."""
        return self.link(self.first_plan)

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """The steps in order, grouped into stretches; there is at least one stretch."""
        if not self.host_steps:
            return (Stretch(self.steps, 0, 0),)
        found: list[Stretch] = []
        for number, step in enumerate(self.steps):
            found.append(Stretch((step,), number, found[-1].choices.stop if found else 0))
        return tuple(found)

    @property
    def host_steps(self) -> tuple[HostStep, ...]:
        """The steps on the host, in order."""
        return tuple(step for step in self.steps if isinstance(step, HostStep))

    def link(self, plan: Plan, steps: Sequence[Step] | None = None) -> tuple[Dispatch, ...]:
        """Return the dispatches of a call that follows a plan.

        The plan is for `steps`: all steps (None), or some that run together.
        """
        memories = Memories(self.target["instruction_words"], self.target["parameter_words"])
        chosen = self._chosen(plan, self.steps if steps is None else steps)
        return tuple(dispatch for step, each in chosen for dispatch in link(step, each, memories))

    def kernels(self, plan: Plan, steps: Sequence[Step]) -> Iterator[Kernel]:
        """Yield the kernels that a call runs, in order; `plan` is for `steps`."""
        for step, alternatives in self._chosen(plan, steps):
            yield from chosen_kernels(step, alternatives)

    def kernel_numbers(self, plan: Plan, steps: Sequence[Step]) -> Iterator[tuple[int, int]]:
        """Yield where each kernel of a call is, in the order of `kernels`.

        This is the position of the kernel's step in `steps`, and the kernel's number in the step.
        """
        positions = (n for n, step in enumerate(steps) if isinstance(step, MachineStep))
        for position, (step, alternatives) in zip(
            positions, self._chosen(plan, steps), strict=True
        ):
            yield from ((position, number) for number in chosen_numbers(step, alternatives))

    @staticmethod
    def _chosen(plan: Plan, steps: Sequence[Step]) -> Iterator[tuple[MachineStep, list[int]]]:
        """Yield the steps for the machine, each with its own part of the plan."""
        left = iter(plan)
        for step in steps:
            if isinstance(step, MachineStep):
                yield step, [next(left) for _ in step.choices]

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols that the shape program defines, in the order of their definition."""
        return self.shape_program.symbols

    def check(self, where: str = "package") -> None:
        """Check that every name, size and reference is consistent.

        Raises:
            PackageError: names `where`, the item and what is wrong with it.
        """
        for problem in self.problems():
            raise PackageError(f"{where}: error: damaged package: {problem}")

    def problems(self) -> Iterator[str]:
        """Yield every inconsistency: the item and what is wrong with it."""
        known = set(self.symbols)
        types = tensor_types() if self.host_steps else (*isa.load().types, *UNSIGNED)
        for key, mode, modes in (
            ("broadcast", self.broadcast, BROADCAST_MODES),
            ("ranks", self.ranks, RANK_MODES),
        ):
            if mode not in modes:
                yield f"{key} is {mode!r}, not one of {', '.join(modes)}"
        yield from self.shape_program.problems([t.shape for t in self.inputs])
        names = [b.name for b in self.buffers]
        yield from (f"buffer {n!r} is defined twice" for n in _twice(names))
        for b in self.buffers:
            # Sizes may be computed from the elements of an argument that the machine never reads.
            allowed = tensor_types() if b.kind == "input" else types
            yield from _shaped_problems(f"buffer {b.name!r}", b.type, b.shape, known, allowed)
            yield from self._buffer_problems(b)
            yield from _host_problems(b, known)
        for role, tensors in (("input", self.inputs), ("output", self.outputs)):
            for i, t in enumerate(tensors):
                what = f"{role} {i}"
                yield from _shaped_problems(what, t.type, t.shape, known, tensor_types())
                for name, type_ in t.parts:
                    yield from self._part_problems(what, role, t, name, type_)
        used = [name for t in self.inputs for name, _ in t.parts]
        yield from (f"two inputs share buffer {n!r}" for n in _twice(used))
        for i, step in enumerate(self.steps):
            yield from (f"step {i} {problem}" for problem in step.problems(self._by_name, known))
            for kernel in step.kernels:
                yield from self._kernel_problems(f"step {i}", kernel)
            if isinstance(step, HostStep):
                constants = len(self.constants)
                yield from (f"step {i} {p}" for p in step.weight_problems(constants))
        if self.host_steps:
            yield from self._order_problems()
        yield from self._learned_problems()
        if self.work is not None:
            yield from self.work.problems(len(self.steps), known)
        yield from self.shape_program.unread([t.shape for t in self.inputs])

    def _kernel_problems(self, where: str, kernel: Kernel) -> Iterator[str]:
        """Yield the kernel's buffers whose types the machine does not have."""
        for name in sorted(kernel.buffers & self._by_name.keys()):
            type_ = self._by_name[name].type
            if type_ in HOST_TYPES and type_ not in UNSIGNED:
                yield f"{where} names buffer {name!r} of type {type_}, which the machine lacks"

    def _order_problems(self) -> Iterator[str]:
        """Yield tensors that a step on the host or the caller reads but no earlier step computes.

        What the machine itself reads is not checked: it reads whatever is in memory.
        """
        held = {name for tensor in self.inputs for name, _ in tensor.parts}
        for i, step in enumerate(self.steps):
            if isinstance(step, HostStep):
                for tensor in step.inputs:
                    if tensor.buffer not in held:
                        yield f"step {i} reads tensor {tensor.name!r}, which nothing makes before"
                held.update(tensor.buffer for tensor in step.outputs)
            held = held.union(*(kernel.buffers for kernel in step.kernels))
        for i, tensor in enumerate(self.outputs):
            if not held.issuperset(name for name, _ in tensor.parts):
                yield f"no step makes output {i}"

    def _learned_problems(self) -> Iterator[str]:
        """Yield the sizes learned from a tensor that does not exist, or learned out of order."""
        last = 0
        for i, step in enumerate(self.shape_program.steps):
            if not isinstance(step, Learned):
                continue
            made = self.steps[step.step] if step.step < len(self.steps) else None
            if not isinstance(made, HostStep) or step.output >= len(made.outputs):
                yield f"shape step {i}: step {step.step} on the host has no output {step.output}"
            elif step.dimension >= len(made.outputs[step.output].shape):
                yield f"shape step {i}: the output has no dimension {step.dimension}"
            if step.step < last:
                yield f"shape step {i}: step {step.step} has run long before"
            last = max(last, step.step)

    def _buffer_problems(self, b: Buffer) -> Iterator[str]:
        if b.kind not in BUFFER_KINDS:
            yield f"buffer {b.name!r} has kind {b.kind!r}, not one of {', '.join(BUFFER_KINDS)}"
        elif b.kind != "constant":
            if b.offset:
                yield f"buffer {b.name!r} is not a constant but has offset {b.offset}"
        elif any(isinstance(d, str) for d in b.shape):
            yield f"constant buffer {b.name!r} has a dynamic size"
        elif b.type in isa.load().types and not (
            0 <= b.offset <= b.offset + b.nbytes({}) <= len(self.constants)
        ):
            yield f"constant buffer {b.name!r} exceeds the {len(self.constants)} constant bytes"

    def _part_problems(
        self, what: str, role: str, t: Tensor, name: str, type_: str
    ) -> Iterator[str]:
        b = self._by_name.get(name)
        if b is None:
            yield f"{what} names buffer {name!r}, which does not exist"
        elif b.kind != role:
            yield f"{what} names buffer {name!r} of kind {b.kind!r}"
        elif b.type != type_:
            yield f"{what} is {type_}, its buffer {name!r} is {b.type}"
        elif _are_static(t.shape) and _are_static(b.shape) and prod(t.shape) != prod(b.shape):
            yield f"{what} is {t}, which has not as many elements as its buffer {name!r}"


def _shaped_problems(
    what: str,
    element_type: str,
    shape: tuple[Dimension, ...],
    known: set[str],
    types: Sequence[str],
) -> Iterator[str]:
    rank_max = isa.load().limits.rank_max
    if element_type not in types:
        yield f"{what} has element type {element_type!r}, not one of {', '.join(types)}"
    if len(shape) > rank_max:
        yield f"{what} has rank {len(shape)}, more than {rank_max}"
    for d in shape:
        if isinstance(d, str):
            if d not in known:
                yield f"{what} names symbol {d!r}, which the shape program does not define"
        elif d < 0:
            yield f"{what} has the negative size {d}"


def _are_static(shape: tuple[Dimension, ...]) -> TypeGuard[tuple[int, ...]]:
    return all(isinstance(d, int) for d in shape)


def _host_problems(b: Buffer, known: set[str]) -> Iterator[str]:
    """Yield what is wrong with the elements that the host computes for a buffer."""
    who, type_ = f"buffer {b.name!r}", isa.load().types.get(b.type)
    if b.kind != "values" and b.values:
        yield f"{who} has values, but its kind is {b.kind!r}"
    if b.kind not in {"values", "positions"} or type_ is None:
        return
    if type_.kind == "float":
        yield f"{who} of kind {b.kind!r} has element type {b.type}, which is not one of integers"
        return
    if b.kind == "values" and not (_are_static(b.shape) and prod(b.shape) == len(b.values)):
        yield f"{who} has {len(b.values)} values, which is not one for each element"
    low, high = type_.range
    for value in b.values:
        if isinstance(value, str) and value not in known:
            yield f"{who} names symbol {value!r}, which the shape program does not define"
        elif isinstance(value, int) and not low <= value <= high:
            yield f"{who} has the value {value}, which does not fit {b.type}"


def _twice(names: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    return [n for n in names if n in seen or seen.add(n)]
