"""Folds operations whose operands are constants, at stage `linalg`.

The result has the bits that the machine would have computed: `hwc.folding` executes the same
instructions. A result in which all elements are the same is computed once and stays one element.
Any other result is stored only if it has no more elements than its operands together: a kernel
computes the sum of a row and a column, because a package with all the sums would be larger and
slower to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass

from hwc.dialects.broadcastable import DYNAMIC, BroadcastError, infer_shape
from hwc.dialects.building import operations_of
from hwc.dialects.element_types import element_type
from hwc.dialects.upstream_tensor import CollapseShapeOp, ExpandShapeOp
from hwc.dialects.views import BroadcastOp, ReshapeOp
from hwc.folding.constant import Constant
from hwc.folding.evaluate import Bits, can_evaluate, evaluate

_RESHAPES = (CollapseShapeOp, ExpandShapeOp, ReshapeOp)
_VIEWS = (BroadcastOp, *_RESHAPES, tensor.CastOp)


@dataclass(frozen=True)
class FoldConstants(ModulePass):
    """Replace operations on constants by constants, at stage `linalg`."""

    name = "fold-constants"

    @staticmethod
    def has_work(module: ModuleOp) -> bool:
        """Whether a function has an operation that reads constants only."""
        return any(
            isinstance(op, (linalg.GenericOp, *_RESHAPES)) and _may_fold(op)
            for function in module.ops
            if isinstance(function, FuncOp)
            for block in function.body.blocks
            for op in block.ops
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fold in every function that has a body."""
        for function in op.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                _Function(function.body.block).fold()


def _may_fold(op: Operation) -> bool:
    """Whether all inputs are constants, seen through views."""
    inputs = op.inputs if isinstance(op, linalg.GenericOp) else op.operands[:1]
    return all(_is_constant(value) for value in inputs)


def _is_constant(value: SSAValue) -> bool:
    owner = value.owner
    while isinstance(owner, _VIEWS):
        index = value.index if isinstance(value, OpResult) and isinstance(owner, BroadcastOp) else 0
        value = owner.operands[index]
        owner = value.owner
    return isinstance(owner, arith.ConstantOp)


