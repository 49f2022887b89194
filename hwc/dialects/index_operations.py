"""The scalar operations by which a program computes sizes, and the steps that they become.

These are operations of `arith` on integers and indices, and operations of `hwc` where `arith` has
none. The host evaluates them as steps of the shape program; none of them reaches the machine.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from hwc.shapes.steps import ARITHMETIC, Arithmetic

WIDTHS = (1, 8, 16, 32, 64)
"""Widths of the integers that shape programs compute with; an index has 64 bits."""

BOOLEAN = 1


class IndexUnaryOp(IRDLOperation):
    """Base of the functions of one index."""

    operand = operand_def(IndexType)
    result = result_def(IndexType)

    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue) -> None:
        """Build the function of `operand`."""
        super().__init__(operands=[operand], result_types=[IndexType()])


@irdl_op_definition
class Exp2Op(IndexUnaryOp):
    """2 to the power of an index from 0 to 62."""

    name = "hwc.exp2"


@irdl_op_definition
class Log2FloorOp(IndexUnaryOp):
    """The logarithm of a positive index to base 2, rounded down."""

    name = "hwc.log2_floor"


@irdl_op_definition
class Log2CeilOp(IndexUnaryOp):
    """The logarithm of a positive index to base 2, rounded up."""

    name = "hwc.log2_ceil"


OPERATIONS = [Exp2Op, Log2FloorOp, Log2CeilOp]

_SAME_NAME = (
    "addi subi muli divsi floordivsi ceildivsi remsi divui ceildivui remui maxsi minsi maxui minui "
    "andi ori xori shli shrsi shrui select extui"
)

_STEPS: Mapping[str, str] = {
    **{f"arith.{name}": name for name in _SAME_NAME.split()},
    **{op.name: op.name.removeprefix("hwc.") for op in OPERATIONS},
    "arith.index_castui": "extui",
}
"""The kind of step that each operation becomes."""

_CASTS = ("arith.index_cast", "arith.extsi", "arith.trunci")
"""Operations that keep the value; a value that does not fit the result is refused."""

_ON_BOOLEANS = (
    *("arith.andi", "arith.ori", "arith.xori", "arith.select", "arith.extui"),
    "arith.index_castui",
)

NAMES = frozenset({*_STEPS, *_CASTS, "arith.cmpi"})
"""The names of the operations, except constants."""


def is_index(type_: Attribute) -> bool:
    """Whether the host computes with values of this type."""
    return isinstance(type_, IndexType) or (
        isinstance(type_, IntegerType) and type_.width.data in WIDTHS
    )


def on_scalars(op: Operation) -> bool:
    """Whether `op` is one of the operations, or a constant, on scalars that the host computes."""
    if op.name not in NAMES and not isinstance(op, arith.ConstantOp):
        return False
    return all(is_index(value.type) for value in (*op.operands, *op.results))


def problem(op: Operation) -> tuple[str, str] | None:
    """Return what is wrong with an operation on scalars and what to do, or None."""
    if op.name in _ON_BOOLEANS or isinstance(op, arith.ConstantOp):
        return None
    types = [value.type for value in (*op.operands, *op.results)]
    signed = op.name != "arith.cmpi" or _predicate(op).startswith("s")
    if signed and any(_width(type_) == BOOLEAN for type_ in types[: len(op.operands)]):
        return f"'{op.name}' computes with i1", "convert with arith.extui, or use arith.select"
    return None


def steps_of(op: Operation) -> tuple[type[Arithmetic], ...]:
    """Return the steps of `op`: the first takes its operands, any others check the result."""
    if op.name == "arith.cmpi":
        return (ARITHMETIC[_predicate(op)],)
    assert op.name in NAMES
    function = _STEPS.get(op.name)
    steps = () if function is None else (ARITHMETIC[function],)
    width = _width(op.results[0].type)
    before = max((_width(operand.type) for operand in op.operands), default=width)
    narrowing = width < before and (function is None or op.name == "arith.index_castui")
    if width == i64.width.data or not (narrowing or _may_overflow(op)):
        return steps
    return (*steps, ARITHMETIC[f"fits_i{width}"])


def constant_value(op: arith.ConstantOp) -> int | None:
    """Return the value of a scalar constant, None for a tensor or a float; true is 1."""
    if not isinstance(op.value, IntegerAttr):
        return None
    value = op.value.value.data
    return value & 1 if _width(op.result.type) == BOOLEAN else value


def _predicate(op: Operation) -> str:
    number = op.properties["predicate"]
    assert isinstance(number, IntegerAttr)
    return arith.CMPI_COMPARISON_OPERATIONS[number.value.data]


def _width(type_: Attribute) -> int:
    return type_.width.data if isinstance(type_, IntegerType) else i64.width.data


def _may_overflow(op: Operation) -> bool:
    return op.name in {
        "arith.addi",
        "arith.subi",
        "arith.muli",
        "arith.divsi",
        "arith.floordivsi",
        "arith.ceildivsi",
        "arith.shli",
    }
