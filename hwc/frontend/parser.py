"""Parses a source; every problem with the source becomes an error with a line and a column."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import (
    DiagnosticException,
    ParseError,
    PyRDLError,
    UnregisteredConstructException,
    VerifyException,
)

import isa
from hwc.frontend.diagnostics import LocatedError, error_at
from hwc.frontend.libraries import defined_operators
from hwc.frontend.signatures import unexpected_type
from hwc.frontend.source import Source
from hwc.frontend.syntax_errors import SYNTAX_ADVICE, explain
from hwc.frontend.unsupported import reason_for_name
from hwc.frontend.xdsl_parser import LocatingParser

RAISED_ON_BAD_TEXT = (
    DiagnosticException,
    PyRDLError,
    UnregisteredConstructException,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
)
"""The exceptions that xDSL's parser and attributes raise for bad text, besides ParseError."""

_UNREGISTERED = re.compile(r"'([^']*)' is not registered")


def parse(source: Source, context: Context, libraries: Sequence[Source] = ()) -> ModuleOp:
    """Return the module in `source`; functions without a module are put into one.

    An operation may have the name of an operator that the source or one of `libraries` defines.

    Raises:
        LocatedError: the source is not MLIR or TOSA, or uses an operation, a type or an attribute
            that hwc does not have.
        SourceError: the source is bytecode that cannot be read.
    """
    if source.flatbuffer is not None:
        from hwc.frontend.tosa_flatbuffer import read_module  # noqa: PLC0415 - text needs none of it

        return read_module(source.flatbuffer, source.name, context)
    parser: LocatingParser | None = None
    try:
        parser = LocatingParser(context, source, defined_operators((source, *libraries)))
        module = parser.parse_module()
    except ParseError as error:
        position = cast(int, error.span.start)
        location = source.place(position)
        if unknown := _UNREGISTERED.fullmatch(error.msg):
            if known := reason_for_name(unknown[1]):
                raise LocatedError(location, *known) from None
            message = f"the type or attribute '{unknown[1]}' is not supported"
            types = ", ".join(type_.mlir for type_ in isa.load().types.values())
            advice = f"the element types of tensors are {types}"
            raise LocatedError(location, message, advice) from None
        raise LocatedError(location, *explain(error.msg.strip(), source, position)) from None
    except RAISED_ON_BAD_TEXT as error:
        # xDSL raises most of these after it has read the whole operation.
        location = source.place(parser.operation_start if parser else 0)
        if (
            isinstance(error, VerifyException)
            and parser is not None
            and parser.definition is not None
            and (known := unexpected_type(parser.definition, str(error)))
        ):
            raise LocatedError(location, *known) from None
        what = str(error).strip() or type(error).__name__
        raise LocatedError(location, f"cannot read this operation: {what}", SYNTAX_ADVICE) from None
    _check_isolation(module)
    return module


def _check_isolation(module: ModuleOp) -> None:
    """Refuse isolated regions that use values from outside.

    xDSL's own message quotes the user of such a value; that operation is not verified yet, and may
    not be printable.
    """
    isolated: list[Operation] = [module]
    for alone in isolated:
        regions = list(alone.regions)
        for op in (op for region in regions for block in region.blocks for op in block.ops):
            for index, operand in enumerate(op.operands):
                if operand.owner is alone or not alone.is_ancestor(operand.owner):
                    raise error_at(
                        op,
                        f"operand {index} of '{op.name}' is a value from outside '{alone.name}'",
                        f"'{alone.name}' has arguments for what it needs from outside",
                    )
            if op.regions and op.has_trait(IsolatedFromAbove, value_if_unregistered=False):
                isolated.append(op)
            else:
                regions += op.regions
