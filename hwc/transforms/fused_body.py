"""The body of a fused kernel under construction: the regions of its operations joined."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeAlias, TypeVar, cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from hwc.backend.selection import Constant, Traced, TraceEmitter, is_special, value_of, words_of
from hwc.dialects.kernel import ApplyOp, YieldOp
from hwc.dialects.shared_attributes import create, shared
from hwc.planning.phases import Instruction
from hwc.planning.pressure import depth_first_order


def instruction_count(apply: ApplyOp) -> int:
    """Return an upper bound on the instructions of a kernel's region, at least 1."""
    body = (op for op in apply.body.block.ops if not isinstance(op, YieldOp))
    return max(1, sum(words_of(op) for op in body))


class Scalar(NamedTuple):
    """A scalar operation of a region; `operands` number the region's arguments, then its scalars.

    Operations of one `kind` differ only in their operands.
    """

    op: Operation
    kind: int
    operands: tuple[int, ...]


class Form(NamedTuple):
    """What equal regions have in common, with a number of its own.

    For each scalar, `code` has its kind and its operands; `yielded` numbers the results.
    """

    number: int
    code: tuple[tuple[int, tuple[int, ...]], ...]
    yielded: tuple[int, ...]


T = TypeVar("T", bound=Hashable)
"""A name of a tensor: its value or its number."""


@dataclass(frozen=True, slots=True)
class Region(Generic[T]):
    """The region of a kernel, which several bodies may contain: the tensors and the operations."""

    inputs: tuple[T, ...]
    operations: tuple[Operation, ...]
    form: Form

    def scalars(self) -> Iterator[Scalar]:
        """Yield the operations in order."""
        for op, (kind, operands) in zip(self.operations, self.form.code, strict=True):
            yield Scalar(op, kind, operands)


Known: TypeAlias = "int | Constant"
"""A value of a body: an instruction's number, a number below 0 for a stream, or a constant."""


class Expanded(NamedTuple):
    """The expansion of a scalar operation: instructions, each special or not, and their operands.

    Operands are numbered from 0 on, and instructions after the operands; `value` is the result.
    """

    code: tuple[tuple[bool, tuple[int, ...]], ...]
    value: Known


class Flow(NamedTuple):
    """The expansion of a region: instructions, each special or not, and their operands.

    Inputs are numbered from 0 on, and instructions after the inputs; `value` is the result, and
    `specials` counts the special instructions.
    """

    code: tuple[tuple[bool, tuple[int, ...]], ...]
    value: int
    specials: int

    def step(self, inputs: Sequence[int]) -> int:
        """Return the step of the result; `inputs` has the steps of the inputs, 0 for a stream.

        Lanes compute in even steps, special functions in odd steps: a phase is two steps. An
        instruction cannot be in an earlier step than the values that it reads.
        """
        steps = list(inputs)
        for special, reads in self.code:
            latest = max([steps[i] for i in reads], default=0)
            steps.append(latest | 1 if special else latest + (latest & 1))
        return steps[self.value]


@dataclass
class RegionReader:
    """Reads the regions of kernels, and expands their operations.

    Each kind of operation is expanded only once.
    """

    _kinds: dict[Hashable, int] = field(default_factory=dict)
    _forms: dict[Hashable, Form] = field(default_factory=dict)
    _flows: dict[int, Flow | None] = field(default_factory=dict)
    _expanded: dict[tuple[int, tuple[Hashable, ...]], Expanded] = field(default_factory=dict)

    def read(self, apply: ApplyOp, names: Mapping[SSAValue, T]) -> Region[T]:
        """Return the region of a kernel; `names` has the names of the tensors that it reads."""
        block = apply.regions[0].block
        numbers: dict[SSAValue, int] = {argument: i for i, argument in enumerate(block.args)}
        operations: list[Operation] = []
        code: list[tuple[int, tuple[int, ...]]] = []
        for op in block.ops:
            operands = tuple([numbers[v] for v in op.operands])
            if isinstance(op, YieldOp):
                inputs = tuple([names[v] for v in apply.operands])
                key = tuple(code), len(inputs), operands
                form = self._forms.get(key)
                if form is None:
                    form = self._forms[key] = Form(len(self._forms), key[0], operands)
                return Region(inputs, tuple(operations), form)
            types = tuple([v.type for v in (*op.operands, *op.results)])
            kind = self._kinds.setdefault(
                (op.name, tuple(op.properties.values()), types), len(self._kinds)
            )
            operations.append(op)
            code.append((kind, operands))
            numbers[op.results[0]] = len(numbers)
        raise AssertionError("a kernel's region ends in kernel.yield")

    def expanded(self, scalar: Scalar, operands: Sequence[Known]) -> Expanded:
        """Return the expansion of an operation for these operands, of which some may be constants.

        Besides constants, an expansion depends at most on which operands are the same value.
        """
        pattern = tuple([v if isinstance(v, Constant) else operands.index(v) for v in operands])
        found = self._expanded.get((scalar.kind, pattern))
        if found is None:
            emitter = TraceEmitter([("", ())] * len(operands))
            values = [v if isinstance(v, Constant) else Traced(v) for v in pattern]
            value = value_of(emitter, scalar.op, values)
            assert isinstance(value, Traced | Constant)
            found = self._expanded[scalar.kind, pattern] = Expanded(
                tuple((is_special(name), reads) for name, reads in emitter.code[len(operands) :]),
                value if isinstance(value, Constant) else value.number,
            )
        return found

    def flow(self, region: Region[T]) -> Flow | None:
        """Return the expansion of a one-result region; None if it is constant or skips inputs.

        Joined with such a region, another region may have a smaller expansion than alone.
        """
        number = region.form.number
        if number not in self._flows:
            self._flows[number] = self._flow(region)
        return self._flows[number]

    def _flow(self, region: Region[T]) -> Flow | None:
        code: list[tuple[bool, tuple[int, ...]]] = []
        inputs = len(region.inputs)
        values: list[Known] = list(range(inputs))
        for scalar in region.scalars():
            operands = [values[i] for i in scalar.operands]
            expanded = self.expanded(scalar, operands)
            numbers = [-1 if isinstance(v, Constant) else v for v in operands]
            numbers += range(inputs + len(code), inputs + len(code) + len(expanded.code))
            code += [
                (special, tuple([numbers[i] for i in reads if numbers[i] >= 0]))
                for special, reads in expanded.code
            ]
            value = expanded.value
            values.append(value if isinstance(value, Constant) else numbers[value])
        result = values[region.form.yielded[0]]
        if isinstance(result, Constant):
            return None
        needed = {result}
        for number in range(inputs + len(code) - 1, inputs - 1, -1):
            if number in needed:
                needed.update(code[number - inputs][1])
        if not needed.issuperset(range(inputs)):
            return None
        return Flow(tuple(code), result, sum([special for special, _ in code]))


