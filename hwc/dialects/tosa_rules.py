"""When an operator of the `tosa` dialect is legal; every violation is a located error.

The rules are the types and attributes in `tosa_table.py`, and MLIR's Broadcastable trait with one
difference: the size of a result may be static where the inferred size is dynamic. Then the two
are compared at dispatch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    TensorType,
)
from xdsl.ir import SSAValue

from hwc.dialects import tosa_shapes
from hwc.dialects.broadcastable import (
    DYNAMIC,
    BroadcastError,
    Shape,
    infer_shape,
    show_shape,
    static_mismatch,
)
from hwc.dialects.compile_time_operands import constant_values
from hwc.dialects.constant_types import is_only_constant
from hwc.dialects.element_types import element_name
from hwc.dialects.operand_counts import check_count
from hwc.dialects.tensor_types import is_supported, type_problem
from hwc.dialects.tosa_operation import TosaOperation, is_operator
from hwc.dialects.tosa_shapes import INFERRED, new_shape
from hwc.dialects.tosa_table import OPERATORS, OTHERS, Operator
from hwc.errors import counted
from hwc.frontend.diagnostics import LocatedError, error_at

STORED_OPERATORS = frozenset({"const", "identity", "reshape", "rescale"})
"""The operators that accept memory-only types."""


_legal: dict[tuple[int, ...], tuple[object, ...]] = {}
"""Signatures of operators that are legal, by the identity of their parts, which stay alive here.

