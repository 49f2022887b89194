"""Scheduling: the instructions of each strip loop ordered for short waits and few registers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

import isa
from hwc.dialects import strip
from hwc.planning.schedule import Instruction, schedule
from hwc.transforms.target_option import as_target
from isa.target import Target


def _describe(kernel: strip.KernelOp, target: Target) -> list[Instruction]:
    units = isa.load().units
    table = isa.load().instructions
    number: dict[SSAValue, int] = {}
    yielded = set(kernel.yielded)
    described: list[Instruction] = []
    for i, op in enumerate(kernel.instructions):
        unit = table[op.mnemonic].unit
        assert unit is not None
        described.append(
            Instruction(
                tuple(number[v] for v in op.sources if v in number),
                -(-target.vlen // target.rate(unit)),
                units[unit].latency,
                op.result not in yielded,
            )
        )
        number[op.result] = i
    return described


def _reorder(kernel: strip.KernelOp, target: Target) -> None:
    order = schedule(_describe(kernel, target), target.vector_registers)
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
    for op in module.walk():
        if isinstance(op, strip.KernelOp):
            _reorder(op, target)
