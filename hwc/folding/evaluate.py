"""Computes scalar operations: executes their instructions with the golden semantics.

The instructions are those that instruction selection gives an operation, so the result has the same
bits whether the operation is folded or runs on the machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hwc.backend.selection.emitter import Constant, Emitter, Unknown, Value
from hwc.backend.selection.select import check_types, value_of
from hwc.dialects.element_types import element_type
from hwc.dialects.kernel import YieldOp
from hwc.folding.constant import scalar_of
from hwc.frontend.diagnostics import LocatedError
from sim.execute import PIECE_POINTS, cut, pieces
from sim.semantics import I32Array, elements, execute

Bits = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, eq=False)
class _Lanes(Unknown):
    """A value whose lanes are known."""

    array: I32Array


class _Evaluator(Emitter):
    """Executes instructions."""

    def append(self, name: str, sources: Sequence[Value]) -> Value:
        """Execute an instruction and return the result."""
        return _Lanes(execute(name, [_lanes(source) for source in sources]))


def _lanes(value: Value) -> I32Array:
    if isinstance(value, Constant):
        return np.array(value.bits, np.uint32).view(np.int32)
    assert isinstance(value, _Lanes)
    return value.array


def can_evaluate(block: Block) -> bool:
    """Whether the machine has all operations of a block; the block may read outside constants."""
    return all(map(_can_evaluate, block.ops))


def _can_evaluate(op: Operation) -> bool:
    if isinstance(op, linalg.YieldOp | YieldOp):
        return len(op.operands) == 1
    outside = (v.owner for v in op.operands if not isinstance(v.owner, Block))
    known = all(o.parent is op.parent or isinstance(o, arith.ConstantOp) for o in outside)
    return known and has_instructions(op)


def has_instructions(op: Operation) -> bool:
    """Whether `op` is a constant or a scalar operation of the machine."""
    try:
        check_types(op)
    except LocatedError:
        return False
    return True


def evaluate(
    block: Block, operands: Sequence[Bits], result: Attribute, shape: Sequence[int]
) -> Bits:
    """Return the result of a block at all points of `shape`; `can_evaluate` must hold.

    Operands and result are elements as xDSL stores them; the operands' shapes broadcast to `shape`.
    """
    given = [element_type(argument.type) for argument in block.args[: len(operands)]]
    type_ = element_type(result)
    assert type_ is not None
    stored = np.empty(shape, elements.memory_dtype(type_))
    for piece in pieces(shape, PIECE_POINTS):
        values: dict[SSAValue, Value] = {}
        for argument, operand, own in zip(block.args, operands, given, strict=False):
            assert own is not None
            part = cut(operand.view(elements.memory_dtype(own)), piece)
            values[argument] = _Lanes(elements.load(part, own))
        elements.store(stored[(*piece, ...)], _lanes(_run(block, values)), type_)
    bits = stored.view(f"<u{type_.bytes}")
    return bits * np.uint8(255) if type_.kind == "boolean" else bits


def _run(block: Block, values: Mapping[SSAValue, Value]) -> Value:
    known = dict(values)
    evaluator = _Evaluator()
    for op in block.ops:
        operands = [known[v] if v in known else _constant(v) for v in op.operands]
        if isinstance(op, linalg.YieldOp | YieldOp):
            return operands[0]
        known[op.results[0]] = value_of(evaluator, op, operands)
    raise AssertionError("a block ends with what it yields")


def _constant(value: SSAValue) -> Value:
    """Return a constant from outside of the block."""
    assert isinstance(value.owner, arith.ConstantOp)
    return value_of(_Evaluator(), value.owner, [])


def fold_scalar(op: Operation) -> Attribute | None:
    """Return the constant result of an operation on constants, None if `scalar_of` has none."""
    constant = bool(op.operands) and all(
        isinstance(value.owner, arith.ConstantOp) for value in op.operands
    )
    if not constant or not has_instructions(op):
        return None
    value = value_of(_Evaluator(), op, [_constant(operand) for operand in op.operands])
    element = op.results[0].type
    type_ = element_type(element)
    assert isinstance(element, IntegerType | AnyFloat) and type_ is not None
    stored = np.empty(1, elements.memory_dtype(type_))
    elements.store(stored, _lanes(value).reshape(1), type_)
    return scalar_of(stored.tobytes(), element)
