"""Helpers for passes that remove constants of types that the machine does not have."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hwc.dialects.compile_time_operands import constant_values
from hwc.dialects.constant_types import is_only_constant
from hwc.dialects.tosa_operation import is_operator
from hwc.frontend.diagnostics import LocatedError


def element_of(type_: Attribute) -> Attribute:
    """Return the type of a tensor's elements, or a scalar's own."""
    return type_.get_element_type() if isinstance(type_, TensorType) else type_


def is_foreign(value: SSAValue) -> bool:
    """Whether a value has a type that only constants may have."""
    return is_only_constant(element_of(value.type))


def constant_of(op: Operation | Block) -> DenseIntOrFPElementsAttr | IntegerAttr | FloatAttr | None:
    """Return the value of a well-formed constant of `tosa` or `arith`, else None."""
    if isinstance(op, Block) or len(op.results) != 1:
        return None
    if is_operator(op, "const"):
        try:
            held: Attribute | None = constant_values(op)
        except LocatedError:
            return None
    else:
        held = op.properties.get("value") if isinstance(op, arith.ConstantOp) else None
    if not isinstance(held, DenseIntOrFPElementsAttr | IntegerAttr | FloatAttr):
        return None
    return held if held.get_type() == op.results[0].type else None
