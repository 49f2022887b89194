"""Instruction selection: what each scalar operation becomes, in one table.

Lanes hold 32 bits: i8 and i16 sign-extended, i1 as 0 or 1, f32 as its bits. Every instruction
returns its result to its type's range, so values of a type can be used as they are. An expansion
needs at most `MAX_TEMPORARIES` registers besides those of its operands, and constants that do not
fit the one immediate of a word go through a register.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hwc.dialects.strip import INSTRUCTIONS, ImmediateOp
from hwc.frontend.diagnostics import error_at

MAX_TEMPORARIES = 3
"""Registers that the expansion of one scalar operation needs besides those of its operands."""

WIDTHS = (8, 16, 32)
SIGN = 1 << 31


@dataclass(frozen=True)
class Constant:
    """A scalar known at compile time, as the 32 bits a lane holds."""

    bits: int


Value: TypeAlias = SSAValue | Constant


@dataclass
class Emitter:
    """Appends instructions to the body of a strip loop; every immediate is made once."""

    block: Block
    immediates: dict[int, SSAValue] = field(default_factory=dict)
    count: int = 0

    def immediate(self, bits: int) -> SSAValue:
        """Return the immediate with these 32 bits."""
        if bits not in self.immediates:
            op = ImmediateOp(bits)
            self.block.add_op(op)
            self.immediates[bits] = op.result
        return self.immediates[bits]

    def __call__(self, name: str, *operands: Value) -> SSAValue:
        """Append an instruction; a second constant unlike the first goes via a register."""
        used: int | None = None
        sources: list[SSAValue] = []
        for operand in operands:
            if isinstance(operand, SSAValue):
                sources.append(operand)
            elif used is None or used == operand.bits or name == "mov":
                used = operand.bits
                sources.append(self.immediate(operand.bits))
            else:
                sources.append(self("mov", operand))
        op = INSTRUCTIONS[name](*sources)
        self.block.add_op(op)
        self.count += 1
        return op.result


Expansion: TypeAlias = Callable[[Emitter, Operation, list[Value]], Value]


def _bits(op: Operation) -> Value:
    assert isinstance(op, arith.ConstantOp)
    value = op.value
    if isinstance(value, FloatAttr):
        return Constant(struct.unpack("<I", struct.pack("<f", value.value.data))[0])
    if isinstance(value, IntegerAttr) and isinstance(value.type, IntegerType):
        number = value.value.data
        return Constant(number & (1 if value.type.width.data == 1 else 0xFFFFFFFF))
    raise error_at(op, f"a constant of type {op.results[0].type} has no place in a register")


def _width(kind: Attribute) -> int:
    """Return the width of an integer type, 0 for f32."""
    return kind.width.data if isinstance(kind, IntegerType) else 0


def _plain(name: str) -> Expansion:
    return lambda e, op, v: e(name, *v)


def _swapped(name: str) -> Expansion:
    return lambda e, op, v: e(name, v[1], v[0])


def _inverted(expansion: Expansion) -> Expansion:
    return lambda e, op, v: e("xor", expansion(e, op, v), Constant(1))


def _by_width(stem: str, bit: str | None = None) -> Expansion:
    """Return the instruction `stem`.i<width>; `bit` is the one for i1."""

    def expand(e: Emitter, op: Operation, v: list[Value]) -> Value:
        width = _width(op.results[0].type)
        if width == 1:
            assert bit is not None
            return e(bit, *v)
        return e(f"{stem}.i{width}", *v)

    return expand


def _signed_order(wide: str, bit: str) -> Expansion:
    """Return the 32-bit instruction `wide`; for i1, where true is -1, the bit operation `bit`."""
    return lambda e, op, v: e(bit if _width(op.results[0].type) == 1 else wide, *v)


def _divide(e: Emitter, op: Operation, v: list[Value]) -> Value:
    return _narrow(e, e("div.i32", *v), _width(op.results[0].type))


def _remainder(e: Emitter, op: Operation, v: list[Value]) -> Value:
    return e("sub.i32", v[0], e("mul.i32", e("div.i32", *v), v[1]))


def _narrow(e: Emitter, value: SSAValue, width: int) -> Value:
    """Return a 32-bit result to a narrower type."""
    if width == 1:
        return e("and", value, Constant(1))
    return value if width >= 32 else e(f"sext.i{width}", value)  # noqa: PLR2004


def _truncate(e: Emitter, op: Operation, v: list[Value]) -> Value:
    width = _width(op.results[0].type)
    return e("and", v[0], Constant(1)) if width == 1 else e(f"sext.i{width}", v[0])


def _sign_extend(e: Emitter, op: Operation, v: list[Value]) -> Value:
    return e("sub.i32", Constant(0), v[0]) if _width(op.operands[0].type) == 1 else v[0]


def _zero_extend(e: Emitter, op: Operation, v: list[Value]) -> Value:
    width = _width(op.operands[0].type)
    return v[0] if width == 1 else e("and", v[0], Constant((1 << width) - 1))


def _signed_to_float(e: Emitter, op: Operation, v: list[Value]) -> Value:
    return e("i32_to_f32", _sign_extend(e, op, v))


def _unsigned_to_float(e: Emitter, op: Operation, v: list[Value]) -> Value:
    return e("i32_to_f32", _zero_extend(e, op, v))


def _float_to_signed(e: Emitter, op: Operation, v: list[Value]) -> Value:
    return e(f"f32_to_i{_width(op.results[0].type)}", v[0])


def _truncating_float_to_signed(e: Emitter, op: Operation, v: list[Value]) -> Value:
    down, up = e("floor.f32", v[0]), e("ceil.f32", v[0])
    cut = e("sel", e("ge.f32", v[0], Constant(0)), down, up)
    return e(f"f32_to_i{_width(op.results[0].type)}", cut)


def _leading_zeros(e: Emitter, op: Operation, v: list[Value]) -> Value:
    width = _width(op.operands[0].type)
    if width == 32:  # noqa: PLR2004
        return e("clz.i32", v[0])
    if width == 1:
        return e("xor", v[0], Constant(1))
    zeros = e("clz.i32", e("and", v[0], Constant((1 << width) - 1)))
    return e("sub.i32", zeros, Constant(32 - width))


def _unsigned(name: str, swap: bool) -> Expansion:
    """Return an order of unsigned numbers: flipping the sign bits makes it the signed one."""

    def expand(e: Emitter, op: Operation, v: list[Value]) -> Value:
        a, b = (
            (_flip(e, x, op) for x in (v[1], v[0]) if swap)
            if swap
            else (_flip(e, x, op) for x in v)
        )
        return e(name, a, b)

    return expand


def _flip(e: Emitter, value: Value, op: Operation) -> Value:
    if _width(op.operands[0].type) == 1:
        return value
    return (
        Constant(value.bits ^ SIGN)
        if isinstance(value, Constant)
        else e("xor", value, Constant(SIGN))
    )


def _signed(name: str, swap: bool) -> Expansion:
    """Return an order of signed numbers; an i1 that is true counts as -1."""

    def expand(e: Emitter, op: Operation, v: list[Value]) -> Value:
        flipped = swap != (_width(op.operands[0].type) == 1)
        return e(name, v[1], v[0]) if flipped else e(name, v[0], v[1])

    return expand


INTEGER_ORDERS: Mapping[str, Expansion] = {
    "eq": _plain("eq.i32"),
    "ne": _plain("ne.i32"),
    "slt": _signed("gt.i32", True),
    "sle": _signed("ge.i32", True),
    "sgt": _signed("gt.i32", False),
    "sge": _signed("ge.i32", False),
    "ult": _unsigned("gt.i32", True),
    "ule": _unsigned("ge.i32", True),
    "ugt": _unsigned("gt.i32", False),
    "uge": _unsigned("ge.i32", False),
}
"""Instructions of `arith.cmpi` by predicate."""


def _either(e: Emitter, op: Operation, v: list[Value]) -> Value:
    return e("or", e("gt.f32", v[0], v[1]), e("gt.f32", v[1], v[0]))


def _ordered(e: Emitter, op: Operation, v: list[Value]) -> Value:
    return e("and", e("eq.f32", v[0], v[0]), e("eq.f32", v[1], v[1]))


FLOAT_ORDERS: Mapping[str, Expansion] = {
    "false": lambda e, op, v: Constant(0),
    "oeq": _plain("eq.f32"),
    "ogt": _plain("gt.f32"),
    "oge": _plain("ge.f32"),
    "olt": _swapped("gt.f32"),
    "ole": _swapped("ge.f32"),
    "one": _either,
    "ord": _ordered,
    "ueq": _inverted(_either),
    "ugt": _inverted(_swapped("ge.f32")),
    "uge": _inverted(_swapped("gt.f32")),
    "ult": _inverted(_plain("ge.f32")),
    "ule": _inverted(_plain("gt.f32")),
    "une": _plain("ne.f32"),
    "uno": _inverted(_ordered),
    "true": lambda e, op, v: Constant(1),
}
"""Instructions of `arith.cmpf` by predicate."""

INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_PREDICATES = (
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
    "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true",
)  # fmt: skip


def _compare_integers(e: Emitter, op: Operation, v: list[Value]) -> Value:
    assert isinstance(op, arith.CmpiOp)
    return INTEGER_ORDERS[INTEGER_PREDICATES[op.predicate.value.data]](e, op, v)


def _compare_floats(e: Emitter, op: Operation, v: list[Value]) -> Value:
    assert isinstance(op, arith.CmpfOp)
    return FLOAT_ORDERS[FLOAT_PREDICATES[op.predicate.value.data]](e, op, v)


SELECTION: Mapping[str, Expansion] = {
    "arith.constant": lambda e, op, v: _bits(op),
    "arith.addf": _plain("add.f32"),
    "arith.subf": _plain("sub.f32"),
    "arith.mulf": _plain("mul.f32"),
    "arith.negf": _plain("neg.f32"),
    "arith.maximumf": _plain("max.f32"),
    "arith.minimumf": _plain("min.f32"),
    "arith.maxnumf": _plain("maxn.f32"),
    "arith.minnumf": _plain("minn.f32"),
    "arith.addi": _by_width("add", "xor"),
    "arith.subi": _by_width("sub", "xor"),
    "arith.muli": _by_width("mul", "and"),
    "arith.maxsi": _signed_order("max.i32", "and"),
    "arith.minsi": _signed_order("min.i32", "or"),
    "arith.divsi": _divide,
    "arith.remsi": _remainder,
    "arith.andi": _plain("and"),
    "arith.ori": _plain("or"),
    "arith.xori": _plain("xor"),
    "arith.shli": _by_width("shl"),
    "arith.shrsi": _plain("sra.i32"),
    "arith.shrui": _by_width("srl"),
    "arith.cmpi": _compare_integers,
    "arith.cmpf": _compare_floats,
    "arith.select": _plain("sel"),
    "arith.extsi": _sign_extend,
    "arith.extui": _zero_extend,
    "arith.trunci": _truncate,
    "arith.sitofp": _signed_to_float,
    "arith.uitofp": _unsigned_to_float,
    "arith.fptosi": _truncating_float_to_signed,
    "arith.bitcast": lambda e, op, v: v[0],
    "math.absf": _plain("abs.f32"),
    "math.absi": _by_width("abs"),
    "math.ceil": _plain("ceil.f32"),
    "math.floor": _plain("floor.f32"),
    "math.exp": _plain("exp.f32"),
    "math.log": _plain("log.f32"),
    "math.sin": _plain("sin.f32"),
    "math.cos": _plain("cos.f32"),
    "math.tanh": _plain("tanh.f32"),
    "math.erf": _plain("erf.f32"),
    "math.rsqrt": _plain("rsqrt.f32"),
    "math.powf": _plain("pow.f32"),
    "math.ctlz": _leading_zeros,
    "hwc.sigmoid": _plain("sigmoid.f32"),
    "hwc.reciprocal": _plain("recip.f32"),
    "hwc.fptosi": _float_to_signed,
    "hwc.shift_right_round": _plain("srar.i32"),
    "hwc.mul_shift": _plain("mulsh.i32"),
}
"""What each scalar operation becomes; the types are checked by `check_types` before."""

I1_REFUSED = frozenset(
    {"arith.divsi", "arith.remsi", "arith.shli", "arith.shrsi", "arith.shrui", "math.absi"}
    | {"arith.fptosi", "hwc.fptosi", "hwc.shift_right_round"}
)
"""Operations that have no instruction for i1."""

NARROW_REFUSED = frozenset({"arith.uitofp"})
"""Operations that have no instruction for i32 operands, because the 32nd bit is the sign."""


def check_types(op: Operation) -> None:
    """Check that a scalar operation is one the machine has.

    Raises:
        LocatedError: names the operation and the type or the operation that is missing.
    """
    if op.name not in SELECTION:
        raise error_at(op, f"'{op.name}' has no instruction on this machine")
    for value in (*op.operands, *op.results):
        kind = value.type
        if not isinstance(kind, Float32Type) and _width(kind) not in (1, *WIDTHS):
            raise error_at(
                op,
                f"'{op.name}' has a value of type {kind}",
                "the machine has i1, i8, i16, i32 and f32",
            )
    kind = op.results[0].type
    if op.name in I1_REFUSED and _width(kind) == 1:
        raise error_at(op, f"'{op.name}' on i1 has no instruction on this machine")
    if op.name in NARROW_REFUSED and _width(op.operands[0].type) == 32:  # noqa: PLR2004
        raise error_at(op, f"'{op.name}' on i32 has no instruction on this machine")


def expand(emitter: Emitter, op: Operation, operands: list[Value]) -> Value:
    """Append what `op` becomes on `operands` and return its value."""
    return SELECTION[op.name](emitter, op, operands)


EXPANDED: Mapping[str, int] = {
    "arith.constant": 0,
    "arith.bitcast": 0,
    "arith.divsi": 2,
    "arith.remsi": 3,
    "arith.fptosi": 5,
    "arith.sitofp": 2,
    "arith.uitofp": 2,
    "arith.cmpf": 4,
    "arith.cmpi": 3,
    "math.ctlz": 3,
}
"""At most this many instructions, where it is not one."""


def instructions_of(op: Operation) -> int:
    """Return an upper bound of the instructions of `op`, moves of a second constant included."""
    constants = sum(isinstance(v.owner, arith.ConstantOp) for v in op.operands)
    return EXPANDED.get(op.name, 1) + max(0, constants - 1)
