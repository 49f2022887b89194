"""Operations of source text by which a program computes sizes or gives a tensor other sizes.

They are `tensor.dim`, `cast`, `reshape`, `expand_shape`, `collapse_shape`, `extract` and
`from_elements`, and operations of `arith` on index or i64.
"""

from __future__ import annotations

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from hwc.dialects import index_operations
from hwc.dialects.elementwise_rules import check_well_formed
from hwc.dialects.tensor_types import type_problem
from hwc.dialects.upstream_tensor import CollapseShapeOp, ExpandShapeOp, ReshapeOp
from hwc.frontend.diagnostics import error_at

_VIEWS = (tensor.CastOp, ReshapeOp, ExpandShapeOp, CollapseShapeOp)
_OTHERS = (tensor.DimOp, tensor.ExtractOp, tensor.FromElementsOp)


def computes_sizes(op: Operation) -> bool:
    """Whether `op` is one of the operations of this file."""
    if isinstance(op, (*_VIEWS, *_OTHERS)):
        return True
    if isinstance(op, arith.ConstantOp):
        return is_wide(op.result.type)
    types = [value.type for value in (*op.operands, *op.results)]
    scalars = [type_ for type_ in types if not isinstance(type_, TensorType)]
    return op.name in index_operations.NAMES and any(map(is_wide, scalars))


def check_sizes(op: Operation) -> None:
    """Raise a located error unless `op`, for which `computes_sizes` holds, is legal."""
    check_well_formed(op)
    if isinstance(op, _VIEWS):
        _check_tensor(op, op.operands[0], "operand 0")
        _check_tensor(op, op.results[0], "the result")
    elif isinstance(op, tensor.DimOp) and not isinstance(op.source.type, TensorType):
        raise error_at(
            op, f"'{op.name}' reads {op.source.type}, which has no rank", "give it a rank"
        )
    elif not isinstance(op, (*_OTHERS, arith.ConstantOp)):
        _check_scalars(op)


def _check_tensor(op: Operation, value: SSAValue, what: str) -> None:
    if problem := type_problem(value.type, f"{what} of '{op.name}'"):
        raise error_at(op, *problem)


def _check_scalars(op: Operation) -> None:
    for value in (*op.operands, *op.results):
        if not index_operations.is_index(value.type):
            raise error_at(
                op,
                f"'{op.name}' computes a size with {value.type}",
                "sizes are computed with index, and integers of 1, 8, 16, 32 and 64 bits",
            )
    if problem := index_operations.problem(op):
        raise error_at(op, *problem)


def _element(type_: Attribute) -> Attribute:
    return type_.get_element_type() if isinstance(type_, TensorType) else type_


def is_wide(type_: Attribute) -> bool:
    """Whether only the host computes with a type, or with the elements of a tensor."""
    type_ = _element(type_)
    return isinstance(type_, IndexType) or type_ == i64
