"""The element-wise TOSA operators that hwc compiles: operands, element types, attributes.

The types come from the TOSA 1.0 profiles, plus what upstream MLIR accepts and lowers with a clear
meaning (for example, `add` on i8 wraps). Arithmetic on i1, which TOSA does not define, is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hwc.dialects import tosa_shapes
from hwc.dialects.compile_time_operands import (
    bounds_of,
    ignores_nan,
    rounds,
    shift_of,
    zero_points_of,
)
from hwc.dialects.element_types import computed_floats, element_name, spellings, width
from hwc.dialects.rescale import channels, rescale_of, scales_32
from hwc.dialects.tosa_operation import TosaOperation
from hwc.dialects.views import TABLE_SIZES
from isa.stored import STORED

_ALL = spellings()
_BOOLEANS = spellings("boolean")
_INTEGERS = spellings("integer")
_FLOATS = computed_floats()
_NUMBERS = (*_INTEGERS, *_FLOATS)
_BITS = (*_BOOLEANS, *_INTEGERS)
_VALUES = (*_BITS, *_FLOATS)
_CAST_FLOATS = tuple(name for name in spellings("float") if name not in _FLOATS)
"""Floats that are only stored, and converted to and from other floats."""
_STORED = tuple(STORED)


@dataclass(frozen=True)
class Parameter:
    """An operand that is usually a constant: a list of numbers.

    `element` is its element type, and `size` its size, DYNAMIC if known only at a call.
    """

    element: Callable[[TosaOperation], str]
    size: Callable[[TosaOperation], int] = lambda op: 1


def _of_input(op: TosaOperation) -> str:
    return element_name(op.operands[0])


def _of_result(op: TosaOperation) -> str:
    return element_name(op.results[0])


@dataclass(frozen=True)
class Operator:
    """One operator: its operands, its element types and its attributes.

    `types` maps the element type of the operands to the element types that the result may have.
    With `condition`, the first operand is an i1 condition instead. `parameters` are further
    operands; some older text leaves them out (`optional`). `attributes` are the names of the
    operator's attributes. `read` reads the attributes and parameters, and raises a located error if
    the operator cannot take a value.
    """

    arity: int
    types: Mapping[str, tuple[str, ...]]
    condition: bool = False
    parameters: tuple[Parameter, ...] = ()
    optional: bool = False
    attributes: frozenset[str] = frozenset()
    read: Callable[[TosaOperation], object] | None = None


def table_size(op: TosaOperation) -> int:
    """Return the number of entries in the table of a `table`."""
    return TABLE_SIZES[_of_input(op)]


def _same(*types: str) -> dict[str, tuple[str, ...]]:
    return {name: (name,) for name in types}


def _to_bool(*types: str) -> dict[str, tuple[str, ...]]:
    return {name: _BOOLEANS for name in types}


def _to_no_narrower(*types: str) -> dict[str, tuple[str, ...]]:
    """Map each type to itself and the types after it, which are wider."""
    return {name: types[i:] for i, name in enumerate(types)}


def _casts() -> dict[str, tuple[str, ...]]:
    """Map each type to the types it can be cast to; a float never to another of the same width."""
    floats = (*_FLOATS, *_CAST_FLOATS)
    casts = {source: _VALUES for source in _BITS}
    for source in floats:
        others = (name for name in floats if source == name or width(source) != width(name))
        casts[source] = (*(_BITS if source in _FLOATS else ()), *others)
    return casts


_NAN = frozenset({"nan_mode"})
_FLOAT_UNARY = Operator(1, _same(*_FLOATS))
_BITWISE = Operator(2, _same(*_BITS))
_SHIFT = Operator(2, _same(*_INTEGERS))
_LOGICAL = Operator(2, _same(*_BOOLEANS))
_COMPARE = Operator(2, _to_bool(*_NUMBERS))
_ARITHMETIC = Operator(2, _same(*_NUMBERS))
_EXTREMUM = Operator(2, _same(*_NUMBERS), attributes=_NAN, read=ignores_nan)
_DIVIDE = Operator(2, _same("i32"))

OPERATORS: Mapping[str, Operator] = {
    "abs": Operator(1, _same(*_NUMBERS)),
    "add": _ARITHMETIC,
    "arithmetic_right_shift": Operator(
        2, _same(*_INTEGERS), attributes=frozenset({"round"}), read=rounds
    ),
    "bitwise_and": _BITWISE,
    "bitwise_not": Operator(1, _same(*_BITS)),
    "bitwise_or": _BITWISE,
    "bitwise_xor": _BITWISE,
    "cast": Operator(1, _casts()),
    "ceil": _FLOAT_UNARY,
    "clamp": Operator(
        1,
        _same(*_NUMBERS),
        attributes=_NAN | {"min_val", "max_val", "min_int", "max_int", "min_fp", "max_fp"},
        read=bounds_of,
    ),
    "clz": Operator(1, _same(*_INTEGERS)),
    "cos": _FLOAT_UNARY,
    "div": _DIVIDE,
    "equal": Operator(2, _to_bool(*_VALUES)),
    "erf": _FLOAT_UNARY,
    "exp": _FLOAT_UNARY,
    "floor": _FLOAT_UNARY,
    "greater": _COMPARE,
    "greater_equal": _COMPARE,
    "identity": Operator(1, _same(*_ALL, *_STORED)),
    "intdiv": _DIVIDE,
    "log": _FLOAT_UNARY,
    "logical_and": _LOGICAL,
    "logical_left_shift": _SHIFT,
    "logical_not": Operator(1, _same(*_BOOLEANS)),
    "logical_or": _LOGICAL,
    "logical_right_shift": _SHIFT,
    "logical_xor": _LOGICAL,
    "maximum": _EXTREMUM,
    "minimum": _EXTREMUM,
    "mul": Operator(
        2,
        _to_no_narrower(*_INTEGERS) | _same(*_FLOATS),
        parameters=(Parameter(lambda op: "i8"),),
        optional=True,
        attributes=frozenset({"shift"}),
        read=shift_of,
    ),
    "negate": Operator(
        1,
        _same(*_NUMBERS),
        parameters=(Parameter(_of_input),) * 2,
        optional=True,
        attributes=frozenset({"quantization_info", "input1_zp", "output_zp"}),
        read=zero_points_of,
    ),
    "pow": Operator(2, _same(*_FLOATS)),
    "reciprocal": _FLOAT_UNARY,
    "rescale": Operator(
        1,
        {source: _INTEGERS for source in (*_INTEGERS, "i48")},
        parameters=(
            Parameter(lambda op: "i32" if scales_32(op) else "i16", channels),
            Parameter(lambda op: "i8", channels),
            Parameter(_of_input),
            Parameter(_of_result),
        ),
        attributes=frozenset(
            {"scale32", "rounding_mode", "per_channel", "input_unsigned", "output_unsigned"}
        ),
        read=rescale_of,
    ),
    "rsqrt": _FLOAT_UNARY,
    "select": Operator(3, _same(*_VALUES), condition=True),
    "sigmoid": _FLOAT_UNARY,
    "sin": _FLOAT_UNARY,
    "sub": _ARITHMETIC,
    "table": Operator(
        1, {"i8": ("i8",), "i16": ("i32",)}, parameters=(Parameter(_of_input, table_size),)
    ),
    "tanh": _FLOAT_UNARY,
}

OTHERS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(sorted(tosa_shapes.OPERATORS), frozenset[str]()),
    "const": frozenset({"values", "value"}),
    "const_shape": frozenset({"values", "value"}),
    "custom": frozenset({"operator_name", "domain_name", "implementation_attrs"}),
    "dim": frozenset({"axis"}),
    "reshape": frozenset({"new_shape"}),
}
"""Operators of the dialect that are not element-wise, with their attributes."""
