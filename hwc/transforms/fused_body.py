"""The body of a fused kernel under construction: the regions of its operations joined."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from hwc.backend.selection import Constant, Traced, TraceEmitter, is_special, value_of, words_of
from hwc.dialects.kernel import ApplyOp, YieldOp
from hwc.planning.phases import Instruction
from hwc.planning.pressure import depth_first_order


def instruction_count(apply: ApplyOp) -> int:
    """Return an upper bound of the instructions of a kernel's region, at least 1."""
    body = (op for op in apply.body.block.ops if not isinstance(op, YieldOp))
    return max(1, sum(words_of(op) for op in body))


@dataclass(frozen=True)
class Item:
    """One scalar operation of a fused body; `operands` number the body's inputs, then its items."""

    op: Operation
    operands: tuple[int, ...]


@dataclass
class Body:
    """The scalar operations of a fused kernel under construction, each different one once."""

    inputs: list[SSAValue]
    items: list[Item] = field(default_factory=list)
    numbers: dict[Hashable, int] = field(default_factory=dict)
    values: dict[SSAValue, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Number the inputs."""
        self.values.update({value: i for i, value in enumerate(self.inputs)})

    def add(self, apply: ApplyOp) -> None:
        """Append a kernel's region."""
        block = apply.body.block
        local: dict[SSAValue, int] = {
            argument: self.values[value]
            for argument, value in zip(block.args, apply.inputs, strict=True)
        }
        for op in block.ops:
            if isinstance(op, YieldOp):
                for result, value in zip(apply.results, op.values, strict=True):
                    self.values[result] = local[value]
                return
            operands = tuple(local[v] for v in op.operands)
            key = (op.name, operands, tuple(op.properties.values()), op.results[0].type)
            number = self.numbers.setdefault(key, len(self.inputs) + len(self.items))
            if number == len(self.inputs) + len(self.items):
                self.items.append(Item(op, operands))
            local[op.results[0]] = number

    def order(self, outputs: Sequence[int]) -> None:
        """Drop items that no output needs and put the others into an order of few registers."""
        count = len(self.inputs)
        order = depth_first_order([i.operands for i in self.items], count, outputs)
        renumbered = {number: number for number in range(count)}
        renumbered.update({count + old: count + new for new, old in enumerate(order)})
        self.items = [
            Item(self.items[old].op, tuple(renumbered[o] for o in self.items[old].operands))
            for old in order
        ]
        self.values = {v: renumbered[n] for v, n in self.values.items() if n in renumbered}

    def instructions(self, outputs: Sequence[int]) -> list[Instruction]:
        """Return the instructions that the body becomes, in the order in which they are selected.

        `hwc.transforms.convert_kernel_to_strip` puts them into a program.
        """
        emitter = TraceEmitter()
        values: list[Traced | Constant] = [Traced(-1 - i) for i in range(len(self.inputs))]
        for item in self.items:
            value = value_of(emitter, item.op, [values[o] for o in item.operands])
            assert isinstance(value, Traced | Constant)
            values.append(value)
        return with_outputs(emitter.code, [values[o] for o in outputs])

    def block(self, outputs: Sequence[int]) -> Block:
        """Build the region's block."""
        types = [cast("TensorType", v.type).get_element_type() for v in self.inputs]
        block = Block(arg_types=types)
        values: list[SSAValue] = list(block.args)
        for item in self.items:
            op = type(item.op).create(
                operands=[values[o] for o in item.operands],
                result_types=[r.type for r in item.op.results],
                properties=item.op.properties,
                location=item.op.location,
            )
            block.add_op(op)
            values.append(op.results[0])
        block.add_op(YieldOp([values[o] for o in outputs]))
        return block


def with_outputs(
    code: Sequence[tuple[str, tuple[int, ...]]], outputs: Sequence[Traced | Constant]
) -> list[Instruction]:
    """Return what planning knows of instructions, and of the moves that their outputs need.

    An output is a result that nothing else reads, or a copy that follows the value's instruction.
    """
    read = {number for _, reads in code for number in reads}
    values = [o.number if isinstance(o, Traced) and o.number >= 0 else None for o in outputs]
    copied = [v for v in values if v is not None and (v in read or values.count(v) > 1)]
    found: list[Instruction] = []
    position: list[int] = []
    for number, (name, reads) in enumerate(code):
        position.append(len(found))
        stored = number in values and number not in copied
        own = tuple(position[p] for p in reads)
        found.append(Instruction(own, is_special(name), in_register=not stored))
        move = Instruction((position[number],), special=False, in_register=False)
        found += [move] * copied.count(number)
    return found + [Instruction((), special=False, in_register=False)] * values.count(None)
