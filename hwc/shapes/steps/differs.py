"""A size that is not a certain number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.ranges import Range
from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.size_rule import SizeRule
from hwc.shapes.symbols import SymbolTable


@dataclass(frozen=True)
class Differs(SizeRule):
    """`size` is any number except `value`. Written `differs(s0, 1)`."""

    kind: ClassVar[str] = "differs"

    value: int

    def evaluate(self, call: Evaluation) -> None:
        """Compare the size with the number."""
        if call.value(self.size) == self.value:
            raise SizesRefused(f"size {call.describe(self.size)} must not be {self.value}")

    def replay(self, table: SymbolTable) -> None:
        """The number is not in the size's range."""
        table.assume(self.size, Range.without(self.value))
