"""Upstream's `arith` dialect as mlir-opt 22 has it: on tensors as well as on scalars.

xDSL has most of the dialect. But its casts, comparisons and selection take only scalars, and it
lacks `remf`, `index_castui` and some of the flags. Those operations are defined again here, with
the same names and properties, and the casts in `upstream_casts`.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    TensorType,
    UnitAttr,
    container_of,
    i64,
)
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import (
    AnyAttr,
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

from hwc.dialects.upstream_casts import (
    CASTS,
    FLOATS,
    INTEGERS,
    NO_FAST_MATH,
    check_shapes,
    print_fast_math,
)

_BOOLEANS = container_of(IntegerType(1))


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
            properties["fastmath"] = NO_FAST_MATH
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
        print_fast_math(printer, flags if isinstance(flags, FastMathFlagsAttr) else None)
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
        check_shapes(self)


@irdl_op_definition
class CmpiOp(_Comparison):
    """Whether two integers are in a relation."""

    name = "arith.cmpi"
    RELATIONS: ClassVar[tuple[str, ...]] = tuple(arith.CMPI_COMPARISON_OPERATIONS)
    lhs = operand_def(INTEGERS)
    rhs = operand_def(INTEGERS)


@irdl_op_definition
class CmpfOp(_Comparison):
    """Whether two floats are in a relation."""

    name = "arith.cmpf"
    RELATIONS: ClassVar[tuple[str, ...]] = tuple(arith.CMPF_COMPARISON_OPERATIONS)
    lhs = operand_def(FLOATS)
    rhs = operand_def(FLOATS)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FAST_MATH)


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
            check_shapes(self)


class _Exact(IRDLOperation):
    """Base of divisions and shifts that a program may declare to be exact."""

    _T: ClassVar = VarConstraint("T", INTEGERS)

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
    """The quotient of two unsigned integers."""

    name = "arith.divui"


@irdl_op_definition
class ShRSIOp(_Exact):
    """An integer shifted right, with copies of its sign shifted in."""

    name = "arith.shrsi"


@irdl_op_definition
class ShRUIOp(_Exact):
    """An integer shifted right, with zeros shifted in."""

    name = "arith.shrui"


@irdl_op_definition
class RemFOp(IRDLOperation):
    """The remainder of two floats, with the sign of the first."""

    name = "arith.remf"

    _T: ClassVar = VarConstraint("T", FLOATS)

    lhs = operand_def(_T)
    rhs = operand_def(_T)
    result = result_def(_T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FAST_MATH)

    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"


_OWN = (*CASTS, CmpiOp, CmpfOp, SelectOp, DivSIOp, DivUIOp, ShRSIOp, ShRUIOp, RemFOp)
_NAMES = {op.name for op in _OWN}

Arith = Dialect(
    "arith",
    [*(op for op in arith.Arith.operations if op.name not in _NAMES), *_OWN],
    list(arith.Arith.attributes),
)
