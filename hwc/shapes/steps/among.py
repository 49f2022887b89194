"""A size that is one of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from hwc.shapes.ranges import Range
from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import (
    Result,
    StepSyntaxError,
    Tokens,
    need_punctuation,
    need_sizes,
    no_result,
    read_size,
    show_sizes,
)
from hwc.shapes.symbols import Size, SymbolTable


@dataclass(frozen=True)
class Among(Step):
    """`size` is one of `choices`, a non-empty list. Written `among(s1, [1, s0])`."""

    kind: ClassVar[str] = "among"

    size: Size
    choices: tuple[Size, ...]

    @property
    def reads(self) -> tuple[Size, ...]:
        """The size and the choices."""
        return (self.size, *self.choices)

    @property
    def gives(self) -> tuple[Size, ...]:
        """No size."""
        return ()

    def evaluate(self, call: Evaluation) -> None:
        """Look for the size."""
        if call.value(self.size) not in map(call.value, self.choices):
            raise SizesRefused(
                f"size {call.describe(self.size)} has to be one of {_listed(call, self.choices)}"
            )

    def replay(self, table: SymbolTable) -> None:
        """One choice: the sizes are equal. 1 and another: the size fits. Else, it has a range."""
        distinct = {table.resolve(choice) for choice in self.choices}
        others = distinct - {1}
        if len(distinct) == 1:
            table.require_equal(self.size, self.choices[0])
        elif len(others) == 1:
            table.fit(self.size, next(iter(others)))
        else:
            table.assume(self.size, reduce(Range.join, map(table.range_of, self.choices)))

    def __str__(self) -> str:
        """Write the step."""
        return f"{self.kind}({self.size}, [{show_sizes(self.choices)}])"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Among:
        """Read the step."""
        no_result(cls.kind, result)
        size = read_size(tokens)
        need_punctuation(tokens, ",")
        choices = need_sizes(tokens)
        need_punctuation(tokens, ")")
        if not choices:
            raise StepSyntaxError(f"'{cls.kind}' needs a size to choose")
        return cls(size, choices)


def _listed(call: Evaluation, choices: Sequence[Size]) -> str:
    shown = (str(size) if isinstance(size, int) else call.describe(size) for size in choices)
    return f"{{{', '.join(shown)}}}"
