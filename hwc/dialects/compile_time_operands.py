"""Parameters of TOSA operators: attributes, and operands that are usually constants.

TOSA 1.0 writes the shift of `mul` and the zero points of `negate` as operands; older text writes
them as attributes, or leaves them out. Every function raises a located error if the operator cannot
take the value. A value that is known only at a call is None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
)
from xdsl.ir import Attribute, SSAValue

import isa
from hwc.dialects.element_types import element_name, element_type_of
from hwc.dialects.tosa_operation import (
    NAN_MODES,
    NanModeAttr,
    TosaOperation,
    UnaryQuantAttr,
    is_operator,
)
from hwc.errors import counted
from hwc.frontend.diagnostics import LocatedError, error_at

MAX_SHIFT = 63

MAX_SIZES = 1 << 16
"""The most equal sizes that a constant may hold as one number; tensors have far fewer dimensions.
"""

Number = int | float


@dataclass(frozen=True)
class Bounds:
    """The range of `clamp`, and whether a NaN becomes the lower bound or stays."""

    low: Number
    high: Number
    ignore_nan: bool


def ignores_nan(op: TosaOperation) -> bool:
    """Return whether `nan_mode` is IGNORE; the default is PROPAGATE."""
    mode = op.arguments.get("nan_mode", NanModeAttr(NAN_MODES[0]))
    if not isinstance(mode, NanModeAttr):
        raise error_at(op, f"'{op.name}' has nan_mode = {mode}", "nan_mode is PROPAGATE or IGNORE")
    return mode.data == "IGNORE"


def rounds(op: TosaOperation) -> bool:
    """Return the `round` attribute of `arithmetic_right_shift`; the default is false."""
    value = op.arguments.get("round")
    if value is None:
        return False
    if not isinstance(value, IntegerAttr) or str(value.type) != "i1":
        raise error_at(op, f"'{op.name}' has round = {value}", "round is true or false")
    return bool(value.value.data)


def shift_of(op: TosaOperation) -> int | None:
    """Return the right shift of `mul`: 0 to 63 for i32, else 0."""
    shifts = element_name(op.operands[0]) == "i32"
    if len(op.operands) > 2:
        shift = known_number(op, op.operands[2], "shift")
        _refuse_other(op, "shift", shift)
        if shift is None:
            return None if shifts else 0
    else:
        shift = _integer_attribute(op, "shift")
    largest = MAX_SHIFT if shifts else 0
    if not isinstance(shift, int) or not 0 <= shift <= largest:
        allowed = f"0 to {MAX_SHIFT} for i32 operands, and 0 for all others"
        raise error_at(op, f"'{op.name}' has shift {shift}", f"the shift is {allowed}")
    return shift


def _refuse_other(op: TosaOperation, name: str, value: object) -> None:
    """Refuse an attribute of older text with another value than the operand that replaced it."""
    attribute = op.arguments.get(name)
    if attribute is None:
        return
    held = attribute.value.data if isinstance(attribute, IntegerAttr) else None
    if held != value:
        other = "a value known at run time" if value is None else value
        raise error_at(
            op,
            f"'{op.name}' has the attribute {name} = {attribute}, and its operand is {other}",
            "remove the attribute",
        )


def zero_points_of(op: TosaOperation) -> tuple[Number | None, Number | None]:
    """Return the zero points of the input and the output of `negate`; they are 0 except on i8."""
    if len(op.operands) > 1:
        points = (
            known_number(op, op.operands[1], "input1_zp"),
            known_number(op, op.operands[2], "output_zp"),
        )
        for which, point in zip(("input1_zp", "output_zp"), points, strict=True):
            _refuse_other(op, which, point)
        if (old := op.arguments.get("quantization_info")) is not None:
            raise error_at(
                op,
                f"'{op.name}' has quantization_info = {old}, and operands for its zero points",
                "remove the attribute",
            )
    elif isinstance(quantization := op.arguments.get("quantization_info"), UnaryQuantAttr):
        points = quantization.data
    elif quantization is not None:
        raise error_at(
            op,
            f"'{op.name}' has quantization_info = {quantization}",
            "write #tosa.unary_quant<input_zp = 0, output_zp = 0>, or two constant operands",
        )
    else:
        points = (_integer_attribute(op, "input1_zp"), _integer_attribute(op, "output_zp"))
    element = element_name(op.operands[0])
    if element != "i8":
        points = (points[0] or 0, points[1] or 0)
    low, high = element_type_of(op.operands[0]).range if element == "i8" else (0, 0)
    for which, point in zip(("input1_zp", "output_zp"), points, strict=True):
        if point is not None and not low <= point <= high:
            raise error_at(
                op,
                f"'{op.name}' on {element} has {which} = {point}",
                "zero points are -128 to 127 for i8, and 0 for every other type",
            )
    return points


def bounds_of(op: TosaOperation) -> Bounds:
    """Return the bounds of `clamp`; older text has one pair for integers and one for floats."""
    if element_type_of(op.operands[0]).kind == "float":
        low, high = (_float_bound(op, end) for end in ("min", "max"))
    else:
        low, high = (_integer_bound(op, end) for end in ("min", "max"))
    if low > high:
        raise error_at(
            op,
            f"'{op.name}' has the lower bound {low}, which is above its upper bound {high}",
            "swap the bounds",
        )
    return Bounds(low, high, ignores_nan(op))


def _float_bound(op: TosaOperation, end: str) -> float:
    value = op.arguments.get(f"{end}_val", op.arguments.get(f"{end}_fp"))
    if isinstance(value, FloatAttr) and str(value.type) == element_name(op.operands[0]):
        bound = value.value.data
        if not math.isnan(bound):
            return bound
    raise _no_bound(op, end, value)


def _integer_bound(op: TosaOperation, end: str) -> int:
    """Return a bound; in older text, bounds have 64 bits for every type."""
    element = element_name(op.operands[0])
    value = op.arguments.get(f"{end}_val")
    if isinstance(value, IntegerAttr) and str(value.type) == element:
        return value.value.data
    older = op.arguments.get(f"{end}_int")
    if value is None and isinstance(older, IntegerAttr):
        low, high = element_type_of(op.operands[0]).range
        return min(max(older.value.data, low), high)
    raise _no_bound(op, end, value if older is None else older)


def _no_bound(op: TosaOperation, end: str, value: Attribute | None) -> LocatedError:
    element = element_name(op.operands[0])
    has = f"no {end}_val" if value is None else f"the bound {value}"
    return error_at(
        op,
        f"'{op.name}' on {element} has {has}",
        f"give min_val and max_val, numbers of type {element}",
    )


def constant_shape(op: TosaOperation) -> tuple[int, ...]:
    """Return the sizes of a `const_shape`."""
    values = op.arguments.get("values", op.arguments.get("value"))
    if not isinstance(values, DenseIntOrFPElementsAttr):
        raise error_at(
            op, f"'{op.name}' has no values", "write values = dense<[...]> : tensor<Nxindex>"
        )
    type_ = values.type
    if not isinstance(type_.get_element_type(), IndexType) or len(type_.get_shape()) != 1:
        raise error_at(
            op,
            f"'{op.name}' holds {type_}, expected a list of index",
            "write values = dense<[...]> : tensor<Nxindex>",
        )
    count = prod(values.get_shape())
    if count > MAX_SIZES:
        raise error_at(
            op,
            f"'{op.name}' holds {count} sizes",
            f"a tensor has at most {isa.load().limits.rank_max} dimensions",
        )
    return all_elements(values)


def all_elements(values: DenseIntOrFPElementsAttr) -> tuple[Any, ...]:
    """Return the elements of a constant, which may store one element for all."""
    elements = values.get_values()
    return elements * prod(values.get_shape()) if len(elements) == 1 else elements


def constant_values(op: TosaOperation) -> DenseIntOrFPElementsAttr:
    """Return the elements of a `const`."""
    values = op.arguments.get("values", op.arguments.get("value"))
    if not isinstance(values, DenseIntOrFPElementsAttr):
        what = "has no values" if values is None else f"holds {_kind(values)}"
        raise error_at(
            op,
            f"'{op.name}' {what}",
            "write the elements as values = dense<...>",
        )
    return values


def _kind(attribute: Attribute) -> str:
    return f"'{attribute.name.removeprefix('builtin.')}', which is not supported"


def integer_constant(op: TosaOperation, value: SSAValue, what: str) -> int:
    """Return the integer of a one-element operand that must be constant; `what` names it."""
    number = known_number(op, value, what)
    if number is None:
        raise error_at(
            op, f"the {what} of '{op.name}' is not a constant", "it must come from tosa.const"
        )
    if not isinstance(number, int):
        raise error_at(op, f"the {what} of '{op.name}' is {number}", "it is an integer")
    return number


def _unchanged(value: SSAValue) -> SSAValue:
    """Return the value that `value` copies through any number of `identity` operators."""
    while is_operator(owner := value.owner, "identity"):
        value = owner.operands[0]
    return value


def known_number(op: TosaOperation, value: SSAValue, what: str) -> Number | None:
    """Return the number of a one-element operand `what`, None if it is known only at a call."""
    owner = _unchanged(value).owner
    if not is_operator(owner, "const"):
        return None
    values = constant_values(owner)
    elements, count = values.get_values(), prod(values.get_shape())
    if count != 1 or not isinstance(elements[0], int | float):
        raise error_at(
            op,
            f"the {what} of '{op.name}' holds {counted(count, 'element')}",
            "it must be one number",
        )
    return elements[0]


def _integer_attribute(op: TosaOperation, name: str) -> int:
    value = op.arguments.get(name)
    if value is None:
        return 0
    if not isinstance(value, IntegerAttr):
        raise error_at(op, f"'{op.name}' has {name} = {value}", f"{name} is an integer")
    return value.value.data
