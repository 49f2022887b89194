"""The selection table: one rule per scalar operation.

For each kind of element type that the operands may have, a rule says what the operation becomes.
Everything else follows from the rule and the instruction set. An operation is refused on a type if
its rule does not name the type's kind, or if an instruction does not exist for the type. The number
of words is the number of instructions. An operation is slow if the unit of one of its instructions
is slow.

To support an operation on a new type, add the instruction to the instruction set and a line here,
unless the operation's rule already covers the type's kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hwc.backend.selection import arithmetic as a
from hwc.backend.selection.comparisons import (
    BOOLEAN_RELATIONS,
    FLOAT_RELATIONS,
    INTEGER_RELATIONS,
)
from hwc.backend.selection.expansion import (
    Expansion,
    by_relation,
    exact,
    one,
    same,
    typed,
    typed_result,
)

BOOLEAN, INTEGER, FLOAT = "boolean", "integer", "float"
"""The kinds of element types, named as in isa/types.yaml."""


@dataclass(frozen=True)
class Rule:
    """What an operation becomes, by the kind of its operands' type.

    `results` are the kinds that the result may have; if empty, the result has the operands' type.
    """

    expansions: Mapping[str, Expansion]
    results: tuple[str, ...] = ()


def _any(expansion: Expansion, *results: str) -> Rule:
    return Rule({BOOLEAN: expansion, INTEGER: expansion, FLOAT: expansion}, results)


def _bits(integers: Expansion, booleans: Expansion, *results: str) -> Rule:
    return Rule({INTEGER: integers, BOOLEAN: booleans}, results)


def _integer(expansion: Expansion, *results: str) -> Rule:
    return Rule({INTEGER: expansion}, results)


def _float(expansion: Expansion, *results: str) -> Rule:
    return Rule({FLOAT: expansion}, results)


RULES: Mapping[str, Rule] = {
    "arith.addf": _float(typed("add")),
    "arith.subf": _float(typed("sub")),
    "arith.mulf": _float(typed("mul")),
    "arith.divf": _float(typed("div")),
    "arith.remf": _float(a.float_remainder),
    "math.fma": _float(typed("fma")),
    "arith.negf": _float(exact("neg")),
    "arith.maximumf": _float(exact("max")),
    "arith.minimumf": _float(exact("min")),
    "arith.maxnumf": _float(exact("maxn")),
    "arith.minnumf": _float(exact("minn")),
    "arith.cmpf": _float(by_relation(FLOAT_RELATIONS), BOOLEAN),
    "arith.extf": _float(same, FLOAT),
    "arith.truncf": _float(a.to_narrower, FLOAT),
    "arith.fptosi": _float(a.toward_zero_to_integer, INTEGER),
    "arith.fptoui": _float(a.toward_zero_to_unsigned, INTEGER),
    "math.absf": _float(exact("abs")),
    "math.ceil": _float(exact("ceil")),
    "math.floor": _float(exact("floor")),
    "math.round": _float(exact("round")),
    "math.roundeven": _float(exact("roundeven")),
    "math.trunc": _float(exact("trunc")),
    "math.copysign": _float(exact("copysign")),
    "math.exp": _float(typed("exp")),
    "math.log": _float(typed("log")),
    "math.log2": _float(typed("log2")),
    "math.log10": _float(typed("log10")),
    "math.sin": _float(typed("sin")),
    "math.cos": _float(typed("cos")),
    "math.tanh": _float(typed("tanh")),
    "math.erf": _float(typed("erf")),
    "math.tan": _float(a.tangent),
    "math.sqrt": _float(typed("sqrt")),
    "math.rsqrt": _float(typed("rsqrt")),
    "math.powf": _float(typed("pow")),
    "math.clampf": _float(a.clamp),
    "math.isnan": _float(a.is_nan, BOOLEAN),
    "math.isinf": _float(a.is_infinite, BOOLEAN),
    "math.isfinite": _float(a.is_finite, BOOLEAN),
    "math.isnormal": _float(a.is_normal, BOOLEAN),
    "math.exp2": _float(a.power_of_two),
    "math.expm1": _float(a.exponential_less_one),
    "math.log1p": _float(a.logarithm_of_one_more),
    "hwc.sigmoid": _float(typed("sigmoid")),
    "hwc.reciprocal": _float(typed("recip")),
    "hwc.fptosi": _float(a.to_integer, INTEGER),
    "arith.addi": _bits(typed("add"), one("xor")),
    "arith.subi": _bits(typed("sub"), one("xor")),
    "arith.muli": _bits(typed("mul"), one("and")),
    # As a signed one-bit number, true is -1.
    "arith.maxsi": _bits(one("max.i32"), one("and")),
    "arith.minsi": _bits(one("min.i32"), one("or")),
    # In a lane, sign-extended numbers of a narrower type have the unsigned order of their low bits.
    "arith.maxui": _bits(one("maxu.i32"), one("or")),
    "arith.minui": _bits(one("minu.i32"), one("and")),
    "arith.divsi": _integer(a.quotient("div")),
    "arith.floordivsi": _integer(a.quotient("divfloor")),
    "arith.ceildivsi": _integer(a.quotient("divceil")),
    "arith.remsi": _integer(one("rem.i32")),
    "arith.divui": _integer(a.unsigned_quotient("divu")),
    "arith.ceildivui": _integer(a.unsigned_quotient("divceilu")),
    "arith.remui": _integer(a.unsigned_quotient("remu")),
    "arith.andi": _bits(one("and"), one("and")),
    "arith.ori": _bits(one("or"), one("or")),
    "arith.xori": _bits(one("xor"), one("xor")),
    "arith.shli": _integer(typed("shl")),
    "arith.shrsi": _integer(one("sra.i32")),
    "arith.shrui": _integer(typed("srl")),
    "arith.cmpi": _bits(by_relation(INTEGER_RELATIONS), by_relation(BOOLEAN_RELATIONS), BOOLEAN),
    "arith.extsi": _bits(same, a.minus, INTEGER),
    "arith.extui": _bits(a.zero_extend, same, INTEGER),
    "arith.trunci": _integer(a.truncate, INTEGER, BOOLEAN),
    "arith.sitofp": _bits(a.to_float, a.minus_to_float, FLOAT),
    "arith.uitofp": _bits(a.unsigned_to_float, a.to_float, FLOAT),
    "math.absi": _integer(typed("abs")),
    "math.ctlz": _bits(a.leading_zeros, a.invert),
    "math.cttz": _bits(a.trailing_zeros, a.invert),
    "math.ctpop": _bits(a.population, same),
    "hwc.shift_right_round": _integer(one("srar.i32")),
    "hwc.mul_shift": _integer(typed("mulsh")),
    "hwc.mul_shift_double": _integer(typed("mulshd")),
    "hwc.mul_high_unsigned": _integer(typed("mulhu")),
    "hwc.shift_wide": _integer(typed("shrw")),
    "hwc.add_saturate": _integer(typed_result("addsat"), INTEGER),
    "hwc.add_saturate_unsigned": _integer(typed_result("addsatu"), INTEGER),
    "hwc.subtract_saturate": _integer(typed_result("subsat"), INTEGER),
    "hwc.lookup": _integer(a.read_table("lookup"), INTEGER),
    "hwc.interpolate": _integer(a.read_table("interp"), INTEGER),
    "arith.select": _any(one("sel")),
    "arith.bitcast": _any(a.same_bits, BOOLEAN, INTEGER, FLOAT),
}
"""The rules of all scalar operations that the machine has; constants need no rule."""
