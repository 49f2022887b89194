"""Writes every operator as TOSA 1.0 does, so that other TOSA tools can read the program too.

Reshapes give the operands of one operator the same rank. The shift of `mul` and the zero points of
`negate` are operands. The new shape of `reshape` is an operand as well, with a size for every
dimension. Attributes have their TOSA 1.0 names. The meaning of the program does not change.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    i8,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from hwc.dialects import tosa_shapes
from hwc.dialects.broadcastable import DYNAMIC, expand_rank
from hwc.dialects.compile_time_operands import (
    Number,
    bounds_of,
    constant_shape,
    constant_values,
    rounds,
    shift_of,
    zero_points_of,
)
from hwc.dialects.tosa import CLASSES
from hwc.dialects.tosa_operation import ShapeType, TosaOperation, is_operator
from hwc.dialects.tosa_rules import tensor_shape
from hwc.dialects.tosa_shapes import INFERRED, new_shape
from hwc.dialects.tosa_table import OPERATORS
from hwc.frontend.diagnostics import error_at

Attributes = Mapping[str, Attribute]


@dataclass(frozen=True)
class NormalizeTosa(ModulePass):
    """Write the program in the form of TOSA 1.0, after `verify-tosa`."""

    name = "normalize-tosa"
    checks_input: ClassVar[bool] = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite every operator of the module."""
        for inner in list(op.walk()):
            if isinstance(inner, TosaOperation):
                _check_sizes(inner)
                _Operator(inner).rewrite()
        for inner in reversed(list(op.walk())):
            if _is_constant(inner) and not any(result.uses for result in inner.results):
                inner.detach()
                inner.erase()


def _is_constant(op: Operation) -> bool:
    """Whether a program needs the operator only for its readers: a constant, or a shape."""
    return isinstance(op, TosaOperation) and op.operator in {"const", *tosa_shapes.OPERATORS}


def _check_sizes(op: TosaOperation) -> None:
    for value in (*op.operands, *op.results):
        if isinstance(value.type, TensorType) and 0 in value.type.get_shape():
            raise error_at(
                op,
                f"'{op.name}' has a tensor without elements, {value.type}",
                "the sizes of TOSA 1.0 are 1 or more; leave the size dynamic",
            )


