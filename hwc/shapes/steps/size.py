"""Values that have to be sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import isa
from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import Result, Tokens, no_result, read_sizes, show_sizes
from hwc.shapes.symbols import Size, SymbolTable


def size_problem(value: int, shown: str) -> str | None:
    """Return why `value` cannot be the size of a dimension; None if it can.

    `shown` is the form of the value in the message.
    """
    largest = isa.load().limits.size_limit - 1
    if 0 <= value <= largest:
        return None
    return f"got the computed size {shown}, expected 0 to {largest}"


@dataclass(frozen=True)
class IsSize(Step):
    """All `operands` can be the size of a dimension. Written `size(n0, n1)`."""

    kind: ClassVar[str] = "size"

    operands: tuple[Size, ...]

    @property
    def reads(self) -> tuple[Size, ...]:
        """The operands."""
        return self.operands

    @property
    def gives(self) -> tuple[Size, ...]:
        """No size."""
        return ()

    def evaluate(self, call: Evaluation) -> None:
        """Compare every operand with the limits of a size."""
        for size in self.operands:
            if problem := size_problem(call.value(size), call.describe(size)):
                raise SizesRefused(problem)

    def replay(self, table: SymbolTable) -> None:
        """A symbol of the table is a size."""

    def __str__(self) -> str:
        """Write the step."""
        return f"{self.kind}({show_sizes(self.operands)})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> IsSize:
        """Read the step."""
        no_result(cls.kind, result)
        return cls(read_sizes(tokens, ")"))