Most operators of a program are of a few kinds, and the parser gives them the same types. Comparing
the types themselves would take longer.
"""
_KEPT = 1024
_SMALL = 64
"""The most bytes of a constant that stays alive in a signature."""


def check(op: TosaOperation) -> None:
    """Raise a located error unless `op` is legal and hwc can compile it."""
    signature = _signature(op)
    key = tuple(map(id, signature))
    if key in _legal:
        return
    _check(op)
    if signature:
        if len(_legal) >= _KEPT:
            _legal.clear()
        _legal[key] = signature


def _signature(op: TosaOperation) -> tuple[object, ...]:
    """Return everything on which the legality of an element-wise operator depends.

    Nothing is returned for other operators, and for those with attributes or large parameters.
    """
    rule = OPERATORS.get(op.operator)
    if rule is None or op.attributes or op.properties or op.regions or op.successor_uses:
        return ()
    parts: list[object] = [type(op)]
    for number, operand in enumerate(op.operands):
        parts.append(operand.type)
        if number >= rule.arity:
            owner = operand.owner
            values = owner.arguments.get("values") if is_operator(owner, "const") else None
            if not isinstance(values, DenseIntOrFPElementsAttr) or len(values.data.data) > _SMALL:
                return ()
            parts.append(values)
    return (*parts, None, *op.result_types)


def _check(op: TosaOperation) -> None:
    check_attributes(op)
    match op.operator:
        case "const":
            _check_const(op)
        case "custom":
            _check_custom(op)
        case "reshape":
            _check_reshape(op)
        case name if name in tosa_shapes.OPERATORS:
            _check_shape(op)
        case name:
            _check_element_wise(op, OPERATORS[name])


def tensor_shape(value: SSAValue) -> Shape:
    """Return the sizes of a value that is known to be a ranked tensor."""
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def _check_tensor(op: TosaOperation, value: SSAValue, what: str) -> None:
    stored = op.operator in STORED_OPERATORS
    if is_supported(value.type, stored):
        return
    if problem := type_problem(value.type, f"{what} of '{op.name}'", stored):
        message, advice = problem
        is_constant = is_operator(value.owner, "const") and is_read_elsewhere(value)
        if is_constant and op.operator != "cast":
            advice = "cast the constant first, which costs nothing"
        raise error_at(op, message, advice)


def is_read_elsewhere(constant: SSAValue) -> bool:
    """Whether a constant of a type that the machine does not have is still read.

    All conversions of the constant are folded, so any reader that is left needs the type.
    """
    type_ = constant.type
    element = type_.get_element_type() if isinstance(type_, TensorType) else type_
    return is_only_constant(element) and bool(constant.uses.get_length())


def check_attributes(op: TosaOperation) -> None:
    """Raise a located error for an attribute, a region or a successor that `op` does not have."""
    known = OPERATORS[op.operator].attributes if op.operator in OPERATORS else OTHERS[op.operator]
    for name in op.arguments:
        if "." not in name and name not in known:
            takes = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
            raise error_at(op, f"'{op.name}' has an unknown attribute '{name}'", takes)
    if (len(op.regions) and op.operator != "custom") or len(op.successors):
        raise error_at(op, f"'{op.name}' has a region or a successor", "remove it")


def _check_element_wise(op: TosaOperation, rule: Operator) -> None:
    count = rule.arity + len(rule.parameters)
    check_count(op, (rule.arity, count) if rule.optional else (count,))
    for number, operand in enumerate(op.operands):
        _check_tensor(op, operand, f"operand {number}")
    _check_tensor(op, op.results[0], "the result")
    _check_types(op, rule)
    _check_parameters(op, rule)
    if rule.read is not None:
        rule.read(op)
    _check_shapes(op, op.operands[: rule.arity])


def _check_types(op: TosaOperation, rule: Operator) -> None:
    names = [element_name(value) for value in op.operands[: rule.arity]]
    if rule.condition:
        condition, *names = names
        if condition != "i1":
            raise error_at(
                op, f"the condition of '{op.name}' has element type {condition}", "it takes i1"
            )
    first = names[0]
    if any(name != first for name in names):
        raise error_at(
            op,
            f"the operands of '{op.name}' have different element types: {', '.join(names)}",
            "insert a tosa.cast",
        )
    allowed = rule.types.get(first)
    if allowed is None:
        known = ", ".join(rule.types)
        raise error_at(
            op, f"'{op.name}' is not supported for element type {first}", f"it takes {known}"
        )
    result = element_name(op.results[0])
    if result not in allowed:
        raise error_at(
            op,
            f"'{op.name}' of {first} gives element type {result}",
            f"it gives {' or '.join(allowed)}",
        )


def _check_parameters(op: TosaOperation, rule: Operator) -> None:
    given = op.operands[rule.arity :]
    for number, (operand, parameter) in enumerate(zip(given, rule.parameters, strict=False)):
        element, size = parameter.element(op), parameter.size(op)
        shape = tensor_shape(operand)
        fits = len(shape) == 1 and (size in shape or DYNAMIC in {size, *shape})
        if not fits or element_name(operand) != element:
            count = "a number for each channel" if size == DYNAMIC else counted(size, "number")
            raise error_at(
                op,
                f"operand {rule.arity + number} of '{op.name}' is {operand.type}, expected "
                f"tensor<{show_shape([size])}x{element}>",
                f"give {count} of type {element}, in a tensor of rank 1",
            )


def _check_shapes(op: TosaOperation, operands: Sequence[SSAValue], result: int = 0) -> None:
    shapes = [tensor_shape(operand) for operand in operands]
    try:
        inferred = infer_shape(shapes)
    except BroadcastError as error:
        (left, left_size), (right, right_size) = error.first, error.second
        raise error_at(
            op,
            f"the operands of '{op.name}' do not broadcast: dimension {error.dimension} is "
            f"{left_size} in operand {left} ({show_shape(shapes[left])}) and {right_size} in "
            f"operand {right} ({show_shape(shapes[right])})",
            "the sizes of a dimension must be equal, or 1",
        ) from None
    _check_result(op, inferred, result)


def _check_result(op: TosaOperation, inferred: Shape, result: int = 0) -> None:
    declared = tensor_shape(op.results[result])
    if len(inferred) != len(declared):
        raise error_at(
            op,
            f"the result of '{op.name}' has rank {len(declared)} ({show_shape(declared)}), but the "
            f"operands give rank {len(inferred)} ({show_shape(inferred)})",
            f"write the result as a tensor of {show_shape(inferred)}",
        )
    dimension = static_mismatch(inferred, declared)
    if dimension is not None:
        raise error_at(
            op,
            f"dimension {dimension} of the result of '{op.name}' is {declared[dimension]}, but the "
            f"operands give {inferred[dimension]}",
            f"write the result as a tensor of {show_shape(inferred)}; results do not broadcast",
        )


def _check_custom(op: TosaOperation) -> None:
    """Check the operands and results of a custom operator against its definition, a region."""
    if not op.operands or not op.regions:
        raise error_at(op, f"'{op.name}' has no operand or no definition", "give it an operand")
    block = op.regions[0].block
    end = block.last_op
    assert end is not None
    for what, values, scalars in (
        ("operand", op.operands, block.args),
        ("result", op.results, end.operands),
    ):
        for number, value in enumerate(values):
            _check_tensor(op, value, f"{what} {number}")
        given = [element_name(value) for value in values]
        wanted = [str(scalar.type) for scalar in scalars]
        if given != wanted:
            raise error_at(
                op,
                f"'{op.name}' has {what}s of {', '.join(given)}",
                f"its definition has {', '.join(wanted)}",
            )
    for number in range(len(op.results)):
        _check_shapes(op, op.operands, number)


def _check_const(op: TosaOperation) -> None:
    check_count(op, (0,))
    if not is_read_elsewhere(op.results[0]):
        _check_tensor(op, op.results[0], "the result")
    values = constant_values(op)
    if values.type != op.results[0].type:
        raise error_at(
            op,
            f"'{op.name}' holds {values.type} but its result is {op.results[0].type}",
            "the two types must be the same",
        )


def _check_shape(op: TosaOperation) -> None:
    tosa_shapes.check_shape_operator(op)


def reshaped(op: TosaOperation) -> Shape:
    """Return the sizes of a `reshape`'s result; a size known only at dispatch is DYNAMIC.

    Raises:
        LocatedError: the numbers of elements cannot be the same.
    """
    source, wanted = tensor_shape(op.operands[0]), new_shape(op)
    if DYNAMIC in source or DYNAMIC in wanted:
        return tuple(DYNAMIC if size == INFERRED else size for size in wanted)
    known = math.prod(size for size in wanted if size != INFERRED)
    points = math.prod(source)
    if INFERRED not in wanted and known == points:
        return wanted
    if INFERRED in wanted and known and points % known == 0:
        return tuple(points // known if size == INFERRED else size for size in wanted)
    raise _no_reshape(op, source, wanted)


def _no_reshape(op: TosaOperation, source: Shape, wanted: Shape) -> LocatedError:
    return error_at(
        op,
        f"'{op.name}' cannot turn {show_shape(source)} ({math.prod(source)} elements) into "
        f"{show_shape(wanted)}",
        "the numbers of elements must be the same",
    )


def _check_reshape(op: TosaOperation) -> None:
    check_count(op, (1, 2))
    _check_tensor(op, op.operands[0], "operand 0")
    _check_tensor(op, op.results[0], "the result")
    if len(op.operands) > 1:
        tosa_shapes.shape_rank(op, 1)
    source, result = element_name(op.operands[0]), element_name(op.results[0])
    if source != result:
        raise error_at(
            op, f"'{op.name}' of {source} gives element type {result}", f"it gives {source}"
        )
    if INFERRED in (wanted := new_shape(op)) and 0 in wanted:
        raise error_at(
            op,
            f"'{op.name}' has the new shape {list(wanted)}",
            "a size cannot be inferred if another one is 0",
        )
    _check_result(op, reshaped(op))
