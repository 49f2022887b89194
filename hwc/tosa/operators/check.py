"""Checks what does not depend on sizes: operands, results, attributes and element types."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, SSAValue, TypeAttribute

from hwc.dialects.compile_time_operands import constant_values
from hwc.dialects.element_types import element_type, stored_type
from hwc.dialects.tosa import CLASSES
from hwc.dialects.tosa_operation import (
    NanModeAttr,
    ResizeModeAttr,
    ShapeType,
    TosaOperation,
    is_operator,
)
from hwc.dialects.tosa_rules import check as check_for_machine
from hwc.dialects.tosa_rules import check_attributes
from hwc.dialects.tosa_table import OPERATORS, Operator
from hwc.errors import counted
from hwc.frontend.diagnostics import LocatedError, error_at
from hwc.tosa.operators.forms import FORMS, SHAPE, Form, Operand, Types, allowed

ZERO_POINTS: Mapping[str, tuple[tuple[int, str], ...]] = {
    **dict.fromkeys(
        ("conv2d", "conv3d", "depthwise_conv2d", "transpose_conv2d"),
        ((3, "input_zp"), (4, "weight_zp")),
    ),
    "matmul": ((2, "a_zp"), (3, "b_zp")),
    "avg_pool2d": ((1, "input_zp"), (2, "output_zp")),
}
"""The operands that are zero points; only those of i8 may differ from 0."""

_HAVE_ZERO_POINTS = frozenset({"i8", "ui8"})


def check(op: TosaOperation) -> None:
    """Raise a located error unless an operator of a model is legal, whatever the sizes are."""
    form = FORMS.get(op.operator)
    if form is not None:
        _check_form(op, form)
    elif op.operator in CLASSES and not is_operator(op, "custom"):
        _check_element_wise(op)


def _check_form(op: TosaOperation, form: Form) -> None:
    operands = _operands(op, form)
    if len(op.results) != form.results:
        has = counted(len(op.results), "result")
        raise error_at(op, f"'{op.name}' has {has}, expected {form.results}")
    _check_attributes(op, form)
    for number, operand in enumerate(operands):
        _check_kind(op, number, operand)
    _check_types(op, form, operands)
    for number, name in ZERO_POINTS.get(op.operator, ()):
        _check_zero_point(op, number, name)


def _operands(op: TosaOperation, form: Form) -> tuple[Operand, ...]:
    """Return the description of each operand."""
    described, given = form.operands, len(op.operands)
    if described[-1].many and given:
        described = (*described[:-1], *[described[-1]] * (given - len(described) + 1))
    if given != len(described):
        names = ", ".join(operand.name for operand in form.operands)
        least = " or more" if form.operands[-1].many else ""
        raise error_at(
            op,
            f"'{op.name}' has {counted(given, 'operand')}, expected {len(form.operands)}{least}",
            f"its operands are {names}",
        )
    return described


def _check_attributes(op: TosaOperation, form: Form) -> None:
    given = {name: value for name, value in op.arguments.items() if "." not in name}
    known = form.required | form.optional
    for name, value in given.items():
        if name not in known:
            takes = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
            raise error_at(op, f"'{op.name}' has an unknown attribute '{name}'", takes)
        kind, wanted = _KINDS.get(name, (Attribute, ""))
        if not isinstance(value, kind):
            raise error_at(op, f"'{op.name}' has {name} = {value}", f"'{name}' is {wanted}")
    if missing := sorted(form.required - given.keys()):
        raise error_at(op, f"'{op.name}' has no attribute '{missing[0]}'", "give it a value")


_KINDS: Mapping[str, tuple[type, str]] = {
    "axis": (IntegerAttr, "the number of a dimension"),
    "acc_type": (TypeAttribute, "an element type"),
    "inverse": (IntegerAttr, "true or false"),
    "local_bound": (IntegerAttr, "true or false"),
    "mode": (ResizeModeAttr, "NEAREST_NEIGHBOR or BILINEAR"),
    "nan_mode": (NanModeAttr, "PROPAGATE or IGNORE"),
}
"""What an attribute is; lists of integers are read by the rules about sizes."""


def _check_kind(op: TosaOperation, number: int, operand: Operand) -> None:
    """Check that an operand is a shape or a tensor, and the size of a single element."""
    type_ = op.operands[number].type
    wanted = ""
    if operand.type == SHAPE:
        rank = type_.rank.data if isinstance(type_, ShapeType) else None
        if rank is None or operand.values not in (None, rank):
            count = "" if operand.values is None else f" of {counted(operand.values, 'value')}"
            wanted = f"a shape{count}"
    elif not isinstance(type_, TensorType | UnrankedTensorType):
        wanted = "a tensor"
    elif operand.single and isinstance(type_, TensorType) and type_.get_shape() not in _SINGLE:
        wanted = "a tensor of rank 1 and size 1"
    if wanted:
        raise error_at(
            op,
            f"operand {number} ({operand.name}) of '{op.name}' is {type_}, expected {wanted}",
        )


_SINGLE = ((1,), (DYNAMIC_INDEX,))


def _check_types(op: TosaOperation, form: Form, operands: tuple[Operand, ...]) -> None:
    found: dict[str, tuple[str, str]] = {}
    given = [
        (operand.type, _element(value), f"operand {number} ({operand.name})")
        for number, (operand, value) in enumerate(zip(operands, op.operands, strict=True))
        if operand.type != SHAPE
    ]
    given += [("R", _element(value), f"result {i}") for i, value in enumerate(op.results)]
    for variable, element, what in given:
        wanted, of = found.get(variable, (variable if variable not in _VARIABLES else "", ""))
        if wanted and element != wanted:
            why = f"{of} has {wanted}" if of else f"it takes {wanted}"
            raise error_at(op, f"{what} of '{op.name}' has element type {element}", why)
        found.setdefault(variable, (element, what))
    types = _names(found)
    fits = types in allowed(form) or (form.free and types[0] == types[2])
    if not fits:
        raise error_at(op, f"'{op.name}' is not defined for {shown_types(types)}", _takes(form))
    _check_sums(op, form, types[0])
    _check_mode(op, types)


_VARIABLES = ("A", "B", "R")


def _names(found: Mapping[str, tuple[str, str]]) -> Types:
    first, second, result = (found.get(variable, ("", ""))[0] for variable in _VARIABLES)
    return first, second, result


def types_of(op: TosaOperation, form: Form) -> Types:
    """Return the element types of an operator that `check` accepts."""
    found = {"R": (_element(op.results[0]), "")}
    for operand, value in zip(form.operands, op.operands, strict=False):
        if operand.type in _VARIABLES:
            found.setdefault(operand.type, (_element(value), ""))
    return _names(found)


def shown_types(types: Types) -> str:
    """Return types of operands and result for a message."""
    first, second, result = types
    return f"operands of {' and '.join(filter(None, (first, second)))} and a result of {result}"


def _takes(form: Form) -> str:
    if form.free:
        return "the result has the element type of the operands"
    sets = (
        f"{' and '.join(filter(None, each[:2]))} to {each[2]}" for each in sorted(allowed(form))
    )
    return f"it takes {', '.join(sets)}"


def _check_sums(op: TosaOperation, form: Form, first: str) -> None:
    """Check the type in which sums are computed."""
    if not form.sums:
        return
    given, known = str(op.arguments["acc_type"]), form.sums[first].split()
    if given not in known:
        raise error_at(
            op,
            f"'{op.name}' of {first} has acc_type = {given}",
            f"sums of {first} are computed in {' or '.join(known)}",
        )


def _check_mode(op: TosaOperation, types: Types) -> None:
    """Interpolated integers are not divided, so they need a wider result."""
    mode = op.arguments.get("mode")
    first, _, result = types
    if not isinstance(mode, ResizeModeAttr) or not first.startswith("i"):
        return
    if (first == result) != (mode.data == "NEAREST_NEIGHBOR") and first != "i32":
        wanted = "the result has the type of the operand with NEAREST_NEIGHBOR, else a wider one"
        raise error_at(op, f"'{op.name}' of {first} to {result} has mode = {mode.data}", wanted)


def _check_zero_point(op: TosaOperation, number: int, name: str) -> None:
    """A zero point is a constant, as IREE requires; only for 8 bits may it differ from 0."""
    element, owner = _element(op.operands[number]), op.operands[number].owner
    if not is_operator(owner, "const"):
        raise error_at(op, f"{name} of '{op.name}' is not a constant", f"give {name} a tosa.const")
    if element in _HAVE_ZERO_POINTS:
        return
    values = constant_values(owner)
    if isinstance(values, DenseIntOrFPElementsAttr) and (value := values.get_values()[0]):
        raise error_at(
            op,
            f"'{op.name}' has {name} = {value}, and its element type is {element}",
            "only i8 has zero points other than 0",
        )


def _element(value: SSAValue) -> str:
    type_ = value.type
    assert isinstance(type_, TensorType | UnrankedTensorType)
    return str(type_.get_element_type())


def _check_element_wise(op: TosaOperation) -> None:
    """Check an operator of the machine's, which may have types that only the host has."""
    try:
        check_for_machine(op)
    except LocatedError:
        if all(map(_is_machines, (*op.operands, *op.results))):
            raise
        check_attributes(op)
        rule = OPERATORS.get(op.operator)
        if rule is not None:
            _check_host_types(op, rule)


