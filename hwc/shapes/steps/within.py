"""A size between limits."""

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
class Within(Step):
    """`size` is at least `low` and at most `high`. Written `within(s0, 2, 4096)`."""

    kind: ClassVar[str] = "within"

    size: Size
    low: int
    high: int

    @property
    def reads(self) -> tuple[Size, ...]:
        """The size."""
        return (self.size,)

    @property
    def gives(self) -> tuple[Size, ...]:
        """No size."""
        return ()

    def evaluate(self, call: Evaluation) -> None:
        """Compare the size with the limits."""
        if not self.low <= call.value(self.size) <= self.high:
            raise SizesRefused(
                f"size {call.describe(self.size)} has to be {Range(self.low, self.high)}"
            )

    def replay(self, table: SymbolTable) -> None:
        """The size has this range."""
        table.assume(self.size, Range(self.low, self.high))

    def __str__(self) -> str:
        """Write the step."""
        return f"{self.kind}({self.size}, {self.low}, {self.high})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Within:
        """Read the step."""
        no_result(cls.kind, result)
        size = read_size(tokens)
        need_punctuation(tokens, ",")
        low = need_number(tokens)
        need_punctuation(tokens, ",")
        high = need_number(tokens)
        need_punctuation(tokens, ")")
        if not low <= high <= ANY.high:
            raise StepSyntaxError(f"there is no size from {low} to {high}")
        return cls(size, low, high)
