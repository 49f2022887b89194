"""From `linalg` over views to upstream dialects alone, as upstream MLIR lowers TOSA.

A dimension that may turn out to be 1 becomes an `scf.if` around a copy, unless proven facts about
sizes exclude 1; or, without branches, a copy that reads each element by a chosen index. A dimension
known to be 1 becomes a constant in the consumer's indexing map. Ranks are padded with
`tensor.expand_shape`; a reshape is a collapse and an expansion. This lowering is for comparison and
for other compilers; hwc compiles the views themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass

from hwc.dialects.broadcastable import DYNAMIC, Shape, expand_rank
from hwc.dialects.building import operations_of
from hwc.dialects.scalars import TableReadOp
from hwc.dialects.views import SOURCE, BroadcastOp, ReshapeOp
from hwc.frontend.diagnostics import error_at
from hwc.shapes import Size, SymbolTable
from hwc.transforms.linalg_sizes import LinalgSizes
from hwc.transforms.portable_builder import Builder, grouping, like, shape_of
from hwc.transforms.portable_checks import Checks
from hwc.transforms.portable_reshape import reshape
from hwc.transforms.portable_scalars import PORTABLE
from hwc.transforms.portable_tables import drop_tables, read_table


def _copy_map(rank: int, constant: set[int]) -> AffineMapAttr:
    """Return the identity map of `rank` dimensions, with 0 for those in `constant`."""
    results = (
        AffineExpr.constant(0) if axis in constant else AffineExpr.dimension(axis)
        for axis in range(rank)
    )
    return AffineMapAttr(AffineMap(rank, 0, tuple(results)))


def _scalar_map(rank: int) -> AffineMapAttr:
    """Return the map of a tensor of rank 0 that is read in `rank` dimensions."""
    return AffineMapAttr(AffineMap(rank, 0, ()))


@dataclass(frozen=True)
class _Known:
    """What is proven about a broadcast: the sizes of each input, padded, and of the views."""

    inputs: tuple[tuple[Size, ...], ...]
    result: tuple[Size, ...]
    table: SymbolTable

    @staticmethod
    def of(op: BroadcastOp, found: LinalgSizes) -> _Known:
        """Look a broadcast up."""
        table = found.table
        result = table.resolve_shape(found.sizes[op.views[0]])
        inputs = (table.resolve_shape(found.sizes[value]) for value in op.inputs)
        padded = tuple((1,) * (len(result) - len(sizes)) + sizes for sizes in inputs)
        return _Known(padded, result, table)

    def repeats(self, number: int, axis: int) -> bool:
        """Whether dimension `axis` of an input is 1 where the views have another size."""
        return self.inputs[number][axis] == 1 != self.result[axis]

    def may_repeat(self, number: int, axis: int) -> bool:
        """Whether `repeats` depends on the sizes of the arguments."""
        size = self.inputs[number][axis]
        same = size in (1, self.result[axis])
        return not same and not self.table.range_of(size).excludes_one


@dataclass
class _Broadcast:
    """Rewrites one `hwc.broadcast`."""

    op: BroadcastOp
    known: _Known
    build: Builder
    branches: bool
    sizes: dict[int, SSAValue] = field(default_factory=dict)

    def rewrite(self) -> None:
        """Replace the views, and adapt the maps of the operations that read them."""
        shape = shape_of(self.op.views[0])
        inputs = [self.padded(value, len(shape)) for value in self.op.inputs]
        for axis, size in enumerate(shape):
            if size == DYNAMIC:
                self.sizes[axis] = self.common_size(inputs, axis)
        for number, (value, view) in enumerate(zip(inputs, self.op.views, strict=True)):
            own = range(len(shape_of(value)))
            repeated = [axis for axis in own if self.known.may_repeat(number, axis)]
            ones = {axis for axis in range(len(shape)) if self.known.repeats(number, axis)}
            copied = value
            if self.branches:
                for axis in repeated:
                    copied = self.repeated(copied, axis, shape)
            elif repeated:
                copied = self.chosen(value, repeated, shape)
            self.replace(view, copied, ones)
        self.op.detach()
        self.op.erase()

    def padded(self, value: SSAValue, rank: int) -> SSAValue:
        """Return `value` with dimensions of size 1 added on its left; a scalar stays a scalar."""
        shape = shape_of(value)
        missing = rank - len(shape)
        if not missing or not shape:
            return value
        wanted = expand_rank(shape, rank)
        groups = [[*range(missing + 1)], *([axis] for axis in range(missing + 1, rank))]
        sizes = [self.build.dim(value, i) for i, size in enumerate(shape) if size == DYNAMIC]
        return self.build.add(
            tensor.ExpandShapeOp(value, sizes, grouping(groups), wanted, like(value, wanted))
        )

    def common_size(self, inputs: Sequence[SSAValue], axis: int) -> SSAValue:
        """Return the size to which dimension `axis` of the inputs broadcasts; 1 and 0 give 0."""
        result = self.known.result[axis]
        if isinstance(result, int):
            return self.build.index(result)
        candidates: dict[Size, SSAValue] = {}
        for value, sizes in zip(inputs, self.known.inputs, strict=True):
            if sizes[axis] != 1:
                candidates.setdefault(sizes[axis], value)
        if result in candidates:
            return self.build.dim(candidates[result], axis)
        first, *others = (self.build.dim(value, axis) for value in candidates.values())
        for size in others:
            is_one = self.build.add(arith.CmpiOp(first, self.build.index(1), "eq"))
            first = self.build.add(arith.SelectOp(is_one, size, first))
        return first

    def empty(self, value: SSAValue, axes: Sequence[int], shape: Shape, build: Builder) -> SSAValue:
        """Return a tensor for `value` with the common sizes of `axes`."""
        wanted = [shape[i] if i in axes else size for i, size in enumerate(shape_of(value))]
        sizes = [
            self.sizes[i] if i in axes else build.dim(value, i)
            for i, size in enumerate(wanted)
            if size == DYNAMIC
        ]
        return build.add(tensor.EmptyOp(sizes, like(value, wanted)))

    def repeated(self, value: SSAValue, axis: int, shape: Shape) -> SSAValue:
        """Return `value` with dimension `axis` copied to its common size if the dimension is 1."""
        one = self.build.index(1)
        is_one = self.build.add(arith.CmpiOp(self.build.dim(value, axis), one, "eq"))
        then, otherwise = Block(), Block()
        inner = Builder(then)
        empty = self.empty(value, (axis,), shape, inner)
        body = Block(arg_types=[like(value, ()).get_element_type()] * 2)
        body.add_op(linalg.YieldOp(body.args[0]))
        rank = len(shape_of(value))
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
            copied = inner.add(tensor.CastOp(copied, like(value, shape_of(value))))
        then.add_op(scf.YieldOp(copied))
        otherwise.add_op(scf.YieldOp(value))
        return self.build.add(scf.IfOp(is_one, [value.type], [then], [otherwise]))

    def chosen(self, value: SSAValue, axes: Sequence[int], shape: Shape) -> SSAValue:
        """Return `value` copied to the common size of `axes`, each element by a chosen index."""
        one, zero = self.build.index(1), self.build.index(0)
        is_one = {
            axis: self.build.add(arith.CmpiOp(self.build.dim(value, axis), one, "eq"))
            for axis in axes
        }
        source = shape_of(value)
        empty = self.empty(value, axes, shape, self.build)
        element = like(value, ()).get_element_type()
        body = Block(arg_types=[element])
        inner = Builder(body)
        indices = [inner.add(linalg.IndexOp(axis)) for axis in range(len(source))]
        for axis in axes:
            indices[axis] = inner.add(arith.SelectOp(is_one[axis], zero, indices[axis]))
        body.add_op(linalg.YieldOp(inner.add(tensor.ExtractOp(value, indices, element))))
        rank = len(source)
        copied = self.build.add(
            linalg.GenericOp(
                [],
                [empty],
                Region(body),
                [_copy_map(rank, set())],
                [IteratorTypeAttr.parallel()] * rank,
                [empty.type],
            )
        )
        if copied.type != value.type:
            copied = self.build.add(tensor.CastOp(copied, like(value, shape_of(value))))
        return copied

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
                rank = len(shape_of(view))
                maps[use.index] = _copy_map(rank, ones) if shape_of(value) else _scalar_map(rank)
                reader.properties = {**reader.properties, "indexing_maps": ArrayAttr(maps)}
            else:
                raise error_at(reader, f"'{reader.name}' reads a view", "only linalg.generic may")


@dataclass(frozen=True)
class LinalgToPortable(ModulePass):
    """Replace every operation of the `hwc` dialect by upstream ones.

    With `checks`, every rule about sizes is a `cf.assert`. Without, sizes that do not fit are not
    noticed, as upstream. Without `branches`, no `scf.if` is written.
    """

    name = "linalg-to-portable"

    checks: bool = False
    branches: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of the module."""
        for function in op.walk():
            if isinstance(function, FuncOp) and not function.is_declaration:
                self._rewrite(function)

    def _rewrite(self, function: FuncOp) -> None:
        _make_destinations(function)
        found = LinalgSizes.of(function)
        known = {
            op: _Known.of(op, found)
            for op in function.body.block.ops
            if isinstance(op, BroadcastOp)
        }
        for op in list(function.walk()):
            op.attributes = {key: value for key, value in op.attributes.items() if key != SOURCE}
            block = op.parent
            if block is None:
                continue
            build = Builder(block, op)
            if isinstance(op, BroadcastOp):
                _Broadcast(op, known[op], build, self.branches).rewrite()
            elif isinstance(op, ReshapeOp):
                wanted, inferred = shape_of(op.view), op.inferred_dimension
                _replace(op, reshape(op.input, wanted, op.sizes, inferred, build))
            elif isinstance(op, TableReadOp):
                _replace(op, read_table(op))
            elif type(op) in PORTABLE:
                portable = PORTABLE[type(op)]
                result = op.results[0].type
                _replace(op, portable(op.operands, result, build.add))
        drop_tables(operations_of(function.body.block))
        if self.checks:
            block = function.body.block
            Checks(block.args, Builder(block, block.first_op)).write(found.required.steps)


def _make_destinations(function: FuncOp) -> None:
    """Give each `linalg.generic` whose destination is one of its inputs an empty destination.

    Views are later replaced with tensors of other shapes, and some compilers copy a tensor that is
    both read and written.
    """
    for op in function.body.block.ops:
        if isinstance(op, linalg.GenericOp) and op.outputs[0] in op.inputs:
            block, destination = op.parent, op.outputs[0]
            assert block is not None
            build = Builder(block, op)
            shape = shape_of(destination)
            sizes = [build.dim(destination, i) for i, size in enumerate(shape) if size == DYNAMIC]
            empty = build.add(tensor.EmptyOp(sizes, like(destination, shape)))
            op.operands[len(op.inputs)] = empty


def _replace(op: Operation, value: SSAValue) -> None:
    op.results[0].replace_all_uses_with(value)
    op.detach()
    op.erase()