@dataclass
class Body(Generic[T]):
    """The distinct scalar operations of a fused kernel under construction.

    The operands of `items` number the body's inputs, then its items.
    """

    reader: RegionReader
    inputs: Sequence[T]
    items: list[Scalar] = field(default_factory=list)
    numbers: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict)
    values: dict[T, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Number the inputs."""
        self.values.update({value: i for i, value in enumerate(self.inputs)})

    def add(self, region: Region[T], results: Iterable[T]) -> None:
        """Append a kernel's region, which computes the tensors `results`."""
        values, items, numbers = self.values, self.items, self.numbers
        local = [values[v] for v in region.inputs]
        for op, (kind, reads) in zip(region.operations, region.form.code, strict=True):
            operands = tuple([local[i] for i in reads])
            new = len(self.inputs) + len(items)
            number = numbers.setdefault((kind, operands), new)
            if number == new:
                items.append(Scalar(op, kind, operands))
            local.append(number)
        for result, number in zip(results, region.form.yielded, strict=True):
            values[result] = local[number]

    def order(self, outputs: Sequence[int]) -> None:
        """Drop items that no output needs, and sort the others to need few registers."""
        count = len(self.inputs)
        order = depth_first_order([i.operands for i in self.items], count, outputs)
        renumbered = [*range(count), *([-1] * len(self.items))]
        for new, old in enumerate(order):
            renumbered[count + old] = count + new
        self.items = [
            Scalar(op, kind, tuple([renumbered[o] for o in operands]))
            for op, kind, operands in map(self.items.__getitem__, order)
        ]
        self.values = {v: renumbered[n] for v, n in self.values.items() if renumbered[n] >= 0}

    def instructions(self, outputs: Sequence[int]) -> list[Instruction]:
        """Return the instructions that the body becomes, in the order in which they are selected.

        `hwc.transforms.convert_kernel_to_strip` puts them into a program.
        """
        code: list[tuple[bool, tuple[int, ...]]] = []
        values: list[Known] = [-1 - i for i in range(len(self.inputs))]
        for item in self.items:
            operands = [values[o] for o in item.operands]
            expanded = self.reader.expanded(item, operands)
            # An instruction does not read a constant as a value.
            numbers = [-1 if isinstance(v, Constant) else v for v in operands]
            numbers += range(len(code), len(code) + len(expanded.code))
            for special, reads in expanded.code:
                code.append((special, tuple([numbers[i] for i in reads if numbers[i] >= 0])))
            value = expanded.value
            values.append(value if isinstance(value, Constant) else numbers[value])
        return with_outputs(code, [values[o] for o in outputs])

    def block(self, inputs: Iterable[SSAValue], outputs: Sequence[int]) -> Block:
        """Build the region's block; `inputs` are the tensors that the body's inputs name."""
        types = [cast("TensorType", v.type).get_element_type() for v in inputs]
        block = Block(arg_types=types)
        values: list[SSAValue] = list(block.args)
        for item in self.items:
            op = create(
                type(item.op),
                [values[o] for o in item.operands],
                [r.type for r in item.op.results],
                properties=shared(item.op.properties),
                location=item.op.location,
            )
            block.add_op(op)
            values.append(op.results[0])
        block.add_op(YieldOp([values[o] for o in outputs]))
        return block


def with_outputs(
    code: Sequence[tuple[bool, tuple[int, ...]]], outputs: Sequence[Known]
) -> list[Instruction]:
    """Return the instructions as planning sees them, with the moves that their outputs need.

    Each item of `code` says whether the instruction is special, and what the instruction reads. An
    output is a result that nothing else reads, or a copy that follows the value's instruction.
    """
    values = [o if isinstance(o, int) and o >= 0 else None for o in outputs]
    read = {number for _, reads in code for number in reads}
    copied = [v for v in values if v is not None and (v in read or values.count(v) > 1)]
    found: list[Instruction] = []
    position: list[int] = []
    for number, (special, reads) in enumerate(code):
        position.append(len(found))
        stored = number in values and number not in copied
        found.append(Instruction(tuple([position[p] for p in reads]), special, not stored))
        if number in copied:
            move = Instruction((position[number],), special=False, in_register=False)
            found += [move] * copied.count(number)
    return found + [Instruction((), special=False, in_register=False)] * values.count(None)
