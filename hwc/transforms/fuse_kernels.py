"""Fusion: kernels of one source operation each become as few kernels as the target's limits allow.

`fusion_search` decides which operations share a kernel, by streams, sizes and words of machine
code. Here the regions are joined: what is computed twice is computed once, the rest is put into an
order that needs few registers. A kernel that needs more registers than the target has is planned
again with half as many operations, down to single ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.backend.selection import MAX_TEMPORARIES, check_types, is_slow
from hwc.dialects.kernel import ApplyOp, YieldOp
from hwc.dialects.kernel_facts import Facts
from hwc.dialects.views import ReshapeOp
from hwc.frontend.diagnostics import LocatedError, error_at
from hwc.planning.fusion_plan import Group, Limits, Node
from hwc.planning.fusion_search import plan_fusion
from hwc.planning.words import HALT_WORDS
from hwc.shapes import Size, strip_ones
from hwc.transforms.fused_body import Body, instruction_count
from hwc.transforms.target_option import as_target
from isa.target import Target


@dataclass
class _Fusion:
    block: Block
    target: Target
    facts: Facts
    applies: list[ApplyOp] = field(default_factory=list)
    nodes: list[Node[SSAValue]] = field(default_factory=list)
    views: dict[SSAValue, list[SSAValue]] = field(default_factory=dict)
    pinned: set[SSAValue] = field(default_factory=set)
    made: list[ApplyOp] = field(default_factory=list)
    written: list[list[SSAValue]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Number the values in program order."""
        results = (result for op in self.block.ops for result in op.results)
        self._order: dict[SSAValue, int] = {
            value: i for i, value in enumerate((*self.block.args, *results))
        }

    def run(self) -> None:
        """Fuse the block's kernels in place."""
        for op in self.block.ops:
            if isinstance(op, ApplyOp):
                self._note(op)
            else:
                self.pinned.update(op.operands)
                if isinstance(op, ReshapeOp):
                    self.views.setdefault(op.input, []).append(op.view)
        self._fuse(range(len(self.nodes)), self.pinned, len(self.nodes))
        self._rebuild()

    def _note(self, apply: ApplyOp) -> None:
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

    def _fuse(self, numbers: Sequence[int], pinned: set[SSAValue], size: int) -> None:
        limits = Limits(
            self.target.input_streams,
            self.target.output_streams,
            self.target.instruction_words - HALT_WORDS,
            size,
        )
        nodes = [self.nodes[n] for n in numbers]

        def enough_registers(group: Group[SSAValue], members: Sequence[int]) -> bool:
            return self._enough_registers(group, [numbers[i] for i in members])

        for group in plan_fusion(nodes, pinned, self.views, limits, self._covers, enough_registers):
            self._finish(group, [numbers[i] for i in sorted(group.nodes)], limits)

    def _enough_registers(self, group: Group[SSAValue], numbers: Sequence[int]) -> bool:
        """Whether the nodes `numbers` of a group are a kernel within the target's registers."""
        registers = self.target.vector_registers
        if sum(self.nodes[n].weight for n in numbers) <= registers - MAX_TEMPORARIES:
            return True
        made = {self.nodes[n].value for n in numbers}
        inputs = {v: None for n in numbers for v in self.nodes[n].inputs if v not in made}
        body, outputs = self._body(list(inputs), numbers, [v for v in group.outputs if v in made])
        return body.registers(outputs) <= registers

    def _body(
        self, inputs: list[SSAValue], numbers: Sequence[int], written: list[SSAValue]
    ) -> tuple[Body, list[int]]:
        """Join the regions of the nodes `numbers`; return the body and what it yields."""
        body = Body(inputs)
        for number in numbers:
            body.add(self.applies[number])
        body.order([body.values[v] for v in written])
        return body, [body.values[v] for v in written]

    def _covers(self, inputs: Iterable[SSAValue], shape: tuple[Size, ...]) -> bool:
        return self.facts.table.broadcasts_to([self.facts.sizes(v) for v in inputs], shape)

    def _finish(self, group: Group[SSAValue], numbers: list[int], limits: Limits) -> None:
        """Build one kernel, or plan its nodes again if it needs too many registers."""
        if len(numbers) == 1:
            self._check_limits(group, self.applies[numbers[0]], limits)
        inputs = sorted(group.inputs, key=self._program_order)
        written = sorted(group.outputs, key=self._program_order)
        body, outputs = self._body(inputs, numbers, written)
        registers = body.registers(outputs)
        if registers > self.target.vector_registers:
            if len(numbers) > 1:
                self._fuse(numbers, set(written), len(numbers) // 2)
                return
            op = self.applies[numbers[0]]
            raise _too_small(op, f"{registers} vector registers", self.target.vector_registers)
        source = [
            s.data
            for n in numbers
            for s in self.applies[n].source.data
            if isinstance(s, StringAttr)
        ]
        apply = ApplyOp.build_from(
            inputs,
            [v.type for v in written],
            [self._sizes(v) for v in written],
            source,
            body.block(outputs),
        )
        apply.location = self.applies[numbers[-1]].location
        for old, new in zip(written, apply.results, strict=True):
            new.name_hint = old.name_hint
        self.made.append(apply)
        self.written.append(written)

    def _program_order(self, value: SSAValue) -> int:
        return self._order[value]

    def _sizes(self, value: SSAValue) -> tuple[Size, ...]:
        return self.facts.table.resolve_shape(self.facts.sizes(value))

    def _check_limits(self, group: Group[SSAValue], apply: ApplyOp, limits: Limits) -> None:
        if len(group.inputs) > limits.inputs:
            raise _too_small(apply, f"{len(group.inputs)} input streams", limits.inputs)
        words = group.words(len(group.inputs), len(group.outputs), group.weight)
        if words > limits.words:
            raise _too_small(apply, f"{words + HALT_WORDS} words", limits.words + HALT_WORDS)

    def _rebuild(self) -> None:
        """Put the fused kernels and the views between them in order: definitions before uses."""
        replaced: dict[SSAValue, SSAValue] = {}
        last = self.block.last_op
        others = [op for op in self.block.ops if not isinstance(op, ApplyOp)]
        early = [op for op in others if op is not last and not self._depends(op)]
        for op in [*others, *self.applies]:
            op.detach()
        self.block.add_ops(early)
        for apply, written in zip(self.made, self.written, strict=True):
            apply.operands = [replaced.get(v, v) for v in apply.operands]
            self.block.add_op(apply)
            for old, new in zip(written, apply.results, strict=True):
                replaced[old] = new
                self._add_views(old, replaced)
        for op in others:
            if op.parent is None:
                op.operands = [replaced.get(v, v) for v in op.operands]
                self.block.add_op(op)
        for apply in self.applies:
            apply.drop_all_references()

    def _depends(self, op: Operation) -> bool:
        return any(isinstance(v.owner, ApplyOp) or self._depends_value(v) for v in op.operands)

    def _depends_value(self, value: SSAValue) -> bool:
        return isinstance(value.owner, ReshapeOp) and self._depends(cast("Operation", value.owner))

    def _add_views(self, value: SSAValue, replaced: dict[SSAValue, SSAValue]) -> None:
        for view in self.views.get(value, ()):
            op = cast("Operation", view.owner)
            op.operands = [replaced[value]]
            self.block.add_op(op)


def _too_small(op: ApplyOp, needs: str, has: int) -> LocatedError:
    name = ", ".join(s.data for s in op.source.data if isinstance(s, StringAttr))
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


def fuse(module: ModuleOp, target: Target) -> None:
    """Fuse the kernels of every function of `module` for `target`."""
    for function in module.ops:
        if isinstance(function, func.FuncOp) and function.body.blocks:
            block = function.body.block
            _Fusion(block, target, Facts.of(block)).run()
