"""An element of an argument: a value that the host reads from the data of a call."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.steps.evaluation import Evaluation, SizesRefused, argument
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import (
    Result,
    StepSyntaxError,
    Tokens,
    need_number,
    need_punctuation,
    need_word,
    one_size,
    read_values,
    show_sizes,
)
from hwc.shapes.symbols import Size, SymbolTable


@dataclass(frozen=True)
class Element(Step):
    """`result` is the element of argument number `argument` at `indices`, one per dimension.

    Written `e0 = element(argument 0, [s0, 2])`. The elements are integers.
    """

    kind: ClassVar[str] = "element"

    result: str
    argument: int
    indices: tuple[Size, ...]

    @property
    def reads(self) -> tuple[Size, ...]:
        """The indices."""
        return self.indices

    @property
    def gives(self) -> tuple[Size, ...]:
        """The one value."""
        return (self.result,)

    def problems(self, known: Collection[str], ranks: Sequence[int]) -> Iterator[str]:
        """Also check that the symbol is new and that the indices fit the argument."""
        yield from super().problems(known, ranks)
        if self.result in known:
            yield f"symbol '{self.result}' is defined again"
        if not 0 <= self.argument < len(ranks):
            yield f"there is no argument {self.argument}"
        elif len(self.indices) != ranks[self.argument]:
            yield (
                f"argument {self.argument} has rank {ranks[self.argument]}, "
                f"got {len(self.indices)} indices"
            )

    def evaluate(self, call: Evaluation) -> None:
        """Read the element; the indices have to be within the argument."""
        indices = tuple(call.value(index) for index in self.indices)
        shape = call.shapes[self.argument]
        who = argument(self.argument, call.names[self.argument])
        for dimension, (index, size) in enumerate(zip(indices, shape, strict=True)):
            if not 0 <= index < size:
                given = call.describe(self.indices[dimension])
                raise SizesRefused(
                    f"index {given} is outside of dimension {dimension} of {who}, "
                    f"which has size {size}"
                )
        call.define(self.result, call.element(self.argument, indices))
        at = "".join(f"[{index}]" for index in indices)
        call.explain(self.result, f"element {at} of {who}" if at else f"the element of {who}")

    def replay(self, table: SymbolTable) -> None:
        """Nothing is known about an argument's element."""
        table.leaf(self.result)

    def __str__(self) -> str:
        """Write the step."""
        where = f"argument {self.argument}, [{show_sizes(self.indices)}]"
        return f"{self.result} = {self.kind}({where})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Element:
        """Read the step."""
        symbol = one_size(cls.kind, result)
        if not isinstance(symbol, str):
            raise StepSyntaxError(f"'{cls.kind}' defines a symbol, not the number {symbol}")
        need_word(tokens, "argument")
        number = need_number(tokens)
        need_punctuation(tokens, ",")
        need_punctuation(tokens, "[")
        indices = read_values(tokens, "]")
        need_punctuation(tokens, ")")
        return cls(symbol, number, indices)
