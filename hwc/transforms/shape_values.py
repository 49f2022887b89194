"""The values that the host computes for a function, and the sizes of the function's reshapes.

A scalar of the function is a number or a symbol of the shape program. An operation on scalars is
evaluated here if its operands are numbers, and otherwise becomes a step. A computed value becomes
the size of a tensor only after a step that checks that the value is a valid size.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Protocol, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from hwc.dialects import index_operations
from hwc.dialects import upstream_tensor as upstream
from hwc.dialects.building import operations_of
from hwc.dialects.compile_time_operands import MAX_SIZES, all_elements
from hwc.dialects.views import ReshapeOp, source_of
from hwc.frontend.diagnostics import error_at
from hwc.shapes import Product, Size, SymbolTable
from hwc.shapes.steps import (
    Arithmetic,
    Element,
    Equal,
    IsSize,
    Reshape,
    SizesRefused,
    Step,
    size_problem,
)

RESHAPES = (ReshapeOp, upstream.ReshapeOp, upstream.ExpandShapeOp, upstream.CollapseShapeOp)
"""The operations that show the elements of their first operand with other sizes."""

_READERS = (tensor.DimOp, tensor.ExtractOp, upstream.ReshapeOp)
"""The operations that the host evaluates and that read a tensor."""

_NEUTRAL = {
    "addi": 0,
    "subi": 0,
    "muli": 1,
    "divsi": 1,
    "floordivsi": 1,
    "ceildivsi": 1,
    "shli": 0,
    "shrsi": 0,
    "divui": 1,
    "ceildivui": 1,
    "shrui": 0,
}
"""Second operands that make the first the result; in the last three it must not be negative."""

_NATURAL = ("divui", "ceildivui", "shrui", "extui")
"""Operations that refuse negative operands."""


class Require(Protocol):
    """Adds a step that a source operation requires."""

    def __call__(self, step: Step, op: Operation, dimension: int | None = None) -> None:
        """Add the step, which is about `dimension` of the operation's result if one is given."""
        ...


@dataclass(frozen=True)
class HostTensor:
    """A tensor whose elements the host knows, in row-major order."""

    shape: tuple[int, ...]
    elements: tuple[Size, ...]


