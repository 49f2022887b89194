"""The base of rules about one size and numbers; each rule is a kind of step in its own file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeVar

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
from hwc.shapes.symbols import Size

Rule = TypeVar("Rule", bound="SizeRule")


@dataclass(frozen=True)
class SizeRule(Step):
    """A rule about `size`. The fields that a kind adds are numbers, in the order of the text."""

    size: Size

    @classmethod
    def number_names(cls) -> tuple[str, ...]:
        """The names of the numbers, in order."""
        return tuple(f.name for f in fields(cls) if f.name not in {"size", "origin"})

    @property
    def reads(self) -> tuple[Size, ...]:
        """The size."""
        return (self.size,)

    @property
    def gives(self) -> tuple[Size, ...]:
        """No size."""
        return ()

    def impossible(self) -> str | None:
        """Return why no size can satisfy a rule with these numbers; None if one can."""
        return None

    def __str__(self) -> str:
        """Write the step."""
        numbers = "".join(f", {getattr(self, name)}" for name in self.number_names())
        return f"{self.kind}({self.size}{numbers})"

    @classmethod
    def read(cls: type[Rule], result: Result, tokens: Tokens) -> Rule:
        """Read the step."""
        no_result(cls.kind, result)
        size = read_size(tokens)
        numbers: list[int] = []
        for _ in cls.number_names():
            need_punctuation(tokens, ",")
            numbers.append(need_number(tokens))
        need_punctuation(tokens, ")")
        rule = cls(size, *numbers)
        if reason := rule.impossible():
            raise StepSyntaxError(reason)
        return rule
