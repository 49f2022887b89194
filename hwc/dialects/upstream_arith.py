"""Upstream's `arith` dialect as mlir-opt 22 has it: on tensors as well as on scalars.

xDSL has most of it. Its casts, comparisons and selection take scalars only, and it lacks `remf`,
`index_castui` and some of the flags; those operations are defined again here, with the same names
and properties.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    UnitAttr,
    container_of,
    i64,
)
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

_INTEGERS = container_of(AnyOf.get(IntegerType, IndexType))
_FLOATS = container_of(AnyFloat)
_BOOLEANS = container_of(IntegerType(1))
_NO_FAST_MATH = FastMathFlagsAttr("none")


def _check_shapes(op: Operation) -> None:
    """Check that operands and result are scalars, or tensors of one shape."""
    types = [value.type for value in (*op.operands, *op.results)]
    shapes = [type_.get_shape() if isinstance(type_, TensorType) else None for type_ in types]
    if any(shape != shapes[0] for shape in shapes):
        listed = ", ".join(str(type_) for type_ in types)
        raise VerifyException(f"operands and result have different shapes: {listed}")


class _Cast(IRDLOperation):
    """Base of the conversions: one operand, whose shape the result has."""

    input = operand_def()
    result = result_def()

    traits = traits_def(Pure())

    def verify_(self) -> None:
        """Check the shapes."""
        _check_shapes(self)


def _check_widths(op: _Cast, grows: bool) -> None:
    """Check that the result is wider than the operand, or narrower."""
    before, after = (_width(value.type) for value in (op.input, op.result))
    if (before < after) != grows or before == after:
        kind = "wider" if grows else "narrower"
        raise VerifyException(f"{op.result.type} is not {kind} than {op.input.type}")


def _width(type_: Attribute) -> int:
    element = type_.get_element_type() if isinstance(type_, TensorType) else type_
    return element.width.data if isinstance(element, IntegerType) else 0


class _PlainCast(_Cast):
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"


@irdl_op_definition
class ExtUIOp(_PlainCast):
    """An integer with zeros above."""

    name = "arith.extui"
    input = operand_def(_INTEGERS)
    result = result_def(_INTEGERS)

    def verify_(self) -> None:
        """Check the shapes and the widths."""
        _check_shapes(self)
        _check_widths(self, grows=True)


@irdl_op_definition
class ExtSIOp(_PlainCast):
    """An integer with copies of its sign above."""

    name = "arith.extsi"
    input = operand_def(_INTEGERS)
    result = result_def(_INTEGERS)

    def verify_(self) -> None:
        """Check the shapes and the widths."""
        _check_shapes(self)
        _check_widths(self, grows=True)


@irdl_op_definition
class IndexCastUIOp(_PlainCast):
    """An index as an integer without a sign, or the other way round; a scalar."""

    name = "arith.index_castui"
    input = operand_def(AnyOf.get(IntegerType, IndexType))
    result = result_def(AnyOf.get(IntegerType, IndexType))

    def verify_(self) -> None:
        """Check that one of both is an index."""
        if isinstance(self.input.type, IndexType) == isinstance(self.result.type, IndexType):
            raise VerifyException(f"{self.input.type} to {self.result.type}: one has to be index")


@irdl_op_definition
class SIToFPOp(_PlainCast):
    """The float nearest to an integer."""

    name = "arith.sitofp"
    input = operand_def(_INTEGERS)
    result = result_def(_FLOATS)


@irdl_op_definition
class UIToFPOp(_PlainCast):
    """The float nearest to an integer without a sign."""

    name = "arith.uitofp"
    input = operand_def(_INTEGERS)
    result = result_def(_FLOATS)


@irdl_op_definition
class FPToSIOp(_PlainCast):
    """A float rounded toward zero, as an integer."""

    name = "arith.fptosi"
    input = operand_def(_FLOATS)
    result = result_def(_INTEGERS)


@irdl_op_definition
class FPToUIOp(_PlainCast):
    """A float rounded toward zero, as an integer without a sign."""

    name = "arith.fptoui"
    input = operand_def(_FLOATS)
    result = result_def(_INTEGERS)


@irdl_op_definition
class TruncIOp(_Cast):
    """The low bits of an integer."""

    name = "arith.trunci"
    input = operand_def(_INTEGERS)
    result = result_def(_INTEGERS)
    overflow_flags = opt_prop_def(IntegerOverflowAttr, prop_name="overflowFlags")

    assembly_format = (
        "$input (`overflow` `` $overflowFlags^)? attr-dict `:` type($input) `to` type($result)"
    )

    def verify_(self) -> None:
        """Check the shapes and the widths."""
        _check_shapes(self)
        _check_widths(self, grows=False)


@irdl_op_definition
class ExtFOp(_Cast):
    """A float in a wider format."""

    name = "arith.extf"
    input = operand_def(_FLOATS)
    result = result_def(_FLOATS)
    fastmath = opt_prop_def(FastMathFlagsAttr)

    assembly_format = (
        "$input (`fastmath` `` $fastmath^)? attr-dict `:` type($input) `to` type($result)"
    )


ROUNDING_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")


@irdl_op_definition
class TruncFOp(_Cast):
    """A float in a narrower format; without a rounding mode, to nearest, ties to even."""

    name = "arith.truncf"
    input = operand_def(_FLOATS)
    result = result_def(_FLOATS)
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

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.input)
        if isinstance(self.roundingmode, StringAttr):
            printer.print_string(f" {self.roundingmode.data}")
        _print_fast_math(printer, self.fastmath)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.input.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)


def _print_fast_math(printer: Printer, flags: FastMathFlagsAttr | None) -> None:
    if flags is not None and flags != _NO_FAST_MATH:
        printer.print_string(" fastmath")
        flags.print_parameter(printer)


class _Comparison(IRDLOperation):
    """Base of the comparisons; `RELATIONS` are the names of the predicates, by number."""

    RELATIONS: ClassVar[tuple[str, ...]]

    predicate = prop_def(IntegerAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def(_BOOLEANS)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> _Comparison:
        """Parse `slt, %a, %b : tensor<4xi32>`."""
        relation = parser.parse_optional_str_literal() or parser.parse_keyword_in(cls.RELATIONS)
        parser.parse_punctuation(",")
        operands = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
        properties: dict[str, Attribute] = {
            "predicate": IntegerAttr(cls.RELATIONS.index(relation), i64)
        }
        if "fastmath" in cls.get_irdl_definition().properties:
            properties["fastmath"] = _NO_FAST_MATH
            if parser.parse_optional_keyword("fastmath"):
                flags = FastMathFlagsAttr.parse_parameter(parser)
                properties["fastmath"] = FastMathFlagsAttr(flags)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        result: Attribute = IntegerType(1)
        if isinstance(type_, TensorType):
            result = TensorType(result, type_.get_shape(), type_.encoding)
        return cls.create(
            operands=[parser.resolve_operand(operand, type_) for operand in operands],
            result_types=[result],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(f" {self.RELATIONS[self.predicate.value.data]}, ")
        printer.print_list(self.operands, printer.print_ssa_value)
        flags = self.properties.get("fastmath")
        _print_fast_math(printer, flags if isinstance(flags, FastMathFlagsAttr) else None)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)

    def verify_(self) -> None:
        """Check the predicate, the operands' types and the shapes."""
        if not 0 <= self.predicate.value.data < len(self.RELATIONS):
            raise VerifyException(
                f"got predicate {self.predicate.value.data}, "
                f"expected 0 to {len(self.RELATIONS) - 1}"
            )
        if self.lhs.type != self.rhs.type:
            raise VerifyException(
                f"the operands have different types: {self.lhs.type}, {self.rhs.type}"
            )
        _check_shapes(self)


