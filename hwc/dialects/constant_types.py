"""Number types that constants may have, including types that the machine does not have.

A program may hold a constant of any of these types, as long as the constant is converted to a type
of the machine: conversions of constants are folded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from xdsl.dialects.builtin import Float64Type, IntegerType, Signedness
from xdsl.ir import Attribute

from hwc.dialects.element_types import element_type

MAX_INTEGER_BITS = 64


@dataclass(frozen=True)
class NumberType:
    """A type of numbers: an integer of `bits`, or a float of a sign, an exponent and a fraction.

    With `infinite`, the largest exponent stands for infinities and NaNs, as in IEEE 754. Without,
    only the largest exponent with the largest fraction is a NaN.
    """

    kind: Literal["integer", "float"]
    bits: int
    exponent_bits: int = 0
    fraction_bits: int = 0
    infinite: bool = True

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest value of an integer; one bit is a truth value."""
        if self.bits == 1:
            return 0, 1
        return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1


_F64 = NumberType("float", 64, exponent_bits=11, fraction_bits=52)
"""The float that only constants have."""


@cache
def number_type(type_: Attribute) -> NumberType | None:
    """Return the number type that MLIR writes as `type_`, None if no constant may have it."""
    if isinstance(type_, IntegerType):
        signless = type_.signedness.data == Signedness.SIGNLESS
        bits = type_.width.data
        return NumberType("integer", bits) if signless and 0 < bits <= MAX_INTEGER_BITS else None
    if isinstance(type_, Float64Type):
        return _F64
    own = element_type(type_)
    if own is None:
        return None
    return NumberType(
        "float", own.bits, own.exponent_bits, own.fraction_bits, infinite=own.infinite
    )


def is_only_constant(type_: Attribute) -> bool:
    """Whether `type_` is an element type that constants may have but the machine does not."""
    return number_type(type_) is not None and element_type(type_) is None
