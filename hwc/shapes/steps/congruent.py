"""A size whose remainder is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.ranges import ANY, Range
from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import (
    Result,
    StepSyntaxError,
    Tokens,
    need_number,
    need_punctuation,
    no_result,
    read_size,
)
from hwc.shapes.symbols import Size, SymbolTable


@dataclass(frozen=True)
class Congruent(Step):
    """`size` divided by `modulus` leaves `remainder`. Written `congruent(s0, 8, 3)`."""

    kind: ClassVar[str] = "congruent"

    size: Size
    modulus: int
    remainder: int

    @property
    def reads(self) -> tuple[Size, ...]:
        """The size."""
        return (self.size,)

    @property
    def gives(self) -> tuple[Size, ...]:
        """No size."""
        return ()

    def evaluate(self, call: Evaluation) -> None:
        """Divide the size."""
        remainder = call.value(self.size) % self.modulus
        if remainder != self.remainder:
            raise SizesRefused(
                f"size {call.describe(self.size)} divided by {self.modulus} leaves {remainder}, "
                f"and has to leave {self.remainder}"
            )

    def replay(self, table: SymbolTable) -> None:
        """The size has this remainder."""
        table.assume(self.size, Range.multiple(self.modulus, self.remainder))

    def __str__(self) -> str:
        """Write the step."""
        return f"{self.kind}({self.size}, {self.modulus}, {self.remainder})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Congruent:
        """Read the step."""
        no_result(cls.kind, result)
        size = read_size(tokens)
        need_punctuation(tokens, ",")
        modulus = need_number(tokens)
        need_punctuation(tokens, ",")
        remainder = need_number(tokens)
        need_punctuation(tokens, ")")
        if not remainder < modulus <= ANY.high:
            raise StepSyntaxError(f"no division by {modulus} leaves {remainder}")
        return cls(size, modulus, remainder)
