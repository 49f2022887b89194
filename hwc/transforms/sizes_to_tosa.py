"""Rewrites operations of `tensor` and `arith` that compute sizes as TOSA operators.

Only operations that TOSA can express are rewritten: a size that depends on elements or on a
comparison stays as it is, unless the size is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    TensorType,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from hwc.dialects import index_operations, tosa_shapes
from hwc.dialects.element_types import element_type
from hwc.dialects.tosa import CLASSES
from hwc.dialects.tosa_operation import ShapeType
from hwc.dialects.upstream_tensor import CollapseShapeOp, ExpandShapeOp, ReshapeOp, groups_of
from hwc.frontend.diagnostics import error_at
from hwc.shapes.steps import SizesRefused

_OPERATORS: Mapping[str, str] = {
    kind: operator for operator, kind in tosa_shapes.ELEMENT_WISE.items()
} | {
    "divsi": "div_floor_shape",
    "floordivsi": "div_floor_shape",
    "ceildivsi": "div_ceil_shape",
    "remsi": "mod_shape",
    "maxui": "max_shape",
    "minui": "min_shape",
}
"""The operator for each kind of step; TOSA's divisions take no negative dividend."""


@dataclass
class SizesToTosa:
    """The scalars of one function; `known` holds the scalars that the compiler knows."""

    known: dict[SSAValue, int] = field(default_factory=dict)
    shapes: dict[SSAValue, SSAValue] = field(default_factory=dict)

    def rewrite(self, op: Operation) -> Operation:
        """Rewrite an operation after all earlier ones; return the operation now in its place.

        Raises:
            LocatedError: a known value cannot be computed.
        """
        if isinstance(op, tensor.DimOp):
            self._dim(op)
        elif isinstance(op, arith.ConstantOp):
            value = index_operations.constant_value(op)
            if value is not None:
                self.known[op.result] = value
        elif index_operations.on_scalars(op):
            self._arithmetic(op)
        elif isinstance(op, tensor.ExtractOp):
            self._extract(op)
        elif isinstance(op, tensor.FromElementsOp):
            self._elements(op)
        elif isinstance(op, tensor.CastOp):
            _refine_cast(op)
        elif (sizes := self._sizes(op)) is not None:
            return self._reshape(op, sizes)
        return op

    def _dim(self, op: tensor.DimOp) -> None:
        dimension = self.known.get(op.index)
        assert isinstance(op.source.type, TensorType)
        sizes = op.source.type.get_shape()
        if dimension is None or not 0 <= dimension < len(sizes):
            return
        if sizes[dimension] != DYNAMIC:
            self.known[op.result] = sizes[dimension]
            return
        axis = {"axis": IntegerAttr(dimension, i32)}
        self.shapes[op.result] = _add(op, "dim", [op.source], axis)

    def _arithmetic(self, op: Operation) -> None:
        result, steps = op.results[0], index_operations.steps_of(op)
        numbers = [self.known[value] for value in op.operands if value in self.known]
        if len(numbers) == len(op.operands):
            try:
                for step in steps:
                    numbers = [step.compute(numbers)]
            except SizesRefused as refused:
                raise error_at(op, f"'{op.name}': {refused}") from None
            self.known[result] = numbers[0]
            return
        operands = [self._shape(value, op) for value in op.operands]
        if None in operands:
            return
        shape = operands[0]
        if steps and not steps[0].kind.startswith("fits_"):
            operator = _OPERATORS.get(steps[0].kind)
            if operator is None:
                return
            shape = _add(op, operator, cast("list[SSAValue]", operands))
        assert shape is not None
        self.shapes[result] = shape

    def _shape(self, value: SSAValue, before: Operation) -> SSAValue | None:
        """Return a shape of one value, None if TOSA cannot express the value."""
        if value in self.known:
            return _constant(before, self.known[value])
        return self.shapes.get(value)

    def _extract(self, op: tensor.ExtractOp) -> None:
        owner, indices = op.tensor.owner, [self.known.get(index) for index in op.indices]
        if len(indices) != 1 or indices[0] is None:
            return
        if isinstance(owner, tensor.FromElementsOp) and 0 <= indices[0] < len(owner.elements):
            element = owner.elements[indices[0]]
            if element in self.known:
                self.known[op.result] = self.known[element]
            elif element in self.shapes:
                self.shapes[op.result] = self.shapes[element]

    def _elements(self, op: tensor.FromElementsOp) -> None:
        """Replace known elements with a constant, where the machine can read them."""
        type_ = op.result.type
        assert isinstance(type_, TensorType)
        if element_type(type_.get_element_type()) is None or not op.elements:
            return
        if all(value in self.known for value in op.elements):
            numbers = [self.known[value] for value in op.elements]
            values = DenseIntOrFPElementsAttr.from_list(cast("Any", type_), numbers)
            new = _add(op, "const", [], {"values": values}, result_type=type_)
            new.name_hint = op.result.name_hint
            op.result.replace_all_uses_with(new)

    def _sizes(self, op: Operation) -> list[SSAValue] | None:
        """Return the new sizes of a reshape, None if TOSA cannot express them."""
        if isinstance(op, ExpandShapeOp):
            given = iter(op.dynamic_output_shape)
            sizes = [
                self._shape(next(given), op) if size == DYNAMIC else _constant(op, size)
                for size in cast("tuple[int, ...]", op.static_output_shape.get_values())
            ]
        elif isinstance(op, CollapseShapeOp):
            sizes = [self._product(op, group) for group in groups_of(op.reassociation)]
        elif isinstance(op, ReshapeOp) and isinstance(op.shape.owner, tensor.FromElementsOp):
            sizes = [self._shape(value, op) for value in op.shape.owner.elements]
        else:
            return None
        return None if None in sizes else cast("list[SSAValue]", sizes)

    def _product(self, op: CollapseShapeOp, group: Sequence[int]) -> SSAValue:
        assert isinstance(op.src.type, TensorType)
        shape = op.src.type.get_shape()
        factors = [
            _add(op, "dim", [op.src], {"axis": IntegerAttr(axis, i32)})
            if shape[axis] == DYNAMIC
            else _constant(op, shape[axis])
            for axis in group
            if shape[axis] != 1
        ] or [_constant(op, 1)]
        product = factors[0]
        for factor in factors[1:]:
            product = _add(op, "mul_shape", [product, factor])
        return product

    def _reshape(self, op: Operation, sizes: Sequence[SSAValue]) -> Operation:
        if sizes:
            shape = sizes[0] if len(sizes) == 1 else _add(op, "concat_shape", sizes)
        else:
            shape = _constant(op)
        result = op.results[0]
        new = _add(op, "reshape", [op.operands[0], shape], result_type=result.type)
        new.name_hint = result.name_hint
        result.replace_all_uses_with(new)
        owner = new.owner
        assert isinstance(owner, Operation)
        op.detach()
        op.erase()
        return owner


