"""hwc's version of xDSL's parser, and the only module that uses private names of xDSL.

xDSL's parser does not record the location of an operation. This parser sets each operation's
location to the line and column of its name, as MLIR does. It refuses a value that is used before
its definition, and reads the bit patterns that MLIR prints for infinities and NaNs. It skips
`loc(...)` annotations: locations always refer to the text given to hwc.

xDSL has no public hooks for this. `tests/unit/frontend/test_xdsl_parser.py` lists every private
name used here with its purpose, and says what breaks if xDSL changes the name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyDenseElement,
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    FloatAttr,
    FunctionType,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    RankedStructure,
    StringAttr,
    TensorType,
    f64,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue, TypeAttribute
from xdsl.parser import AttrParser, Parser, ParserState, UnresolvedOperand
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import (
    MLIRLexer,
    MLIRToken,
    MLIRTokenKind,
    PunctuationSpelling,
    StringLiteral,
)

import isa
from hwc.errors import counted
from hwc.frontend.dense_lists import find_list, read_list
from hwc.frontend.diagnostics import LocatedError, name_location
from hwc.frontend.functions import hint_of
from hwc.frontend.operation_names import operation_names
from hwc.frontend.plain_operations import SIGNATURE, TENSOR_TYPE, find_plain
from hwc.frontend.resources import Resources
from hwc.frontend.scalar_operations import is_refused
from hwc.frontend.source import Place, Source
from hwc.frontend.stored_elements import bytes_of, from_bits, stored_bytes
from hwc.frontend.unsupported import unsupported

MAX_CONSTANT_ELEMENTS = 2**24
"""A limit on memory: while xDSL reads a constant, it holds a list of Python numbers."""

MAX_DIGITS = 1000
"""The maximum number of digits of a number; f64 has up to 309 before the point."""

_INTEGER = re.compile(r"-?\s*(?:0x[0-9A-Fa-f]+|[0-9]+)")

MAX_INTEGER_BITS = 128
"""The maximum width of an integer: xDSL computes 2 to this power when it checks a number."""

_DenseType: TypeAlias = RankedStructure[AnyDenseElement]

_WIDEST = 8
"""The size of the widest stored element in bytes."""

_column = lru_cache(maxsize=256)(IntAttr)
"""Makes the number of a column; nearly all operations of a program start in the same few."""

_SPLAT = re.compile(r'<\s*[^\s\["<>]')
"""The beginning of a literal with a single number."""
_HEXADECIMAL = re.compile(r'<\s*"0x([0-9A-Fa-f]*)"\s*>')


class _Lexer(MLIRLexer):
    """xDSL's lexer without its pattern for strings, which is exponential if a string has no end.

    Strings with non-ASCII letters are printed as escaped bytes; here such strings are strings, too.
    """

    _unescaped_characters_regex = re.compile(
        r'"[^"\\\n\v\f]*(?:\\(?:["nt\\]|[0-9A-Fa-f]{2})[^"\\\n\v\f]*)*"'
    )

    def _lex_string_literal(self, start_pos: int) -> MLIRToken:
        token = super()._lex_string_literal(start_pos)
        if token.kind is MLIRTokenKind.BYTES_LIT:
            try:
                StringLiteral.from_span(token.span).bytes_contents.decode()
            except UnicodeDecodeError:
                return token
            return MLIRToken(MLIRTokenKind.STRING_LIT, token.span)
        return token

    def _lex_number(self, start_pos: int) -> MLIRToken:
        """Lex a number; Python refuses to convert thousands of digits."""
        token = super()._lex_number(start_pos)
        if len(token.text) > MAX_DIGITS:
            raise ParseError(token.span, f"a number of {len(token.text)} digits")
        return token


class _LiteralElement(AttrParser._TensorLiteralElement):  # noqa: SLF001
    """One number of a dense literal; `0x...` in a float tensor is a bit pattern."""

    def to_type(
        self,
        parser: AttrParser,
        type: AnyFloat | IntegerType | IndexType | ComplexType,  # noqa: A002
    ) -> int | float | tuple[int, int] | tuple[float, float]:
        assert isinstance(parser, LocatingParser)
        text, start = self.span.text, self.span.start
        if isinstance(type, AnyFloat):
            if isinstance(self.value, int):
                return parser.float_of_bits(start, text, type)
        elif isinstance(self.value, int) and not isinstance(self.value, bool):
            parser.check_integer(start, text, self.value, type)
        return super().to_type(parser, type)


@dataclass(init=False)
class LocatingParser(Parser):
    """xDSL's parser, which also records the location of each operation."""

    def __init__(self, context: Context, source: Source, operators: Collection[str] = ()) -> None:
        """Begin with a source; `operators` are names of operations that libraries define."""
        self.source = source
        self._operators = operators
        self._called: dict[int, str] = {}
        self._file = StringAttr(source.name)
        self._name_starts: list[int] = []
        self.definition: type[Operation] | None = None
        """The definition of the operation whose name was read last."""
        self._resources = Resources(self.refuse)
        self._signatures: dict[str, FunctionType] = {}
        self._types: dict[Attribute, Attribute] = {}
        self._dense_types: dict[str, _DenseType] = {}
        self._plain_builders: dict[str, Callable[..., Operation] | None] = {}
        # The constructor of Parser makes xDSL's own lexer; replace it.
        super().__init__(context, "", source.name)
        self._parser_state = ParserState(_Lexer(Input(source.text, source.name)))

    @property
    def operation_start(self) -> int:
        """The start of the current operation's name; outside an operation, the current position."""
        return self._name_starts[-1] if self._name_starts else self.pos

    def refuse(self, start: int, message: str, advice: str) -> NoReturn:
        """Raise an error at a position of the text."""
        raise LocatedError(self.source.place(start), message, advice)

    def float_of_bits(self, start: int, text: str, type_: AnyFloat) -> float:
        """Return the float whose bits are the integer `text`, which has to be hexadecimal."""
        if text[:2] not in {"0x", "0X"}:
            number = f"write {text}.0" if text.lstrip("-").isdecimal() else "write a decimal number"
            self.refuse(start, f"{text} is an integer, expected a number of {type_}", number)
        size = type_.compile_time_size
        if len(text) - 2 > 2 * size:
            advice = f"a bit pattern of {type_} has {2 * size} digits"
            self.refuse(start, f"the bit pattern is wider than {type_}", advice)
        return type_.unpack(int(text, 16).to_bytes(size, "little"), 1)[0]

    def check_integer(self, start: int, text: str, value: int, type_: Attribute) -> None:
        """Raise an error unless an integer, written as `text`, is a value of its type."""
        if value == 0 and text.startswith("-"):
            self.refuse(start, f"-0 is not a number of {type_}", "write 0")
        if not isinstance(type_, IntegerType):
            return
        width = type_.width.data
        low, high = -(1 << (width - 1)), (1 << width) - 1
        if not low <= value <= high:
            message = f"{value} does not fit {type_}"
            self.refuse(start, message, f"numbers of {type_} are {low} to {high}")

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        """Parse the whole text; constants get their elements from resources at the end of it."""
        module = super().parse_module(allow_implicit_module)
        self._resources.resolve(module)
        return module

    def _parse_dialect_resource_handle(self, dialect_name: str, interface: object) -> str:
        start = self.pos
        name = self.parse_identifier_or_str_literal(" for resource handle")
        self._resources.named.setdefault(name, start)
        return name

    def _parse_resource(self, dialect_name: str, interface: object) -> None:
        name = self.parse_identifier_or_str_literal(" for resource handle")
        self.parse_punctuation(":")
        token = self._parse_token(MLIRTokenKind.STRING_LIT, "expected a blob")
        self._resources.add(name, token.text, token.span.start)

    def _parse_external_resources(self) -> None:
        self._skip_brackets("{", "}")  # notes that tools leave for themselves

    def parse_optional_builtin_int_or_float_attr(self) -> IntegerAttr | FloatAttr | None:
        """Parse `true`, or a number and its type, as in `1.0 : f32`; check that the number fits."""
        boolean = self.try_parse_builtin_boolean_attr()
        if boolean is not None:
            return boolean
        start = self.pos
        value = self.parse_optional_number()
        if value is None:
            return None
        match = _INTEGER.match(self.source.text, start)
        text = match[0] if match else ""
        if self.source.text.startswith(":", self.pos):
            type_ = self._parse_attribute_type()
        else:
            type_ = f64 if isinstance(value, float) else i64
        if isinstance(type_, AnyFloat):
            is_float = isinstance(value, float)
            return FloatAttr(value if is_float else self.float_of_bits(start, text, type_), type_)
        if not isinstance(type_, IntegerType | IndexType):
            self.refuse(start, f"a number has the type {type_}", "write 1 : i32 or 1.0 : f32")
        if isinstance(value, float):
            self.refuse(start, f"a number with a fraction has the type {type_}", "write an integer")
        self.check_integer(start, text, value, type_)
        return IntegerAttr(value, type_)

    def parse_operation(self) -> Operation:
        """Parse one operation; its location is the location of its name."""
        if (plain := self._parse_plain()) is not None:
            return plain
        self._name_starts.append(self.pos)
        op = super().parse_operation()
        start = self._name_starts.pop()
        op.location = self._location(start)
        if (name := self._called.pop(start, None)) is not None:
            domain, _, operator = name.rpartition(".")
            op.properties["domain_name"] = StringAttr(domain)
            op.properties["operator_name"] = StringAttr(operator)
        return op

    def _parse_plain(self) -> Operation | None:
        """Parse an operation in one go if it is plain and its types were read before.

        Return None for any other operation, including an operation with an error.
        """
        found = find_plain(self.source.text, self.pos)
        if found is None:
            return None
        build, types = self._plain(found.operator), self._signatures.get(found.types)
        if build is None or types is None or found.result in self.ssa_values:
            return None
        inputs, outputs = types.inputs.data, types.outputs.data
        named = [self.ssa_values.get(name) for name in found.operands]
        operands = [values[0] for values in named if values is not None and len(values) == 1]
        if not len(operands) == len(named) == len(inputs) or len(outputs) != 1:
            return None
        for value, type_ in zip(operands, inputs, strict=True):
            if value.type is not type_ and value.type != type_:
                return None
        place = self._location(found.operator_start)
        op = build(operands, outputs, place)
        span = Span(self.pos, self.pos + len(found.result) + 1, self.lexer.input)
        self._resume_from(found.end)
        self._skip_location()
        self._register_ssa_definition(found.result, op.results, span)
        return op

    def _plain(self, name: str) -> Callable[..., Operation] | None:
        """Return what builds an operation written as operands and types only; else None."""
        if name not in self._plain_builders:
            kind = self.ctx.get_optional_op(name)
            self._plain_builders[name] = getattr(kind, "plain", None)
        return self._plain_builders[name]

    def parse_optional_function_type(self) -> FunctionType | None:
        """Parse the types of an operation; most have the same text as in an earlier operation."""
        match = SIGNATURE.match(self.source.text, self.pos)
        if match is None:
            return super().parse_optional_function_type()
        known = self._signatures.get(match[0])
        if known is not None:
            self._resume_from(match.end())
            return known
        parsed = super().parse_optional_function_type()
        if parsed is None or self.source.text[match.end() : self.pos].strip():
            return parsed
        # Share one object for equal types, because comparing two objects takes long.
        inputs, outputs = (
            [self._types.setdefault(type_, type_) for type_ in types.data]
            for types in (parsed.inputs, parsed.outputs)
        )
        return self._signatures.setdefault(match[0], FunctionType.from_lists(inputs, outputs))

    def _parse_op_result_list(self):  # noqa: ANN202  (xDSL's private type)
        results = super()._parse_op_result_list()
        self._name_starts[-1] = self.pos
        return results

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        for value in values:
            if isinstance(value, BlockArgument):
                value.location = self._location(span.start)
                if value.name_hint and self.definition is FuncOp:
                    value.name_hint = hint_of(name)

    def _location(self, position: int) -> LocationAttr:
        place = self.source.place(position)
        if isinstance(place, Place):
            return name_location(place)
        return FileLineColLoc(self._file, IntAttr(place.line), _column(place.column))

    def _get_op_by_name(self, name: str) -> type[Operation]:
        if name in self._operators and self.ctx.get_optional_op(name) is None:
            self._called[self._name_starts[-1]] = name
            name = "tosa.custom"
        try:
            self.definition = super()._get_op_by_name(name)
        except ParseError:
            raise self._unsupported(name) from None
        return self.definition

    def _unsupported(self, name: str) -> LocatedError:
        """Return an error that lists all operations of the text that no program may have."""
        found = {self._name_starts[-1]: name}
        for position, other in operation_names(self.source.text):
            known = other in self._operators or self.ctx.get_optional_op(other) is not None
            if is_refused(other) or not known:
                found.setdefault(position, other)
        return unsupported((self.source.place(start), found[start]) for start in sorted(found))

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> SSAValue:  # noqa: A002
        """Return the value that an operand names; a value has to be defined before it is used."""
        if operand.operand_name not in self.ssa_values:
            self.refuse(
                operand.span.start,
                f"%{operand.operand_name} is used before it is defined",
                "values are defined above the operations that use them; is the name right?",
            )
        return super().resolve_operand(operand, type)

    def parse_optional_location(self) -> LocationAttr | None:
        """Skip `loc(...)`, if present."""
        self._skip_location()
        return None

    def _skip_location(self) -> bool:
        """Skip `loc(...)`; return whether it was present."""
        if self.parse_optional_keyword("loc") is None:
            return False
        self._skip_brackets("(", ")")
        return True

    def _skip_brackets(self, opening: PunctuationSpelling, closing: PunctuationSpelling) -> None:
        self.parse_punctuation(opening)
        depth = 1
        while depth:
            kind = self._consume_token().kind
            if kind == MLIRTokenKind.EOF:
                self.raise_error(f"'{closing}' expected")
            depth += (kind == MLIRTokenKind(opening)) - (kind == MLIRTokenKind(closing))

    def _parse_extended_type_or_attribute(
        self, attr_or_dialect_name: str, is_type: bool
    ) -> Any:  # a type or an attribute, as `is_type` says
        text = self.source.text
        if text.startswith("<", self.pos) and text[self.pos - 1].isspace():
            prefix = "!" if is_type else "#"
            self.refuse(
                self.pos,
                f"a space between {prefix}{attr_or_dialect_name} and its parameters",
                f"write {prefix}{attr_or_dialect_name}<...>",
            )
        return super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)

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
        """Parse `<...> : type`; a single number is kept as one element, whatever the sizes are."""
        text, start = self.source.text, self.pos
        if match := _HEXADECIMAL.match(text, start):
            found = self._parse_hexadecimal(match, type)
        elif match := find_list(text, start):
            found = self._parse_list(match, type)
        elif _SPLAT.match(text, start):
            found = self._parse_splat(type)
        else:
            found = None
        if found is not None:
            return found
        self._resume_from(start)
        if type is not None:
            self._check_dense_type(type, start)
        return super().parse_dense_int_or_fp_elements_attr(type)

    def _parse_splat(self, type_: _DenseType | None) -> DenseIntOrFPElementsAttr:
        self.parse_punctuation("<")
        element = self._parse_tensor_literal_element()
        self.parse_punctuation(">", " in dense attribute")
        type_ = self._dense_type(type_, limit=isa.load().limits.size_limit - 1)
        value = element.to_type(self, type_.element_type)
        one = DenseIntOrFPElementsAttr.from_list(cast("Any", _one(type_)), cast("Any", [value]))
        return self._splat(type_, one.data)

    def _parse_list(
        self, match: re.Match[str], type_: _DenseType | None
    ) -> DenseIntOrFPElementsAttr | None:
        """Parse a long list; return None if xDSL has to read it."""
        self._resume_from(match.end())
        type_ = self._dense_type(type_)
        data = read_list(match[1], type_.element_type, type_.get_shape())
        return None if data is None else DenseIntOrFPElementsAttr(type_, BytesAttr(data))

    def _parse_hexadecimal(
        self, match: re.Match[str], type_: _DenseType | None
    ) -> DenseIntOrFPElementsAttr | None:
        """Parse a string of bytes, or of bits if the elements are i1.

        mlir-opt 22 packs eight i1 into a byte; LLVM 24 writes one byte for each. Return None if
        xDSL has to read the string.
        """
        start = self.pos
        self._resume_from(match.end())
        data = bytes.fromhex(match[1]) if len(match[1]) % 2 == 0 else b""
        limit = isa.load().limits.size_limit - 1 if len(data) <= _WIDEST else MAX_CONSTANT_ELEMENTS
        type_ = self._dense_type(type_, limit=limit)
        element, count = type_.element_type, math.prod(type_.get_shape())
        if element == IntegerType(1) and data and len(data) == -(-count // 8):
            return DenseIntOrFPElementsAttr(type_, BytesAttr(from_bits(data, count)))
        if not isinstance(element, IntegerType | AnyFloat):
            return None
        size = bytes_of(element)
        if data and len(data) == size and element != IntegerType(1):
            return self._splat(type_, BytesAttr(stored_bytes(data, element)))
        if len(data) == size * count:
            return DenseIntOrFPElementsAttr(type_, BytesAttr(stored_bytes(data, element)))
        if element == IntegerType(1) or size != element.compile_time_size:
            bits = f", or {-(-count // 8)} with a bit for each" if element.bitwidth == 1 else ""
            given = f"a string of {counted(len(data), 'byte')}"
            message = f"{given} for {counted(count, 'element')} of {element}"
            self.refuse(start, message, f"write {counted(size * count, 'byte')}{bits}")
        self._check_dense_type(type_, start)
        return None

    def _splat(self, type_: _DenseType, data: BytesAttr) -> DenseIntOrFPElementsAttr:
        """Return a constant of equal elements; if the type has no elements, it holds none."""
        return DenseIntOrFPElementsAttr(
            type_, data if math.prod(type_.get_shape()) else BytesAttr(b"")
        )

    def _dense_type(
        self, type_: _DenseType | None, limit: int = MAX_CONSTANT_ELEMENTS
    ) -> _DenseType:
        """Return the known type of a constant, or parse the type after the literal."""
        start = self.pos
        if type_ is None:
            self.parse_punctuation(":", " in dense attribute")
            start = self.pos
            type_ = self._parse_known_type() or super()._parse_dense_literal_type()
            self._dense_types.setdefault(self.source.text[start : self.pos].rstrip(), type_)
        self._check_dense_type(type_, start, limit)
        return type_

    def _parse_known_type(self) -> _DenseType | None:
        """Parse the type of a constant if an earlier type had the same text."""
        match = TENSOR_TYPE.match(self.source.text, self.pos)
        known = self._dense_types.get(match[0]) if match else None
        if match and known is not None:
            self._resume_from(match.end())
        return known

    def _parse_dense_literal_type(self) -> _DenseType:
        start = self.pos
        type_ = super()._parse_dense_literal_type()
        self._check_dense_type(type_, start)
        return type_

    def _check_dense_type(
        self, type_: _DenseType, start: int, limit: int = MAX_CONSTANT_ELEMENTS
    ) -> None:
        """Refuse a constant that would exhaust memory."""
        if math.prod(type_.get_shape()) > limit:
            message = f"a constant of more than {limit} elements"
            self.refuse(start, message, "pass it as an argument")

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        start = self.pos
        type_ = super()._parse_optional_integer_or_float_type()
        if isinstance(type_, IntegerType) and type_.width.data > MAX_INTEGER_BITS:
            message = f"an integer of {type_.width.data} bits, expected at most {MAX_INTEGER_BITS}"
            types = ", ".join(t.mlir for t in isa.load().types.values())
            self.refuse(start, message, f"the element types of tensors are {types}")
        return type_


def _one(type_: _DenseType) -> _DenseType:
    """Return the type of one element of a constant."""
    return cast("_DenseType", TensorType(type_.element_type, [1]))
