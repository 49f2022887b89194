"""The sizes of all values of a function at stage `linalg`, and the requirements of its operations.

Every `?` of every argument becomes a symbol. The requirements of source operations on sizes become
steps of the shape program (`hwc.transforms.required_sizes`). The consequences of equalities for
earlier symbols are worked out for the whole function, because every step is checked before anything
runs. Nothing is rewritten here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from hwc.dialects.attributes import nonexpanding
from hwc.dialects.tensor_types import is_machine_tensor
from hwc.dialects.upstream_casts import IndexCastOp
from hwc.dialects.views import TABLE_SIZES, TableOp, source_of
from hwc.frontend.diagnostics import error_at
from hwc.shapes import Size, SizeConflict, SymbolTable, View
from hwc.shapes.products import ZERO, Product
from hwc.transforms.argument_sizes import ArgumentSizes
from hwc.transforms.required_sizes import RequiredSizes
from hwc.transforms.shape_values import RESHAPES, ShapeValues, unused_on_host
from hwc.transforms.size_conflicts import contradiction


class Pending(NamedTuple):
    """An operation of the kernel stage whose sizes are not final yet: its operands and results."""

    op: Operation
    operands: tuple[View[SSAValue], ...]
    result: View[SSAValue]


@dataclass
class LinalgSizes:
    """The symbols of one function, the views that its values are, and its shape program.

    For each tensor value, `views` has the elements in memory that the value shows, and `sizes` has
    the value's own sizes. If the value is broadcast, the view has other sizes. `held` says for each
    dimension of a value whether the dimension never expands; a value without such a dimension has
    no entry.
    """

    function: func.FuncOp
    table: SymbolTable = field(default_factory=SymbolTable)
    views: dict[SSAValue, View[SSAValue]] = field(default_factory=dict)
    sizes: dict[SSAValue, tuple[Size, ...]] = field(default_factory=dict)
    held: dict[SSAValue, tuple[bool, ...]] = field(default_factory=dict)
    filled: dict[SSAValue, tuple[Size, ...] | None] = field(default_factory=dict)
    pending: list[Pending] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with what is known about any function."""
        self.required = RequiredSizes(self.function, self.table)
        self.host = self._no_values()

    def _no_values(self) -> ShapeValues:
        """Return the host's values for a function about which nothing is known yet.

        The result does not refer to this object, so the memory of this object is freed as soon as
        nothing uses the object.
        """
        return ShapeValues(self.table, self.required.add)

    @staticmethod
    def of(function: func.FuncOp) -> LinalgSizes:
        """Walk over a function and return what was found.

        Raises:
            LocatedError: no sizes satisfy the requirements of the operations, or an operation does
                not belong to stage `linalg`.
        """
        found = LinalgSizes(function)
        for _ in found.walk():
            pass
        return found

    def walk(self) -> Iterator[Operation]:
        """Walk over the function, as `of` does, and yield each operation that was walked over.

        The caller may discard operations before the one that was yielded, and `forget` them.
        """
        block = self.function.body.block
        self._arguments(block)
        unused = unused_on_host(block)
        for op in block.ops:
            if op in unused:
                continue
            try:
                self._operation(op)
            except SizeConflict as conflict:
                raise self.required.contradiction(op, conflict, conflict.sizes) from None
            yield op
        try:
            self.table.canonicalize()
        except SizeConflict as conflict:
            said = contradiction(conflict, self.required.steps, self.function, conflict.sizes)
            raise error_at(
                self.function,
                f"the operations of '@{self.function.sym_name.data}' require {said}",
                "no shape of the arguments fits this program",
            ) from None

    def forget(self, op: Operation) -> None:
        """Forget an operation that nothing reads any more."""
        for value in op.results:
            for known in (self.views, self.sizes, self.held, self.host.scalars):
                known.pop(value, None)

    def forget_others(self, values: Iterable[SSAValue]) -> None:
        """Forget all values but these, so that the operations that made the others can go."""
        self.views = {value: self.views[value] for value in values if value in self.views}
        self.sizes.clear()
        self.held.clear()
        self.host = self._no_values()

    def _arguments(self, block: Block) -> None:
        found = ArgumentSizes.of(self.function, self.table)
        self.required.steps += found.steps
        for argument, sizes in zip(block.args, found.sizes, strict=True):
            self._show(argument, View.dense(argument, sizes))
            if dimensions := nonexpanding(self.function, argument.index):
                self.held[argument] = tuple(d in dimensions for d in range(len(sizes)))

    def _show(self, value: SSAValue, view: View[SSAValue]) -> None:
        self.views[value] = view
        self.sizes[value] = view.sizes

    def _operation(self, op: Operation) -> None:
        if isinstance(op, linalg.GenericOp):
            self._generic(op)
        elif op.name == "hwc.broadcast":
            self._broadcast(op)
        elif isinstance(op, RESHAPES):
            self._reshape(op)
        elif isinstance(op, TableOp):
            self._table(op)
        elif isinstance(op, tensor.CastOp):
            self._cast(op)
        elif isinstance(op, tensor.DimOp):
            self._dim(op)
        elif isinstance(op, tensor.EmptyOp):
            self._empty(op)
        elif isinstance(op, func.ReturnOp):
            for value in op.operands:
                self._in_memory(value, op)
        elif self.host.visit(op):
            if isinstance(op, arith.ConstantOp) and isinstance(op.result.type, TensorType):
                self._show(op.result, View.dense(op.result, op.result.type.get_shape()))
        else:
            raise error_at(op, f"'{source_of(op)}' cannot become a kernel")

    def _dim(self, op: tensor.DimOp) -> None:
        dimension = self.host.scalar(op.index, op)
        known = self.host.tensors.get(op.source)
        sizes = self._sizes(op.source, op) if known is None else known.shape
        if not isinstance(dimension, int) or not 0 <= dimension < len(sizes):
            got = dimension if isinstance(dimension, int) else "a computed number"
            raise error_at(
                op,
                f"'tensor.dim' of a tensor of rank {len(sizes)} got {got} as the dimension, "
                f"expected a constant below {len(sizes)}",
                "dimensions count from 0, the outermost",
            )
        self.host.scalars[op.result] = sizes[dimension]

    def _empty(self, op: tensor.EmptyOp) -> None:
        kind = cast("TensorType[Attribute]", op.tensor.type)
        dynamic = iter(op.dynamic_sizes)
        sizes = [self.host.size(next(dynamic), op) if n == DYNAMIC else n for n in kind.get_shape()]
        self._show(op.tensor, View.dense(op.tensor, sizes))

    def _sizes(self, value: SSAValue, user: Operation) -> tuple[Size, ...]:
        known = self.host.tensors.get(value)
        if known is not None and value not in self.sizes and is_machine_tensor(value.type):
            # The machine reads a tensor that the host fills for every call.
            self._show(value, View.dense(value, known.shape))
            self.filled[value] = known.elements
        if value not in self.sizes:
            raise error_at(
                user, f"'{source_of(user)}' has an operand that is not a tensor of this function"
            )
        return self.sizes[value]

    def _written(self, value: SSAValue, user: Operation) -> View[SSAValue]:
        """Return the view of an operand; the operand must have been written."""
        self._sizes(value, user)
        view = self.views[value]
        if isinstance(view.root.owner, tensor.EmptyOp):
            raise error_at(user, f"'{source_of(user)}' reads a tensor that nothing has written")
        return view

    def _in_memory(self, value: SSAValue, user: Operation) -> View[SSAValue]:
        """Return the view of an operand in memory; a broadcast view is an error."""
        view = self._written(value, user)
        if self.sizes[value] != view.sizes:
            raise error_at(user, f"'{source_of(user)}' needs a broadcast view in memory")
        return view

    def _broadcast(self, op: Operation) -> None:
        operands = tuple(op.operands)
        shapes = [self._sizes(v, op) for v in operands]
        rank = max(map(len, shapes))
        padded = [(1,) * (rank - len(sizes)) + sizes for sizes in shapes]
        held: list[tuple[bool, ...]] = []
        if self.held or "strict" in op.properties:
            held = [self._held(value, rank) for value in operands]
            result = self._held_sizes(op, padded, held)
        else:
            sizes_of = zip(*padded, strict=True)
            result = [self.required.broadcast(sizes, op, d) for d, sizes in enumerate(sizes_of)]
        inherited = tuple(map(any, zip(*held, strict=True)))
        common = tuple(result)
        for value, operand in zip(op.results, operands, strict=True):
            self.views[value] = self.views[operand]
            self.sizes[value] = common
            self._hold(value, inherited)

    def _held_sizes(
        self, op: Operation, padded: Sequence[tuple[Size, ...]], held: Sequence[tuple[bool, ...]]
    ) -> list[Size]:
        """Return the sizes of a broadcast of operands of which some dimensions never expand."""
        rank = len(padded[0])
        strict = (
            [self._dynamic(value, rank) for value in op.operands]
            if "strict" in op.properties
            else held
        )
        result: list[Size] = []
        for dimension in range(rank):
            operands = tuple([sizes[dimension] for sizes in padded])
            fixed = [
                sizes[dimension]
                for sizes, one, other in zip(padded, held, strict, strict=True)
                if one[dimension] or other[dimension]
            ]
            if fixed:
                result.append(self.required.strict(fixed, operands, op, dimension))
            else:
                result.append(self.required.broadcast(operands, op, dimension))
        return result

    def _held(self, value: SSAValue, rank: int) -> tuple[bool, ...]:
        """Return which dimensions of a value, padded to `rank`, never expand."""
        held = self.held.get(value, ())
        return (False,) * (rank - len(held)) + held

    @staticmethod
    def _dynamic(value: SSAValue, rank: int) -> tuple[bool, ...]:
        """Return which dimensions of a value, padded to `rank`, are dynamic by its type."""
        shape = cast("TensorType[Attribute]", value.type).get_shape()
        return (False,) * (rank - len(shape)) + tuple(size == DYNAMIC for size in shape)

    def _hold(self, value: SSAValue, held: tuple[bool, ...]) -> None:
        if any(held):
            self.held[value] = held

    def _cast(self, op: tensor.CastOp) -> None:
        sizes = self._sizes(op.source, op)
        kind = op.dest.type
        if not isinstance(kind, TensorType) or len(kind.get_shape()) != len(sizes):
            raise error_at(op, f"'{source_of(op)}' changes the rank of its result")
        for dimension, (size, declared) in enumerate(zip(sizes, kind.get_shape(), strict=True)):
            if declared != DYNAMIC:
                self.required.equal([size, declared], op, dimension)
        self.views[op.dest] = self.views[op.source]
        self.sizes[op.dest] = sizes
        self._hold(op.dest, self._held(op.source, len(sizes)))

    def _reshape(self, op: Operation) -> None:
        view = self._in_memory(op.operands[0], op)
        result = View.dense(view.root, self.host.reshaped(op, view.sizes))
        self._show(op.results[0], result)
        self._hold_reshaped(op)
        self.pending.append(Pending(op, (view,), result))

    def _table(self, op: TableOp) -> None:
        view = self._in_memory(op.table, op)
        entries = TABLE_SIZES[str(cast("TensorType[Attribute]", op.table.type).element_type)]
        self.required.equal([*view.sizes, entries], op, 0)
        result = View.dense(view.root, ())
        self._show(op.view, result)
        self.pending.append(Pending(op, (view,), result))

    def _hold_reshaped(self, op: Operation) -> None:
        """Hold each dimension of a reshape whose size equals that of a held operand dimension."""
        source, result = op.operands[0], op.results[0]
        held = zip(self.sizes[source], self.held.get(source, ()), strict=False)
        roots = {self.table.resolve(size) for size, is_held in held if is_held} - {1}
        self._hold(result, tuple(self.table.resolve(s) in roots for s in self.sizes[result]))

    def _generic(self, op: linalg.GenericOp) -> None:
        *inputs, output = op.operands
        if len(op.results) != 1:
            raise error_at(op, f"'{source_of(op)}' has more than one result")
        if not inputs and _writes_positions(op):
            self._show(op.results[0], View.dense(op.results[0], self._sizes(output, op)))
            self.filled[op.results[0]] = None
            return
        maps = [attribute.data for attribute in op.indexing_maps.data]
        if not _is_identity(maps[-1]):
            raise error_at(op, f"'{source_of(op)}' does not write every point in row-major order")
        loops: list[list[Size]] = [[] for _ in range(maps[-1].num_dims)]
        views = tuple(
            self._indexed(value, mapping, loops, op)
            for value, mapping in zip(inputs, maps[:-1], strict=True)
        )
        for sizes, size in zip(loops, self._sizes(output, op), strict=True):
            sizes.append(size)
        for dimension, sizes in enumerate(loops):
            self.required.equal(sizes, op, dimension)
        shape = tuple(sizes[0] for sizes in loops)
        held = self._held_loops(op, maps) if self.held else ()
        repeated = _repeated_input(op, len(inputs))
        if repeated is not None:
            self.views[op.results[0]], self.sizes[op.results[0]] = views[repeated], shape
            self._hold(op.results[0], held)
            return
        result = View.dense(op.results[0], shape)
        self._show(op.results[0], result)
        self._hold(op.results[0], held)
        self.pending.append(Pending(op, views, result))

    def _held_loops(self, op: linalg.GenericOp, maps: Sequence[AffineMap]) -> tuple[bool, ...]:
        """Return which loops run over a dimension of an operand that never expands."""
        held = [False] * maps[-1].num_dims
        for value, mapping in zip(op.inputs, maps, strict=False):
            for expression, is_held in zip(mapping.results, self.held.get(value, ()), strict=False):
                if isinstance(expression, AffineDimExpr):
                    held[expression.position] |= is_held
        return tuple(held)

    def _indexed(
        self, value: SSAValue, mapping: AffineMap, loops: list[list[Size]], op: Operation
    ) -> View[SSAValue]:
        """Return the view of an operand that the loops index through `mapping`.

        A loop that does not index the operand repeats it: there the view has size 1. The sizes that
        the other loops run over are added to `loops`.
        """
        view, sizes = self._written(value, op), self.sizes[value]
        if len(view.sizes) == len(sizes) and _is_identity(mapping):
            for loop, size in zip(loops, sizes, strict=True):
                loop.append(size)
            return view
        missing = len(sizes) - len(view.sizes)
        own = (*((1, ZERO),) * missing, *zip(view.sizes, view.strides, strict=True))
        seen: dict[int, tuple[Size, Product]] = {}
        for position, expression in enumerate(mapping.results):
            if isinstance(expression, AffineDimExpr) and expression.position > max(
                seen, default=-1
            ):
                seen[expression.position] = own[position]
                loops[expression.position].append(sizes[position])
            elif expression == AffineExpr.constant(0):
                self.required.equal([sizes[position], 1], op, None)
            else:
                raise error_at(
                    op, f"'{source_of(op)}' has an indexing map that is no projection: {mapping}"
                )
        indexed = [seen.get(loop, (1, ZERO)) for loop in range(len(loops))]
        new = View(
            view.root, tuple(s for s, _ in indexed), tuple(t for _, t in indexed), view.offset
        )
        return view if new.same_stream(view) else new


def _writes_positions(op: linalg.GenericOp) -> bool:
    """Whether `op`, which has no inputs, writes 0, 1, 2, ... into a tensor of rank 1."""
    if len(op.iterator_types) != 1:
        return False
    kinds = [type(inner) for inner in op.body.block.ops]
    return kinds == [linalg.IndexOp, IndexCastOp, linalg.YieldOp]


def _repeated_input(op: linalg.GenericOp, inputs: int) -> int | None:
    """Return the input that `op` only repeats, if no reader needs the result in memory."""
    block = op.regions[0].block
    end = block.last_op
    assert isinstance(end, linalg.YieldOp)
    value = end.operands[0]
    if value.owner is not block or value not in block.args[:inputs]:
        return None
    readers = (use.operation for use in op.results[0].uses)
    if all(
        isinstance(reader, linalg.GenericOp | tensor.DimOp) or reader.name == "hwc.broadcast"
        for reader in readers
    ):
        return block.args.index(value)
    return None


def _is_identity(mapping: AffineMap) -> bool:
    results = mapping.results
    return (
        len(results) == mapping.num_dims
        and not mapping.num_symbols
        and all(isinstance(e, AffineDimExpr) and e.position == i for i, e in enumerate(results))
    )
