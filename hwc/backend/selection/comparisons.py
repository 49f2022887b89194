"""Comparisons: what each relation of `arith.cmpi` and `arith.cmpf` becomes."""

from __future__ import annotations

from collections.abc import Mapping

from hwc.backend.selection.emitter import Emitter, Value
from hwc.backend.selection.expansion import (
    Expansion,
    Scalar,
    always,
    exact,
    inverted,
    one,
    swapped,
)

_EQUAL, _UNEQUAL = one("eq.i32"), one("ne.i32")
_GREATER, _NOT_LESS = one("gt.i32"), one("ge.i32")
_ABOVE, _NOT_BELOW = one("gtu.i32"), one("geu.i32")

INTEGER_RELATIONS: Mapping[str, Expansion] = {
    "eq": _EQUAL,
    "ne": _UNEQUAL,
    "slt": swapped(_GREATER),
    "sle": swapped(_NOT_LESS),
    "sgt": _GREATER,
    "sge": _NOT_LESS,
    "ult": swapped(_ABOVE),
    "ule": swapped(_NOT_BELOW),
    "ugt": _ABOVE,
    "uge": _NOT_BELOW,
}
"""`arith.cmpi` on integers, in the order of MLIR's numbers for the relations."""

BOOLEAN_RELATIONS: Mapping[str, Expansion] = {
    "eq": _EQUAL,
    "ne": _UNEQUAL,
    "slt": _GREATER,
    "sle": _NOT_LESS,
    "sgt": swapped(_GREATER),
    "sge": swapped(_NOT_LESS),
    "ult": swapped(_GREATER),
    "ule": swapped(_NOT_LESS),
    "ugt": _GREATER,
    "uge": _NOT_LESS,
}
"""`arith.cmpi` on i1, which is 0 or 1 in a lane; as a signed number, true is -1."""


def _less_or_greater(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    greater = exact("gt")
    return e("or", greater(e, s, v), swapped(greater)(e, s, v))


def _both_numbers(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    equal = exact("eq")
    return e("and", *(equal(e, s, [x, x]) for x in v))


FLOAT_RELATIONS: Mapping[str, Expansion] = {
    "false": always(0),
    "oeq": exact("eq"),
    "ogt": exact("gt"),
    "oge": exact("ge"),
    "olt": swapped(exact("gt")),
    "ole": swapped(exact("ge")),
    "one": _less_or_greater,
    "ord": _both_numbers,
    "ueq": inverted(_less_or_greater),
    "ugt": inverted(swapped(exact("ge"))),
    "uge": inverted(swapped(exact("gt"))),
    "ult": inverted(exact("ge")),
    "ule": inverted(exact("gt")),
    "une": exact("ne"),
    "uno": inverted(_both_numbers),
    "true": always(1),
}
"""`arith.cmpf`, in the order of MLIR's numbers for the relations; `u`: also if one is NaN."""
