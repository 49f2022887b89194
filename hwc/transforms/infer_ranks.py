"""Gives unranked results of operators the shape that follows from their operands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from hwc.dialects.broadcastable import DYNAMIC, BroadcastError, Shape, infer_shape
from hwc.dialects.tosa_operation import TosaOperation
from hwc.dialects.tosa_shapes import INFERRED, new_shape
from hwc.dialects.tosa_table import OPERATORS


@dataclass(frozen=True)
class InferRanks(ModulePass):
    """Infer unranked results, before `verify-tosa`, which refuses every other unranked tensor."""

    name = "infer-ranks"
    checks_input: ClassVar[bool] = True

    @staticmethod
    def has_work(module: ModuleOp) -> bool:
        """Whether anything is unranked."""
        results = (result for op in module.walk() for result in op.results)
        return any(isinstance(result.type, UnrankedTensorType) for result in results)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the types of results, in order."""
        for inner in op.walk():
            for result in inner.results:
                if isinstance(result.type, UnrankedTensorType):
                    shape = _shape(inner)
                    if shape is not None:
                        type_ = TensorType(result.type.element_type, shape)
                        Rewriter.replace_value_with_new_type(result, type_)


def _shape(op: Operation) -> Shape | None:
    """Return the shape of the results of `op`; None if it does not follow from the operands."""
    if isinstance(op, TosaOperation) and op.operator == "reshape":
        return tuple(DYNAMIC if size == INFERRED else size for size in new_shape(op))
    if not isinstance(op, TosaOperation) or op.operator not in OPERATORS:
        return None
    types = [operand.type for operand in op.operands[: OPERATORS[op.operator].arity]]
    shapes = [type_.get_shape() for type_ in types if isinstance(type_, TensorType)]
    unranked = any(isinstance(type_, UnrankedTensorType) for type_ in types)
    return None if unranked or not shapes else _common(shapes)


def _common(shapes: Sequence[Shape]) -> Shape:
    """Return the common shape; if there is none, only the rank, and the verifier reports it."""
    try:
        return infer_shape(shapes)
    except BroadcastError:
        return (DYNAMIC,) * max(map(len, shapes))
