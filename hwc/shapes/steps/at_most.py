"""A value with an upper limit that is known only at a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import (
    Result,
    StepSyntaxError,
    Tokens,
    no_result,
    read_values,
    show_sizes,
)
from hwc.shapes.symbols import Size, SymbolTable


@dataclass(frozen=True)
class AtMost(Step):
    """`value` is at most `limit`; both may be negative. Written `at_most(n0, s1)`."""

    kind: ClassVar[str] = "at_most"

    value: Size
    limit: Size

    @property
    def reads(self) -> tuple[Size, ...]:
        """The value and the limit."""
        return (self.value, self.limit)

    @property
    def gives(self) -> tuple[Size, ...]:
        """No size."""
        return ()

    def evaluate(self, call: Evaluation) -> None:
        """Compare the value with the limit; a number below a symbol is a lower limit."""
        if call.value(self.value) > call.value(self.limit):
            if isinstance(self.value, int) and isinstance(self.limit, str):
                wanted = f"got {call.describe(self.limit)}, expected at least {self.value}"
                raise SizesRefused(wanted)
            raise SizesRefused(
                f"got {call.describe(self.value)}, expected at most {call.describe(self.limit)}"
            )

    def replay(self, table: SymbolTable) -> None:
        """The table holds no order of sizes."""

    def __str__(self) -> str:
        """Write the step."""
        return f"{self.kind}({show_sizes(self.reads)})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> AtMost:
        """Read the step."""
        no_result(cls.kind, result)
        values = read_values(tokens, ")")
        if len(values) != 2:  # noqa: PLR2004
            raise StepSyntaxError(f"'{cls.kind}' needs a value and a limit")
        return cls(*values)
