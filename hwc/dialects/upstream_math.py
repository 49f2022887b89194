"""Upstream's `math` dialect as mlir-opt 22 has it: xDSL's, and the operations that xDSL lacks."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects import math
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloat, IntegerType, TensorType, container_of
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

_FLOATS = container_of(AnyFloat)
_NO_FAST_MATH = FastMathFlagsAttr("none")


class _Class(IRDLOperation):
    """Base of the tests of a float's class."""

    operand = operand_def(_FLOATS)
    fastmath = prop_def(FastMathFlagsAttr, default_value=_NO_FAST_MATH)
    result = result_def(container_of(IntegerType(1)))

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> _Class:
        """Parse `%x fastmath<nnan> : tensor<4xf32>`."""
        name = parser.parse_unresolved_operand()
        flags = _NO_FAST_MATH
        if parser.parse_optional_keyword("fastmath"):
            flags = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        result: Attribute = IntegerType(1)
        if isinstance(type_, TensorType):
            result = TensorType(result, type_.get_shape(), type_.encoding)
        return cls.create(
            operands=[parser.resolve_operand(name, type_)],
            result_types=[result],
            properties={"fastmath": flags},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        if self.fastmath != _NO_FAST_MATH:
            printer.print_string(" fastmath")
            self.fastmath.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)


@irdl_op_definition
class IsNaNOp(_Class):
    """Whether a float is a NaN."""

    name = "math.isnan"


@irdl_op_definition
class IsInfOp(_Class):
    """Whether a float is infinite."""

    name = "math.isinf"


@irdl_op_definition
class IsFiniteOp(_Class):
    """Whether a float is neither infinite nor a NaN."""

    name = "math.isfinite"


@irdl_op_definition
class IsNormalOp(_Class):
    """Whether a float is normal: not zero, subnormal, infinite or a NaN."""

    name = "math.isnormal"


@irdl_op_definition
class ClampFOp(IRDLOperation):
    """`min(max(value, min), max)`."""

    name = "math.clampf"

    _T: ClassVar = VarConstraint("T", _FLOATS)

    value = operand_def(_T)
    min = operand_def(_T)
    max = operand_def(_T)
    result = result_def(_T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=_NO_FAST_MATH)

    traits = traits_def(Pure())

    assembly_format = (
        "$value `to` `[` $min `,` $max `]` (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"
    )


@irdl_op_definition
class SinCosOp(IRDLOperation):
    """The sine and the cosine of a float."""

    name = "math.sincos"

    _T: ClassVar = VarConstraint("T", _FLOATS)

    operand = operand_def(_T)
    sin = result_def(_T)
    cos = result_def(_T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=_NO_FAST_MATH)

    traits = traits_def(Pure())

    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($sin)"


_OWN = (IsNaNOp, IsInfOp, IsFiniteOp, IsNormalOp, ClampFOp, SinCosOp)
_NAMES = {op.name for op in _OWN}

Math = Dialect(
    "math",
    [*(op for op in math.Math.operations if op.name not in _NAMES), *_OWN],
    list(math.Math.attributes),
)
