"""Register allocation: every value of a strip loop gets a register or an output stream.

One pass over the instructions in order: a value that an output stream takes is written there, any
other takes the lowest vector register that is free; an operand read for the last time frees its
register for the result of the same instruction, as an instruction reads a lane before it writes it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from hwc.dialects import strip
from hwc.frontend.diagnostics import error_at
from hwc.transforms.target_option import as_target
from isa.target import Target


def _allocate(kernel: strip.KernelOp, registers: int) -> None:
    old = kernel.body.block
    block = Block(arg_types=[strip.register(f"s{i}") for i in range(len(old.args))])
    allocated: dict[SSAValue, SSAValue] = dict(zip(old.args, block.args, strict=True))
    outputs = {value: f"o{i}" for i, value in enumerate(kernel.yielded)}
    last = {v: op for op in kernel.instructions for v in op.sources}
    free = list(range(registers))
    held: dict[SSAValue, int] = {}
    for op in old.ops:
        if isinstance(op, strip.ImmediateOp):
            allocated[op.result] = strip.ImmediateOp(op.bits).result
            block.add_op(allocated[op.result].owner)  # pyright: ignore[reportArgumentType]
            continue
        if not isinstance(op, strip.InstructionOp):
            continue
        for value in dict.fromkeys(op.sources):
            if value in held and last[value] is op:
                heapq.heappush(free, held.pop(value))
        if (name := outputs.get(op.result)) is None:
            if not free:
                raise error_at(op, f"the kernel needs more than {registers} vector registers")
            number = heapq.heappop(free)
            name = f"v{number}"
            if op.result in last:
                held[op.result] = number
            else:
                heapq.heappush(free, number)
        new = type(op)(*(allocated[v] for v in op.sources), result=name)
        new.location = op.location
        block.add_op(new)
        allocated[op.result] = new.result
    block.add_op(strip.YieldOp([allocated[v] for v in kernel.yielded]))
    kernel.body.detach_block(old)
    old.erase(safe_erase=False)
    kernel.body.add_block(block)


@dataclass(frozen=True)
class AllocateRegisters(ModulePass):
    """Allocate registers for a target, given by its name or by the path of its file."""

    name = "allocate-registers"

    target: str | Target = "accel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Allocate every kernel."""
        allocate_kernels(op, as_target(self.target))


def allocate_kernels(module: ModuleOp, target: Target) -> None:
    """Allocate the registers of every kernel of `module`."""
    for op in module.walk():
        if isinstance(op, strip.KernelOp):
            _allocate(op, target.vector_registers)
