"""Splits source operations that are too large for one kernel into one kernel per scalar operation.

A `linalg.generic` or a library function may have more phases or inputs than a kernel of the target,
or need more registers. Once split, its scalar operations are fused like those of several source
operations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.backend.selection import check_types
from hwc.dialects.building import discard
from hwc.dialects.kernel import ApplyOp, YieldOp, stream_inputs
from hwc.dialects.kernel_facts import Facts
from hwc.planning.phases import Pipe
from hwc.planning.schedule import fits
from hwc.transforms.fused_body import Body, Region, RegionReader
from hwc.transforms.target_option import as_target
from isa.target import Target


@dataclass
class _Limits:
    """The limits of a target's kernels; each kind of kernel is checked only once."""

    target: Target
    reader: RegionReader = field(default_factory=RegionReader)
    fitting: dict[tuple[int, tuple[int, ...]], bool] = field(default_factory=dict)

    def are_exceeded(self, apply: ApplyOp) -> bool:
        """Whether a source operation, which became this kernel, is too large.

        Raises:
            LocatedError: an operation is not one that the machine has.
        """
        inputs = list(dict.fromkeys(apply.inputs))
        region = self.reader.read(apply, {v: v for v in inputs})
        key = region.form.number, tuple([inputs.index(v) for v in region.inputs])
        found = self.fitting.get(key)
        if found is None:
            found = self.fitting[key] = self._fits(apply, region, inputs)
        most = self.target.input_streams
        return not found or (len(inputs) > most and len(set(stream_inputs(apply))) > most)

    def _fits(self, apply: ApplyOp, region: Region[SSAValue], inputs: Sequence[SSAValue]) -> bool:
        for scalar in region.scalars():
            check_types(scalar.op)
        body = Body(self.reader, inputs)
        body.add(region, apply.results)
        body.order([body.values[result] for result in apply.results])
        yielded = [body.values[result] for result in apply.results]
        return fits(body.instructions(yielded), Pipe.of(self.target))


@dataclass
class _Splitting:
    """The operations of one kernel, and the tensors that replace its scalars."""

    apply: ApplyOp
    facts: Facts
    tensors: dict[SSAValue, SSAValue] = field(default_factory=dict)
    """The inputs and the results of the new kernels."""
    narrow: dict[SSAValue, set[SSAValue]] = field(default_factory=dict)
    """Scalars with fewer points than the kernel, computed by their readers; what each reads."""

    def run(self) -> None:
        """Replace the kernel, unless it yields a scalar with fewer points."""
        block = self.apply.body.block
        self.tensors.update(zip(block.args, self.apply.inputs, strict=True))
        kernels: list[ApplyOp] = []
        for op in self._operations():
            (result,) = op.results
            reads = set[SSAValue]().union(*(self._reads(v) for v in op.operands))
            if self._fills(reads):
                kernels.append(self._kernel(op))
                self.tensors[result] = kernels[-1].results[0]
            else:
                self.narrow[result] = reads
        (yielded,) = self.apply.yielded
        if yielded in self.narrow or not kernels:
            return
        parent = self.apply.parent_block()
        assert parent is not None
        parent.insert_ops_before(kernels, self.apply)
        new = self.tensors[yielded]
        new.name_hint = self.apply.results[0].name_hint
        self.apply.results[0].replace_all_uses_with(new)
        discard(self.apply)

    def _operations(self) -> Iterator[Operation]:
        return (op for op in self.apply.body.block.ops if not isinstance(op, YieldOp))

    def _reads(self, value: SSAValue) -> set[SSAValue]:
        """Return the scalars of the kernel's tensors from which a scalar is computed."""
        return self.narrow.get(value, {value})

    def _fills(self, reads: Collection[SSAValue]) -> bool:
        """Whether a value computed from these scalars has all points of the kernel."""
        if any(not isinstance(v, BlockArgument) for v in reads):
            return True
        shapes = [self.facts.sizes(self.tensors[v]) for v in reads]
        return bool(shapes) and self.facts.table.broadcasts_to(shapes, self.apply.shapes[0])

    def _kernel(self, op: Operation) -> ApplyOp:
        """Return the kernel of one operation and the narrower operations that it needs."""
        needed = {op}
        waiting = [op]
        while waiting:
            narrow = [v for v in waiting.pop().operands if v in self.narrow]
            waiting += [cast("Operation", v.owner) for v in narrow]
            needed.update(waiting)
        operations = [one for one in self._operations() if one in needed]
        reads = dict.fromkeys(v for one in operations for v in one.operands if v not in self.narrow)
        block = Block(arg_types=[v.type for v in reads])
        scalars: dict[SSAValue, SSAValue] = dict(zip(reads, block.args, strict=True))
        block.add_ops([one.clone(scalars) for one in operations])
        block.add_op(YieldOp([scalars[op.results[0]]]))
        whole = cast("TensorType", self.apply.results[0].type)
        kernel = ApplyOp.build_from(
            [self.tensors[v] for v in reads],
            [TensorType(op.results[0].type, whole.get_shape())],
            self.apply.shapes,
            [name.data for name in self.apply.source],
            block,
        )
        kernel.location = op.location
        # A later kernel that is too large may read the new tensor.
        self.facts.store(kernel.results[0], self.apply.shapes[0])
        return kernel


def split(block: Block, target: Target) -> None:
    """Split the kernels of a function's block that are too large for `target`.

    Each kernel has one result, and comes from one source operation.

    Raises:
        LocatedError: an operation is not one that the machine has.
    """
    limits = _Limits(target)
    large = [
        op
        for op in block.ops
        if isinstance(op, ApplyOp) and len(op.results) == 1 and limits.are_exceeded(op)
    ]
    if large:
        facts = Facts.of(block)
        for apply in large:
            _Splitting(apply, facts).run()


@dataclass(frozen=True)
class SplitKernels(ModulePass):
    """Split kernels that are too large for a target, given by its name or the path of its file."""

    name = "split-kernels"

    target: str | Target = "accel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Split the kernels of every function that has a body."""
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                split(function.body.block, as_target(self.target))
