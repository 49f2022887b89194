"""The size of a dimension of a tensor that a step on the host has computed."""

from __future__ import annotations

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


@dataclass(frozen=True)
class Learned(Step):
    """`result` is the size of a dimension of an output of a step of the package.

    Written `s0 = learned(step 2, output 0, dimension 1)`; the numbers count from 0. The evaluation
    stops before the first such step until the package's step has run. A symbol that is already
    defined has to have this size.
    """

    kind: ClassVar[str] = "learned"

    result: str
    step: int
    output: int
    dimension: int

    @property
    def reads(self) -> tuple[Size, ...]:
        """No size: the step reads a tensor's shape."""
        return ()

    @property
    def gives(self) -> tuple[Size, ...]:
        """The symbol."""
        return (self.result,)

    def evaluate(self, call: Evaluation) -> None:
        """Read the size; a symbol that is already defined has to have the same value."""
        name, shape = call.learned[self.step, self.output]
        where = f"dimension {self.dimension} of %{name}, which step {self.step} computed"
        size = shape[self.dimension]
        if self.result not in call.values:
            call.define(self.result, size)
            call.explain(self.result, where)
        elif call.values[self.result] != size:
            raise SizesRefused(
                f"{where}, is {size}, expected {call.describe(self.result)}: "
                f"both are called '{self.result}'"
            )

    def replay(self, table: SymbolTable) -> None:
        """Nothing is known about a size that the host computes."""
        table.leaf(self.result)

    def __str__(self) -> str:
        """Write the step."""
        where = f"step {self.step}, output {self.output}, dimension {self.dimension}"
        return f"{self.result} = {self.kind}({where})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Learned:
        """Read the step."""
        symbol = one_size(cls.kind, result)
        if not isinstance(symbol, str):
            raise StepSyntaxError(f"'{cls.kind}' defines a symbol, not the size {symbol}")
        numbers: list[int] = []
        for word in ("step", "output", "dimension"):
            if numbers:
                need_punctuation(tokens, ",")
            need_word(tokens, word)
            numbers.append(need_number(tokens))
        need_punctuation(tokens, ")")
        return cls(symbol, *numbers)
