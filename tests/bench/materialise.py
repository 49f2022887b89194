"""The strategy that hwc is compared with: every operand that broadcasts is copied to full size.

This is what upstream's lowering of a dynamic program does when a size turns out to be 1: a copy
of the operand in the shape of the result, then operations between tensors of equal shapes.
`Materialise` is a pass between our passes, so that everything else is the same: our fusion, our
instructions, our simulator. The strategy is given its best case: sizes are static, so that no
branch and no copy is for nothing, an operand that two operators need in one shape is copied once,
and constants of one element stay immediates.

A copy on this machine needs the sizes of its result from a stream. A copying kernel therefore has
one more input for each dimension that the operand lacks, which no instruction reads: a constant
of one byte per element of that dimension. It is read once, so it is hardly seen in the bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, StringAttr, TensorType, i8
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc import pipeline
from hwc.backend.package import build_package
from hwc.dialects import SOURCE_DIALECTS, make_context
from hwc.dialects.kernel import ApplyOp, YieldOp
from hwc.dialects.kernel_facts import Facts
from hwc.dialects.kernel_views import ReshapeOp
from hwc.dialects.sizes import sizes_attr
from hwc.frontend.parser import parse
from hwc.frontend.source import Source
from hwc.plans.decide import decide
from hwc.runtime.program import Program
from hwc.shapes import Size, strip_ones
from isa.target import Target

COPY = "copy"
"""The source operation of a copying kernel, as people read it."""


class Copied(NamedTuple):
    """A program that materialises broadcasts, and how many copying kernels it has."""

    program: Program
    copies: int


def compile_materialised(text: str, target: Target) -> Copied:
    """Compile a static program with a copy of every operand that broadcasts."""
    module = parse(Source("-", text), make_context(SOURCE_DIALECTS))
    passes: list[ModulePass] = []
    materialise = Materialise()
    for stage in pipeline.STAGES:
        for transform in stage.build(pipeline.Settings(target)):
            if transform.name == "fuse-kernels":
                passes.append(materialise)
            passes.append(transform)
    pipeline.run_passes(module, make_context(), passes)
    package = decide(build_package(module, target, "-"))
    return Copied(Program(package), len(materialise.copies))


@dataclass(frozen=True)
class Materialise(ModulePass):
    """Copy every operand of a kernel that is narrower than the kernel; `copies` are the results."""

    name = "materialise"

    copies: list[SSAValue] = field(default_factory=list)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite every function that has a body."""
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                self.copies.extend(_Copies(function.body.block).run())


@dataclass
class _Copies:
    """The copies of one function: by operand and shape; `stored` are results that are copied."""

    block: Block
    copies: dict[tuple[SSAValue, tuple[Size, ...]], SSAValue] = field(default_factory=dict)
    stored: dict[SSAValue, SSAValue] = field(default_factory=dict)

    def run(self) -> list[SSAValue]:
        facts = Facts.of(self.block)
        for op in list(self.block.ops):
            if not isinstance(op, ApplyOp):
                continue
            shape = facts.table.resolve_shape(op.shapes[0])
            for i, value in enumerate(op.operands):
                sizes = facts.table.resolve_shape(facts.sizes(value))
                if strip_ones(sizes) != strip_ones(shape):
                    op.operands[i] = self._copy(value, sizes, shape, op)
        return list(self.copies.values())

    def _copy(
        self, value: SSAValue, sizes: tuple[Size, ...], shape: tuple[Size, ...], before: Operation
    ) -> SSAValue:
        """Return a copy of `value` in `shape`, made before an operation if there is none yet."""
        if (known := self.copies.get((value, shape))) is not None:
            return known
        root = self._in_memory(value, sizes, before)
        padded = (1,) * (len(shape) - len(sizes)) + sizes
        missing = [d for d, (n, full) in enumerate(zip(padded, shape, strict=True)) if n != full]
        donors = [
            self._donor([n if d == dim else 1 for d, n in enumerate(shape)], before)
            for dim in missing
        ]
        element = cast("TensorType[Attribute]", value.type).get_element_type()
        block = Block(arg_types=[element, *[i8] * len(donors)])
        block.add_op(YieldOp([block.args[0]]))
        copy = ApplyOp.build_from(
            [root, *donors], [TensorType(element, _static(shape))], [shape], [COPY], block
        )
        self._insert(copy, before)
        self.copies[value, shape] = view = self._view(copy.results[0], shape, before)
        return view

    def _in_memory(self, value: SSAValue, sizes: tuple[Size, ...], before: Operation) -> SSAValue:
        """Return `value`, kept from being fused into its copy if a kernel makes it."""
        if not isinstance(value.owner, ApplyOp):
            return value
        if value not in self.stored:
            self.stored[value] = self._view(value, sizes, before)
        return self.stored[value]

    def _view(self, value: SSAValue, sizes: tuple[Size, ...], before: Operation) -> SSAValue:
        """Return a view with the same sizes: fusion does not look through a view."""
        view = ReshapeOp(value, value.type, sizes_attr(sizes), StringAttr(COPY))
        self._insert(view, before)
        return view.view

    def _donor(self, shape: Sequence[Size], before: Operation) -> SSAValue:
        """Return a constant of these sizes and of one byte per element."""
        kind = TensorType(i8, _static(shape))
        zeros = DenseIntOrFPElementsAttr.from_list(
            kind, np.zeros(_static(shape), int).ravel().tolist()
        )
        constant = arith.ConstantOp(zeros, kind)
        self._insert(constant, before)
        return constant.result

    def _insert(self, op: Operation, before: Operation) -> None:
        op.location = before.location
        self.block.insert_op_before(op, before)


def _static(shape: Sequence[Size]) -> list[int]:
    sizes = [n for n in shape if isinstance(n, int)]
    assert len(sizes) == len(shape), "the strategy is compiled for static sizes"
    return sizes
