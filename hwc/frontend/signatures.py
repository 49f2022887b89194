"""Explains to the author of a program which types an operation takes.

xDSL's own messages about types name the variables of its constraints ("expected from variable
'T'").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import IntegerType, bf16, f8E4M3FN, f8E5M2, f16, f32
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, OperandDef, ResultDef, VerificationContext
from xdsl.utils.exceptions import VerifyException

import isa
from hwc.errors import counted

_FLOATS = {t.name: t for t in (f32, f16, bf16, f8E4M3FN, f8E5M2)}

_UNEXPECTED = re.compile(r"Unexpected attribute (.+)")


def unexpected_type(definition: type[Operation], message: str) -> tuple[str, str] | None:
    """Return message and advice for an xDSL message about a type; None for any other message.

    In the pretty form, xDSL refuses types while it reads them, before the operation exists.
    """
    match = _UNEXPECTED.fullmatch(message)
    if match is None or not issubclass(definition, IRDLOperation):
        return None
    return f"'{definition.name}' does not take {match[1]}", _types(definition)


def wrong_signature(op: Operation) -> tuple[str, str] | None:
    """Return message and advice if the number or the types of operands or results are wrong."""
    if not isinstance(op, IRDLOperation):
        return None
    definition = op.get_irdl_definition()
    parts = (
        ("operand", op.operands, [one for _, one in definition.operands]),
        ("result", op.results, [one for _, one in definition.results]),
    )
    for what, values, wanted in parts:
        if any(type(one) not in {OperandDef, ResultDef} for one in wanted):
            return None  # any number is allowed
        if len(values) != len(wanted):
            got = counted(len(values), what)
            return f"'{op.name}' has {got}, expected {len(wanted)}", _types(type(op))
        for number, (value, one) in enumerate(zip(values, wanted, strict=True)):
            if not _takes(one, value.type, VerificationContext()):
                return f"{what} {number} of '{op.name}' is {value.type}", _types(type(op))
    together = VerificationContext()
    for _, values, wanted in parts:
        for value, one in zip(values, wanted, strict=True):
            if not _takes(one, value.type, together):
                types = ", ".join(str(v.type) for v in (*op.operands, *op.results))
                return (
                    f"the operands and results of '{op.name}' have different types: {types}",
                    "they have to be the same",
                )
    return None


def _takes(one: OperandDef | ResultDef, type_: Attribute, context: VerificationContext) -> bool:
    try:
        one.constr.verify((type_,), context)
    except VerifyException:
        return False
    return True


def _types(definition: type[IRDLOperation]) -> str:
    """List the element types of operands and results: `it takes f32 for lhs, rhs, result`."""
    named: dict[tuple[str, ...], list[str]] = {}
    described = definition.get_irdl_definition()
    for name, one in (*described.operands, *described.results):
        takes = tuple(
            spelling for spelling, type_ in _elements() if _takes(one, type_, VerificationContext())
        )
        named.setdefault(takes, []).append(name)
    return "it takes " + "; ".join(
        f"{', '.join(types) or 'tensors'} for {', '.join(names)}" for types, names in named.items()
    )


def _elements() -> Iterator[tuple[str, Attribute]]:
    for type_ in isa.load().types.values():
        yield type_.mlir, _FLOATS[type_.mlir] if type_.kind == "float" else IntegerType(type_.bits)
