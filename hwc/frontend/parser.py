"""Reading MLIR text: xDSL's parser, with a place for every operation and every error.

xDSL's parser does not tell where an operation was written. This one sets each operation's location
to its name's line and column, as MLIR does, refuses uses before definitions where they stand, reads
the bit patterns MLIR prints for infinities and NaNs, and passes over `loc(...)` annotations: places
are those of the text given to us.
"""

from __future__ import annotations

import math
import re
import struct
from collections import defaultdict
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
    ModuleOp,
    RankedStructure,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import AttrParser, Parser, ParserState, UnresolvedOperand
from xdsl.utils.exceptions import (
    DiagnosticException,
    ParseError,
    PyRDLError,
    UnregisteredConstructException,
)
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from hwc.dialects.element_types import spellings
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
"""What xDSL's parser and attributes raise, besides ParseError, on text they cannot read."""

_UNREGISTERED = re.compile(r"'([^']*)' is not registered")

MAX_CONSTANT_ELEMENTS = 2**24
"""xDSL keeps a constant as a list of numbers while it reads it."""

_HEXADECIMAL = re.compile(r'<\s*"0x([0-9A-Fa-f]*)"\s*>')


class _Lexer(MLIRLexer):
    """xDSL's lexer, whose pattern of a string takes exponential time if the string has no end."""

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
    """xDSL's parser, which also records where operations stand."""

    def __init__(self, context: Context, source: Source) -> None:
        self.source = source
        self._file = StringAttr(source.name)
        self._name_starts: list[int] = []
        # Parser's own constructor takes its own lexer; these are its fields.
        lexer = _Lexer(Input(source.text, source.name))
        AttrParser.__init__(self, ParserState(lexer), context)
        self.ssa_values = {}
        self.blocks = {}
        self.forward_block_references = defaultdict(list)
        self.forward_ssa_references = {}

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

    def parse_dense_int_or_fp_elements_attr(
        self,
        type: RankedStructure[AnyDenseElement] | None = None,  # noqa: A002
    ) -> DenseIntOrFPElementsAttr:
        """Parse `<...> : type`; of a hexadecimal string of i1, every bit is an element."""
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
        """Refuse what xDSL would take apart element by element for ever."""
        if math.prod(type_.get_shape()) > MAX_CONSTANT_ELEMENTS:
            message = (
                f"a constant of more than {MAX_CONSTANT_ELEMENTS} elements; pass it as argument"
            )
            self.raise_error(message, start, self.pos)


def parse(source: Source, context: Context) -> ModuleOp:
    """Return the module written in `source`; bare functions are put into a module.

    Raises:
        LocatedError: the text is not MLIR, or uses an operation, a type or an attribute that hwc
            does not have.
    """
    parser: LocatingParser | None = None
    try:
        parser = LocatingParser(context, source)
        return parser.parse_module()
    except ParseError as error:
        place = source.locate(cast(int, error.span.start))
        if unknown := _UNREGISTERED.fullmatch(error.msg):
            message = f"the type or attribute '{unknown[1]}' is not compiled"
            advice = f"tensors of {', '.join(spellings())} are compiled"
            raise LocatedError(place, message, advice) from None
        raise LocatedError(place, error.msg.strip(), SYNTAX_ADVICE) from None
    except RAISED_ON_BAD_TEXT as error:
        place = source.locate(parser.pos if parser else 0)
        what = str(error).strip() or type(error).__name__
        raise LocatedError(place, f"cannot read this text: {what}", SYNTAX_ADVICE) from None
