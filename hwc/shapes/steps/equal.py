"""Sizes that have to be equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import Result, Tokens, no_result, read_sizes, show_sizes
from hwc.shapes.symbols import Size, SymbolTable


@dataclass(frozen=True)
class Equal(Step):
    """All `operands` have to be the same size. Written `equal(s0, 7)`.

    If the step is about a dimension of an operation's result, a static last operand is the size in
    the type of the result.
    """

    kind: ClassVar[str] = "equal"

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
        """Compare every operand with the first."""
        for number, size in enumerate(self.operands):
            first = self.operands[0]
            if call.value(size) != call.value(first):
                declared = isinstance(size, int) and number == len(self.operands) - 1
                if declared and self.origin is not None and self.origin.dimension is not None:
                    other = f"{size} (which the type of the result says)"
                else:
                    other = call.describe(size)
                raise SizesRefused(f"sizes {call.describe(first)} and {other} have to be equal")

    def replay(self, table: SymbolTable) -> None:
        """The operands become one symbol."""
        for size in self.operands[1:]:
            table.require_equal(self.operands[0], size)

    def __str__(self) -> str:
        """Write the step."""
        return f"{self.kind}({show_sizes(self.operands)})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Equal:
        """Read the step."""
        no_result(cls.kind, result)
        return cls(read_sizes(tokens, ")"))
