"""The rules of `--conform=1.0`: the limits of TOSA 1.0 where hwc allows more.

The rules of `tosa_rules.py` are checked first, so hwc can compile or fold every operator here. The
specification writes most of these rules as ERROR_IF, and the types as tables of profiles and
extensions. `docs/shapes.md` lists the rules for users.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from hwc.dialects.broadcastable import DYNAMIC, show_shape
from hwc.dialects.constant_types import number_type
from hwc.dialects.tosa_operation import TosaOperation, is_operator
from hwc.dialects.tosa_shapes import INFERRED, new_shape
from hwc.dialects.tosa_table import OPERATORS
from hwc.errors import counted
from hwc.frontend.diagnostics import LocatedError, error_at

Problem = tuple[str, str]
"""The problem, without the name of the operator, and what to do."""

LARGEST = (1 << 31) - 1
"""Bytes of the largest tensor at level 8K."""

_ALL_BF16 = {"bf16": "bf16"}
_FP8 = {"fp8e4m3": "f8E4M3FN", "fp8e5m2": "f8E5M2"}
_FLOATS = {"pro_fp": "f16 f32", **_ALL_BF16}
_TO_I1 = {"pro_int": "i32>i1", "pro_fp": "f16>i1 f32>i1", "bf16": "bf16>i1"}
_ANY_I1 = {"pro_int": "i1", "pro_fp": "i1"}
_BITS = {"pro_int": "i8 i16 i32"}
_SHIFTS = {"pro_int": "i8 i16 i32", "pro_fp": "i8 i16 i32"}
_DATA = {"pro_int": "i1 i8 i16 i32", "pro_fp": "i1 f16 f32", **_ALL_BF16, **_FP8}


def _between(*types: str) -> str:
    """All casts from one type to another."""
    return " ".join(f"{a}>{b}" for a in types for b in types if a != b)


def _both_ways(one: str, *types: str) -> str:
    """All casts from and to one type."""
    return " ".join(f"{one}>{other} {other}>{one}" for other in types)


_ROWS: Mapping[str, Mapping[str, str]] = {
    "add sub": {"pro_int": "i32", "pro_fp": "i32 f16 f32", **_ALL_BF16},
    "abs maximum minimum": {"pro_int": "i32", **_FLOATS},
    "equal greater greater_equal": _TO_I1,
    "mul": {"pro_int": "i8>i32 i16>i32 i32", "pro_fp": "i32 f16 f32", **_ALL_BF16},
    "negate": {"pro_int": "i8 i16 i32", **_FLOATS},
    "clamp": {"pro_int": "i8", "int16": "i16", **_FLOATS},
    "select": {"pro_int": "i1 i8 i16 i32", "pro_fp": "i1 f16 f32", **_ALL_BF16},
    "arithmetic_right_shift bitwise_and bitwise_not bitwise_or bitwise_xor": _BITS,
    "logical_left_shift logical_right_shift": _SHIFTS,
    "logical_and logical_not logical_or logical_xor": _ANY_I1,
    "intdiv": {"pro_int": "i32", "pro_fp": "i32"},
    "clz": {"pro_int": "i32"},
    "ceil cos erf exp floor log pow reciprocal rsqrt sigmoid sin tanh": _FLOATS,
    "table": {"pro_int": "i8", "int16": "i16>i32"},
    "rescale": {
        "pro_int": "i8 i16 i32 " + _between("i8", "i16", "i32"),
        "int16": "i48>i8 i48>i16 i48>i32",
    },
    "cast": {
        "pro_int": _between("i1", "i8", "i16", "i32"),
        "pro_fp": " ".join(
            (_both_ways("f16", "i8", "i16", "i32", "f32"), _both_ways("f32", "i8", "i16", "i32"))
        ),
        "bf16": _both_ways("bf16", "i8", "i16", "i32", "f32"),
        "fp8e4m3": _both_ways("f8E4M3FN", "f16", "bf16", "f32"),
        "fp8e5m2": _both_ways("f8E5M2", "f16", "bf16", "f32"),
    },
    "reshape": _DATA,
    "identity const": {**_DATA, "int4": "i4", "int16": "i48"},
}
"""The types that each profile and each extension gives to operators: `operand>result`, or one type
for both. The operands that broadcast together have one type; a condition is i1."""

TYPES: Mapping[str, Mapping[str, str]] = {
    operator: row for operators, row in _ROWS.items() for operator in operators.split()
}
"""The row of each operator that has operands or results with elements."""

OTHERS = frozenset({"const_shape", "custom"})
"""The other operators of TOSA 1.0 that hwc compiles."""

ATTRIBUTES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "arithmetic_right_shift": (frozenset({"round"}), frozenset()),
    "clamp": (frozenset({"min_val", "max_val"}), frozenset({"nan_mode"})),
    "const": (frozenset({"values"}), frozenset()),
    "const_shape": (frozenset({"values"}), frozenset()),
    "maximum": (frozenset(), frozenset({"nan_mode"})),
    "minimum": (frozenset(), frozenset({"nan_mode"})),
    "rescale": (OPERATORS["rescale"].attributes, frozenset()),
}
"""The required and the optional attributes of each operator; other operators have none."""


def check_conforming(op: Operation) -> None:
    """Raise a located error unless an operation that hwc compiles conforms to TOSA 1.0."""
    if isinstance(op, ReturnOp):
        problem = sizes_problem(op)  # a returned argument may have no operator that reads it
    elif isinstance(op, TosaOperation) and op.operator in {*TYPES, *OTHERS}:
        problem = next(filter(None, (rule(op) for rule in RULES)), None)
    else:
        raise error_at(op, f"'{op.name}' is not an operator of TOSA 1.0", "leave --conform out")
    if problem:
        raise refused(op, problem)


def refused(op: Operation, problem: Problem) -> LocatedError:
    """Return the error about an operation."""
    message, advice = problem
    return error_at(op, f"TOSA 1.0: '{op.name}' {message}", advice)


def _operands(op: TosaOperation) -> Problem | None:
    """The shift of `mul`, the zero points of `negate` and the shape of `reshape` are operands."""
    if op.operator == "reshape":
        wanted = 2
    elif op.operator in OPERATORS:
        rule = OPERATORS[op.operator]
        wanted = rule.arity + len(rule.parameters)
    else:
        return None
    has = len(op.operands)
    if has == wanted:
        return None
    return f"has {counted(has, 'operand')}, expected {wanted}", "give each of them"


def _attributes(op: TosaOperation) -> Problem | None:
    """Attributes have their TOSA 1.0 names, and an attribute without a default is not left out."""
    if op.operator in OTHERS - {"const_shape"}:
        return None
    needed, allowed = ATTRIBUTES.get(op.operator, (frozenset[str](), frozenset[str]()))
    given = {name for name in op.arguments if "." not in name}
    if missing := sorted(needed - given):
        return f"has no attribute '{missing[0]}'", "give it a value"
    if other := sorted(given - needed - allowed):
        return f"has the attribute '{other[0]}' of older text", "write it as TOSA 1.0 does"
    return None


def _types(op: TosaOperation) -> Problem | None:
    """The types belong to a profile or an extension."""
    row = TYPES.get(op.operator)
    if row is None:
        return None
    operands = [value for value in op.operands if isinstance(value.type, TensorType)]
    condition = op.operator in OPERATORS and OPERATORS[op.operator].condition
    result = str(_element(op.results[0]))
    operand = str(_element(operands[condition])) if operands else result
    if any((operand, result) in pairs(types) for types in row.values()):
        return None
    became = operand if operand == result else f"{operand} to {result}"
    has = ", ".join(f"{profile} has {types.replace('>', ' to ')}" for profile, types in row.items())
    return f"on {became} belongs to no profile and no extension", has


def pairs(types: str) -> set[tuple[str, str]]:
    """Return the types of operand and result that a cell of the table lists."""
    split = [word.partition(">") for word in types.split()]
    return {(operand, result or operand) for operand, _, result in split}


def check_ranks(op: TosaOperation) -> None:
    """Raise a located error unless operands that broadcast have equal ranks.

    This rule is also checked before `tosa_rules.py`, which compares sizes.
    """
    if (problem := _ranks(op)) is not None:
        raise refused(op, problem)


def _ranks(op: TosaOperation) -> Problem | None:
    """Operands that broadcast have equal ranks."""
    if op.operator not in OPERATORS:
        return None
    types = [value.type for value in op.operands[: OPERATORS[op.operator].arity]]
    ranks = [len(type_.get_shape()) for type_ in types if isinstance(type_, TensorType)]
    if len(set(ranks)) <= 1:
        return None
    of_ranks = " and ".join(map(str, ranks))
    return f"has operands of ranks {of_ranks}", "reshape the operand of lower rank"


def sizes_problem(op: Operation) -> Problem | None:
    """Sizes are 1 or more, and no tensor has more bytes than level 8K allows."""
    for value in (*op.operands, *op.results):
        if not isinstance(value.type, TensorType):
            continue
        shape = _shape(value)
        if 0 in shape:
            return f"has a tensor of {show_shape(shape)}", "sizes are 1 or more"
        size = math.prod(s for s in shape if s != DYNAMIC) * _bytes(value)
        if size > LARGEST:
            return (
                f"has a tensor of {show_shape(shape)}, {size} bytes",
                f"level 8K has tensors of at most {LARGEST} bytes",
            )
    return None


def _new_shape(op: TosaOperation) -> Problem | None:
    """The new shape is a constant with every size."""
    if op.operator != "reshape":
        return None
    if not is_operator(op.operands[1].owner, "const_shape"):
        return "has a shape that is not a constant", "write it with tosa.const_shape"
    if INFERRED in new_shape(op):
        return "has a size of -1 in its shape", "write the size"
    return None


RULES: tuple[Callable[[TosaOperation], Problem | None], ...] = (
    _operands,
    _attributes,
    _types,
    _ranks,
    sizes_problem,
    _new_shape,
)
"""Every rule, in the order of the checks; each rule returns what is wrong."""


def _element(value: SSAValue) -> Attribute:
    assert isinstance(value.type, TensorType)
    return value.type.get_element_type()


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def _bytes(value: SSAValue) -> int:
    """Return the bytes of an element as TOSA counts them."""
    type_ = number_type(_element(value))
    assert type_ is not None
    return -(-type_.bits // 8)
