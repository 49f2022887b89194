"""Clean-up before fusion: merges equal values, inlines constants, and makes copies explicit.

Equal constants, views and kernels are merged. A constant whose elements are all equal moves into
the kernels that read the constant, if their other inputs already give the iteration space;
otherwise, if the constant is large, a kernel writes it. Scalar operations on constants are folded,
a selection with a constant condition becomes the selected value, and unused inputs are dropped.
Unused operations are removed; their checks stay, because the checks are steps of the shape program.
If the function returns a tensor that no kernel writes, or a view of such a tensor, a copying kernel
writes the result.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.dialects.building import discard, operations_of
from hwc.dialects.kernel import ApplyOp, YieldOp
from hwc.dialects.kernel_facts import Facts
from hwc.dialects.kernel_host import HostOp
from hwc.dialects.kernel_sizes import SizeOp
from hwc.dialects.kernel_views import ReshapeOp, TableOp
from hwc.folding.constant import scalar_of
from hwc.folding.evaluate import fold_scalar

MAX_STORED_SPLAT = 1 << 16
"""The most equal elements that a package stores; for more, a kernel writes them when needed."""


@dataclass
class _Simplification:
    block: Block
    facts: Facts
    replaced: dict[SSAValue, SSAValue] = field(default_factory=dict)
    known: dict[Hashable, Operation] = field(default_factory=dict)
    forms: dict[Hashable, int] = field(default_factory=dict)
    copies: dict[SSAValue, SSAValue] = field(default_factory=dict)
    filled: dict[SSAValue, SSAValue] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)

    def run(self) -> None:
        """Simplify the block in place."""
        for op in operations_of(self.block):
            for i, value in enumerate(op.operands):
                if (new := self.replaced.get(value)) is not None:
                    op.operands[i] = new
            op.detach()
            self._visit(op)
        self.block.add_ops(self.operations)
        _erase_unused(self.block)

    def _visit(self, op: Operation) -> None:
        if isinstance(op, ApplyOp):
            self._apply(op)
        elif isinstance(op, func.ReturnOp):
            self._return(op)
        elif isinstance(op, ReshapeOp):
            self._reshape(op)
        elif isinstance(op, TableOp):
            self._share(op, ("table", op.table))
        elif isinstance(op, arith.ConstantOp):
            self._share(op, (op.result.type, op.value))
        elif isinstance(op, HostOp):
            self._share(op, (op.result.type, op.shape, op.values))
        else:
            if isinstance(op, tensor.CastOp):
                op.operands[0] = self._in_memory(op.operands[0])
            self.operations.append(op)

    def _share(self, op: Operation, key: Hashable) -> None:
        earlier = self.known.setdefault(key, op)
        if earlier is op:
            self.operations.append(op)
            return
        for old, new in zip(op.results, earlier.results, strict=True):
            self.replaced[old] = new
        op.drop_all_references()

    def _reshape(self, op: ReshapeOp) -> None:
        root = self.facts.views[op.view].root
        root = self.replaced.get(root, root)
        op.operands[0] = root
        self.facts.show(op.view, root, self.facts.sizes(op.view))
        view = self.facts.views[op.view]
        if view == self.facts.views[root]:
            self.replaced[op.view] = root
            op.drop_all_references()
        else:
            self._share(op, view)

    def _stream_of(self, value: SSAValue) -> SSAValue:
        """Return the root of a view that broadcasts as the root does, else the view."""
        view = self.facts.views[value]
        return view.root if view.same_stream(self.facts.views[view.root]) else value

    def _apply(self, op: ApplyOp) -> None:
        given = tuple(op.operands)
        inputs = [self._stream_of(v) for v in given]
        block = op.regions[0].block
        keep = self._inline_constants(op, inputs)
        if _fold_scalars(block):
            self._drop_unused(op, inputs, keep)
        first: dict[SSAValue, SSAValue] = {}
        for value, argument in zip(list(inputs), list(block.args), strict=True):
            if argument not in keep:
                block.erase_arg(argument)
            elif (other := first.setdefault(value, argument)) is not argument:
                argument.replace_all_uses_with(other)
                block.erase_arg(argument)
        read = tuple(first)
        if read != given:
            op.operands = read
        form = _form(op)
        self._share(op, (self.forms.setdefault(form, len(self.forms)), *read))

    def _inline_constants(self, op: ApplyOp, inputs: list[SSAValue]) -> set[SSAValue]:
        """Move constants into the region; return the arguments that the region still needs."""
        block = op.regions[0].block
        arguments = list(block.args)
        kept = list(range(len(inputs)))
        for i, value in enumerate(inputs):
            scalar = _scalar(value)
            if scalar is None:
                continue
            others = [self.facts.sizes(inputs[k]) for k in kept if k != i]
            if others and not self.facts.table.broadcasts_to(others, op.shapes[0]):
                if _is_large(value):
                    inputs[i] = self._filled(value, scalar)
                continue
            kept.remove(i)
            constant = arith.ConstantOp(cast("Any", scalar))
            assert block.first_op is not None
            block.insert_op_before(constant, block.first_op)
            arguments[i].replace_all_uses_with(constant.result)
        return {arguments[k] for k in kept}

    def _drop_unused(self, op: ApplyOp, inputs: list[SSAValue], keep: set[SSAValue]) -> None:
        """Remove from `keep` the arguments that the region does not read.

        An argument stays if the iteration space needs the sizes of its input.
        """
        arguments = list(op.body.block.args)
        for argument in reversed(arguments):
            others = [
                self.facts.sizes(value)
                for value, other in zip(inputs, arguments, strict=True)
                if other in keep and other is not argument
            ]
            if argument.uses or argument not in keep:
                continue
            if not others or self.facts.table.broadcasts_to(others, op.shapes[0]):
                keep.remove(argument)

    def _return(self, op: func.ReturnOp) -> None:
        for i, value in enumerate(op.operands):
            op.operands[i] = self._in_memory(value)
        self.operations.append(op)

    def _in_memory(self, value: SSAValue) -> SSAValue:
        """Return `value` if a kernel writes its elements, else a copy that a kernel writes."""
        owner = value.owner
        if isinstance(owner, ApplyOp):
            return value
        if isinstance(owner, tensor.CastOp):
            return value
        if isinstance(owner, ReshapeOp):
            source = self._in_memory(owner.input)
            if source is owner.input:
                return value
            if value not in self.copies:
                again = owner.clone()
                again.operands[0] = source
                self.operations.append(again)
                self.copies[value] = again.results[0]
            return self.copies[value]
        if value not in self.copies:
            scalar = _scalar(value) if _is_large(value) else None
            copy = self._copy(value) if scalar is None else self._filled(value, scalar)
            self.copies[value] = copy
        return self.copies[value]

    def _filled(self, value: SSAValue, scalar: Attribute) -> SSAValue:
        """Return a tensor that a kernel fills with one number, so the package need not store it."""
        if value not in self.filled:
            constant = arith.ConstantOp(cast("Any", scalar))
            block = Block([constant, YieldOp([constant.result])])
            sizes = self.facts.sizes(value)
            fill = ApplyOp.build_from([], [value.type], [sizes], ["constant"], block)
            fill.location = cast("Operation", value.owner).location
            self.operations.append(fill)
            self.facts.store(fill.results[0], sizes)
            self.filled[value] = fill.results[0]
        return self.filled[value]

    def _copy(self, value: SSAValue) -> SSAValue:
        kind = cast("TensorType[Attribute]", value.type)
        sizes = self.facts.sizes(value)
        block = Block(arg_types=[kind.get_element_type()])
        block.add_op(YieldOp([block.args[0]]))
        copy = ApplyOp.build_from([value], [kind], [sizes], ["copy"], block)
        self.operations.append(copy)
        self.facts.store(copy.results[0], sizes)
        return copy.results[0]


def _fold_scalars(block: Block) -> bool:
    """Fold the operations of a region on constants; return whether there are any."""
    folded = False
    for op in operations_of(block):
        condition = op.operands[0].owner if op.name == "arith.select" else None
        chosen = condition.value if isinstance(condition, arith.ConstantOp) else None
        if isinstance(chosen, IntegerAttr):
            new = op.operands[1 if chosen.value.data & 1 else 2]
        elif (constant := fold_scalar(op)) is not None:
            held = arith.ConstantOp(cast("Any", constant))
            held.location = op.location
            block.insert_op_before(held, op)
            new = held.result
        else:
            continue
        folded = True
        op.results[0].replace_all_uses_with(new)
        discard(op)
    if folded:
        for op in reversed(operations_of(block)):
            if isinstance(op, arith.ConstantOp) and not op.result.uses:
                discard(op)
    return folded


def _is_large(value: SSAValue) -> bool:
    owner = value.owner
    return isinstance(owner, arith.ConstantOp) and prod(_shape(owner)) > MAX_STORED_SPLAT


def _shape(constant: arith.ConstantOp) -> tuple[int, ...]:
    data = constant.value
    return data.get_shape() if isinstance(data, DenseIntOrFPElementsAttr) else ()


def _scalar(value: SSAValue) -> Attribute | None:
    """Return the one scalar that a constant tensor consists of, None for any other value.

    There is no scalar for a constant without elements, or of a type that `scalar_of` does not know.
    """
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    data = owner.value
    if not isinstance(data, DenseIntOrFPElementsAttr) or not data.data.data:
        return None
    element = data.get_element_type()
    elements = np.frombuffer(data.data.data, f"<u{element.compile_time_size}")
    if (elements != elements[0]).any():  # compared as bits: 0.0 and -0.0 differ
        return None
    return scalar_of(elements[:1].tobytes(), element)


def _form(op: ApplyOp) -> Hashable:
    """Return what equal kernels have in common besides inputs: sizes and the region's structure."""
    block = op.regions[0].block
    number: dict[SSAValue, int] = {a: i for i, a in enumerate(block.args)}
    body: list[Hashable] = []
    for inner in block.ops:
        for result in inner.results:
            number[result] = len(number)
        body.append(
            (
                inner.name,
                tuple([number[v] for v in inner.operands]),
                tuple(sorted(inner.properties.items(), key=lambda item: item[0])),
                tuple([r.type for r in inner.results]),
            )
        )
    return op.sizes, tuple([r.type for r in op.results]), tuple(body)


def _erase_unused(block: Block) -> None:
    for op in reversed(operations_of(block)):
        if isinstance(op, SizeOp | func.ReturnOp):
            continue
        if not any([r.first_use for r in op.results]):
            discard(op)


@dataclass(frozen=True)
class SimplifyKernels(ModulePass):
    """Share equal kernels, move constants into them, make copies explicit, drop unused ones."""

    name = "simplify-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Simplify every function that has a body."""
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                simplify(function.body.block)


def simplify(block: Block) -> None:
    """Simplify the kernels of a function's block."""
    _Simplification(block, Facts.of(block)).run()
