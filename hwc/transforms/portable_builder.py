"""Building blocks of the upstream lowering: shapes, groupings, and where operations go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, TensorType, i64
from xdsl.ir import Block, Operation, SSAValue

from hwc.dialects.broadcastable import Shape


def shape_of(value: SSAValue) -> Shape:
    """Return the sizes of a tensor."""
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def like(value: SSAValue, shape: Sequence[int]) -> TensorType:
    """Return the type of a tensor of `shape` with the elements of `value`."""
    assert isinstance(value.type, TensorType)
    return TensorType(value.type.get_element_type(), shape)


def grouping(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """Return the attribute that says which dimensions are collapsed into or expanded from one."""
    return ArrayAttr([ArrayAttr([IntegerAttr(axis, i64) for axis in group]) for group in groups])


@dataclass
class Builder:
    """Inserts operations in front of `before`, or at the end of `block`."""

    block: Block
    before: Operation | None = None

    def insert(self, op: Operation) -> None:
        """Insert `op`."""
        if self.before is None:
            self.block.add_op(op)
        else:
            op.location = self.before.location
            self.block.insert_op_before(op, self.before)

    def add(self, op: Operation) -> SSAValue:
        """Insert `op` and return its first result."""
        self.insert(op)
        return op.results[0]

    def index(self, value: int) -> SSAValue:
        """Return the index constant `value`."""
        return self.add(arith.ConstantOp(IntegerAttr(value, IndexType())))

    def dim(self, value: SSAValue, axis: int) -> SSAValue:
        """Return the size of dimension `axis` of `value`."""
        return self.add(tensor.DimOp(value, self.index(axis)))
