"""Rewrites a `rescale` from older text as in TOSA 1.0, with its parameters as operands.

Before TOSA 1.0, zero points were attributes, and multipliers and shifts were lists of numbers in
attributes. Later, but still before the release, multipliers and shifts became operands. A flag said
whether to round twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    i1,
    i8,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.dialects.attributes import conforms
from hwc.dialects.rescale import INPUT_ZP, MULTIPLIER, OUTPUT_ZP, SHIFT
from hwc.dialects.tosa import CLASSES
from hwc.dialects.tosa_operation import RoundingModeAttr, TosaOperation, is_operator
from hwc.frontend.diagnostics import error_at

_LISTS = {"multiplier": MULTIPLIER, "shift": SHIFT}
_POINTS = {"input_zp": INPUT_ZP, "output_zp": OUTPUT_ZP}
_TWICE = "double_round"
_OLDER = frozenset({*_LISTS, *_POINTS, _TWICE})
_UNSIGNED = ("input_unsigned", "output_unsigned")
"""Flags that the oldest text does not have: there, all numbers are signed."""

_OPERANDS = 5


@dataclass(frozen=True)
class RenewRescale(ModulePass):
    """Write every `rescale` with operands for its parameters, before `verify-tosa`."""

    name = "renew-rescale"
    checks_input: ClassVar[bool] = True

    @staticmethod
    def has_work(module: ModuleOp) -> bool:
        """Whether a `rescale` has an attribute of older text."""
        return any(map(_is_older, module.walk()))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite every older `rescale`, except in a TOSA 1.0 program, which must not have any.

        Raises:
            LocatedError: a `rescale` has an attribute of another kind, or an attribute that repeats
                another attribute or an operand.
        """
        for function in op.walk():
            if isinstance(function, FuncOp) and not conforms(function):
                for inner in list(function.walk()):
                    if _is_older(inner):
                        _renew(inner)


def _is_older(op: Operation) -> bool:
    return (
        is_operator(op, "rescale")
        and not _OLDER.isdisjoint(op.arguments)
        and len(op.operands) in {1, 3, _OPERANDS}
        and all(isinstance(value.type, TensorType) for value in (*op.operands, *op.results))
    )


def _renew(op: Operation) -> None:
    assert isinstance(op, TosaOperation)
    operands = list(op.operands)
    if len(operands) == 1:
        wide = _flag(op, "scale32", True)
        operands += [_parameter(op, "multiplier", i32 if wide else IntegerType(16))]
        operands += [_parameter(op, "shift", i8)]
    if len(operands) < _OPERANDS:
        for name, tensor in (("input_zp", op.operands[0]), ("output_zp", op.results[0])):
            assert isinstance(tensor.type, TensorType)
            operands.append(_parameter(op, name, tensor.type.get_element_type()))
    for name, position in {**_LISTS, **_POINTS}.items():
        if name in op.arguments and position < len(op.operands):
            raise error_at(
                op, f"'{op.name}' has {name} as an operand and as an attribute", "leave one out"
            )
    if _TWICE in op.arguments and "rounding_mode" in op.arguments:
        raise error_at(op, f"'{op.name}' has rounding_mode and {_TWICE}", f"leave {_TWICE} out")
    attributes = {name: IntegerAttr(0, i1) for name in _UNSIGNED} | {
        name: value for name, value in op.arguments.items() if name not in _OLDER
    }
    if "rounding_mode" not in attributes:
        twice = _flag(op, _TWICE, False)
        attributes["rounding_mode"] = RoundingModeAttr("DOUBLE_ROUND" if twice else "SINGLE_ROUND")
    new = CLASSES["rescale"].create(
        operands=operands, result_types=[op.results[0].type], properties=attributes
    )
    _put_before(op, new)
    new.results[0].name_hint = op.results[0].name_hint
    op.results[0].replace_all_uses_with(new.results[0])
    op.detach()
    op.erase()


def _put_before(op: Operation, new: Operation) -> None:
    new.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)


def _flag(op: TosaOperation, name: str, default: bool) -> bool:
    value = op.arguments.get(name)
    if value is None:
        return default
    if not isinstance(value, IntegerAttr) or value.type != i1:
        raise error_at(op, f"'{op.name}' has {name} = {value}", f"{name} is true or false")
    return bool(value.value.data)


def _parameter(op: TosaOperation, name: str, element: Attribute) -> SSAValue:
    """Return a constant with the numbers that an attribute holds."""
    value = op.arguments.get(name)
    numbers = _numbers(value)
    if numbers is None or (name in _POINTS and len(numbers) != 1):
        has = f"no {name}" if value is None else f"{name} = {value}"
        kind = f"{name} = 0 : i32" if name in _POINTS else f"{name} = array<i32: 1>"
        raise error_at(op, f"'{op.name}' has {has}", f"write it as {kind}, or as an operand")
    assert isinstance(element, IntegerType)
    bits = element.width.data
    unsigned = name in _POINTS and _flag(op, name.replace("_zp", "_unsigned"), False)
    least, most = (0, (1 << bits) - 1) if unsigned else (-1 << bits - 1, (1 << bits - 1) - 1)
    for number in numbers:
        if not least <= number <= most:
            raise error_at(
                op,
                f"'{op.name}' has {name} = {number}",
                f"its type is {'unsigned ' * unsigned}{element}: {least} to {most}",
            )
    type_ = TensorType(element, [len(numbers)])
    held = DenseIntOrFPElementsAttr.from_list(type_, list(numbers))
    constant = CLASSES["const"].create(result_types=[type_], properties={"values": held})
    _put_before(op, constant)
    return constant.results[0]


def _numbers(value: Attribute | None) -> Sequence[int] | None:
    """Return the numbers of an attribute: one, `array<i32: 1, 2>` or `[1 : i32, 2 : i32]`."""
    if isinstance(value, IntegerAttr):
        return (value.value.data,)
    if isinstance(value, DenseArrayBase):
        numbers = value.get_values()
        return [n for n in numbers if isinstance(n, int)] if numbers else None
    if isinstance(value, ArrayAttr) and len(value):
        numbers = [n.value.data for n in value if isinstance(n, IntegerAttr)]
        return numbers if len(numbers) == len(value) else None
    return None
