"""Reading MLIR text: xDSL's parser, with a place for every operation and every error.

xDSL's parser does not tell where an operation was written. This one sets each operation's location to its name's
line and column, as MLIR does, refuses uses before definitions where they stand, reads the bit patterns MLIR prints
for infinities and NaNs, and passes over `loc(...)` annotations: places are those of the text given to us.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.utils.exceptions import (
    DiagnosticException,
    ParseError,
    PyRDLError,
    UnregisteredConstructException,
)
from xdsl.utils.mlir_lexer import MLIRTokenKind

from hwc.errors import SourceError
from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.source import Source
from hwc.frontend.unsupported import reason_for

SYNTAX_ADVICE = "write it as mlir-opt 22 prints it, pretty or generic"

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
"""What xDSL's parser and attribute constructors raise, besides ParseError, on text they cannot read."""


class _LiteralElement(AttrParser._TensorLiteralElement):  # noqa: SLF001
    """One number of a dense literal; `0x...` in a float tensor is a bit pattern."""

    def to_type(
        self, parser: AttrParser, type: AnyFloat | IntegerType | IndexType | ComplexType  # noqa: A002
    ) -> int | float | tuple[int, int] | tuple[float, float]:
        text = self.span.text
        if isinstance(type, AnyFloat) and text[:2] in ("0x", "0X"):
            size = type.compile_time_size
            if len(text) - 2 > 2 * size:
                parser.raise_error(f"bit pattern is wider than {type}", self.span)
            return type.unpack(int(text, 16).to_bytes(size, "little"), 1)[0]
        if isinstance(type, IntegerType) and isinstance(self.value, int):
            width = type.width.data
            if not -(1 << (width - 1)) <= self.value < 1 << width:
                parser.raise_error(f"{self.value} does not fit {type}", self.span)
        return super().to_type(parser, type)


@dataclass(init=False)
class LocatingParser(Parser):
    """xDSL's parser, which also records where operations stand."""

    def __init__(self, context: Context, source: Source) -> None:
        self.source = source
        self._file = StringAttr(source.name)
        self._name_starts: list[int] = []
        super().__init__(context, source.text, source.name)

    def parse_operation(self) -> Operation:
        """Parse one operation and set its location to the place of its name."""
        self._name_starts.append(self.pos)
        op = super().parse_operation()
        place = self.source.locate(self._name_starts.pop())
        op.location = FileLineColLoc(self._file, IntAttr(place.line), IntAttr(place.column))
        return op

    def _parse_op_result_list(self):  # noqa: ANN202  (xDSL's private type)
        results = super()._parse_op_result_list()
        self._name_starts[-1] = self.pos
        return results

    def _get_op_by_name(self, name: str) -> type[Operation]:
        op = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        if op is None:
            raise LocatedError(self.source.locate(self._name_starts[-1]), *reason_for(name))
        return op

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> SSAValue:  # noqa: A002
        """Return the value an operand names; a value must be defined before it is used."""
        if operand.operand_name not in self.ssa_values:
            self.raise_error(f"%{operand.operand_name} is used before it is defined", operand.span)
        return super().resolve_operand(operand, type)

    def parse_optional_location(self) -> LocationAttr | None:
        """Pass over `loc(...)`."""
        if self._current_token.text != "loc":
            return None
        self._consume_token()
        self.parse_punctuation("(")
        depth = 1
        while depth:
            kind = self._consume_token().kind
            if kind == MLIRTokenKind.EOF:
                self.raise_error("unbalanced parentheses after 'loc'")
            depth += (kind == MLIRTokenKind.L_PAREN) - (kind == MLIRTokenKind.R_PAREN)
        return None

    def _parse_alias_def(self) -> None:
        start = self.pos
        self._consume_token()
        self.parse_punctuation("=", " after an alias name")
        if self._current_token.text == "loc":
            self.parse_optional_location()
            return
        self._resume_from(start)
        super()._parse_alias_def()

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:
        element = super()._parse_tensor_literal_element()
        return _LiteralElement(element.is_negative, element.value, element.span)

    def parse_dense_int_or_fp_elements_attr(self, type=None) -> DenseIntOrFPElementsAttr:  # noqa: A002, ANN001
        """Parse `<...> : type`; MLIR packs eight i1 elements into each byte of a hexadecimal string."""
        start = self.pos
        attribute = super().parse_dense_int_or_fp_elements_attr(type)
        element = attribute.get_element_type()
        literal = self.source.text[start + 1 : start + 64].lstrip()
        if literal.startswith('"') and element == IntegerType(1):
            self.raise_error("a hexadecimal string of i1 elements is not supported", start, self.pos)
        return attribute


def parse(source: Source, context: Context) -> ModuleOp:
    """Return the module written in `source`; bare functions are put into a module.

    Raises:
        LocatedError: the text is not MLIR, or uses an operation, type or attribute that hwc does not have.
    """
    parser: LocatingParser | None = None
    try:
        parser = LocatingParser(context, source)
        return parser.parse_module()
    except ParseError as error:
        start = cast(int, error.span.start)
        raise LocatedError(source.locate(start), error.msg.strip(), SYNTAX_ADVICE) from None
    except RAISED_ON_BAD_TEXT as error:
        place = source.locate(parser.pos if parser else 0)
        what = str(error).strip() or type(error).__name__
        raise LocatedError(place, f"cannot read this text: {what}", SYNTAX_ADVICE) from None


def read_source(path: str | Path) -> Source:
    """Return the text of the file at `path`.

    Raises:
        SourceError: the file cannot be read or is not UTF-8.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: error: cannot read the file: {error.strerror}") from None
    return decode_source(str(path), data)


def decode_source(name: str, data: bytes) -> Source:
    """Return the source called `name` with the text encoded in `data`.

    Raises:
        SourceError: `data` is not UTF-8.
    """
    try:
        return Source(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"{name}:{line}:1: error: byte {error.start} is not UTF-8 text\n"
            "help: hwc reads MLIR text; MLIR bytecode can be turned into text with mlir-opt"
        ) from None
