"""Builds `linalg.generic` in the form of stage `linalg`, in front of the operation it replaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    IndexType,
    IntegerAttr,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from hwc.dialects.broadcastable import DYNAMIC
from hwc.dialects.views import set_source, source_of

Add: TypeAlias = Callable[[Operation], SSAValue]
"""Appends a scalar operation and returns its first result."""

ScalarBody: TypeAlias = Callable[[Sequence[SSAValue], Add], SSAValue]
"""Computes one point from the scalars of the inputs."""


def element_of(value: SSAValue) -> Attribute:
    """Return the element type of a tensor, or the type of a scalar."""
    return value.type.get_element_type() if isinstance(value.type, TensorType) else value.type


@dataclass
class Indices:
    """The index constants at the beginning of a block, each constant once."""

    block: Block
    values: dict[int, SSAValue] = field(default_factory=dict)

    def __call__(self, value: int) -> SSAValue:
        """Return the constant `value`."""
        if value not in self.values:
            constant = arith.ConstantOp(IntegerAttr(value, IndexType()))
            constant.results[0].name_hint = f"c{value}" if value >= 0 else f"minus{-value}"
            first = self.block.first_op
            assert first is not None
            self.block.insert_op_before(constant, first)
            self.values[value] = constant.results[0]
        return self.values[value]


@dataclass(frozen=True)
class GenericBuilder:
    """Inserts operations in front of `before`, which they replace.

    The operations get the location of `before`; those that check something at dispatch also get its
    name.
    """

    before: Operation
    indices: Indices

    def add(self, op: Operation, source: bool = False) -> SSAValue:
        """Insert `op` and return its first result."""
        op.location = self.before.location
        if source:
            set_source(op, source_of(self.before))
        block = self.before.parent
        assert block is not None
        block.insert_op_before(op, self.before)
        return op.results[0]

    def sizes(self, value: SSAValue) -> list[SSAValue]:
        """Return the dynamic sizes of a tensor."""
        assert isinstance(value.type, TensorType)
        return [
            self.add(tensor.DimOp(value, self.indices(axis)))
            for axis, size in enumerate(value.type.get_shape())
            if size == DYNAMIC
        ]

    def destination(self, like: SSAValue | None, type_: TensorType) -> SSAValue:
        """Return a destination with the dynamic sizes of `like`.

        Only the sizes of a destination matter, so `like` itself is returned if the types are equal.
        Otherwise half of all operations in a large program would only make destinations.
        """
        if like is not None and like.type == type_:
            return like
        sizes = [] if like is None else self.sizes(like)
        return self.add(tensor.EmptyOp(sizes, type_))

    def generic(
        self,
        inputs: Sequence[tuple[SSAValue, AffineMap]],
        destination: SSAValue,
        compute: ScalarBody,
    ) -> SSAValue:
        """Insert a `linalg.generic` over all elements of `destination`."""
        operands = [value for value, _ in inputs]
        type_ = destination.type
        assert isinstance(type_, TensorType)
        block = Block(arg_types=[*map(element_of, operands), type_.get_element_type()])

        def append(op: Operation) -> SSAValue:
            op.location = self.before.location
            block.add_op(op)
            return op.results[0]

        block.add_op(linalg.YieldOp(compute(block.args[:-1], append)))
        identity = AffineMap.identity(type_.get_num_dims())
        generic = linalg.GenericOp(
            operands,
            [destination],
            Region(block),
            [AffineMapAttr(mapping) for mapping in (*(m for _, m in inputs), identity)],
            ArrayAttr([IteratorTypeAttr.parallel()] * identity.num_dims),
            [type_],
        )
        return self.add(generic, source=True)
