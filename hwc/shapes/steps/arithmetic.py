"""Values that a program computes from sizes, one kind of step for each operation.

The kinds have the names of `arith` operations on index, without the dialect, or of `hwc` operations
where `arith` has none. Values are signed 64-bit integers. Nothing wraps: a result that does not fit
is refused, and so is a division by zero. A negative operand of an unsigned operation is refused as
well, because no size is negative.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import (
    Result,
    StepSyntaxError,
    Tokens,
    one_size,
    read_values,
    show_sizes,
)
from hwc.shapes.symbols import Size, SymbolTable

BITS = 64
"""The number of bits of a value, including the sign."""

_MOST = (1 << (BITS - 1)) - 1


def _positive(divisor: int) -> int:
    if divisor == 0:
        raise SizesRefused("division by zero")
    return divisor


def _natural(*values: int) -> None:
    for value in values:
        if value < 0:
            raise SizesRefused(f"the operation takes no negative value, got {value}")


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(_positive(b))
    return quotient if (a < 0) == (b < 0) else -quotient


def _shift_amount(amount: int) -> int:
    if not 0 <= amount < BITS:
        raise SizesRefused(f"the shift amount is {amount}, expected 0 to {BITS - 1}")
    return amount


def _unsigned(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def checked(a: int, b: int) -> int:
        _natural(a, b)
        return function(a, b)

    return checked


def _exp2(exponent: int) -> int:
    if not 0 <= exponent < BITS - 1:
        raise SizesRefused(f"the exponent of 2 is {exponent}, expected 0 to {BITS - 2}")
    return 1 << exponent


def _log2(value: int, bits: Callable[[int], int]) -> int:
    if value < 1:
        raise SizesRefused(f"there is no logarithm of {value}")
    return bits(value)


def _fits(width: int) -> Callable[[int], int]:
    def checked(value: int) -> int:
        if not -(1 << (width - 1)) <= value < 1 << (width - 1):
            raise SizesRefused(f"{value} does not fit an integer of {width} bits")
        return value

    return checked


def _truth(value: int) -> int:
    if value not in {0, 1}:
        raise SizesRefused(f"{value} is not a boolean, which is 0 or 1")
    return value


def _extended(value: int) -> int:
    _natural(value)
    return value


_UNARY: Mapping[str, Callable[[int], int]] = {
    "exp2": _exp2,
    "log2_floor": lambda a: _log2(a, lambda value: value.bit_length() - 1),
    "log2_ceil": lambda a: _log2(a, lambda value: (value - 1).bit_length()),
    "extui": _extended,
    "fits_i1": _truth,
    "fits_i8": _fits(8),
    "fits_i16": _fits(16),
    "fits_i32": _fits(32),
}

_BINARY: Mapping[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": _truncated,
    "floordivsi": lambda a, b: a // _positive(b),
    "ceildivsi": lambda a, b: -(-a // _positive(b)),
    "remsi": lambda a, b: a - b * _truncated(a, b),
    "divui": _unsigned(lambda a, b: a // _positive(b)),
    "ceildivui": _unsigned(lambda a, b: -(-a // _positive(b))),
    "remui": _unsigned(lambda a, b: a % _positive(b)),
    "maxsi": max,
    "minsi": min,
    "maxui": _unsigned(max),
    "minui": _unsigned(min),
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "shli": lambda a, b: a << _shift_amount(b),
    "shrsi": lambda a, b: a >> _shift_amount(b),
    "shrui": _unsigned(lambda a, b: a >> _shift_amount(b)),
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "slt": lambda a, b: int(a < b),
    "sle": lambda a, b: int(a <= b),
    "sgt": lambda a, b: int(a > b),
    "sge": lambda a, b: int(a >= b),
    "ult": _unsigned(lambda a, b: int(a < b)),
    "ule": _unsigned(lambda a, b: int(a <= b)),
    "ugt": _unsigned(lambda a, b: int(a > b)),
    "uge": _unsigned(lambda a, b: int(a >= b)),
}

_TERNARY: Mapping[str, Callable[[int, int, int], int]] = {
    "select": lambda condition, a, b: a if condition else b,
}


@dataclass(frozen=True)
class Arithmetic(Step):
    """`result` is a function of `operands`, which may be any values, not only sizes.

    Written `n0 = divui(s0, 2)`, with the name of the function as the kind. Operands may be negative
    numbers.
    """

    arity: ClassVar[int]
    function: ClassVar[Callable[..., int]]

    result: str
    operands: tuple[Size, ...]

    @classmethod
    def compute(cls, values: Sequence[int]) -> int:
        """Return the result for known operands.

        Raises:
            SizesRefused: the function has no 64-bit value for these operands.
        """
        result = cls.function(*values)
        if not -_MOST - 1 <= result <= _MOST:
            raise SizesRefused(
                f"the result of {cls.kind}({show_sizes(values)}) does not fit {BITS} bits"
            )
        return result

    @property
    def reads(self) -> tuple[Size, ...]:
        """The operands."""
        return self.operands

    @property
    def gives(self) -> tuple[Size, ...]:
        """The one value."""
        return (self.result,)

    def problems(self, known: Collection[str], ranks: Sequence[int]) -> Iterator[str]:
        """Also check that the symbol is new, and the number of operands."""
        yield from super().problems(known, ranks)
        if self.result in known:
            yield f"symbol '{self.result}' is defined again"
        if len(self.operands) != self.arity:
            yield (
                f"the number of operands of '{self.kind}' is {len(self.operands)}, expected "
                f"{self.arity}"
            )

    def evaluate(self, call: Evaluation) -> None:
        """Define the result."""
        values = [call.value(operand) for operand in self.operands]
        try:
            value = self.compute(values)
        except SizesRefused as refused:
            given = ", ".join(map(call.describe, self.operands))
            raise SizesRefused(f"{refused}; the operands are {given}") from None
        call.define(self.result, value)
        self.explain(call, self.result, f"{self.kind}({show_sizes(values)})")

    def replay(self, table: SymbolTable) -> None:
        """Nothing is known about the value before a step checks that it is a size."""
        table.leaf(self.result)

    def __str__(self) -> str:
        """Write the step."""
        return f"{self.result} = {self.kind}({show_sizes(self.operands)})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Arithmetic:
        """Read the step."""
        symbol = one_size(cls.kind, result)
        if not isinstance(symbol, str):
            raise StepSyntaxError(f"'{cls.kind}' defines a symbol, not the number {symbol}")
        return cls(symbol, read_values(tokens, ")"))


def _kind(name: str, arity: int, function: Callable[..., int]) -> type[Arithmetic]:
    members = {
        "__doc__": f"`n0 = {name}(...)`.",
        "kind": name,
        "arity": arity,
        "function": staticmethod(function),
    }
    return type(name, (Arithmetic,), members)


ARITHMETIC: Mapping[str, type[Arithmetic]] = {
    name: _kind(name, arity, function)
    for arity, functions in ((1, _UNARY), (2, _BINARY), (3, _TERNARY))
    for name, function in functions.items()
}
"""The class of each kind, by the name of the operation."""
