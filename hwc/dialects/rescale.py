"""The parameters of a `rescale`: its attributes and zero points, checked against TOSA 1.0."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType

from hwc.dialects.compile_time_operands import known_number
from hwc.dialects.element_types import tensor_type_of
from hwc.dialects.tosa_operation import ROUNDING_MODES, RoundingModeAttr, TosaOperation
from hwc.frontend.diagnostics import error_at

INPUT, MULTIPLIER, SHIFT, INPUT_ZP, OUTPUT_ZP = range(5)
"""The operands."""


@dataclass(frozen=True)
class Rescale:
    """The attributes, and the zero points as numbers.

    A zero point that is known only at a call is None.
    """

    scale32: bool
    rounding: str
    per_channel: bool
    input_unsigned: bool
    output_unsigned: bool
    input_zp: int | None
    output_zp: int | None


def scales_32(op: TosaOperation) -> bool:
    """Return whether multipliers have 32 bits, not 16."""
    return _flag(op, "scale32")


def channels(op: TosaOperation) -> int:
    """Return the number of multipliers and of shifts: 1, or the size of the last dimension."""
    type_ = op.operands[INPUT].type
    assert isinstance(type_, TensorType)
    shape = type_.get_shape()
    return shape[-1] if shape and _flag(op, "per_channel") else 1


def rescale_of(op: TosaOperation) -> Rescale:
    """Return the parameters of a `rescale`.

    Raises:
        LocatedError: the attributes or zero points do not fit the types.
    """
    rounding = op.arguments.get("rounding_mode")
    mode = rounding.data if isinstance(rounding, RoundingModeAttr | StringAttr) else None
    if mode not in ROUNDING_MODES:
        has = "no rounding_mode" if rounding is None else f"rounding_mode = {rounding}"
        raise error_at(op, f"'{op.name}' has {has}", f"it is {' or '.join(ROUNDING_MODES)}")
    result = Rescale(
        scale32=scales_32(op),
        rounding=mode,
        per_channel=_flag(op, "per_channel"),
        input_unsigned=_flag(op, "input_unsigned"),
        output_unsigned=_flag(op, "output_unsigned"),
        input_zp=_zero_point(op, INPUT_ZP),
        output_zp=_zero_point(op, OUTPUT_ZP),
    )
    _check(op, result)
    return result


def _flag(op: TosaOperation, name: str) -> bool:
    value = op.arguments.get(name)
    if not isinstance(value, IntegerAttr) or str(value.type) != "i1":
        has = f"no {name}" if value is None else f"{name} = {value}"
        raise error_at(op, f"'{op.name}' has {has}", f"{name} is true or false")
    return bool(value.value.data)


def _zero_point(op: TosaOperation, position: int) -> int | None:
    """Return a zero point; if it is known only at a call but the type allows only 0, return 0."""
    which, tensor = (
        ("input", op.operands[INPUT]) if position == INPUT_ZP else ("output", op.results[0])
    )
    type_, unsigned = tensor_type_of(tensor), _flag(op, f"{which}_unsigned")
    point = known_number(op, op.operands[position], f"{which}_zp")
    free = type_.bits == 8
    if point is None:
        return None if free or (unsigned and type_.bits == 16) else 0
    assert isinstance(point, int)
    if unsigned:
        point &= (1 << type_.bits) - 1
    if not free and point not in ({0, 1 << 15} if unsigned and type_.bits == 16 else {0}):
        raise error_at(
            op,
            f"'{op.name}' on {'unsigned ' * unsigned}{type_.mlir} has {which}_zp = {point}",
            "zero points are any number of i8, 0 or 32768 for unsigned i16, and 0 for all others",
        )
    return point


def _check(op: TosaOperation, rescale: Rescale) -> None:
    type_ = op.operands[INPUT].type
    assert isinstance(type_, TensorType)
    source, result = tensor_type_of(op.operands[INPUT]), tensor_type_of(op.results[0])
    problem = None
    if rescale.input_unsigned and rescale.output_unsigned:
        problem = "has an unsigned input and an unsigned output", "one of them is signed"
    for which, unsigned in (
        ("input", rescale.input_unsigned),
        ("output", rescale.output_unsigned),
    ):
        for of, other in (("input", source), ("output", result)):
            if problem is None and unsigned and other.bits > 16:
                problem = (
                    f"has an unsigned {which}, and its {of} is {other.mlir}",
                    "beside unsigned numbers there are i8 and i16 only",
                )
    if rescale.per_channel and not type_.get_shape():
        problem = "has a scale per channel, and its input has rank 0", "channels are a dimension"
    if rescale.rounding == "DOUBLE_ROUND" and not rescale.scale32:
        problem = "has rounding_mode = DOUBLE_ROUND, and multipliers of 16 bits", "round once"
    if rescale.scale32 and source.bits > 32:
        problem = f"has multipliers of 32 bits, and its input is {source.mlir}", "they have 16 bits"
    if problem is not None:
        raise error_at(op, f"'{op.name}' {problem[0]}", problem[1])
