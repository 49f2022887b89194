"""Operations that a single pattern can read: one result, and only operands and types.

Nearly every operation of a large program is like this. xDSL reads an operation token by token,
which takes longer than most passes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TENSOR = r"tensor<(?:(?:[0-9]+|\?)x)*[a-z][a-zA-Z0-9]*>"
_TENSORS = rf"\((?:{_TENSOR}(?:, *{_TENSOR})*)?\)"
TENSOR_TYPE = re.compile(_TENSOR)
SIGNATURE = re.compile(rf"{_TENSORS} *-> *(?:{_TENSOR}|{_TENSORS})")
"""The types of an operation without aliases, as in nearly every operation."""

_NAME = r"%(?:[0-9]+|[A-Za-z_$.-][\w$.-]*)"
_NAMES = rf"{_NAME}(?: *, *{_NAME})*"
_OPERATOR = r"[a-z][a-z0-9_]*\.[a-z0-9_]+"
_PLAIN = re.compile(
    rf"({_NAME}) *= *"
    rf'(?:({_OPERATOR}) +({_NAMES})|"({_OPERATOR})"\(({_NAMES})\)(?: *{{ *}})?) *: *'
    rf"({SIGNATURE.pattern})",
    re.ASCII,
)
_OPERAND = re.compile(r"[^\s,%]+")


class Plain(NamedTuple):
    """A plain operation: names without their `%`, and positions in the text."""

    result: str
    operator: str
    operands: list[str]
    types: str
    operator_start: int
    end: int


def find_plain(text: str, position: int) -> Plain | None:
    """Return the plain operation at a position; None if there is none.

    A plain operation is written as `%r = tosa.add %a, %b : types`, or in MLIR's generic syntax as
    `%r = "tosa.add"(%a, %b) : types`.
    """
    match = _PLAIN.match(text, position)
    if match is None:
        return None
    result, name, operands, quoted_name, operands_in_parentheses, types = match.groups()
    return Plain(
        result[1:],
        name or quoted_name,
        _OPERAND.findall(operands or operands_in_parentheses),
        types,
        match.start(2) if name else match.start(4) - 1,
        match.end(),
    )
