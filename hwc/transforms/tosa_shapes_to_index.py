"""Rewrites TOSA operators that compute shapes as operations of `arith` on index.

A shape becomes one index for each of its values. Values that the compiler knows become constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith, tensor
from xdsl.ir import Block, Operation, SSAValue

from hwc.dialects import index_operations, tosa_shapes
from hwc.dialects.tosa_operation import TosaOperation
from hwc.dialects.views import set_source

_OPERATIONS: Mapping[str, Callable[..., Operation]] = {
    "addi": arith.AddiOp,
    "subi": arith.SubiOp,
    "muli": arith.MuliOp,
    "divui": arith.DivUIOp,
    "ceildivui": arith.CeilDivUIOp,
    "remui": arith.RemUIOp,
    "maxsi": arith.MaxSIOp,
    "minsi": arith.MinSIOp,
    "exp2": index_operations.Exp2Op,
    "log2_floor": index_operations.Log2FloorOp,
    "log2_ceil": index_operations.Log2CeilOp,
}
"""The operation for each kind of step that `tosa_shapes.ELEMENT_WISE` names."""


@dataclass
class ShapesToIndex:
    """The shapes of one block; `index` gives the index constant with a value."""

    block: Block
    index: Callable[[int], SSAValue]
    values: dict[SSAValue, tuple[SSAValue, ...]] = field(default_factory=dict)

    def lower(self, op: TosaOperation) -> None:
        """Create the values of the shape that `op` returns, in front of `op`."""
        shape = op.results[0]
        known = [value.number for value in tosa_shapes.known_values(shape)]
        self.values[shape] = tuple(
            self._computed(op, position) if number is None else self.index(number)
            for position, number in enumerate(known)
        )

    def _computed(self, op: TosaOperation, position: int) -> SSAValue:
        if op.operator == "dim":
            axis = self.index(tosa_shapes.dimension_of(op))
            return self._add(tensor.DimOp(op.operands[0], axis), op)
        if op.operator in tosa_shapes.ELEMENT_WISE:
            operands = [self.values[operand][position] for operand in op.operands]
            create = _OPERATIONS[tosa_shapes.ELEMENT_WISE[op.operator]]
            return self._add(create(*operands), op)
        number, source = list(tosa_shapes.positions(op))[position]
        return self.values[op.operands[number]][source]

    def _add(self, new: Operation, op: TosaOperation) -> SSAValue:
        new.location = op.location
        set_source(new, op.name)
        self.block.insert_op_before(new, op)
        return new.results[0]
