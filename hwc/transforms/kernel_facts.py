"""What the shape program of a function at the kernel stage says about its symbols and tensors."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from hwc.dialects import strip
from hwc.dialects.kernel import (
    SIZES,
    ApplyOp,
    BroadcastSizeOp,
    DimSizeOp,
    EqualSizesOp,
    ReshapeSizesOp,
    read_sizes,
    size_steps,
)
from hwc.shapes import Size, SymbolTable


def is_reshape(op: Operation | Block) -> bool:
    """Whether `op` is a view of its operand with other sizes."""
    return isinstance(op, Operation) and op.name == "hwc.reshape"


@dataclass
class Facts:
    """The symbols of a function and the sizes of each of its tensor values."""

    table: SymbolTable
    sizes: dict[SSAValue, tuple[Size, ...]]

    @staticmethod
    def of(block: Block) -> Facts:
        """Replay the shape program of a function's block and note the sizes of its tensors."""
        return Facts(replay(block), tensor_sizes(block))


def replay(block: Block) -> SymbolTable:
    """Return the symbol table that a function's shape program describes."""
    table = SymbolTable()
    for step in size_steps(block):
        if isinstance(step, DimSizeOp):
            table.leaf(step.symbol.data)
        elif isinstance(step, BroadcastSizeOp):
            if isinstance(step.size, str):
                result = table.broadcast(step.sizes, step.size)
                if result != step.size:
                    table.require_equal(result, table.leaf(step.size))
        elif isinstance(step, EqualSizesOp):
            for other in step.sizes[1:]:
                table.require_equal(step.sizes[0], other)
        elif isinstance(step, ReshapeSizesOp):
            divided = None
            for size in step.result_sizes:
                if isinstance(size, str) and table.is_new(size):
                    divided = table.leaf(size)
            table.require_same_count(step.sizes, step.result_sizes, divided)
    table.canonicalize()
    return table


def tensor_sizes(block: Block) -> dict[SSAValue, tuple[Size, ...]]:
    """Return the sizes of every tensor value of a function at the kernel stage."""
    symbols = {
        (step.argument.value.data, step.dimension.value.data): step.symbol.data
        for step in size_steps(block)
        if isinstance(step, DimSizeOp)
    }
    found: dict[SSAValue, tuple[Size, ...]] = {}
    for number, argument in enumerate(block.args):
        assert isinstance(argument.type, TensorType)
        shape = argument.type.get_shape()
        found[argument] = tuple(
            symbols[number, d] if n == DYNAMIC else n for d, n in enumerate(shape)
        )
    for op in block.ops:
        if isinstance(op, ApplyOp):
            found.update(zip(op.results, op.shapes, strict=True))
        elif isinstance(op, strip.KernelOp):
            for result, shape in zip(op.results, op.output_shapes, strict=True):
                assert isinstance(result.type, TensorType)
                found[result] = (1,) * (result.type.get_num_dims() - len(shape)) + shape
        elif isinstance(op, arith.ConstantOp) and isinstance(op.result.type, TensorType):
            found[op.result] = tuple(op.result.type.get_shape())
        elif isinstance(op, tensor.CastOp):
            found[op.dest] = found[op.source]
        elif is_reshape(op):
            found[op.results[0]] = read_sizes(op.attributes[SIZES])
    return found
