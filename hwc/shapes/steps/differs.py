"""A size that is not a certain number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.ranges import Range
from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import (
    Result,
    Tokens,
    need_number,
    need_punctuation,
    no_result,
    read_size,
)
from hwc.shapes.symbols import Size, SymbolTable


@dataclass(frozen=True)
class Differs(Step):
    """`size` is any number but `value`. Written `differs(s0, 1)`."""

    kind: ClassVar[str] = "differs"

    size: Size
    value: int

    @property
    def reads(self) -> tuple[Size, ...]:
        """The size."""
        return (self.size,)

    @property
    def gives(self) -> tuple[Size, ...]:
        """No size."""
        return ()

    def evaluate(self, call: Evaluation) -> None:
        """Compare the size with the number."""
        if call.value(self.size) == self.value:
            raise SizesRefused(f"size {call.describe(self.size)} must not be {self.value}")

    def replay(self, table: SymbolTable) -> None:
        """The number is not in the size's range."""
        table.assume(self.size, Range.without(self.value))

    def __str__(self) -> str:
        """Write the step."""
        return f"{self.kind}({self.size}, {self.value})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Differs:
        """Read the step."""
        no_result(cls.kind, result)
        size = read_size(tokens)
        need_punctuation(tokens, ",")
        value = need_number(tokens)
        need_punctuation(tokens, ")")
        return cls(size, value)