def _is_machines(value: SSAValue) -> bool:
    """Whether a value is a shape, or a tensor whose elements the machine can hold."""
    type_ = value.type
    if not isinstance(type_, TensorType):
        return isinstance(type_, ShapeType)
    element = type_.get_element_type()
    return element_type(element) is not None or stored_type(element) is not None


def _check_host_types(op: TosaOperation, rule: Operator) -> None:
    """Check operands of types that the machine lacks: all have one type."""
    count = rule.arity + len(rule.parameters)
    counts = (rule.arity, count) if rule.optional else (count,)
    if len(op.operands) not in counts or len(op.results) != 1:
        has = f"{counted(len(op.operands), 'operand')} and {counted(len(op.results), 'result')}"
        raise error_at(op, f"'{op.name}' has {has}, expected {' or '.join(map(str, counts))} and 1")
    values = op.operands[: rule.arity]
    if not all(isinstance(v.type, TensorType | UnrankedTensorType) for v in op.operands):
        raise error_at(op, f"'{op.name}' has an operand that is not a tensor")
    names = [_element(value) for value in values]
    if rule.condition:
        condition, *names = names
        if condition != "i1":
            raise error_at(
                op, f"the condition of '{op.name}' has element type {condition}", "it takes i1"
            )
    if len(set(names)) > 1:
        raise error_at(
            op,
            f"the operands of '{op.name}' have different element types: {', '.join(names)}",
            "insert a tosa.cast",
        )
    _check_host_result(op, rule, names[0])


def _check_host_result(op: TosaOperation, rule: Operator, first: str) -> None:
    """The result has the operands' type, i1 for comparisons, and any type for conversions."""
    result = _element(op.results[0])
    if op.operator in {"cast", "rescale", "table", "mul"}:
        return
    compares = all(types == ("i1",) for types in rule.types.values()) and len(rule.types) > 1
    wanted = "i1" if compares else first
    if result != wanted:
        raise error_at(
            op, f"'{op.name}' of {first} gives element type {result}", f"it gives {wanted}"
        )
