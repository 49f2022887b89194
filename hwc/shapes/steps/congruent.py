"""A size whose remainder is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.ranges import ANY, Range
from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.size_rule import SizeRule
from hwc.shapes.symbols import SymbolTable


@dataclass(frozen=True)
class Congruent(SizeRule):
    """`size` divided by `modulus` leaves `remainder`. Written `congruent(s0, 8, 3)`."""

    kind: ClassVar[str] = "congruent"

    modulus: int
    remainder: int

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

    def impossible(self) -> str | None:
        """A remainder has to be less than the divisor."""
        if self.remainder < self.modulus <= ANY.high:
            return None
        return f"no division by {self.modulus} leaves {self.remainder}"
