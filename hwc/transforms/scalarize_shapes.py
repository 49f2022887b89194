"""Turns arithmetic on shape tensors into arithmetic on their elements, which the host computes.

Front ends write shape arithmetic as operations of `arith` on small tensors of integers or indices.
Each such operation becomes one scalar operation for each element, and a `tensor.from_elements`. An
operation is one on shapes if it has `index` or `i64`, with which the machine does not compute, or
if sizes are computed from its result. An operation whose result the machine reads too stays.

A scalar argument that is an `index` or an `i64` becomes a tensor of rank 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, ClassVar, cast

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    IndexType,
    IntegerAttr,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.dialects import index_operations
from hwc.dialects.building import operations_of
from hwc.dialects.elementwise_rules import check_well_formed
from hwc.dialects.size_rules import is_wide
from hwc.dialects.upstream_tensor import ExpandShapeOp, ReshapeOp
from hwc.frontend.diagnostics import error_at

MAX_ELEMENTS = 64
"""The most elements of a shape tensor; each becomes an operation, and a shape has few."""


@dataclass(frozen=True)
class ScalarizeShapes(ModulePass):
    """Compute the elements of shape tensors one by one."""

    name = "scalarize-shapes"
    checks_input: ClassVar[bool] = True

    @staticmethod
    def has_work(module: ModuleOp) -> bool:
        """Whether a function has an argument for sizes alone, or arithmetic on integer tensors."""
        return any(
            (isinstance(op, FuncOp) and any(map(is_wide, op.function_type.inputs)))
            or _on_tensors(op)
            for op in module.walk()
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite every function that has one block."""
        for function in op.walk():
            if isinstance(function, FuncOp) and len(function.body.blocks) == 1:
                _scalar_arguments_to_tensors(function)
                _scalarize(function.body.block)


def _on_tensors(op: Operation) -> bool:
    """Whether `op` computes with tensors of integers, as an operation on sizes may."""
    values = (*op.operands, *op.results)
    return op.name in index_operations.NAMES and any(
        isinstance(value.type, TensorType)
        and index_operations.is_index(value.type.get_element_type())
        for value in values
    )


def _scalar_arguments_to_tensors(function: FuncOp) -> None:
    """Make every scalar argument that only sizes are computed from a tensor of rank 0."""
    block = function.body.block
    for argument in list(block.args):
        if isinstance(argument.type, TensorType) or not is_wide(argument.type):
            continue
        new = block.insert_arg(
            TensorType(argument.type, []), argument.index, location=argument.location
        )
        new.name_hint = argument.name_hint
        if argument.first_use is not None:
            assert block.first_op is not None
            read = tensor.ExtractOp(new, [], argument.type)
            read.location = function.location
            block.insert_op_before(read, block.first_op)
            argument.replace_all_uses_with(read.result)
        block.erase_arg(argument)
    inputs = [argument.type for argument in block.args]
    function.properties["function_type"] = FunctionType.from_lists(
        inputs, list(function.function_type.outputs)
    )


def _scalarize(block: Block) -> None:
    ops = operations_of(block)
    for_sizes = _for_sizes(ops)
    for op in ops:
        if not _on_tensors(op):
            continue
        wide = any(is_wide(value.type) for value in (*op.operands, *op.results))
        if not wide and op not in for_sizes:
            continue
        new = _by_elements(op)
        for use in list(op.results[0].uses):
            if wide or use.operation in for_sizes or _gives_sizes(use.operation, use.index):
                use.operation.operands[use.index] = new
        if op.results[0].first_use is None:
            op.detach()
            op.erase()


def _for_sizes(ops: list[Operation]) -> set[Operation]:
    """Return the operations from whose results sizes are computed."""
    found: set[Operation] = set()
    for op in reversed(ops):
        shapes = isinstance(op, tensor.ExtractOp | tensor.FromElementsOp)
        if not shapes and op.name not in index_operations.NAMES:
            continue
        uses = [use for result in op.results for use in result.uses]
        if any(use.operation in found or _gives_sizes(use.operation, use.index) for use in uses):
            found.add(op)
    return found


def _gives_sizes(user: Operation, operand: int) -> bool:
    """Whether an operation reads its operand as a size, or as a number of which only sizes are."""
    if isinstance(user, ReshapeOp | ExpandShapeOp | tensor.DimOp | tensor.ExtractOp):
        return operand > 0
    return isinstance(user, tensor.EmptyOp) or (
        user.name in index_operations.NAMES and any(is_wide(r.type) for r in user.results)
    )


def _by_elements(op: Operation) -> SSAValue:
    """Insert the operations that compute the elements of the result of `op`; return the tensor."""
    check_well_formed(op)
    type_ = cast("TensorType[Attribute]", op.results[0].type)
    shape = type_.get_shape()
    if DYNAMIC_INDEX in shape or prod(shape) > MAX_ELEMENTS:
        raise error_at(
            op,
            f"'{op.name}' computes sizes with {type_}, expected a static number of elements, at "
            f"most {MAX_ELEMENTS}",
            "give the shape a static size; elements are computed in i32, not in index or i64",
        )
    elements = [_element_of_result(op, at) for at in product(*map(range, shape))]
    return _insert(op, tensor.FromElementsOp.create(operands=elements, result_types=[type_]))


def _element_of_result(op: Operation, at: tuple[int, ...]) -> SSAValue:
    operands = [
        _element(op, value, at) if isinstance(value.type, TensorType) else value
        for value in op.operands
    ]
    type_ = cast("TensorType[Attribute]", op.results[0].type).get_element_type()
    new = type(op).create(
        operands=operands,
        result_types=[type_],
        properties=op.properties.copy(),
        attributes=op.attributes.copy(),
    )
    return _insert(op, new)


def _element(op: Operation, value: SSAValue, at: tuple[int, ...]) -> SSAValue:
    """Return an element of an operand of `op`."""
    if isinstance(value.owner, tensor.FromElementsOp):
        shape = cast("TensorType[Attribute]", value.type).get_shape()
        position = 0
        for index, size in zip(at, shape, strict=True):
            position = position * size + index
        return value.owner.elements[position]
    indices = [_insert(op, arith.ConstantOp(IntegerAttr(index, IndexType()))) for index in at]
    type_ = cast("TensorType[Attribute]", value.type).get_element_type()
    return _insert(op, tensor.ExtractOp(cast("Any", value), indices, type_))


def _insert(op: Operation, new: Operation) -> SSAValue:
    new.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    return new.results[0]
