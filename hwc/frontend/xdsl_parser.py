"""xDSL's parser as hwc needs it, and the only module that uses names that are private in xDSL.

xDSL's parser does not record where an operation was written. This one sets each operation's
location to the line and column of its name, as MLIR does, refuses a value that is used before its
definition, reads the bit patterns that MLIR prints for infinities and NaNs, and skips `loc(...)`
annotations: locations always refer to the text that hwc was given.

xDSL has no public hooks for this. `tests/unit/frontend/test_xdsl_parser.py` lists every private
name used here with its purpose, and says what no longer works when xDSL changes one.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerType,
    LocationAttr,
    RankedStructure,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import AttrParser, Parser, ParserState, UnresolvedOperand
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.source import Source
from hwc.frontend.unsupported import reason_for

MAX_CONSTANT_ELEMENTS = 2**24
"""A limit on memory: xDSL holds a constant as a list of Python numbers while it reads it."""

_HEXADECIMAL = re.compile(r'<\s*"0x([0-9A-Fa-f]*)"\s*>')


class _Lexer(MLIRLexer):
    """xDSL's lexer, whose pattern for strings takes exponential time if a string has no end."""

    _unescaped_characters_regex = re.compile(
        r'"[^"\\\n\v\f]*(?:\\(?:["nt\\]|[0-9A-Fa-f]{2})[^"\\\n\v\f]*)*"'
    )


class _LiteralElement(AttrParser._TensorLiteralElement):  # noqa: SLF001
    """One number of a dense literal; `0x...` in a float tensor is a bit pattern."""

    def to_type(
        self,
        parser: AttrParser,
        type: AnyFloat | IntegerType | IndexType | ComplexType,  # noqa: A002
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
    """xDSL's parser, which also records the location of each operation."""

    def __init__(self, context: Context, source: Source) -> None:
        self.source = source
        self._file = StringAttr(source.name)
        self._name_starts: list[int] = []
        # The constructor of Parser makes a lexer of xDSL's own; this one replaces it.
        super().__init__(context, "", source.name)
        self._parser_state = ParserState(_Lexer(Input(source.text, source.name)))

    @property
    def operation_start(self) -> int:
        """Where the name of the operation that is being read begins; else the present position."""
        return self._name_starts[-1] if self._name_starts else self.pos

    def parse_operation(self) -> Operation:
        """Parse one operation; its location is the location of its name."""
        self._name_starts.append(self.pos)
        op = super().parse_operation()
        start = self.source.locate(self._name_starts.pop())
        op.location = FileLineColLoc(self._file, IntAttr(start.line), IntAttr(start.column))
        return op

    def _parse_op_result_list(self):  # noqa: ANN202  (xDSL's private type)
        results = super()._parse_op_result_list()
        self._name_starts[-1] = self.pos
        return results

    def _get_op_by_name(self, name: str) -> type[Operation]:
        try:
            return super()._get_op_by_name(name)
        except ParseError:
            start = self.source.locate(self._name_starts[-1])
            raise LocatedError(start, *reason_for(name)) from None

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> SSAValue:  # noqa: A002
        """Return the value an operand names; a value must be defined before it is used."""
        if operand.operand_name not in self.ssa_values:
            self.raise_error(f"%{operand.operand_name} is used before it is defined", operand.span)
        return super().resolve_operand(operand, type)

    def parse_optional_location(self) -> LocationAttr | None:
        """Skip `loc(...)`, if there is one."""
        self._skip_location()
        return None

    def _skip_location(self) -> bool:
        """Skip `loc(...)`; return whether there was one."""
        if self.parse_optional_keyword("loc") is None:
            return False
        self.parse_punctuation("(")
        depth = 1
        while depth:
            kind = self._consume_token().kind
            if kind == MLIRTokenKind.EOF:
                self.raise_error("unbalanced parentheses after 'loc'")
            depth += (kind == MLIRTokenKind.L_PAREN) - (kind == MLIRTokenKind.R_PAREN)
        return True

    def _parse_alias_def(self) -> None:
        start = self.pos
        self._consume_token()
        self.parse_punctuation("=", " after an alias name")
        if not self._skip_location():
            self._resume_from(start)
            super()._parse_alias_def()

    def _parse_tensor_literal_element(self) -> AttrParser._TensorLiteralElement:
        element = super()._parse_tensor_literal_element()
        return _LiteralElement(element.is_negative, element.value, element.span)

    def parse_dense_int_or_fp_elements_attr(
        self,
        type: RankedStructure[AnyDenseElement] | None = None,  # noqa: A002
    ) -> DenseIntOrFPElementsAttr:
        """Parse `<...> : type`; each bit of a hexadecimal string of i1 is an element."""
        if type is not None:
            self._check_dense_type(type, self.pos)
        start = self.pos
        match = _HEXADECIMAL.match(self.source.text, start)
        if match is None:
            return super().parse_dense_int_or_fp_elements_attr(type)
        self._resume_from(match.end())
        known = type
        if known is None:
            self.parse_punctuation(":")
            known = self._parse_dense_literal_type()
        if known.element_type != IntegerType(1):
            self._resume_from(start)
            return super().parse_dense_int_or_fp_elements_attr(type)
        data, count = bytes.fromhex(match[1]), math.prod(known.get_shape())
        if len(data) != -(-count // 8):
            self.raise_error(f"{8 * len(data)} bits for {count} elements", start, self.pos)
        bits = [data[i // 8] >> (i % 8) & 1 for i in range(count)]
        return DenseIntOrFPElementsAttr.from_list(cast("RankedStructure[IntegerType]", known), bits)

    def _parse_dense_literal_type(self) -> RankedStructure[AnyDenseElement]:
        start = self.pos
        type_ = super()._parse_dense_literal_type()
        self._check_dense_type(type_, start)
        return type_

    def _check_dense_type(self, type_: RankedStructure[AnyDenseElement], start: int) -> None:
        """Refuse a constant that would exhaust the memory."""
        if math.prod(type_.get_shape()) > MAX_CONSTANT_ELEMENTS:
            message = (
                f"a constant of more than {MAX_CONSTANT_ELEMENTS} elements; pass it as an argument"
            )
            self.raise_error(message, start, self.pos)
