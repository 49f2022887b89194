"""The parts of a rule of the selection table: expansions, and how they combine.

An expansion appends the instructions of one scalar operation and returns the operation's value. A
lane has 32 bits. An i8 or i16 in a lane is sign-extended, so instructions on i32 also work for
narrower integers wherever the result stays in the type's range. An i1 is 0 or 1; a float is its
bits. Every expansion brings its result back to the type's range in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from hwc.backend.selection.emitter import Constant, Emitter, Value
from isa.model import ElementType


@dataclass(frozen=True)
class Scalar:
    """A scalar operation as its rule sees it.

    `operand` is the type of its last operand; all other operands have the same type, except the
    condition of a select. `relation` is the predicate of a comparison (`slt`, `oeq`), or empty.
    """

    name: str
    operand: ElementType
    result: ElementType
    relation: str = ""


LANE_FLOAT = "f32"
"""The type in which a lane holds every float."""

Expansion: TypeAlias = Callable[[Emitter, Scalar, list[Value]], Value]


def one(instruction: str) -> Expansion:
    """Become one instruction, the same for every type."""
    return lambda e, s, v: e(instruction, *v)


def typed(stem: str) -> Expansion:
    """Become the instruction `stem` on the type of the operands, such as `add.f32`."""
    return lambda e, s, v: e(f"{stem}.{s.operand.name}", *v)


def typed_result(stem: str) -> Expansion:
    """Become the instruction `stem` on the type of the result, such as `addsat.i8`."""
    return lambda e, s, v: e(f"{stem}.{s.result.name}", *v)


def exact(stem: str) -> Expansion:
    """Become an instruction that never rounds: the lane type's instruction works for all floats."""
    return one(f"{stem}.{LANE_FLOAT}")


def same(e: Emitter, s: Scalar, v: list[Value]) -> Value:
    """Add no instruction: the lane already holds the result."""
    return v[0]


def always(bits: int) -> Expansion:
    """Become a constant."""
    return lambda e, s, v: Constant(bits)


def swapped(expansion: Expansion) -> Expansion:
    """Exchange the two operands."""
    return lambda e, s, v: expansion(e, s, [v[1], v[0]])


def inverted(expansion: Expansion) -> Expansion:
    """Negate a truth value."""
    return lambda e, s, v: e("xor", expansion(e, s, v), Constant(1))


def by_relation(relations: Mapping[str, Expansion]) -> Expansion:
    """Choose by the relation of a comparison."""
    return lambda e, s, v: relations[s.relation](e, s, v)
