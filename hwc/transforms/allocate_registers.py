"""Register allocation: every value of a strip loop gets a register or an output stream.

A value that an output stream takes is written to that stream. Any other value gets a register of
the class that its instruction writes (`hwc.planning.phases.allocate`). If there are enough
registers, enough strips get their own to keep the ports busy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from hwc.dialects import strip
from hwc.dialects.building import discard_all
from hwc.planning.phases import Instruction, Pipe, allocate, best_copies
from hwc.recent import Recent
from hwc.transforms.schedule_strips import MOST_BODIES, described, too_large
from hwc.transforms.target_option import as_target
from isa.target import Target


@dataclass
class _Allocation:
    """The registers of kernels for a target; kernels with the same body share one allocation."""

    target: Target
    pipe: Pipe
    known: Recent[tuple[int, list[int] | None]] = field(default_factory=lambda: Recent(MOST_BODIES))

    def _registers(self, code: Sequence[Instruction]) -> tuple[int, list[int] | None]:
        """Return the copies of the registers for a body, and the registers; None without copies."""
        copies = best_copies(code, self.pipe)
        return copies, allocate(code, self.pipe, copies) if copies else None

    def allocate(self, kernel: strip.KernelOp) -> None:
        """Give every value of a kernel its register."""
        code = tuple(described(kernel))
        kernel.copies, registers = self.known.get(code, lambda: self._registers(code))
        if registers is None:
            raise too_large(kernel, self.target)
        old = kernel.body.block
        block = Block(arg_types=[strip.register(f"s{i}") for i in range(len(old.args))])
        allocated: dict[SSAValue, SSAValue] = dict(zip(old.args, block.args, strict=True))
        outputs = {value: f"o{i}" for i, value in enumerate(kernel.yielded)}
        numbers = iter(zip(code, registers, strict=True))
        for op in old.ops:
            if isinstance(op, strip.ImmediateOp):
                new = strip.ImmediateOp(op.bits)
            elif isinstance(op, strip.InstructionOp):
                instruction, number = next(numbers)
                name = outputs.get(op.results[0], f"{'t' if instruction.special else 'v'}{number}")
                new = type(op)(*[allocated[v] for v in op.operands], result=name)
                new.location = op.location
            else:
                continue
            block.add_op(new)
            allocated[op.results[0]] = new.results[0]
        block.add_op(strip.YieldOp([allocated[v] for v in kernel.yielded]))
        kernel.body.detach_block(old)
        discard_all(old)
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
    allocation = _Allocation(target, Pipe.of(target))
    for op in module.walk():
        if isinstance(op, strip.KernelOp):
            allocation.allocate(op)
