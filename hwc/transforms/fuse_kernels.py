"""Fusion: kernels of one source operation each become as few kernels as the target's limits allow.

`fusion_planner` decides which operations share a kernel. This module joins the regions: equal
operations are computed once, in an order that needs few registers. If the best plan for a kernel
depends on sizes, the kernel becomes a `kernel.choose` between its alternatives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.dialects.building import discard
from hwc.dialects.kernel import ApplyOp, ChooseOp, YieldOp
from hwc.dialects.kernel_facts import Facts
from hwc.transforms.fusion_planner import KernelPlan, Planner
from hwc.transforms.kernel_choices import Choice
from hwc.transforms.static_plans import all_choices
from hwc.transforms.target_option import as_target
from isa.target import Target

Values: TypeAlias = dict[SSAValue, SSAValue]
"""Maps values of the source to values of the fused function."""


def _build(planner: Planner, kernel: KernelPlan, values: Values) -> ApplyOp:
    """Return a planned kernel, not in a block yet, and note its results in `values`."""
    body, yielded = planner.body(kernel)
    inputs = [planner.tensors[v] for v in kernel.inputs]
    outputs = [planner.tensors[v] for v in kernel.outputs]
    apply = ApplyOp.build_from(
        [values.get(v, v) for v in inputs],
        [v.type for v in outputs],
        [planner.sizes(v) for v in kernel.outputs],
        [name.data for n in kernel.numbers for name in planner.applies[n].source],
        body.block(inputs, yielded),
    )
    apply.location = planner.applies[kernel.numbers[-1]].location
    for value, result in zip(outputs, apply.results, strict=True):
        result.name_hint = value.name_hint
        values[value] = result
    return apply


def _build_choice(planner: Planner, choice: Choice, values: Values) -> ChooseOp:
    """Return the choice, and note its results in `values`."""
    blocks: list[tuple[str, Block]] = []
    outputs = [planner.tensors[v] for v in choice.outputs]
    for alternative in choice.alternatives:
        block = Block()
        inner = dict(values)
        block.add_ops([_build(planner, kernel, inner) for kernel in alternative.kernels])
        block.add_op(YieldOp([inner[v] for v in outputs]))
        blocks.append((alternative.name, block))
    sizes = [planner.sizes(v) for v in choice.outputs]
    op = ChooseOp([v.type for v in outputs], sizes, blocks)
    op.location = cast("Operation", outputs[-1].owner).location
    for value, result in zip(outputs, op.results, strict=True):
        result.name_hint = value.name_hint
        values[value] = result
    return op


def _replace(block: Block, planner: Planner, choices: Sequence[Choice]) -> None:
    """Replace a block's kernels by the planned ones, each followed by the views of its results.

    A kernel of the source is freed as soon as no further planned one has it.
    """
    last = block.last_op
    assert last is not None
    values: Values = {}
    waiting = Counter(number for choice in choices for number in _numbers(choice))
    _discard(planner, (n for n in range(len(planner.applies)) if n not in waiting))
    for choice in choices:
        first, *others = choice.alternatives
        if others:
            new: list[Operation] = [_build_choice(planner, choice, values)]
        else:
            new = [_build(planner, kernel, values) for kernel in first.kernels]
        block.insert_ops_before(new, last)
        for number in choice.outputs:
            value = planner.tensors[number]
            value.replace_all_uses_with(values[value])
            for view in planner.views.get(number, ()):
                op = cast("Operation", planner.tensors[view].owner)
                op.detach()
                block.insert_op_before(op, last)
        waiting.subtract(_numbers(choice))
        _discard(planner, (n for n in {*_numbers(choice)} if not waiting[n]))


def _numbers(choice: Choice) -> Iterator[int]:
    """Return the numbers of the operations in each kernel of each alternative."""
    return (n for each in choice.alternatives for kernel in each.kernels for n in kernel.numbers)


def _discard(planner: Planner, numbers: Iterable[int]) -> None:
    """Discard operations that only each other read."""
    for number in sorted(numbers, reverse=True):
        discard(planner.applies[number])


@dataclass(frozen=True)
class FuseKernels(ModulePass):
    """Fuse kernels for a target, given by its name or the path of its file."""

    name = "fuse-kernels"

    target: str | Target = "accel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fuse the kernels of every function that has a body."""
        fuse(op, as_target(self.target))


def fused_kernel_count(block: Block, target: Target) -> int:
    """Return how many kernels a function's block would have after fusion; do not change it."""
    return len(Planner(target, Facts.of(block)).plan(block))


def fuse(module: ModuleOp, target: Target) -> None:
    """Fuse the kernels of every function of `module` for `target`."""
    for function in module.ops:
        if isinstance(function, func.FuncOp) and function.body.blocks:
            block = function.body.block
            planner = Planner(target, Facts.of(block))
            _replace(block, planner, all_choices(planner, block))