@dataclass
class _Operator:
    """Rewrites one operator; new operations go before it."""

    op: TosaOperation

    def rewrite(self) -> None:
        """Replace the operator by its form in TOSA 1.0, which may be itself."""
        match self.op.operator:
            case "const":
                self.replace("const", (), {"values": constant_values(self.op)})
            case "const_shape":
                self.replace("const_shape", (), {"values": _sizes_attr(constant_shape(self.op))})
            case "reshape":
                self.reshape()
            case "mul":
                shift = self.number(2, shift_of(self.op), i8)
                self.replace("mul", (*self.same_rank(), shift), {})
            case "negate":
                self.negate()
            case "div":
                self.replace("intdiv", self.same_rank(), {})
            case "clamp":
                self.clamp()
            case "arithmetic_right_shift":
                attributes = {"round": IntegerAttr(int(rounds(self.op)), IntegerType(1))}
                self.replace(self.op.operator, self.same_rank(), attributes)
            case name if name in OPERATORS:
                given = self.op.operands[OPERATORS[name].arity :]
                self.op.operands = (*self.same_rank(), *given)
            case _:
                pass

    def add(
        self, name: str, operands: Sequence[SSAValue], attributes: Attributes, result: Attribute
    ) -> SSAValue:
        """Insert an operator before this one and return its result."""
        new = CLASSES[name].create(
            operands=operands, result_types=[result], properties=dict(attributes)
        )
        new.location = self.op.location
        block = self.op.parent
        assert block is not None
        block.insert_op_before(new, self.op)
        return new.results[0]

    def replace(self, name: str, operands: Sequence[SSAValue], attributes: Attributes) -> None:
        """Replace this operator with another one; attributes of other dialects stay."""
        other = {key: value for key, value in self.op.arguments.items() if "." in key}
        old = self.op.results[0]
        new = self.add(name, operands, {**attributes, **other}, old.type)
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
        self.op.detach()
        self.op.erase()

    def kept(self, *names: str) -> Attributes:
        """Return the named attributes that the operator has."""
        return {name: self.op.arguments[name] for name in names if name in self.op.arguments}

    def number(self, position: int, value: Number | None, type_: Attribute) -> SSAValue:
        """Return the operand at `position`, a tensor of one element, whose value is known."""
        one = TensorType(type_, [1])
        if position < len(self.op.operands):
            given = self.op.operands[position]
            if not is_operator(given.owner, "const") or given.type == one:
                return given
        values = DenseIntOrFPElementsAttr.from_list(one, [value])  # type: ignore[arg-type]
        return self.add("const", (), {"values": values}, one)

    def negate(self) -> None:
        """Rewrite a `negate`: two zero points follow the operand."""
        element = _element_type(self.op.operands[0])
        points = [
            self.number(position, point, element)
            for position, point in enumerate(zero_points_of(self.op), 1)
        ]
        self.replace("negate", (self.op.operands[0], *points), {})

    def clamp(self) -> None:
        """Rewrite a `clamp`: its bounds have the type of its elements."""
        bounds, element = bounds_of(self.op), _element_type(self.op.operands[0])
        attributes = {
            "min_val": _number_attr(bounds.low, element),
            "max_val": _number_attr(bounds.high, element),
        }
        self.replace("clamp", self.op.operands, {**attributes, **self.kept("nan_mode")})

    def same_rank(self) -> Sequence[SSAValue]:
        """Return the operands that broadcast, reshaped to the rank of the result."""
        rank = len(tensor_shape(self.op.results[0]))
        operands = self.op.operands[: OPERATORS[self.op.operator].arity]
        return [self.padded(operand, rank) for operand in operands]

    def padded(self, value: SSAValue, rank: int) -> SSAValue:
        """Return `value` with dimensions of size 1 added on its left."""
        shape = tensor_shape(value)
        if len(shape) == rank:
            return value
        wanted = expand_rank(shape, rank)
        missing = rank - len(shape)
        sizes = [
            self.dim(value, axis - missing) if size == DYNAMIC else size
            for axis, size in enumerate(wanted)
        ]
        type_ = TensorType(_element_type(value), wanted)
        return self.add("reshape", (value, self.shape(sizes)), {}, type_)

    def reshape(self) -> None:
        """Rewrite a `reshape`: every size of the new shape is given."""
        source, wanted = self.op.operands[0], new_shape(self.op)
        result = tensor_shape(self.op.results[0])
        sizes: list[int | SSAValue] = []
        for axis, (size, known) in enumerate(zip(wanted, result, strict=True)):
            if size == DYNAMIC:
                sizes.append(self.computed(axis))
            elif size != INFERRED:
                sizes.append(size)
            elif known != DYNAMIC:
                sizes.append(known)
            else:
                sizes.append(self.inferred(source, wanted))
        self.replace("reshape", (source, self.shape(sizes)), {})

    def computed(self, axis: int) -> SSAValue:
        """Return a size of the new shape that is known only at a call, as a shape of one size."""
        shape = self.op.operands[1]
        if len(new_shape(self.op)) == 1:
            return shape
        if is_operator(owner := shape.owner, "concat_shape"):
            number, _ = list(tosa_shapes.positions(owner))[axis]
            if tosa_shapes.shape_rank(owner, number) == 1:
                return owner.operands[number]
        start, size = (self.number(len(self.op.operands), n, i32) for n in (axis, 1))
        return self.add("slice_shape", (shape, start, size), {}, _shape_type(1))

    def inferred(self, source: SSAValue, wanted: Sequence[int]) -> SSAValue:
        """Return the number of elements of `source` divided by the given sizes."""
        shape = tensor_shape(source)
        factor = math.prod(size for size in shape if size != DYNAMIC)
        rest = math.prod(size for size in wanted if size not in {INFERRED, DYNAMIC})
        common = math.gcd(factor, rest)
        factor, rest = factor // common, rest // common
        sizes = [self.dim(source, axis) for axis, size in enumerate(shape) if size == DYNAMIC]
        count = self.product(sizes, factor)
        divisors = [self.computed(axis) for axis, size in enumerate(wanted) if size == DYNAMIC]
        if not divisors and rest == 1:
            return count
        operands = (count, self.product(divisors, rest))
        return self.add("div_floor_shape", operands, {}, _shape_type(1))

    def product(self, sizes: Sequence[SSAValue], factor: int) -> SSAValue:
        """Return the product of shapes of one size, and of a factor."""
        factors = [*sizes, self.shape([factor])] if factor != 1 or not sizes else [*sizes]
        count = factors[0]
        for size in factors[1:]:
            count = self.add("mul_shape", (count, size), {}, _shape_type(1))
        return count

    def dim(self, value: SSAValue, axis: int) -> SSAValue:
        """Return the size of a dimension as a shape of one size."""
        return self.add("dim", (value,), {"axis": IntegerAttr(axis, i32)}, _shape_type(1))

    def shape(self, sizes: Sequence[int | SSAValue]) -> SSAValue:
        """Return the shape of `sizes`; neighbouring known sizes share a constant."""
        pieces: list[SSAValue] = []
        known: list[int] = []
        for size in (*sizes, None):
            if isinstance(size, int):
                known.append(size)
                continue
            if known or (size is None and not pieces):
                attribute = {"values": _sizes_attr(known)}
                pieces.append(self.add("const_shape", (), attribute, _shape_type(len(known))))
                known = []
            if size is not None:
                pieces.append(size)
        if len(pieces) == 1:
            return pieces[0]
        return self.add("concat_shape", pieces, {}, _shape_type(len(sizes)))


def _shape_type(rank: int) -> ShapeType:
    return ShapeType(IntAttr(rank))


def _sizes_attr(sizes: Sequence[int]) -> Attribute:
    type_ = TensorType(IndexType(), [len(sizes)])
    return DenseIntOrFPElementsAttr.from_list(type_, list(sizes))


def _number_attr(value: Number, element: Attribute) -> Attribute:
    if isinstance(element, IntegerType):
        return IntegerAttr(int(value), element)
    return FloatAttr(value, element)  # type: ignore[arg-type]


def _element_type(value: SSAValue) -> Attribute:
    assert isinstance(value.type, TensorType)
    return value.type.get_element_type()
