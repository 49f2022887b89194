"""Computes one point as the bodies of the element-wise forms of `linalg` do.

A body that hwc cannot compile raises a located error.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    i1,
    i32,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation, OpDef

from hwc.dialects.elementwise_rules import check_elementwise, is_elementwise, is_scalar
from hwc.dialects.linalg_table import NAMED, OTHERS
from hwc.dialects.upstream_arith import Arith
from hwc.dialects.upstream_casts import IndexCastOp, IndexCastUIOp
from hwc.dialects.upstream_linalg import ElementwiseKindAttr, StructuredOp
from hwc.dialects.upstream_math import Math
from hwc.errors import counted
from hwc.frontend.diagnostics import error_at
from hwc.frontend.scalar_operations import refusal
from hwc.frontend.unsupported import reason_for
from hwc.transforms.generic_builder import Add, ScalarBody
from hwc.transforms.scalar_operations import scalar_results

SCALARS = {op.name: op for op in (*Arith.operations, *Math.operations)}


def check_body(op: Operation, block: Block) -> list[SSAValue]:
    """Check a region's operations; return the scalars from outside, except constants."""
    captured: dict[SSAValue, None] = {}
    for inner in block.ops:
        if isinstance(inner, linalg.YieldOp):
            if len(inner.operands) != len(op.results):
                raise error_at(
                    inner,
                    f"'linalg.yield' gives {counted(len(inner.operands), 'value')}",
                    f"'{op.name}' has {counted(len(op.results), 'result')}",
                )
        elif is_elementwise(inner):
            check_elementwise(inner)
        elif not isinstance(inner, linalg.IndexOp) and not _casts_index(inner):
            raise error_at(inner, *reason_for(inner.name))
        for value in inner.operands:
            owner = value.owner
            inside = owner is block or (isinstance(owner, Operation) and owner.parent is block)
            if not inside and not isinstance(owner, arith.ConstantOp):
                captured[value] = None
    for value in captured:
        if not is_scalar(value.type):
            raise error_at(
                op, f"the region of '{op.name}' reads a {value.type} from outside", "pass it as ins"
            )
    if not isinstance(block.last_op, linalg.YieldOp):
        raise error_at(op, f"the region of '{op.name}' does not end with a linalg.yield", "add one")
    return list(captured)


def _casts_index(op: Operation) -> bool:
    """Whether `op` converts a `linalg.index` to an element, the only allowed use of an index."""
    return (
        isinstance(op, IndexCastOp | IndexCastUIOp)
        and isinstance(op.input.owner, linalg.IndexOp)
        and is_scalar(op.result.type)
    )


def needed_by(value: SSAValue, given: Collection[SSAValue]) -> set[SSAValue]:
    """Return `value` and the values from which it is computed, back to the given values."""
    needed: set[SSAValue] = set()
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if current not in needed:
            needed.add(current)
            if isinstance(current.owner, Operation) and current not in given:
                waiting.extend(current.owner.operands)
    return needed


def body_of(block: Block, scalars: Sequence[SSAValue], value: SSAValue) -> ScalarBody:
    """Return the body that computes `value` of a block; copies constants from outside into it.

    `scalars` are the values that the body takes.
    """
    needed = needed_by(value, scalars)

    def compute(operands: Sequence[SSAValue], add: Add) -> SSAValue:
        values = dict(zip(scalars, operands, strict=True))
        outside = [v.owner for v in needed if isinstance(v.owner, arith.ConstantOp)]
        constants = [op for op in outside if op.parent is not block]
        for op in [*constants, *block.ops]:
            if not needed.intersection(op.results) or isinstance(op, linalg.IndexOp):
                continue
            if isinstance(op, IndexCastOp | IndexCastUIOp):
                number, type_ = values[op.input], cast("IntegerType", op.result.type)
                values[op.result] = number if type_ == i32 else add(arith.TruncIOp(number, type_))
                continue
            for compute_one, result in zip(scalar_results(op), op.results, strict=True):
                if result in needed:
                    arguments = [values[operand] for operand in op.operands]
                    values[result] = compute_one(arguments, add)
        return values[value]

    return compute


def named_body(op: StructuredOp, values: list[SSAValue]) -> tuple[ScalarBody, frozenset[int]]:
    """Return the body of a named operation, and the operands that the body reads."""
    name = op.name.removeprefix("linalg.")
    if isinstance(kind := op.properties.get("kind"), ElementwiseKindAttr):
        name = kind.data
    count = len(values) - 1
    element = element_of(values[-1])
    reads = frozenset(range(count))
    if name in ("broadcast", "copy", "fill"):
        _check_inputs(op, name, values[:-1], 1, element)
        return (lambda operands, add: operands[0]), reads
    if name == "square":
        _check_inputs(op, name, values[:-1], 1, element)
        multiply = operation_body(op, _scalar_name(op, "mul", element), element)
        return (lambda operands, add: multiply([operands[0], operands[0]], add)), reads
    if name == "reciprocal":
        _check_inputs(op, name, values[:-1], 1, element)
        divide = operation_body(op, _scalar_name(op, "div", element), element)
        return (lambda operands, add: divide([_one(element, add), operands[0]], add)), reads
    scalar = _scalar_name(op, name, element)
    _check_inputs(op, name, values[:-1], _arity(scalar), element)
    return operation_body(op, scalar, element), reads


def _one(element: Attribute, add: Add) -> SSAValue:
    if isinstance(element, AnyFloat):
        return add(arith.ConstantOp(FloatAttr(1.0, element)))
    assert isinstance(element, IntegerType)
    return add(arith.ConstantOp(IntegerAttr(1, element)))


def _scalar_name(op: StructuredOp, name: str, element: Attribute) -> str:
    assert name in NAMED or name in OTHERS
    scalar = NAMED[name]
    if isinstance(element, AnyFloat):
        found = scalar.floats
    else:
        found = scalar.booleans if element == i1 else scalar.integers
    if found is None:
        raise error_at(
            op, f"'{op.name}' does not compute '{name}' of {element}", "use another type"
        )
    return found


def _check_inputs(
    op: StructuredOp, name: str, inputs: Sequence[SSAValue], count: int, element: Attribute
) -> None:
    if len(inputs) != count:
        raise error_at(op, f"'{op.name}' has {counted(len(inputs), 'input')}", f"it takes {count}")
    wanted = [i1, element, element] if name == "select" else [element] * count
    given = [element_of(value) for value in inputs]
    if given != wanted:
        raise error_at(
            op,
            f"'{op.name}' computes {', '.join(map(str, given))} to {element}",
            "convert with an operation of arith first",
        )


def operation_body(op: Operation, name: str, element: Attribute) -> ScalarBody:
    """Return the body of one scalar operation, and check that it is not refused."""
    if problem := refusal(name):
        raise error_at(op, *problem)

    scalar, arity = SCALARS[name], _arity(name)

    def compute(operands: Sequence[SSAValue], add: Add) -> SSAValue:
        new = scalar.create(operands=list(operands[:arity]), result_types=[element])
        for key, definition in _definition(name).properties.items():
            if definition.default_value is not None:
                new.properties[key] = definition.default_value
        return add(new)

    return compute


def _definition(name: str) -> OpDef:
    scalar = SCALARS[name]
    assert issubclass(scalar, IRDLOperation)
    return scalar.get_irdl_definition()


def _arity(name: str) -> int:
    return len(_definition(name).operands)


def element_of(value: SSAValue) -> Attribute:
    """Return the type of a tensor's elements, or of a scalar."""
    return value.type.get_element_type() if isinstance(value.type, TensorType) else value.type