@dataclass
class ShapeValues:
    """The scalars and the host's tensors of one function; `require` adds a step."""

    table: SymbolTable
    require: Require
    scalars: dict[SSAValue, Size] = field(default_factory=dict)
    tensors: dict[SSAValue, HostTensor] = field(default_factory=dict)
    _computed: dict[Hashable, Size] = field(default_factory=dict)
    _checked: set[Hashable] = field(default_factory=set)
    _unchecked: set[str] = field(default_factory=set)

    # -- scalars

    def visit(self, op: Operation) -> bool:
        """Note what `op` computes on the host; return whether `op` is an operation of the host."""
        if isinstance(op, arith.ConstantOp):
            self._constant(op)
        elif index_operations.on_scalars(op):
            self.scalars[op.results[0]] = self._arithmetic(op)
        elif isinstance(op, tensor.ExtractOp):
            self._extract(op)
        elif isinstance(op, tensor.FromElementsOp):
            self._from_elements(op)
        else:
            return False
        return True

    def _constant(self, op: arith.ConstantOp) -> None:
        value = index_operations.constant_value(op)
        if value is not None:
            self.scalars[op.result] = value
        elif isinstance(op.value, DenseIntOrFPElementsAttr):
            shape = tuple(op.value.get_shape())
            known = len(op.value) == prod(shape) or prod(shape) <= MAX_SIZES
            # Weights are integers too: only the elements that the host reads become numbers.
            read = any(isinstance(use.operation, _READERS) for use in op.result.uses)
            if _are_integers(op.result) and known and read:
                elements = all_elements(op.value)
                self.tensors[op.result] = HostTensor(shape, cast("tuple[int, ...]", elements))

    def scalar(self, value: SSAValue, user: Operation) -> Size:
        """Return a scalar operand."""
        if value not in self.scalars:
            raise error_at(user, f"'{source_of(user)}' has a scalar that the host cannot compute")
        return self.scalars[value]

    def _arithmetic(self, op: Operation) -> Size:
        if problem := index_operations.problem(op):
            raise error_at(op, *problem)
        operands = tuple(self.scalar(value, op) for value in op.operands)
        for step in index_operations.steps_of(op):
            operands = (self._compute(step, operands, op),)
        return operands[0]

    def _compute(self, kind: type[Arithmetic], operands: tuple[Size, ...], op: Operation) -> Size:
        operands = tuple(self._known(operand) for operand in operands)
        if (known := self._folded(kind.kind, operands)) is not None:
            return known
        if all(isinstance(operand, int) for operand in operands):
            try:
                return kind.compute(cast("tuple[int, ...]", operands))
            except SizesRefused as refused:
                raise error_at(op, f"'{source_of(op)}': {refused}") from None
        key = (kind.kind, operands)
        if key not in self._computed:
            self._computed[key] = result = self._fresh("n")
            self.require(kind(result, operands), op)
        return self._computed[key]

    def _known(self, operand: Size) -> Size:
        """Return the number if the operand is known to be one, else the operand."""
        resolved = self.table.resolve(operand)
        return resolved if isinstance(resolved, int) else operand

    def _folded(self, kind: str, operands: tuple[Size, ...]) -> Size | None:
        """Return the operand that equals the result for all values of the symbols, else None."""
        first = operands[0]
        if kind == "select" and isinstance(first, int):
            return operands[1] if first else operands[2]
        if kind in {"addi", "muli"} and first == _NEUTRAL[kind]:
            return operands[1]
        if kind in _NATURAL and (isinstance(first, int) or first in self._unchecked):
            return None
        if kind == "fits_i32" and isinstance(first, str) and first not in self._unchecked:
            return first  # every size fits
        is_first = operands[1] == _NEUTRAL.get(kind) if len(operands) > 1 else kind == "extui"
        return first if is_first else None

    def _fresh(self, prefix: str) -> str:
        name = self.table.fresh(prefix)
        self._unchecked.add(name)
        return name

    def _extract(self, op: tensor.ExtractOp) -> None:
        indices = tuple(self.scalar(index, op) for index in op.indices)
        known = self.tensors.get(op.tensor)
        if known is None or not all(isinstance(index, int) for index in indices):
            self.scalars[op.result] = self._element(op.tensor, indices, op)
            return
        position = 0
        for index, size in zip(cast("tuple[int, ...]", indices), known.shape, strict=True):
            if not 0 <= index < size:
                raise error_at(op, f"'tensor.extract' has the index {index} for the size {size}")
            position = position * size + index
        self.scalars[op.result] = known.elements[position]

    def _element(self, value: SSAValue, indices: tuple[Size, ...], op: Operation) -> Size:
        """Return an element of an argument."""
        while isinstance(owner := value.owner, tensor.CastOp):
            value = owner.source
        if not isinstance(value, BlockArgument) or not _are_integers(value):
            raise error_at(
                op,
                f"'{source_of(op)}' reads an element that the host does not hold",
                "the host holds integers: the elements of arguments and constants, and of "
                "tensor.from_elements",
            )
        key = (value, indices)
        if key not in self._computed:
            self._computed[key] = result = self._fresh("e")
            self.require(Element(result, value.index, indices), op)
        return self._computed[key]

    def _from_elements(self, op: tensor.FromElementsOp) -> None:
        elements = tuple(self.scalar(value, op) for value in op.elements)
        self.tensors[op.result] = HostTensor(tuple(_shape(op.result)), elements)

    # -- sizes

    def size(self, value: SSAValue, op: Operation) -> Size:
        """Return a scalar as the size of a tensor; add a check unless it is proven to be a size."""
        return self._size(self.scalar(value, op), op)

    def _size(self, size: Size, op: Operation) -> Size:
        if isinstance(size, int):
            if problem := size_problem(size, str(size)):
                raise error_at(op, f"'{source_of(op)}': {problem}")
        elif size in self._unchecked:
            self._unchecked.remove(size)
            self.require(IsSize((size,)), op)
        return size

    def reshaped(self, op: Operation, source: tuple[Size, ...]) -> tuple[Size, ...]:
        """Return the sizes of the result of one of `RESHAPES`, whose operand has sizes `source`."""
        if isinstance(op, ReshapeOp):
            return self._viewed(op, source)
        if isinstance(op, upstream.ReshapeOp):
            wanted = self._shape_operand(op.shape, op)
            sizes = self._declared(wanted, op)
            self._same_count(op, source, sizes)
            return sizes
        if isinstance(op, upstream.ExpandShapeOp):
            return self._expanded(op, source)
        assert isinstance(op, upstream.CollapseShapeOp)
        return self._collapsed(op, source)

    def _viewed(self, op: ReshapeOp, source: tuple[Size, ...]) -> tuple[Size, ...]:
        inferred = op.inferred_dimension
        given = iter(op.sizes)
        sizes: list[Size] = []
        for dimension, size in enumerate(_shape(op.view)):
            if size != DYNAMIC:
                sizes.append(size)
            elif dimension != inferred:
                sizes.append(self.size(next(given), op))
        new: str | None = None
        if inferred is not None:
            count, rest = Product.of(source), Product.of(sizes)
            if count.symbols or rest.symbols or not rest.factor or count.factor % rest.factor:
                size = new = self.table.fresh("r")
            else:
                size = count.factor // rest.factor
            sizes.insert(inferred, size)
        self._same_count(op, source, tuple(sizes), new)
        return tuple(sizes)

    def _shape_operand(self, value: SSAValue, op: Operation) -> tuple[Size, ...]:
        known = self.tensors.get(value)
        if known is not None:
            return known.elements
        (length,) = _shape(value)
        if length == DYNAMIC:
            raise error_at(op, f"'{source_of(op)}' takes a shape of a dynamic rank", "give it one")
        return tuple(self._element(value, (i,), op) for i in range(length))

    def _declared(self, wanted: Sequence[Size], op: Operation) -> tuple[Size, ...]:
        """Return sizes as the type of the result declares them; static sizes are checked."""
        sizes: list[Size] = []
        for dimension, (size, declared) in enumerate(
            zip(wanted, _shape(op.results[0]), strict=True)
        ):
            checked = self._size(size, op)
            if declared != DYNAMIC:
                self._equal(checked, declared, op, dimension)
            sizes.append(checked)
        return tuple(sizes)

    def _expanded(self, op: upstream.ExpandShapeOp, source: tuple[Size, ...]) -> tuple[Size, ...]:
        given = iter(op.dynamic_output_shape)
        wanted: list[Size] = [
            self.size(next(given), op) if size == DYNAMIC else size
            for size in cast("tuple[int, ...]", op.static_output_shape.get_values())
        ]
        sizes = self._declared(wanted, op)
        groups = upstream.groups_of(op.reassociation)
        if not groups:
            self._same_count(op, source, sizes)
        for size, group in zip(source, groups, strict=True):
            split = [i for i in group if sizes[i] != 1]
            if len(split) == 1:
                self._equal(size, sizes[split[0]], op, split[0])
            else:
                self._same_count(op, (size,), tuple(sizes[i] for i in split))
        return sizes

    def _collapsed(
        self, op: upstream.CollapseShapeOp, source: tuple[Size, ...]
    ) -> tuple[Size, ...]:
        declared = _shape(op.result)
        groups = upstream.groups_of(op.reassociation)
        if not groups:
            self._same_count(op, source, ())
        sizes: list[Size] = []
        for dimension, group in enumerate(groups):
            joined = tuple(source[i] for i in group if source[i] != 1)
            if len(joined) < 2:  # noqa: PLR2004 - one dimension is itself
                size = joined[0] if joined else 1
                if declared[dimension] != DYNAMIC:
                    self._equal(size, declared[dimension], op, dimension)
            elif declared[dimension] != DYNAMIC:
                size = declared[dimension]
                self._same_count(op, joined, (size,))
            elif all(isinstance(size, int) for size in joined):
                size = prod(cast("tuple[int, ...]", joined))
            else:
                size = self.table.fresh("r")
                self._same_count(op, joined, (size,), size)
            sizes.append(size)
        return tuple(sizes)

    def _equal(self, first: Size, second: Size, op: Operation, dimension: int) -> None:
        if self.table.resolve(first) != self.table.resolve(second):
            self.table.require_equal(first, second)
            self.require(Equal((first, second)), op, dimension)

    def _same_count(
        self,
        op: Operation,
        source: tuple[Size, ...],
        result: tuple[Size, ...],
        new: str | None = None,
    ) -> None:
        """Require that two shapes have the same number of elements; `new` is a size to work out."""
        if not any(isinstance(size, str) for size in (*source, *result)):
            counts = [prod(cast("tuple[int, ...]", sizes)) for sizes in (source, result)]
            if counts[0] != counts[1]:
                raise error_at(
                    op,
                    f"'{source_of(op)}' changes the number of elements from {counts[0]} to "
                    f"{counts[1]}",
                )
            return
        key = ("reshape", source, result)
        if key in self._checked or (new is None and self._equally_many(source, result)):
            return
        self._checked.add(key)
        self.require(Reshape(source, result), op)
        self.table.require_same_count(source, result, new)

    def _equally_many(self, source: tuple[Size, ...], result: tuple[Size, ...]) -> bool:
        """Whether two shapes are known to have the same number of elements."""
        counts = [Product.of(self.table.resolve_shape(sizes)) for sizes in (source, result)]
        return counts[0] == counts[1]


def unused_on_host(block: Block) -> set[Operation]:
    """Return the host operations whose results nothing needs; they have no requirements."""
    unused: set[Operation] = set()
    for op in reversed(operations_of(block)):
        on_host = index_operations.on_scalars(op) or isinstance(
            op, tensor.DimOp | tensor.ExtractOp | tensor.FromElementsOp
        )
        if on_host and all(use.operation in unused for r in op.results for use in r.uses):
            unused.add(op)
    return unused


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def _are_integers(value: SSAValue) -> bool:
    assert isinstance(value.type, TensorType)
    return index_operations.is_index(value.type.get_element_type())