@irdl_op_definition
class CmpiOp(_Comparison):
    """Whether two integers are in a relation."""

    name = "arith.cmpi"
    RELATIONS: ClassVar[tuple[str, ...]] = tuple(arith.CMPI_COMPARISON_OPERATIONS)
    lhs = operand_def(_INTEGERS)
    rhs = operand_def(_INTEGERS)


@irdl_op_definition
class CmpfOp(_Comparison):
    """Whether two floats are in a relation."""

    name = "arith.cmpf"
    RELATIONS: ClassVar[tuple[str, ...]] = tuple(arith.CMPF_COMPARISON_OPERATIONS)
    lhs = operand_def(_FLOATS)
    rhs = operand_def(_FLOATS)
    fastmath = prop_def(FastMathFlagsAttr, default_value=_NO_FAST_MATH)


@irdl_op_definition
class SelectOp(IRDLOperation):
    """`lhs` where the condition is true, else `rhs`; a scalar condition chooses for all."""

    name = "arith.select"

    _T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def(_BOOLEANS)
    lhs = operand_def(_T)
    rhs = operand_def(_T)
    result = result_def(_T)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        """Parse `%c, %a, %b : tensor<4xf32>`, or the type of %c first if %c is a tensor."""
        names = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            names.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        condition: Attribute = IntegerType(1)
        type_ = parser.parse_type()
        if parser.parse_optional_punctuation(","):
            condition, type_ = type_, parser.parse_type()
        types = (condition, type_, type_)
        return cls.create(
            operands=[parser.resolve_operand(n, t) for n, t in zip(names, types, strict=True)],
            result_types=[type_],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != IntegerType(1):
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        """Check that a condition has the shape of the result, unless it is a scalar."""
        if self.cond.type != IntegerType(1):
            _check_shapes(self)


class _Exact(IRDLOperation):
    """Base of divisions and shifts that a program may declare to be exact."""

    _T: ClassVar = VarConstraint("T", _INTEGERS)

    lhs = operand_def(_T)
    rhs = operand_def(_T)
    result = result_def(_T)
    is_exact = opt_prop_def(UnitAttr, prop_name="isExact")

    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"


@irdl_op_definition
class DivSIOp(_Exact):
    """The quotient of two integers, rounded toward zero."""

    name = "arith.divsi"


@irdl_op_definition
class DivUIOp(_Exact):
    """The quotient of two integers without a sign."""

    name = "arith.divui"


@irdl_op_definition
class ShRSIOp(_Exact):
    """An integer shifted to the right, with copies of its sign from the left."""

    name = "arith.shrsi"


@irdl_op_definition
class ShRUIOp(_Exact):
    """An integer shifted to the right, with zeros from the left."""

    name = "arith.shrui"


@irdl_op_definition
class RemFOp(IRDLOperation):
    """The remainder of two floats, with the sign of the first."""

    name = "arith.remf"

    _T: ClassVar = VarConstraint("T", _FLOATS)

    lhs = operand_def(_T)
    rhs = operand_def(_T)
    result = result_def(_T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=_NO_FAST_MATH)

    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"


_OWN = (
    *(
        ExtUIOp,
        ExtSIOp,
        IndexCastUIOp,
        SIToFPOp,
        UIToFPOp,
        FPToSIOp,
        FPToUIOp,
        TruncIOp,
        ExtFOp,
        TruncFOp,
    ),
    *(CmpiOp, CmpfOp, SelectOp, DivSIOp, DivUIOp, ShRSIOp, ShRUIOp, RemFOp),
)
_NAMES = {op.name for op in _OWN}

Arith = Dialect(
    "arith",
    [*(op for op in arith.Arith.operations if op.name not in _NAMES), *_OWN],
    list(arith.Arith.attributes),
)
