"""Fusion: kernels of one source operation each become as few kernels as the target's limits allow.

`fusion_search` decides which operations share a kernel, by streams, sizes and words of machine
code. Here the regions are joined: equal operations are computed once, in an order that needs few
registers. A kernel that needs more registers than the target has is planned again with half as many
operations, down to single ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.backend.selection import MAX_TEMPORARIES, check_types, is_slow
from hwc.dialects.kernel import ApplyOp, ReshapeOp, YieldOp
from hwc.dialects.kernel_facts import Facts
from hwc.frontend.diagnostics import LocatedError, error_at
from hwc.planning.fusion_plan import Group, Limits, Node
from hwc.planning.fusion_search import plan_fusion
from hwc.shapes import Size, strip_ones
from hwc.transforms.fused_body import Body, instruction_count
from hwc.transforms.target_option import as_target
from isa.dispatch import HALT_WORDS
from isa.target import Target


class FusedKernel(NamedTuple):
    """A kernel that is not in the block yet, and the values that its results replace."""

    apply: ApplyOp
    outputs: list[SSAValue]


@dataclass
class _Planner:
    """The plan of one function: source operations as nodes, and the kernels made of them."""

    target: Target
    facts: Facts
    applies: list[ApplyOp] = field(default_factory=list)
    nodes: list[Node[SSAValue]] = field(default_factory=list)
    views: dict[SSAValue, list[SSAValue]] = field(default_factory=dict)
    stored: set[SSAValue] = field(default_factory=set)
    kernels: list[FusedKernel] = field(default_factory=list)
    order: dict[SSAValue, int] = field(default_factory=dict)

    def plan(self, block: Block) -> list[FusedKernel]:
        """Return the kernels for a function's block in the order of their execution."""
        self.order = {argument: i for i, argument in enumerate(block.args)}
        for op in block.ops:
            for result in op.results:
                self.order[result] = len(self.order)
            if isinstance(op, ApplyOp):
                self._add_node(op)
            else:
                self.stored.update(op.operands)
                if _is_view(op):
                    root = self.facts.views[op.results[0]].root
                    self.views.setdefault(root, []).append(op.results[0])
        self._fuse(range(len(self.nodes)), self.stored, len(self.nodes))
        return self.kernels

    def _add_node(self, apply: ApplyOp) -> None:
        operations = [op for op in apply.body.block.ops if not isinstance(op, YieldOp)]
        for op in operations:
            check_types(op)
        slow = any(is_slow(op) for op in operations)
        if len(apply.results) != 1:
            raise error_at(apply, "a kernel with several results cannot be fused again")
        value = apply.results[0]
        shape = strip_ones(self.facts.table.resolve_shape(apply.shapes[0]))
        inputs = tuple(dict.fromkeys(apply.inputs))
        self.nodes.append(Node(value, inputs, shape, instruction_count(apply), slow))
        self.applies.append(apply)

    def _fuse(self, numbers: Sequence[int], stored: set[SSAValue], size: int) -> None:
        """Plan the nodes `numbers`, at most `size` of them per kernel, and build the kernels."""
        limits = Limits(
            self.target.input_streams,
            self.target.output_streams,
            self.target.instruction_words - HALT_WORDS,
            size,
        )
        nodes = [self.nodes[n] for n in numbers]

        def broadcast_to(inputs: Iterable[SSAValue], shape: tuple[Size, ...]) -> bool:
            return self.facts.table.broadcasts_to([self.facts.sizes(v) for v in inputs], shape)

        def enough_registers(group: Group[SSAValue], members: Sequence[int]) -> bool:
            return self._enough_registers(group, [numbers[i] for i in members])

        for group in plan_fusion(nodes, stored, self.views, limits, broadcast_to, enough_registers):
            self._build(group, [numbers[i] for i in sorted(group.nodes)], limits)

    def _enough_registers(self, group: Group[SSAValue], numbers: Sequence[int]) -> bool:
        """Whether the nodes `numbers` of a group are a kernel within the target's registers."""
        registers = self.target.vector_registers
        if sum(self.nodes[n].weight for n in numbers) <= registers - MAX_TEMPORARIES:
            return True
        values = {self.nodes[n].value for n in numbers}
        inputs = {v: None for n in numbers for v in self.nodes[n].inputs if v not in values}
        outputs = [v for v in group.outputs if v in values]
        body, yielded = self._body(list(inputs), numbers, outputs)
        return body.registers(yielded) <= registers

    def _body(
        self, inputs: list[SSAValue], numbers: Sequence[int], outputs: list[SSAValue]
    ) -> tuple[Body, list[int]]:
        """Join the regions of the nodes `numbers`; return the body and what it yields."""
        body = Body(inputs)
        for number in numbers:
            body.add(self.applies[number])
        body.order([body.values[v] for v in outputs])
        return body, [body.values[v] for v in outputs]

    def _build(self, group: Group[SSAValue], numbers: list[int], limits: Limits) -> None:
        """Build one kernel, or plan its nodes again if it needs too many registers."""
        if len(numbers) == 1:
            _check_limits(group, self.applies[numbers[0]], limits)
        inputs = sorted(group.inputs, key=self.order.__getitem__)
        outputs = sorted(group.outputs, key=self.order.__getitem__)
        body, yielded = self._body(inputs, numbers, outputs)
        registers = body.registers(yielded)
        if registers > self.target.vector_registers:
            if len(numbers) > 1:
                self._fuse(numbers, set(outputs), len(numbers) // 2)
                return
            op = self.applies[numbers[0]]
            raise _too_small(op, f"{registers} vector registers", self.target.vector_registers)
        apply = ApplyOp.build_from(
            inputs,
            [v.type for v in outputs],
            [self.facts.table.resolve_shape(self.facts.sizes(v)) for v in outputs],
            [name.data for n in numbers for name in self.applies[n].source],
            body.block(yielded),
        )
        apply.location = self.applies[numbers[-1]].location
        for value, result in zip(outputs, apply.results, strict=True):
            result.name_hint = value.name_hint
        self.kernels.append(FusedKernel(apply, outputs))


def _is_view(op: Operation) -> bool:
    return isinstance(op, ReshapeOp | tensor.CastOp)


def _replace(block: Block, planner: _Planner) -> None:
    """Replace a block's kernels by the planned ones, each followed by the views of its results."""
    last = block.last_op
    assert last is not None
    for apply, outputs in planner.kernels:
        block.insert_op_before(apply, last)
        for value, result in zip(outputs, apply.results, strict=True):
            value.replace_all_uses_with(result)
            for view in planner.views.get(value, ()):
                op = cast("Operation", view.owner)
                op.detach()
                block.insert_op_before(op, last)
    for op in reversed(planner.applies):
        op.detach()
        op.erase()


def _check_limits(group: Group[SSAValue], apply: ApplyOp, limits: Limits) -> None:
    if len(group.inputs) > limits.inputs:
        raise _too_small(apply, f"{len(group.inputs)} input streams", limits.inputs)
    words = group.words(len(group.inputs), len(group.outputs), group.weight)
    if words > limits.words:
        raise _too_small(apply, f"{words + HALT_WORDS} words", limits.words + HALT_WORDS)


def _too_small(op: ApplyOp, needs: str, has: int) -> LocatedError:
    name = ", ".join(name.data for name in op.source)
    return error_at(
        op, f"'{name}' alone needs {needs}, the target has {has}", "compile for a larger target"
    )


@dataclass(frozen=True)
class FuseKernels(ModulePass):
    """Fuse kernels for a target, given by its name or the path of its file."""

    name = "fuse-kernels"

    target: str | Target = "accel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fuse the kernels of every function that has a body."""
        fuse(op, as_target(self.target))


def fused_kernel_count(block: Block, target: Target) -> int:
    """Return how many kernels fusion would make of a function's block, which does not change."""
    kernels = _Planner(target, Facts.of(block)).plan(block)
    for kernel in kernels:
        kernel.apply.erase()
    return len(kernels)


def fuse(module: ModuleOp, target: Target) -> None:
    """Fuse the kernels of every function of `module` for `target`."""
    for function in module.ops:
        if isinstance(function, func.FuncOp) and function.body.blocks:
            block = function.body.block
            planner = _Planner(target, Facts.of(block))
            planner.plan(block)
            _replace(block, planner)
