"""Moves reshapes before fusion: reshapes a kernel's inputs instead of its result.

A reshape of a kernel's result keeps that kernel and the readers of the reshape apart, because the
result has to be in memory to be read with other sizes. If the kernel reads reshaped views of its
inputs instead, the kernel itself has the sizes of the reshape and can be fused with those readers.
No data moves: `View.reshape` finds the views, if there are views for all values of the symbols. The
steps of the shape program stay as they are, so every call is checked as before.

A kernel and the kernels that only it reads are reshaped together or not at all, so fusion can still
join them. If fusion would not make fewer kernels with the reshapes hoisted, the function stays as
it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from hwc.dialects.building import discard
from hwc.dialects.kernel import ApplyOp
from hwc.dialects.kernel_facts import Facts
from hwc.dialects.kernel_views import ReshapeOp, TableOp
from hwc.dialects.sizes import sizes_attr
from hwc.planning.words import kernel_words
from hwc.shapes import Size, View, strip_ones
from hwc.transforms.fuse_kernels import fused_kernel_count
from hwc.transforms.fused_body import instruction_count
from hwc.transforms.simplify_kernels import simplify
from hwc.transforms.target_option import as_target
from isa.dispatch import HALT_WORDS, VERSION_WORDS
from isa.target import Target


class Reshaped(NamedTuple):
    """A kernel, the new sizes of its result, and the views that the kernel then reads."""

    op: ApplyOp
    sizes: tuple[Size, ...]
    inputs: tuple[View[SSAValue], ...]


@dataclass
class _Hoisting:
    block: Block
    target: Target
    facts: Facts
    moved: dict[SSAValue, SSAValue] = field(default_factory=dict)

    def run(self) -> bool:
        """Hoist the block's reshapes from the last to the first; return whether any was hoisted."""
        self._order = {op: i for i, op in enumerate(self.block.ops) if isinstance(op, ApplyOp)}
        for op in reversed(self._order):
            if op.parent is None or (reshape := _only_reshape(op, self.facts)) is None:
                continue
            kernels = self._reshape_kernels(op, self._resolved(reshape.view).sizes)
            if kernels is not None:
                self._rewrite(kernels, reshape)
        return bool(self.moved)

    def _resolved(self, value: SSAValue) -> View[SSAValue]:
        return self.facts.views[value].resolve(self.facts.table)

    def _reshape_kernels(self, last: ApplyOp, sizes: tuple[Size, ...]) -> list[Reshaped] | None:
        """Return the kernels to reshape so that the result of `last` has `sizes`, or None."""
        kernels: list[Reshaped] = []
        ready = [(last, sizes)]
        partly: dict[ApplyOp, tuple[tuple[Size, ...], int]] = {}
        while ready:
            op, sizes = ready.pop()
            kernel = self._reshape_kernel(op, sizes)
            if kernel is None:
                return None
            kernels.append(kernel)
            for value, view in zip(op.inputs, kernel.inputs, strict=True):
                if not _read_by_kernels_only(value):
                    continue
                producer = cast("ApplyOp", value.owner)
                wanted, missing = partly.pop(producer, (view.sizes, value.uses.get_length()))
                if wanted != view.sizes:
                    return None
                if missing == 1:
                    ready.append((producer, wanted))
                else:
                    partly[producer] = wanted, missing - 1
        return None if partly else kernels

    def _reshape_kernel(self, op: ApplyOp, sizes: tuple[Size, ...]) -> Reshaped | None:
        if len(op.results) != 1:
            return None
        old = self.facts.table.resolve_shape(op.shapes[0])
        inputs: list[View[SSAValue]] = []
        for value in op.inputs:
            view = self._resolved(value).reshape(old, sizes)
            if view is None:
                return None
            inputs.append(view)
        shapes = [view.sizes for view in inputs]
        if shapes and not self.facts.table.broadcasts_to(shapes, sizes):
            return None
        if not self._fits(op, [*shapes, sizes]):
            return None
        return Reshaped(op, sizes, tuple(inputs))

    def _fits(self, op: ApplyOp, shapes: list[tuple[Size, ...]]) -> bool:
        """Whether the kernel fits the target on its own if its streams have these shapes."""
        dimensions = len(shapes) * len(strip_ones(shapes[-1]))
        words = kernel_words(len(shapes), dimensions, instruction_count(op))
        symbols = {size for shape in shapes for size in shape if isinstance(size, str)}
        return (
            words + HALT_WORDS <= self.target.instruction_words
            and len(shapes) + len(symbols) + VERSION_WORDS <= self.target.parameter_words
        )

    def _rewrite(self, kernels: list[Reshaped], reshape: ReshapeOp) -> None:
        """Replace the kernels with kernels on views; the last one replaces the reshape's value."""
        views: dict[View[SSAValue], SSAValue] = {}
        for kernel in sorted(kernels, key=lambda k: self._order[k.op]):
            self._replace(kernel, reshape, views)
        reshape.view.replace_all_uses_with(self.moved[reshape.input])
        discard(reshape)
        for kernel in sorted(kernels, key=lambda k: -self._order[k.op]):
            inputs = list(kernel.op.inputs)
            discard(kernel.op)
            for value in inputs:
                if isinstance(value.owner, ReshapeOp) and not value.uses.get_length():
                    discard(value.owner)

    def _replace(
        self, kernel: Reshaped, reshape: ReshapeOp, views: dict[View[SSAValue], SSAValue]
    ) -> None:
        op = kernel.op
        inputs: list[SSAValue] = []
        for value, view in zip(op.inputs, kernel.inputs, strict=True):
            if isinstance(value.owner, TableOp):
                new = value
            elif (new := self.moved.get(value)) is None and (new := views.get(view)) is None:
                new = views[view] = self._view(view, op, reshape)
            inputs.append(new)
        body = op.body.block
        op.body.detach_block(body)
        result = op.results[0]
        types = [_tensor_type(result, kernel.sizes)]
        sources = [name.data for name in op.source]
        apply = ApplyOp.build_from(inputs, types, [kernel.sizes], sources, body)
        apply.location = op.location
        apply.results[0].name_hint = result.name_hint
        self.block.insert_op_before(apply, op)
        self.facts.store(apply.results[0], kernel.sizes)
        self.moved[result] = apply.results[0]

    def _view(self, view: View[SSAValue], before: ApplyOp, reshape: ReshapeOp) -> SSAValue:
        """Return a value that shows `view`: its root, or a new reshape of its root."""
        if view.same_stream(self._resolved(view.root)):
            return view.root
        type_ = _tensor_type(view.root, view.sizes)
        new = ReshapeOp(view.root, type_, sizes_attr(view.sizes), reshape.source)
        new.attributes.update(reshape.attributes)
        new.location = reshape.location
        self.block.insert_op_before(new, before)
        self.facts.views[new.view] = view
        return new.view


