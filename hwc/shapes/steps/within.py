"""A size between limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.ranges import ANY, Range
from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.size_rule import SizeRule
from hwc.shapes.symbols import SymbolTable


@dataclass(frozen=True)
class Within(SizeRule):
    """`size` is at least `low` and at most `high`. Written `within(s0, 2, 4096)`."""

    kind: ClassVar[str] = "within"

    low: int
    high: int

    def evaluate(self, call: Evaluation) -> None:
        """Compare the size with the limits."""
        if not self.low <= call.value(self.size) <= self.high:
            raise SizesRefused(
                f"size {call.describe(self.size)} has to be {Range(self.low, self.high)}"
            )

    def replay(self, table: SymbolTable) -> None:
        """The size has this range."""
        table.assume(self.size, Range(self.low, self.high))

    def impossible(self) -> str | None:
        """The limits are in order."""
        if self.low <= self.high <= ANY.high:
            return None
        return f"there is no size from {self.low} to {self.high}"
