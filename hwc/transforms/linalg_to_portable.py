"""From `linalg` over views to upstream dialects alone, as upstream MLIR lowers TOSA.

A dimension that may turn out to be 1 becomes an `scf.if` around a copy; a dimension known to be 1
becomes a constant in the consumer's indexing map; ranks are padded with `tensor.expand_shape`; a
reshape is a collapse and an expansion. This is for comparison and for other compilers; hwc compiles
the views themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr, ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass

from hwc.dialects.broadcastable import DYNAMIC, Shape, expand_rank
from hwc.dialects.views import SOURCE, BroadcastOp, ReshapeOp
from hwc.frontend.diagnostics import error_at
from hwc.transforms.portable_builder import Builder, grouping, like, shape_of
from hwc.transforms.portable_reshape import reshape
from hwc.transforms.portable_scalars import PORTABLE


def _copy_map(rank: int, constant: set[int]) -> AffineMapAttr:
    """Return the identity map of `rank` dimensions, with 0 for those in `constant`."""
    results = (
        AffineExpr.constant(0) if axis in constant else AffineExpr.dimension(axis)
        for axis in range(rank)
    )
    return AffineMapAttr(AffineMap(rank, 0, tuple(results)))


@dataclass
class _Broadcast:
    """Rewrites one `hwc.broadcast`; `constant` holds, per input, the dimensions known to be 1."""

    op: BroadcastOp
    build: Builder
    sizes: dict[int, SSAValue] = field(default_factory=dict)

    def rewrite(self) -> None:
        """Replace the views, and adapt the maps of the operations that read them."""
        shape = shape_of(self.op.views[0])
        inputs = [self.padded(value, len(shape)) for value in self.op.inputs]
        for axis, size in enumerate(shape):
            if size == DYNAMIC:
                self.sizes[axis] = self.common_size(inputs, axis)
        for value, view in zip(inputs, self.op.views, strict=True):
            copied = value
            for axis in range(len(shape)):
                if self.may_repeat(inputs, value, axis, shape):
                    copied = self.repeated(copied, axis, shape)
            ones = {
                axis for axis, size in enumerate(shape_of(value)) if size == 1 and shape[axis] != 1
            }
            self.replace(view, copied, ones)
        self.op.detach()
        self.op.erase()

    def padded(self, value: SSAValue, rank: int) -> SSAValue:
        """Return `value` with dimensions of size 1 added on its left."""
        shape = shape_of(value)
        missing = rank - len(shape)
        if not missing:
            return value
        wanted = expand_rank(shape, rank)
        groups = [[*range(missing + 1)], *([axis] for axis in range(missing + 1, rank))]
        sizes = [self.build.dim(value, i) for i, size in enumerate(shape) if size == DYNAMIC]
        return self.build.add(
            tensor.ExpandShapeOp(
                value, sizes, grouping(groups if shape else []), wanted, like(value, wanted)
            )
        )

    def common_size(self, inputs: Sequence[SSAValue], axis: int) -> SSAValue:
        """Return the largest of the dynamic sizes of dimension `axis`."""
        sizes = [self.build.dim(v, axis) for v in inputs if shape_of(v)[axis] == DYNAMIC]
        largest = sizes[0]
        for size in sizes[1:]:
            largest = self.build.add(arith.MaxUIOp(largest, size))
        return largest

    def may_repeat(
        self, inputs: Sequence[SSAValue], value: SSAValue, axis: int, shape: Shape
    ) -> bool:
        """Return whether dimension `axis` of `value` is dynamic and may have to be repeated."""
        if shape_of(value)[axis] != DYNAMIC:
            return False
        others = [v for v in inputs if v is not value and shape_of(v)[axis] == DYNAMIC]
        return shape[axis] != DYNAMIC or bool(others)

    def repeated(self, value: SSAValue, axis: int, shape: Shape) -> SSAValue:
        """Return `value` with dimension `axis` copied to its common size if it is 1."""
        one = self.build.index(1)
        is_one = self.build.add(arith.CmpiOp(self.build.dim(value, axis), one, "eq"))
        then, otherwise = Block(), Block()
        inner = Builder(then)
        source = shape_of(value)
        wanted = tuple(shape[i] if i == axis else size for i, size in enumerate(source))
        sizes = [
            self.sizes[i] if i == axis else inner.dim(value, i)
            for i, size in enumerate(wanted)
            if size == DYNAMIC
        ]
        empty = inner.add(tensor.EmptyOp(sizes, like(value, wanted)))
        body = Block(arg_types=[like(value, ()).get_element_type()] * 2)
        body.add_op(linalg.YieldOp(body.args[0]))
        rank = len(source)
        copied = inner.add(
            linalg.GenericOp(
                [value],
                [empty],
                Region(body),
                [_copy_map(rank, {axis}), _copy_map(rank, set())],
                [IteratorTypeAttr.parallel()] * rank,
                [empty.type],
            )
        )
        if copied.type != value.type:
            copied = inner.add(tensor.CastOp(copied, like(value, source)))
        then.add_op(scf.YieldOp(copied))
        otherwise.add_op(scf.YieldOp(value))
        return self.build.add(scf.IfOp(is_one, [value.type], [then], [otherwise]))

    def replace(self, view: SSAValue, value: SSAValue, ones: set[int]) -> None:
        """Let the readers of `view` read `value`, whose dimensions in `ones` are 1."""
        for use in list(view.uses):
            reader = use.operation
            if isinstance(reader, tensor.DimOp):
                index = reader.index.owner
                assert isinstance(index, arith.ConstantOp)
                assert isinstance(index.value, IntegerAttr)
                reader.results[0].replace_all_uses_with(self.sizes[index.value.value.data])
                reader.detach()
                reader.erase()
            elif isinstance(reader, linalg.GenericOp):
                reader.operands[use.index] = value
                maps = list(reader.indexing_maps)
                maps[use.index] = _copy_map(len(shape_of(value)), ones)
                reader.properties["indexing_maps"] = ArrayAttr(maps)
            else:
                raise error_at(reader, f"'{reader.name}' reads a view", "only linalg.generic may")


@dataclass(frozen=True)
class LinalgToPortable(ModulePass):
    """Replace every operation of the `hwc` dialect by upstream ones."""

    name = "linalg-to-portable"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of the module."""
        for inner in list(op.walk()):
            inner.attributes.pop(SOURCE, None)
            block = inner.parent
            if block is None:
                continue
            build = Builder(block, inner)
            if isinstance(inner, BroadcastOp):
                _Broadcast(inner, build).rewrite()
            elif isinstance(inner, ReshapeOp):
                _replace(inner, reshape(inner.input, shape_of(inner.view), build))
            elif type(inner) in PORTABLE:
                portable = PORTABLE[type(inner)]
                result = inner.results[0].type
                _replace(inner, portable(inner.operands, result, build.add))


def _replace(op: Operation, value: SSAValue) -> None:
    op.results[0].replace_all_uses_with(value)
    op.detach()
    op.erase()