def _refine_cast(op: tensor.CastOp) -> None:
    """Remove a cast that forgets sizes; the casts that remain check sizes."""
    source, dest = op.source.type, op.dest.type
    assert isinstance(source, TensorType) and isinstance(dest, TensorType)
    pairs = zip(source.get_shape(), dest.get_shape(), strict=True)
    shape = [known if declared == DYNAMIC else declared for known, declared in pairs]
    type_ = TensorType(dest.get_element_type(), shape)
    if type_ == source:
        op.dest.replace_all_uses_with(op.source)
    elif type_ != dest:
        Rewriter.replace_value_with_new_type(op.dest, type_)


def _constant(before: Operation, *sizes: int) -> SSAValue:
    values = DenseIntOrFPElementsAttr.from_list(TensorType(IndexType(), [len(sizes)]), list(sizes))
    return _add(before, "const_shape", [], {"values": values})


def _add(
    before: Operation,
    operator: str,
    operands: Sequence[SSAValue],
    attributes: Mapping[str, Attribute] | None = None,
    result_type: Attribute | None = None,
) -> SSAValue:
    """Insert an operator before an operation; return its result, a shape if no type is given."""
    if result_type is None:
        rank = len(operands) if operator == "concat_shape" else 1
        values = (attributes or {}).get("values")
        if isinstance(values, DenseIntOrFPElementsAttr):
            rank = values.get_shape()[0]
        result_type = ShapeType(IntAttr(rank))
    new = CLASSES[operator].create(
        operands=operands, result_types=[result_type], properties=dict(attributes or {})
    )
    new.location = before.location
    block = before.parent
    assert block is not None
    block.insert_op_before(new, before)
    return new.results[0]
