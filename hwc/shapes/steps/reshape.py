"""The sizes of a view that holds the same elements."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from hwc.shapes.steps.evaluation import Evaluation, SizesRefused, show_shape
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import Result, StepSyntaxError, Tokens, read_sizes, show_sizes
from hwc.shapes.symbols import Size, SymbolTable


@dataclass(frozen=True)
class Reshape(Step):
    """The sizes `results` hold as many elements as the sizes `operands`.

    Written `[4, r0] = reshape(s0, 5)`. At most one of the results is a symbol that no earlier step
    defines; a division computes its value.
    """

    kind: ClassVar[str] = "reshape"

    operands: tuple[Size, ...]
    results: tuple[Size, ...]

    @property
    def reads(self) -> tuple[Size, ...]:
        """The operands."""
        return self.operands

    @property
    def gives(self) -> tuple[Size, ...]:
        """The sizes of the view."""
        return self.results

    def problems(self, known: Collection[str], ranks: Sequence[int]) -> Iterator[str]:
        """Also check that at most one size has to be computed."""
        yield from super().problems(known, ranks)
        if len(set(self.symbols) - set(known)) > 1:
            yield "there is more than one size to work out"

    def evaluate(self, call: Evaluation) -> None:
        """Compute the new symbol, and compare the numbers of elements."""
        source = tuple(call.value(size) for size in self.operands)
        count = prod(source)
        for symbol in {symbol for symbol in self.symbols if symbol not in call.values}:
            rest = prod(call.value(size) for size in self.results if size != symbol)
            if rest == 0 or count % rest:
                known = [size for size in (*self.operands, *self.results) if size != symbol]
                raise SizesRefused(
                    f"{count} elements of shape {show_shape(source)} do not divide "
                    f"into rows of {rest}; the sizes are {_described(call, known)}"
                )
            call.define(symbol, count // rest)
            self.explain(call, symbol, f"{count} elements of shape {show_shape(source)}")
        result = tuple(call.value(size) for size in self.results)
        if prod(result) != count:
            sizes = _described(call, (*self.operands, *self.results))
            raise SizesRefused(
                f"cannot reshape {count} elements, shape {show_shape(source)}, "
                f"into {prod(result)} elements, shape {show_shape(result)}; the sizes are {sizes}"
            )

    def replay(self, table: SymbolTable) -> None:
        """Both shapes hold the same number of elements."""
        divided = None
        for symbol in self.symbols:
            if table.is_new(symbol):
                divided = table.leaf(symbol)
        table.require_same_count(self.operands, self.results, divided)

    def __str__(self) -> str:
        """Write the step."""
        return f"[{show_sizes(self.results)}] = {self.kind}({show_sizes(self.operands)})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Reshape:
        """Read the step."""
        if not isinstance(result, tuple):
            raise StepSyntaxError(f"'{cls.kind}' gives a list of sizes: '[...] = {cls.kind}(...)'")
        return cls(read_sizes(tokens, ")"), result)


def _described(call: Evaluation, sizes: Iterable[Size]) -> str:
    """Describe each size once, with where it comes from."""
    return ", ".join(dict.fromkeys(map(call.describe, sizes)))
