"""Sizes, some of which never expand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import (
    Result,
    StepSyntaxError,
    Tokens,
    need_punctuation,
    need_sizes,
    no_result,
    show_sizes,
)
from hwc.shapes.symbols import Size, SymbolTable


@dataclass(frozen=True)
class Strict(Step):
    """The sizes `held` never expand, so they are all equal; `free` sizes are 1 or the same size.

    Written `strict([s0, s1], [s2])`. The first list has at least one size.
    """

    kind: ClassVar[str] = "strict"

    held: tuple[Size, ...]
    free: tuple[Size, ...] = ()

    @property
    def reads(self) -> tuple[Size, ...]:
        """Both lists."""
        return (*self.held, *self.free)

    @property
    def gives(self) -> tuple[Size, ...]:
        """No size."""
        return ()

    def evaluate(self, call: Evaluation) -> None:
        """Compare every size with the first."""
        first = self.held[0]
        for size in self.held[1:]:
            if call.value(size) != call.value(first):
                raise SizesRefused(
                    f"size {call.describe(first)} does not broadcast: strict: it never expands, "
                    f"and meets size {call.describe(size)}, which has to be equal"
                )
        for size in self.free:
            if call.value(size) not in {1, call.value(first)}:
                raise SizesRefused(
                    f"size {call.describe(first)} does not broadcast: strict: it never expands, "
                    f"and meets size {call.describe(size)}, which has to be equal or 1"
                )

    def replay(self, table: SymbolTable) -> None:
        """The held sizes become one symbol, and the free sizes fit it."""
        for size in self.held[1:]:
            table.require_equal(self.held[0], size)
        for size in self.free:
            table.fit(size, self.held[0])

    def __str__(self) -> str:
        """Write the step."""
        return f"{self.kind}([{show_sizes(self.held)}], [{show_sizes(self.free)}])"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Strict:
        """Read the step."""
        no_result(cls.kind, result)
        held = need_sizes(tokens)
        need_punctuation(tokens, ",")
        free = need_sizes(tokens)
        need_punctuation(tokens, ")")
        if not held:
            raise StepSyntaxError(f"'{cls.kind}' needs a size that never expands")
        return cls(held, free)
