"""Attributes, the shape type, and the syntax that all operators of the `tosa` dialect share.

Both forms of every operator are read: the pretty form of TOSA 1.0 and the generic form, with
properties or with attributes, and with the operands and attribute names of older text
(`compile_time_operands.py` reads those).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeGuard

from xdsl.dialects.builtin import IntAttr, LocationAttr, UnitAttr
from xdsl.ir import (
    Attribute,
    Block,
    Data,
    Operation,
    OpTraits,
    ParametrizedAttribute,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from hwc.dialects.shared_attributes import create

NAN_MODES = ("PROPAGATE", "IGNORE")
ROUNDING_MODES = ("SINGLE_ROUND", "INEXACT_ROUND", "DOUBLE_ROUND")
RESIZE_MODES = ("NEAREST_NEIGHBOR", "BILINEAR")


class KeywordAttr(Data[str]):
    """An attribute that is one of a few words; operators write it without the dialect's prefix."""

    keywords: ClassVar[Sequence[str]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        """Parse `<IGNORE>`."""
        with parser.in_angle_brackets():
            return parser.parse_keyword_in(cls.keywords)

    def print_parameter(self, printer: Printer) -> None:
        """Print `<IGNORE>`."""
        printer.print_string(f"<{self.data}>")


@irdl_attr_definition
class NanModeAttr(KeywordAttr):
    """Whether the maximum of a NaN and a number is the NaN (PROPAGATE) or the number (IGNORE)."""

    name = "tosa.nan_mode"
    keywords: ClassVar = NAN_MODES


@irdl_attr_definition
class RoundingModeAttr(KeywordAttr):
    """How `rescale` rounds: once, twice, or once or not at all (INEXACT_ROUND)."""

    name = "tosa.rounding_mode"
    keywords: ClassVar = ROUNDING_MODES


@irdl_attr_definition
class ResizeModeAttr(KeywordAttr):
    """How `resize`, which only hosts compute, interpolates between elements."""

    name = "tosa.resize_mode"
    keywords: ClassVar = RESIZE_MODES


_KEYWORDS: Mapping[str, type[KeywordAttr]] = {
    "mode": ResizeModeAttr,
    "nan_mode": NanModeAttr,
    "rounding_mode": RoundingModeAttr,
}
"""The operator attributes that are written as one word."""


@irdl_attr_definition
class UnaryQuantAttr(Data[tuple[int, int]]):
    """Zero points of the input and the output, the form of text older than TOSA 1.0."""

    name = "tosa.unary_quant"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, int]:
        """Parse `<input_zp = 1, output_zp = 2>`."""
        with parser.in_angle_brackets():
            parser.parse_keyword("input_zp")
            parser.parse_punctuation("=")
            input_zero_point = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            parser.parse_keyword("output_zp")
            parser.parse_punctuation("=")
            return input_zero_point, parser.parse_integer(allow_boolean=False)

    def print_parameter(self, printer: Printer) -> None:
        """Print `<input_zp = 1, output_zp = 2>`."""
        printer.print_string(f"<input_zp = {self.data[0]}, output_zp = {self.data[1]}>")


@irdl_attr_definition
class ShapeType(ParametrizedAttribute, TypeAttribute):
    """The type of a shape of `rank` sizes: `!tosa.shape<2>`."""

    name = "tosa.shape"

    rank: IntAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<2>`."""
        with parser.in_angle_brackets():
            return (IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False)),)

    def print_parameters(self, printer: Printer) -> None:
        """Print `<2>`."""
        printer.print_string(f"<{self.rank.data}>")


class TosaOperation(Operation):
    """An operator of the dialect; properties and attributes mean the same."""

    traits = OpTraits(lambda: (Pure(),))

    @classmethod
    def plain(
        cls, operands: Sequence[SSAValue], result_types: Sequence[Attribute], place: LocationAttr
    ) -> TosaOperation:
        """Build an operator without attributes: `%a, %b : (type, type) -> type`, as text."""
        return create(cls, operands, result_types, location=place)

    @property
    def operator(self) -> str:
        """The name without the dialect."""
        return self.name.removeprefix("tosa.")

    @property
    def arguments(self) -> dict[str, Attribute]:
        """Properties and attributes together."""
        return {**self.attributes, **self.properties}

    @classmethod
    def parse(cls, parser: Parser) -> TosaOperation:
        """Parse `%a, %b {name = value} : (type, type) -> type`."""
        position = parser.pos
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = _parse_arguments(parser)
        parser.parse_punctuation(":")
        signature = parser.parse_function_type()
        return cls.create(
            operands=parser.resolve_operands(operands or [], signature.inputs.data, position),
            result_types=signature.outputs.data,
            properties=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        arguments = self.arguments
        if arguments:
            printer.print_string(" ")
            with printer.in_braces():
                printer.print_list(
                    sorted(arguments), lambda name: _print_argument(printer, name, arguments)
                )
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)


def is_operator(owner: Operation | Block, name: str) -> TypeGuard[TosaOperation]:
    """Whether a value's owner is the operator of that name, given without the dialect."""
    return isinstance(owner, TosaOperation) and owner.operator == name


def _parse_arguments(parser: Parser) -> dict[str, Attribute]:
    if parser.parse_optional_punctuation("{") is None:
        return {}
    arguments: dict[str, Attribute] = {}
    if parser.parse_optional_punctuation("}") is not None:
        return arguments
    while True:
        position = parser.pos
        name = parser.parse_identifier_or_str_literal()
        if name in arguments:
            parser.raise_error(f"attribute '{name}' is given twice", position, parser.pos)
        arguments[name] = _parse_argument(parser, name)
        if parser.parse_optional_punctuation(",") is None:
            parser.parse_punctuation("}")
            return arguments


def _parse_argument(parser: Parser, name: str) -> Attribute:
    if parser.parse_optional_punctuation("=") is None:
        return UnitAttr()
    kind = _KEYWORDS.get(name)
    if kind is None:
        return parser.parse_attribute()
    if mode := parser.parse_optional_keyword_in(kind.keywords):
        return kind(mode)
    value = parser.parse_optional_attribute()
    if value is None:
        parser.raise_error(f"'{name}' expected {' or '.join(kind.keywords)}")
    return value


def _print_argument(printer: Printer, name: str, arguments: dict[str, Attribute]) -> None:
    value = arguments[name]
    printer.print_identifier_or_string_literal(name)
    if isinstance(value, UnitAttr):
        return
    printer.print_string(" = ")
    if isinstance(value, KeywordAttr):
        printer.print_string(value.data)
    else:
        printer.print_attribute(value)
