"""The conversions of upstream's `arith` dialect, on tensors as well as on scalars."""

from __future__ import annotations

from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import (
    AnyFloat,
    FixedBitwidthType,
    IndexType,
    IntegerType,
    StringAttr,
    TensorType,
    container_of,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyOf,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

INTEGERS = container_of(AnyOf.get(IntegerType, IndexType))
FLOATS = container_of(AnyFloat)
NO_FAST_MATH = FastMathFlagsAttr("none")


def check_shapes(op: Operation) -> None:
    """Check that operands and result are scalars, or tensors of one shape."""
    types = [value.type for value in (*op.operands, *op.results)]
    shapes = [type_.get_shape() if isinstance(type_, TensorType) else None for type_ in types]
    if any(shape != shapes[0] for shape in shapes):
        listed = ", ".join(str(type_) for type_ in types)
        raise VerifyException(f"operands and result have different shapes: {listed}")


class _Cast(IRDLOperation):
    """Base of the conversions: one operand, and a result of the same shape."""

    input = operand_def()
    result = result_def()

    traits = traits_def(Pure())

    def verify_(self) -> None:
        """Check the shapes."""
        check_shapes(self)


def _check_widths(op: _Cast, grows: bool) -> None:
    """Check that the result is wider than the operand, or narrower."""
    before, after = (_width(value.type) for value in (op.input, op.result))
    if (before < after) != grows or before == after:
        kind = "wider" if grows else "narrower"
        raise VerifyException(f"{op.result.type} is not {kind} than {op.input.type}")


def _element(type_: Attribute) -> Attribute:
    return type_.get_element_type() if isinstance(type_, TensorType) else type_


def _width(type_: Attribute) -> int:
    element = _element(type_)
    return element.bitwidth if isinstance(element, FixedBitwidthType) else 0


class _PlainCast(_Cast):
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"


@irdl_op_definition
class ExtUIOp(_PlainCast):
    """An integer with zeros above."""

    name = "arith.extui"
    input = operand_def(INTEGERS)
    result = result_def(INTEGERS)

    def verify_(self) -> None:
        """Check the shapes and the widths."""
        check_shapes(self)
        _check_widths(self, grows=True)


@irdl_op_definition
class ExtSIOp(_PlainCast):
    """An integer with copies of its sign above."""

    name = "arith.extsi"
    input = operand_def(INTEGERS)
    result = result_def(INTEGERS)

    def verify_(self) -> None:
        """Check the shapes and the widths."""
        check_shapes(self)
        _check_widths(self, grows=True)


class _IndexCast(_PlainCast):
    """Base of the conversions between an index and an integer."""

    input = operand_def(INTEGERS)
    result = result_def(INTEGERS)

    def verify_(self) -> None:
        """Check the shapes, and that exactly one of the two types is an index."""
        check_shapes(self)
        types = (_element(self.input.type), _element(self.result.type))
        if len([type_ for type_ in types if isinstance(type_, IndexType)]) != 1:
            raise VerifyException(f"{self.input.type} to {self.result.type}: one has to be index")


@irdl_op_definition
class IndexCastOp(_IndexCast):
    """An index as a signed integer, or the other way round."""

    name = "arith.index_cast"

    def __init__(self, value: SSAValue, type_: Attribute) -> None:
        """Build the conversion of `value` to `type_`."""
        super().__init__(operands=[value], result_types=[type_])


@irdl_op_definition
class IndexCastUIOp(_IndexCast):
    """An index as an unsigned integer, or the other way round."""

    name = "arith.index_castui"


@irdl_op_definition
class SIToFPOp(_PlainCast):
    """The float nearest to an integer."""

    name = "arith.sitofp"
    input = operand_def(INTEGERS)
    result = result_def(FLOATS)


@irdl_op_definition
class UIToFPOp(_PlainCast):
    """The float nearest to an unsigned integer."""

    name = "arith.uitofp"
    input = operand_def(INTEGERS)
    result = result_def(FLOATS)


@irdl_op_definition
class FPToSIOp(_PlainCast):
    """A float rounded toward zero, as an integer."""

    name = "arith.fptosi"
    input = operand_def(FLOATS)
    result = result_def(INTEGERS)


@irdl_op_definition
class FPToUIOp(_PlainCast):
    """A float rounded toward zero, as an unsigned integer."""

    name = "arith.fptoui"
    input = operand_def(FLOATS)
    result = result_def(INTEGERS)


@irdl_op_definition
class TruncIOp(_Cast):
    """The low bits of an integer."""

    name = "arith.trunci"
    input = operand_def(INTEGERS)
    result = result_def(INTEGERS)
    overflow_flags = opt_prop_def(IntegerOverflowAttr, prop_name="overflowFlags")

    assembly_format = (
        "$input (`overflow` `` $overflowFlags^)? attr-dict `:` type($input) `to` type($result)"
    )

    def verify_(self) -> None:
        """Check the shapes and the widths."""
        check_shapes(self)
        _check_widths(self, grows=False)


@irdl_op_definition
class ExtFOp(_Cast):
    """A float in a wider format."""

    name = "arith.extf"
    input = operand_def(FLOATS)
    result = result_def(FLOATS)
    fastmath = opt_prop_def(FastMathFlagsAttr)

    assembly_format = (
        "$input (`fastmath` `` $fastmath^)? attr-dict `:` type($input) `to` type($result)"
    )

    def verify_(self) -> None:
        """Check the shapes and the widths."""
        check_shapes(self)
        _check_widths(self, grows=True)


ROUNDING_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")


@irdl_op_definition
class TruncFOp(_Cast):
    """A float in a narrower format; without a rounding mode, to nearest, ties to even."""

    name = "arith.truncf"
    input = operand_def(FLOATS)
    result = result_def(FLOATS)
    roundingmode = opt_prop_def(Attribute)
    fastmath = opt_prop_def(FastMathFlagsAttr)

    @classmethod
    def parse(cls, parser: Parser) -> TruncFOp:
        """Parse `%x to_nearest_even fastmath<fast> : f32 to f16`."""
        operand = parser.parse_unresolved_operand()
        properties: dict[str, Attribute] = {}
        if mode := parser.parse_optional_keyword_in(ROUNDING_MODES):
            properties["roundingmode"] = StringAttr(mode)
        if parser.parse_optional_keyword("fastmath"):
            properties["fastmath"] = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_keyword("to")
        return cls.create(
            operands=[parser.resolve_operand(operand, source)],
            result_types=[parser.parse_type()],
            properties=properties,
            attributes=attributes,
        )

    def verify_(self) -> None:
        """Check the shapes and the widths."""
        check_shapes(self)
        _check_widths(self, grows=False)

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.input)
        if isinstance(self.roundingmode, StringAttr):
            printer.print_string(f" {self.roundingmode.data}")
        print_fast_math(printer, self.fastmath)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.input.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)


def print_fast_math(printer: Printer, flags: FastMathFlagsAttr | None) -> None:
    """Print the flags, if there are any."""
    if flags is not None and flags != NO_FAST_MATH:
        printer.print_string(" fastmath")
        flags.print_parameter(printer)


CASTS = (
    *(ExtUIOp, ExtSIOp, IndexCastOp, IndexCastUIOp, TruncIOp, ExtFOp, TruncFOp),
    *(SIToFPOp, UIToFPOp, FPToSIOp, FPToUIOp),
)