@dataclass
class _Function:
    """Folds the operations of one block; `known` has the tensors whose elements are known."""

    block: Block
    known: dict[SSAValue, Constant] = field(default_factory=dict)

    def fold(self) -> None:
        """Fold the block."""
        operations = operations_of(self.block)
        for op in operations:
            self._visit(op)
        folded = {op for op in operations if self._is_folded(op)}
        if not folded:
            return
        # From the end: an operation that only folded operations read is then already unused.
        for op in reversed(operations):
            if op in folded:
                self._store(op)
            elif any(result.uses for result in op.results) or not self._may_erase(op):
                continue
            op.detach()
            op.erase()

    def _is_folded(self, op: Operation) -> bool:
        """Whether a constant replaces `op`; a reshape of a shared constant stays a view."""
        if not isinstance(op, (linalg.GenericOp, *_RESHAPES)) or op.results[0] not in self.known:
            return False
        is_one = self.known[op.results[0]].elements.size == 1
        return isinstance(op, linalg.GenericOp) or is_one or op.operands[0].has_one_use()

    def _may_erase(self, op: Operation) -> bool:
        """Whether `op`, whose results are unused, has no requirements on sizes."""
        if isinstance(op, tensor.DimOp):
            return op.source in self.known
        if isinstance(op, _VIEWS):
            return all(result in self.known for result in op.results)
        return isinstance(op, arith.ConstantOp | tensor.EmptyOp)

    def _visit(self, op: Operation) -> None:
        if isinstance(op, arith.ConstantOp):
            if isinstance(op.value, DenseIntOrFPElementsAttr) and _on_machine(op.result):
                self.known[op.result] = Constant.of(op.value)
        elif isinstance(op, BroadcastOp):
            self._broadcast(op)
        elif isinstance(op, _VIEWS):
            self._view(op)
        elif isinstance(op, linalg.GenericOp):
            self._generic(op)

    def _broadcast(self, op: BroadcastOp) -> None:
        constants = [self.known[value] for value in op.inputs if value in self.known]
        dynamic = any(DYNAMIC in _shape(value) for value in op.inputs)
        if len(constants) < len(op.inputs) or (op.strict is not None and dynamic):
            return
        try:
            sizes = infer_shape([constant.sizes for constant in constants])
        except BroadcastError:
            return
        for view, constant in zip(op.views, constants, strict=True):
            self.known[view] = constant.broadcast(sizes)

    def _view(self, op: Operation) -> None:
        constant, result = self.known.get(op.operands[0]), op.results[0]
        if constant is None:
            return
        sizes = _shape(result)
        if isinstance(op, tensor.CastOp):
            if _fits(constant.sizes, sizes):
                self.known[result] = constant
        elif DYNAMIC not in sizes and prod(sizes) == prod(constant.sizes):
            reshaped = constant.reshaped(sizes)
            if reshaped is not None:
                self.known[result] = reshaped

    def _generic(self, op: linalg.GenericOp) -> None:
        if len(op.outputs) != 1 or not all(value in self.known for value in op.inputs):
            return
        maps = [attribute.data for attribute in op.indexing_maps.data]
        inputs = [self.known[value] for value in op.inputs]
        if not _is_as_expected(op, inputs, maps):
            return
        sizes = self._loops(op, inputs, maps)
        if sizes is None or not can_evaluate(op.body.block):
            return
        operands = [
            _indexed(constant, mapping) for constant, mapping in zip(inputs, maps, strict=False)
        ]
        shape = np.broadcast_shapes((1,) * len(sizes), *(operand.shape for operand in operands))
        held = sum({id(constant.elements): constant.elements.size for constant in inputs}.values())
        if prod(shape) > 1 and prod(sizes) > held:
            return
        element = _element(op.results[0])
        elements = evaluate(op.body.block, operands, element, shape)
        self.known[op.results[0]] = Constant(element, sizes, elements)

    def _loops(
        self, op: linalg.GenericOp, inputs: Sequence[Constant], maps: Sequence[AffineMap]
    ) -> tuple[int, ...] | None:
        """Return the sizes of the loops, None unless all are known and agree."""
        loops: list[set[int]] = [set() for _ in range(maps[-1].num_dims)]
        for constant, mapping in zip(inputs, maps, strict=False):
            for size, expression in zip(constant.sizes, mapping.results, strict=True):
                if isinstance(expression, AffineDimExpr):
                    loops[expression.position].add(size)
                elif expression != AffineExpr.constant(0) or size != 1:
                    return None
        sizes = self._destination_sizes(op.outputs[0])
        for size, found in zip(sizes, loops, strict=True):
            if size is None:
                return None
            found.add(size)
        known = [found.pop() for found in loops if len(found) == 1]
        return tuple(known) if len(known) == len(loops) else None

    def _destination_sizes(self, value: SSAValue) -> Sequence[int | None]:
        """Return the sizes of a tensor that is written, None for each unknown size."""
        if value in self.known:
            return self.known[value].sizes
        empty = value.owner
        dynamic = iter(empty.operands if isinstance(empty, tensor.EmptyOp) else ())
        return [
            self._size(next(dynamic, None)) if size == DYNAMIC else size for size in _shape(value)
        ]

    def _size(self, value: SSAValue | None) -> int | None:
        """Return the value if it is a size of a known tensor, None for any other value."""
        op = None if value is None else value.owner
        if not isinstance(op, tensor.DimOp) or op.source not in self.known:
            return None
        index = op.index.owner
        if not isinstance(index, arith.ConstantOp) or not isinstance(index.value, IntegerAttr):
            return None
        sizes, axis = self.known[op.source].sizes, index.value.value.data
        return sizes[axis] if 0 <= axis < len(sizes) else None

    def _store(self, op: Operation) -> None:
        """Replace a folded operation with a constant, if others read the operation."""
        old = op.results[0]
        if not old.uses:
            return
        new: Operation = arith.ConstantOp(self.known[old].attribute())
        self._insert(new, op)
        if new.results[0].type != old.type:
            new = tensor.CastOp(new.results[0], cast("TensorType[Attribute]", old.type))
            self._insert(new, op)
        new.results[0].name_hint = old.name_hint
        old.replace_all_uses_with(new.results[0])

    def _insert(self, new: Operation, before: Operation) -> None:
        new.location = before.location
        self.block.insert_op_before(new, before)


def _is_as_expected(
    op: linalg.GenericOp, inputs: Sequence[Constant], maps: Sequence[AffineMap]
) -> bool:
    """Whether `op` writes every point in order, and reads elements in their order.

    Text of stage `linalg` may contain other forms, which a later pass refuses.
    """
    block, last = op.body.block, op.body.block.last_op
    types = [*(constant.element for constant in inputs), _element(op.results[0])]
    if len(maps) != len(types) or [argument.type for argument in block.args] != types:
        return False
    if last is None or [value.type for value in last.operands] != types[-1:]:
        return False
    for constant, mapping in zip(inputs, maps, strict=False):
        used = [e.position for e in mapping.results if isinstance(e, AffineDimExpr)]
        if len(mapping.results) != len(constant.sizes) or used != sorted(set(used)):
            return False
    loops = len(_shape(op.results[0]))
    return (
        _on_machine(op.results[0])
        and maps[-1] == AffineMap.identity(loops)
        and all(mapping.num_dims == loops for mapping in maps)
    )


def _element(value: SSAValue) -> Attribute:
    return cast("TensorType[Attribute]", value.type).get_element_type()


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def _fits(sizes: tuple[int, ...], declared: tuple[int, ...]) -> bool:
    same = len(sizes) == len(declared)
    return same and all(d in {DYNAMIC, s} for d, s in zip(declared, sizes, strict=True))


def _on_machine(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and element_type(_element(value)) is not None


def _indexed(constant: Constant, mapping: AffineMap) -> Bits:
    """Return the elements with a dimension for each loop; the mapping keeps their order."""
    shape = [1] * mapping.num_dims
    for size, expression in zip(constant.elements.shape, mapping.results, strict=True):
        if isinstance(expression, AffineDimExpr):
            shape[expression.position] = size
    return constant.elements.reshape(shape)
