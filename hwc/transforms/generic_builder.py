"""Building `linalg.generic` as stage `linalg` has it, in front of the operation it stands for."""

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
    StringAttr,
    TensorType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from hwc.dialects.broadcastable import DYNAMIC, Shape
from hwc.dialects.views import SOURCE

Dimensions: TypeAlias = Sequence[int]
"""The loops that index an operand, one for each of its dimensions."""

Add: TypeAlias = Callable[[Operation], SSAValue]
"""Appends a scalar operation and returns its first result."""

ScalarBody: TypeAlias = Callable[[Sequence[SSAValue], Add], SSAValue]
"""Computes one point from the scalars of the inputs."""


def element_of(value: SSAValue) -> Attribute:
    """Return the element type of a tensor."""
    assert isinstance(value.type, TensorType)
    return value.type.get_element_type()


def map_of(loops: int, dimensions: Dimensions) -> AffineMapAttr:
    """Return the indexing map of an operand whose dimensions these loops index."""
    results = tuple(AffineExpr.dimension(loop) for loop in dimensions)
    return AffineMapAttr(AffineMap(loops, 0, results))


@dataclass
class Indices:
    """The index constants of a block, each once, at its beginning."""

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

    They get its location and, where they check something at dispatch, its name.
    """

    before: Operation
    indices: Indices

    def add(self, op: Operation, source: bool = False) -> SSAValue:
        """Insert `op` and return its first result."""
        op.location = self.before.location
        if source:
            op.attributes[SOURCE] = StringAttr(self.before.name)
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

    def generic(
        self,
        inputs: Sequence[tuple[SSAValue, Dimensions]],
        shape: Shape,
        sizes: Sequence[SSAValue],
        element: Attribute,
        compute: ScalarBody,
    ) -> SSAValue:
        """Insert a `linalg.generic` over `shape`, whose dynamic sizes are `sizes`."""
        operands = [value for value, _ in inputs]
        destination = self.add(tensor.EmptyOp(sizes, TensorType(element, shape)))
        block = Block(arg_types=[*map(element_of, operands), element])

        def append(op: Operation) -> SSAValue:
            op.location = self.before.location
            block.add_op(op)
            return op.results[0]

        block.add_op(linalg.YieldOp(compute(block.args[:-1], append)))
        loops = len(shape)
        maps = [map_of(loops, dimensions) for _, dimensions in inputs]
        generic = linalg.GenericOp(
            operands,
            [destination],
            Region(block),
            [*maps, map_of(loops, range(loops))],
            ArrayAttr([IteratorTypeAttr.parallel()] * loops),
            [destination.type],
        )
        return self.add(generic, source=True)
