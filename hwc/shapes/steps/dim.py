"""The size of a dimension of an argument."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import (
    Result,
    StepSyntaxError,
    Tokens,
    need_number,
    need_punctuation,
    need_word,
    one_size,
)
from hwc.shapes.symbols import Size, SymbolTable

_REQUIRED = "the program requires these sizes to be equal"


@dataclass(frozen=True)
class Dim(Step):
    """`result` is the size of dimension `dimension` of argument number `argument`, both from 0.

    Written `s0 = dim(argument 0, dimension 1)`. A symbol may be the result of several such steps if
    the program requires these sizes to be equal: the first step defines the symbol, the others
    check it. `named` says that a person has given the symbol its name; messages then show the name.
    Such a step is written `n = dim(argument 0, dimension 1, named)`.
    """

    kind: ClassVar[str] = "dim"

    result: str
    argument: int
    dimension: int
    named: bool = False

    @property
    def reads(self) -> tuple[Size, ...]:
        """No size: the step reads an argument."""
        return ()

    @property
    def gives(self) -> tuple[Size, ...]:
        """The symbol."""
        return (self.result,)

    def problems(self, known: Collection[str], ranks: Sequence[int]) -> Iterator[str]:
        """Also check that the dimension exists."""
        yield from super().problems(known, ranks)
        if not 0 <= self.argument < len(ranks):
            yield f"there is no argument {self.argument}"
        elif not 0 <= self.dimension < ranks[self.argument]:
            yield f"argument {self.argument} has no dimension {self.dimension}"

    def evaluate(self, call: Evaluation) -> None:
        """Read the size; a symbol that is already defined has to have the same value."""
        size = call.shapes[self.argument][self.dimension]
        if self.result not in call.values:
            call.read(self.result, self.argument, self.dimension, self.named)
        elif call.values[self.result] != size:
            why = f"both are called '{self.result}'" if self.named else _REQUIRED
            raise SizesRefused(
                f"{call.dimension(self.argument, self.dimension)} is {size}, expected "
                f"{call.describe(self.result)}: {why}"
            )

    def replay(self, table: SymbolTable) -> None:
        """Nothing is known about an argument's size."""
        table.leaf(self.result, self.named)

    def __str__(self) -> str:
        """Write the step."""
        where = f"argument {self.argument}, dimension {self.dimension}"
        where += ", named" if self.named else ""
        return f"{self.result} = {self.kind}({where})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Dim:
        """Read the step."""
        symbol = one_size(cls.kind, result)
        if not isinstance(symbol, str):
            raise StepSyntaxError(f"'{cls.kind}' defines a symbol, not the size {symbol}")
        need_word(tokens, "argument")
        argument = need_number(tokens)
        need_punctuation(tokens, ",")
        need_word(tokens, "dimension")
        dimension = need_number(tokens)
        named = tokens.punctuation(",")
        if named:
            need_word(tokens, "named")
        need_punctuation(tokens, ")")
        return cls(symbol, argument, dimension, named)
