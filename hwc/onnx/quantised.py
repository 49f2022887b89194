"""Operators on quantised tensors: integers q that stand for (q - zero point) * scale.

Unsigned integers have the bytes of the signed type in a region, and are widened without their sign.
Quantising rounds to nearest even and saturates; a NaN becomes the smallest integer, as in ONNX
Runtime. ONNX Runtime defines the operators of com.microsoft: here they use the f32 operations of
its kernels in the same order, so that all bits agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hwc.models.graph import HostOnlyError
from hwc.onnx.node import Axis, Lowered, Node
from hwc.onnx.scalars import Scalars, function
from hwc.onnx.types import BOOLEAN, FLOATS, INTEGERS, TYPES
from hwc.package.host_types import UNSIGNED

_X, _SCALE, _ZERO = range(3)


def quantize(node: Node) -> Lowered:
    """Return x / scale, rounded, plus the zero point.

    The quotient has the type of the scale; that of ONNX Runtime's own operator is f32.
    """
    scale = node.type_of(_SCALE)
    if scale not in FLOATS:
        raise HostOnlyError(f"its scale is {scale}")
    if node.result not in _RANGES:
        raise HostOnlyError(f"the machine does not quantise to {node.result}")
    precision = TYPES.get(node.attributes.get("precision", 0), scale)
    if node.operator != "QuantizeLinear":
        precision = "f32"
    if precision not in FLOATS:
        raise HostOnlyError(f"the machine does not divide in {precision}")

    def write(s: Scalars, x: str, scale_: str, *zero: str) -> str:
        operands = ((x, node.type_of(_X)), (scale_, scale))
        x, scale_ = (_rounded(s, _number(s, *each), precision) for each in operands)
        quotient = _rounded(s, s.f32("arith.divf", x, scale_), precision)
        whole = s.f32("math.roundeven", quotient)
        if zero:
            whole = s.f32("arith.addf", whole, _number(s, zero[0], node.result))
        return _saturated(s, whole, node.result)

    return _along_axis(node, write)


def dequantize(node: Node) -> Lowered:
    """Return (x - zero point) * scale, rounded to the type of the result."""
    scale = node.type_of(_SCALE)
    if scale not in FLOATS:
        raise HostOnlyError(f"its scale is {scale}")
    type_ = node.type_of(_X)

    def write(s: Scalars, x: str, scale_: str, *zero: str) -> str:
        x = _integer(s, x, type_)
        if zero:
            x = s.integer("arith.subi", "i32", x, _integer(s, zero[0], type_))
        x = s.add("arith.sitofp", x, "i32 to f32")
        return s.narrowed(s.f32("arith.mulf", x, s.widened(scale_, scale)), node.result)

    return _along_axis(node, write)


def add(node: Node) -> Lowered:
    """Return a + b of quantised a and b, quantised."""
    a, scale_a, zero_a, b, scale_b, zero_b, scale, zero = _operands(node, 8, points=(0, 3))

    def divided(s: Scalars, left: str, right: str) -> str:
        return s.f32("arith.divf", left, right)

    def write_fixed(s: Scalars, ratio_a: str, zero_a: str, *rest: str) -> str:
        ratio_b, zero_b, zero = rest
        moved = s.f32("math.fma", ratio_a, zero_a, s.f32("arith.mulf", ratio_b, zero_b))
        return s.f32("arith.subf", zero, moved)

    def write(s: Scalars, a: str, ratio_a: str, b: str, ratio_b: str, fixed: str) -> str:
        whole = s.f32("math.fma", a, ratio_a, s.f32("math.fma", b, ratio_b, fixed))
        return _saturated(s, s.f32("math.roundeven", whole), node.result)

    ratio_a, ratio_b = (_computed(node, divided, each, scale) for each in (scale_a, scale_b))
    fixed = _computed(node, write_fixed, ratio_a, zero_a, ratio_b, zero_b, zero)
    return _computed(node, write, a, ratio_a, b, ratio_b, fixed, result=node.result)


def multiply(node: Node) -> Lowered:
    """Return a * b of quantised a and b, quantised."""
    a, scale_a, zero_a, b, scale_b, zero_b, scale, zero = _operands(node, 8, points=(0, 3))

    def write_ratio(s: Scalars, scale_a: str, scale_b: str, scale: str) -> str:
        return s.f32("arith.divf", s.f32("arith.mulf", scale_a, scale_b), scale)

    def write(s: Scalars, a: str, zero_a: str, b: str, *rest: str) -> str:
        zero_b, ratio, zero = rest
        a, b = s.f32("arith.subf", a, zero_a), s.f32("arith.subf", b, zero_b)
        scaled = s.f32("arith.mulf", s.f32("arith.mulf", a, b), ratio)
        whole = s.f32("math.roundeven", s.f32("arith.addf", scaled, zero))
        return _saturated(s, whole, node.result)

    ratio = _computed(node, write_ratio, scale_a, scale_b, scale)
    return _computed(node, write, a, zero_a, b, zero_b, ratio, zero, result=node.result)


def leaky_relu(node: Node) -> Lowered:
    """Return a quantised x, or alpha x where x < 0, quantised."""
    alpha = node.number("alpha", 0.01)

    def of(s: Scalars, x: str) -> str:
        return s.chosen(s.compared("oge", x, 0.0), x, s.f32("arith.mulf", x, alpha))

    return _unary(node, of)


def sigmoid(node: Node) -> Lowered:
    """Return the sigmoid of a quantised x, quantised."""

    def of(s: Scalars, x: str) -> str:
        power = s.f32("math.exp", s.f32("arith.negf", x))
        return s.f32("arith.divf", 1.0, s.f32("arith.addf", power, 1.0))

    return _unary(node, of)


def where(node: Node) -> Lowered:
    """Return x where a condition holds, else y, both quantised again."""
    condition, x, scale_x, zero_x, y, scale_y, zero_y, scale, zero = _operands(
        node, 9, points=(0, 1, 4)
    )

    def write(s: Scalars, condition: str, x: str, y: str, scale: str, zero: str) -> str:
        return _requantized(s, s.chosen(condition, x, y), scale, zero, node.result)

    real_x = _computed(node, _dequantized, x, scale_x, zero_x)
    real_y = _computed(node, _dequantized, y, scale_y, zero_y)
    return _computed(node, write, condition, real_x, real_y, scale, zero, result=node.result)


def _unary(node: Node, of: Callable[[Scalars, str], str]) -> Lowered:
    """Return a function of x."""
    x, scale_x, zero_x, scale, zero = _operands(node, 5, points=(0,))

    def write(s: Scalars, x: str, scale_x: str, zero_x: str, scale: str, zero: str) -> str:
        return _requantized(s, of(s, _dequantized(s, x, scale_x, zero_x)), scale, zero, node.result)

    return _computed(node, write, x, scale_x, zero_x, scale, zero, result=node.result)


def _dequantized(s: Scalars, value: str, scale: str, zero: str) -> str:
    return s.f32("arith.mulf", s.f32("arith.subf", value, zero), scale)


def _requantized(s: Scalars, value: str, scale: str, zero: str, type_: str) -> str:
    whole = s.f32("math.roundeven", s.f32("arith.divf", value, scale))
    return _saturated(s, s.f32("arith.addf", whole, zero), type_)


_Operand: TypeAlias = tuple[int | Lowered, str] | None
"""An operand with its element type; None for a zero point that is left out."""


def _operands(node: Node, count: int, points: Sequence[int]) -> list[_Operand]:
    """Return the inputs of a node; all but `points` have one element."""
    rank = max(node.ranks[number] for number in points)
    found: list[_Operand] = []
    for number in range(count):
        if not node.has(number):
            found.append(None)
        elif number in points or node.ranks[number] == 0:
            found.append((number, node.type_of(number)))
        elif rank:
            found.append((_reshaped(node, number, (1,)), node.type_of(number)))
        else:
            raise HostOnlyError("its scales have more dimensions than its result")
    return found


def _computed(
    node: Node, write: Callable[..., str], *operands: _Operand | Lowered, result: str = "f32"
) -> Lowered:
    """Return a function of operands, which it reads as f32; those left out are 0."""
    named = [(each, each.type) if isinstance(each, Lowered) else each for each in operands]
    given = [each for each in named if each is not None]

    def converted(s: Scalars, *values: str) -> str:
        left = iter(values)
        f32 = [s.number(0.0) if each is None else _number(s, next(left), each[1]) for each in named]
        return write(s, *f32)

    return _function(node, given, converted, result)


def _along_axis(node: Node, write: Callable[..., str]) -> Lowered:
    """Return a function of x, the scale and the zero point, which may differ along an axis."""
    if node.attributes.get("block_size", 0):
        raise HostOnlyError("its scales are those of blocks")
    rank, axis = node.ranks[_X], int(node.attributes.get("axis", 1))
    operands: list[tuple[int | Lowered, str]] = [(_X, node.type_of(_X))]
    for number in (_SCALE, _ZERO)[: 2 if node.has(_ZERO) else 1]:
        if node.ranks[number] > 1:
            raise HostOnlyError("its scales have more than one dimension")
        if node.ranks[number] == 0:
            operands.append((number, node.type_of(number)))
            continue
        shape: tuple[int | Axis, ...] = (1,)
        if tuple(node.sizes[number]) != (1,):
            if not -rank <= axis < rank:
                raise HostOnlyError(f"its axis {axis} is not one of its {rank} dimensions")
            place = axis % rank
            shape = (Axis(0), *[1] * (rank - 1 - place))
        operands.append((_reshaped(node, number, shape), node.type_of(number)))
    return _function(node, operands, write, node.result)


def _reshaped(node: Node, number: int, shape: tuple[int | Axis, ...]) -> Lowered:
    return Lowered("tosa.reshape", (number,), shape=shape, type=node.type_of(number))


def _function(
    node: Node,
    operands: Sequence[tuple[int | Lowered, str]],
    write: Callable[..., str],
    result: str,
) -> Lowered:
    """Return a function of operands, each with its element type."""
    types = [UNSIGNED.get(type_, type_) for _, type_ in operands]
    name, made = f"onnx.{node.operator}", UNSIGNED.get(result, result)
    read = tuple(operand for operand, _ in operands)
    return Lowered(name, read, function(name, types, made, write), type=result)


_RANGES = {"i8": (-128, 127), "ui8": (0, 255), "i16": (-32768, 32767), "ui16": (0, 65535)}


def _saturated(s: Scalars, whole: str, type_: str) -> str:
    """Return a whole f32 in an integer type; a NaN becomes its smallest number."""
    low, high = _RANGES[type_]
    clamped = s.f32("arith.minimumf", s.f32("arith.maxnumf", whole, float(low)), float(high))
    wide = s.add("arith.fptosi", clamped, "f32 to i32")
    return s.add("arith.trunci", wide, f"i32 to {UNSIGNED.get(type_, type_)}")


def _integer(s: Scalars, value: str, type_: str) -> str:
    """Return an integer as i32."""
    if type_ in UNSIGNED:
        return s.add("arith.extui", value, f"{UNSIGNED[type_]} to i32")
    return value if type_ == "i32" else s.add("arith.extsi", value, f"{type_} to i32")


def _number(s: Scalars, value: str, type_: str) -> str:
    """Return a number of any type as f32; a truth value stays."""
    if type_ == BOOLEAN:
        return value
    if type_ in UNSIGNED or type_ in INTEGERS:
        return s.add("arith.sitofp", _integer(s, value, type_), "i32 to f32")
    return s.widened(value, type_)


def _rounded(s: Scalars, value: str, type_: str) -> str:
    """Return an f32 rounded to a float type, as f32."""
    return s.widened(s.narrowed(value, type_), type_)
