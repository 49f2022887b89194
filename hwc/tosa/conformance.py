"""The rules of `--conform=1.0` for models: for the operators of the machine and of the host."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import DenseArrayBase, TensorType
from xdsl.dialects.func import FuncOp

from hwc.dialects.compile_time_operands import constant_shape
from hwc.dialects.tosa_conformance import (
    Problem,
    check_conforming,
    check_ranks,
    refused,
    sizes_problem,
)
from hwc.dialects.tosa_operation import ShapeType, TosaOperation, is_operator
from hwc.tosa.operators.check import check, shown_types, types_of
from hwc.tosa.operators.forms import FORMS, SHAPE, type_sets

LARGEST_RANK = 6
LARGEST_KERNEL = 8192
"""The largest kernel, stride and padding at level 8K, in elements, and so the largest FFT."""


def check_model(function: FuncOp) -> None:
    """Raise a located error unless all operators of a function conform to TOSA 1.0."""
    for op in function.body.walk():
        if isinstance(op, TosaOperation):
            check_ranks(op)
            check(op)
            if op.operator in FORMS:
                _check(op)
                continue
        check_conforming(op)


def _check(op: TosaOperation) -> None:
    problem = next(filter(None, (rule(op) for rule in _RULES)), None)
    if problem:
        raise refused(op, problem)


def _types(op: TosaOperation) -> Problem | None:
    """The types belong to a profile or an extension."""
    form = FORMS[op.operator]
    types = types_of(op, form)
    if any(types in type_sets(cell) for cell in form.types.values()):
        return None
    has = ", ".join(f"{profile} has {cell}" for profile, cell in form.types.items())
    return f"with {shown_types(types)} belongs to no profile and no extension", has


def _rank(op: TosaOperation) -> Problem | None:
    """Level 8K limits the rank; operators that name a dimension take no scalar."""
    for value in (*op.operands, *op.results):
        rank = len(value.type.get_shape()) if isinstance(value.type, TensorType) else 0
        if rank > LARGEST_RANK:
            return f"has a tensor of rank {rank}", f"level 8K has ranks of at most {LARGEST_RANK}"
    return None


def _shapes(op: TosaOperation) -> Problem | None:
    """Shapes are constants, and a slice has elements."""
    for operand, value in zip(FORMS[op.operator].operands, op.operands, strict=False):
        constant = is_operator(value.owner, "const_shape")
        if operand.type == SHAPE and isinstance(value.type, ShapeType) and not constant:
            return (
                f"has an operand '{operand.name}' that is not a constant",
                "write it with tosa.const_shape",
            )
    sizes = op.operands[-1].owner if op.operands else op
    if (
        is_operator(op, "slice")
        and is_operator(sizes, "const_shape")
        and 0 in constant_shape(sizes)
    ):
        return "has a size of 0", "TOSA 1.0 has sizes of at least 1"
    return None


def _windows(op: TosaOperation) -> Problem | None:
    """Level 8K limits windows."""
    for name in ("kernel", "stride", "pad", "dilation", "out_pad"):
        value = op.arguments.get(name)
        for number in value.get_values() if isinstance(value, DenseArrayBase) else ():
            if number > LARGEST_KERNEL:
                return f"has {name} = {value}", f"level 8K has at most {LARGEST_KERNEL}"
    return None


_RULES: tuple[Callable[[TosaOperation], Problem | None], ...] = (
    _types,
    _rank,
    sizes_problem,
    _shapes,
    _windows,
)
"""Every rule, in the order of the checks."""
