"""Scheduling: orders the instructions of each strip loop so that both ports have work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

import isa
from hwc.backend.selection import is_special
from hwc.dialects import strip
from hwc.frontend.diagnostics import LocatedError, error_at
from hwc.planning.phases import Instruction, Pipe
from hwc.planning.schedule import schedule
from hwc.recent import Recent
from hwc.transforms.target_option import as_target
from isa.target import Target


def described(kernel: strip.KernelOp) -> list[Instruction]:
    """Return the instructions of a kernel as planning sees them, in order."""
    number: dict[SSAValue, int] = {}
    yielded = set(kernel.yielded)
    instructions: list[Instruction] = []
    for i, op in enumerate(kernel.instructions):
        result = op.results[0]
        reads = tuple([number[v] for v in op.operands if v in number])
        instructions.append(Instruction(reads, is_special(op.mnemonic), result not in yielded))
        number[result] = i
    return instructions


MOST_BODIES = 1024
"""How many bodies a pass keeps its results for; many kernels have the same body."""

Orders: TypeAlias = "Recent[list[int] | None]"
"""The orders of the last bodies."""


def _reorder(kernel: strip.KernelOp, target: Target, pipe: Pipe, orders: Orders) -> None:
    body = tuple(described(kernel))
    order = orders.get(body, lambda: schedule(body, pipe))
    if order is None:
        raise too_large(kernel, target)
    if order == list(range(len(order))):
        return
    block = kernel.body.block
    code = kernel.instructions
    last = block.last_op
    assert last is not None
    for op in code:
        op.detach()
    for number in order:
        block.insert_op_before(code[number], last)


@dataclass(frozen=True)
class ScheduleStrips(ModulePass):
    """Reorder the instructions of every kernel for a target (its name or its file's path)."""

    name = "schedule-strips"

    target: str | Target = "accel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Reorder every kernel."""
        schedule_kernels(op, as_target(self.target))


def schedule_kernels(module: ModuleOp, target: Target) -> None:
    """Reorder the instructions of every kernel of `module`."""
    pipe = Pipe.of(target)
    orders: Orders = Recent(MOST_BODIES)
    for op in module.walk():
        if isinstance(op, strip.KernelOp):
            _reorder(op, target, pipe, orders)


def too_large(kernel: strip.KernelOp, target: Target) -> LocatedError:
    """The error for a kernel that has no order within the registers and phases of a target."""
    return error_at(
        kernel,
        f"the kernel needs more than the {target.vector_registers} vector registers and "
        f"{isa.load().limits.result_registers} result registers of target {target.name}, or more "
        f"than {max(isa.load().kinds['copies'].values)} phases",
    )