def _only_reshape(op: ApplyOp, facts: Facts) -> ReshapeOp | None:
    """Return the reshape that is the only reader of a kernel's result, if kernels read it."""
    readers = [use.operation for result in op.results for use in result.uses]
    if len(readers) != 1 or not isinstance(reshape := readers[0], ReshapeOp):
        return None
    read = any(isinstance(use.operation, ApplyOp) for use in reshape.view.uses)
    return reshape if read else None


def _read_by_kernels_only(value: SSAValue) -> bool:
    """Whether a kernel makes `value` and only kernels read `value`: it may never be stored."""
    return isinstance(value.owner, ApplyOp) and all(
        isinstance(use.operation, ApplyOp) for use in value.uses
    )


def _tensor_type(value: SSAValue, sizes: tuple[Size, ...]) -> TensorType[Attribute]:
    kind = cast("TensorType[Attribute]", value.type)
    return TensorType(
        kind.get_element_type(), [DYNAMIC if isinstance(s, str) else s for s in sizes]
    )


@dataclass(frozen=True)
class HoistReshapes(ModulePass):
    """Reshape kernels' inputs instead of results, for a target (its name or its file's path)."""

    name = "hoist-reshapes"

    target: str | Target = "accel"

    def has_work(self, module: ModuleOp) -> bool:
        """Whether a function has a reshape; most programs have none."""
        blocks = [block for function in module.ops for r in function.regions for block in r.blocks]
        return any(isinstance(op, ReshapeOp) for block in blocks for op in block.ops)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Hoist the reshapes of every function that has a body."""
        hoist(op, as_target(self.target))


def hoist(module: ModuleOp, target: Target) -> None:
    """Hoist the reshapes of every function of `module` where that saves a kernel of `target`."""
    for function in module.ops:
        if not isinstance(function, func.FuncOp) or not function.body.blocks:
            continue
        hoisted = function.clone()
        block = hoisted.body.block
        if not _Hoisting(block, target, Facts.of(block)).run():
            continue
        simplify(block)
        if fused_kernel_count(block, target) < fused_kernel_count(function.body.block, target):
            Rewriter.replace_op(function, hoisted)
