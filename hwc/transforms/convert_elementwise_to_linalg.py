"""From `arith` and `math` on tensors to `linalg`: one `linalg.generic` per result of an operation.

All tensors of an operation have the same sizes: the maps are identities, and nothing is broadcast
except a scalar condition. Scalars from which elements are computed become tensors of rank 0: the
scalar arguments and results of a function, constants, operations on scalars, and values that the
host computes from sizes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass

from hwc.dialects.building import operations_of
from hwc.dialects.elementwise_rules import is_elementwise, is_scalar
from hwc.dialects.index_operations import is_index
from hwc.dialects.size_rules import computes_sizes
from hwc.frontend.diagnostics import error_at
from hwc.transforms.generic_builder import GenericBuilder, Indices
from hwc.transforms.scalar_operations import scalar_results


@dataclass
class Scalars:
    """The tensors of rank 0 that stand for the scalars of one function."""

    indices: Indices
    tensors: dict[SSAValue, SSAValue] = field(default_factory=dict)

    def tensor_of(self, value: SSAValue, user: Operation) -> SSAValue:
        """Return the tensor of rank 0 that holds a scalar, or `value` itself if it is a tensor.

        Raises:
            LocatedError: the scalar is not one that the machine can compute.
        """
        if isinstance(value.type, TensorType):
            return value
        if value not in self.tensors:
            self.tensors[value] = self._tensor_of(value, user)
        return self.tensors[value]

    def _tensor_of(self, value: SSAValue, user: Operation) -> SSAValue:
        owner = value.owner
        assert isinstance(owner, Operation)  # scalar arguments are tensors by now
        if isinstance(owner, tensor.ExtractOp) and not owner.indices:
            return owner.tensor
        if isinstance(owner, arith.ConstantOp):
            return GenericBuilder(owner, self.indices).add(_constant_of_rank_0(owner))
        if is_elementwise(owner) and not computes_sizes(owner):
            results = zip(owner.results, self.convert(owner), strict=True)
            self.tensors.update(results)
            return self.tensors[value]
        if is_scalar(value.type) and is_index(value.type):
            return _held_by_host(value, owner)
        raise error_at(
            user,
            f"'{user.name}' computes elements with one {value.type} of a tensor or of the host",
            "pass it as an argument, a scalar or a tensor of rank 0",
        )

    def convert(self, op: Operation) -> list[SSAValue]:
        """Insert operations that compute the results of `op`; return the results as tensors."""
        build = GenericBuilder(op, self.indices)
        operands = [self.tensor_of(operand, op) for operand in op.operands]
        values: list[SSAValue] = []
        for compute, result in zip(scalar_results(op), op.results, strict=True):
            type_ = result.type if isinstance(result.type, TensorType) else None
            rank = 0 if type_ is None else type_.get_num_dims()
            scalar, identity = AffineMap(rank, 0, ()), AffineMap.identity(rank)
            inputs = [
                (tensor_, identity if isinstance(operand.type, TensorType) else scalar)
                for tensor_, operand in zip(operands, op.operands, strict=True)
            ]
            like = next((value for value, mapping in inputs if mapping is identity), None)
            destination = build.destination(like, type_ or TensorType(result.type, []))
            value = build.generic(inputs, destination, compute)
            value.name_hint = result.name_hint
            values.append(value)
        return values


def _held_by_host(value: SSAValue, owner: Operation) -> SSAValue:
    """Insert the tensor of rank 0 for a scalar that the host computes."""
    new = tensor.FromElementsOp.create(operands=[value], result_types=[TensorType(value.type, [])])
    new.location = owner.location
    block = owner.parent
    assert block is not None
    block.insert_op_after(new, owner)
    return new.result


def _constant_of_rank_0(op: arith.ConstantOp) -> Operation:
    value = op.value
    assert isinstance(value, IntegerAttr | FloatAttr)
    type_ = TensorType(op.result.type, [])
    elements = DenseIntOrFPElementsAttr.from_list(cast("Any", type_), [value.value.data])
    return arith.ConstantOp(elements)


def scalar_arguments_to_tensors(function: FuncOp) -> None:
    """Make every scalar argument of `function` a tensor of rank 0."""
    block = function.body.block
    for argument in list(block.args):
        if not is_scalar(argument.type):
            continue
        new = block.insert_arg(TensorType(argument.type, []), argument.index)
        new.name_hint = argument.name_hint
        if argument.uses.get_length():
            extract = tensor.ExtractOp(new, [], argument.type)
            extract.location = function.location
            assert block.first_op is not None
            block.insert_op_before(extract, block.first_op)
            argument.replace_all_uses_with(extract.result)
        block.erase_arg(argument)


def _return_tensors(function: FuncOp, scalars: Scalars) -> None:
    """Return scalars as tensors of rank 0, and update the type of the function."""
    last = function.body.block.last_op
    assert isinstance(last, ReturnOp)
    for number, value in enumerate(last.operands):
        last.operands[number] = scalars.tensor_of(value, last)
    inputs = [argument.type for argument in function.body.block.args]
    outputs = [value.type for value in last.operands]
    function.properties["function_type"] = FunctionType.from_lists(inputs, outputs)


def erase_unused_scalars(block: Block) -> None:
    """Erase the operations on scalars whose results nothing reads any more."""
    for op in reversed(operations_of(block)):
        unused = not any(result.uses.get_length() for result in op.results)
        scalar = all(not isinstance(result.type, TensorType) for result in op.results)
        if op.results and unused and scalar and not op.regions:
            op.detach()
            op.erase()


@dataclass(frozen=True)
class ConvertElementwiseToLinalg(ModulePass):
    """Turn every operation of `arith` and `math` on tensors into `linalg`."""

    name = "convert-elementwise-to-linalg"

    def has_work(self, module: ModuleOp) -> bool:
        """Whether a function has an operation of `arith`, `math` or `linalg`, or a scalar."""
        return any(
            is_elementwise(op)
            or isinstance(op, linalg.GenericOp)
            or (isinstance(op, FuncOp) and any(map(is_scalar, _signature(op))))
            for op in module.walk()
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of the module."""
        for function in op.walk():
            if isinstance(function, FuncOp) and function.body.blocks:
                _convert(function)


def _signature(function: FuncOp) -> tuple[Attribute, ...]:
    return (*function.function_type.inputs, *function.function_type.outputs)


def _convert(function: FuncOp) -> None:
    block = function.body.block
    scalars = Scalars(Indices(block))
    scalar_arguments_to_tensors(function)
    for op in operations_of(block):
        on_tensors = any(isinstance(result.type, TensorType) for result in op.results)
        if is_elementwise(op) and on_tensors and not isinstance(op, arith.ConstantOp):
            for result, value in zip(op.results, scalars.convert(op), strict=True):
                result.replace_all_uses_with(value)
            op.detach()
            op.erase()
        elif isinstance(op, linalg.GenericOp):
            for number, value in enumerate(op.operands):
                op.operands[number] = scalars.tensor_of(value, op)
    _return_tensors(function, scalars)
    erase_unused_scalars(block)
