"""The broadcast of sizes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hwc.shapes.steps.evaluation import Evaluation, SizesRefused
from hwc.shapes.steps.step import Step
from hwc.shapes.steps.text import Result, Tokens, one_size, read_sizes, show_sizes
from hwc.shapes.symbols import Size, SymbolTable


@dataclass(frozen=True)
class Broadcast(Step):
    """`result` is what `operands` broadcast to; a static `result` is checked instead of defined.

    Written `d0 = broadcast(s0, s1)`. The rule is that of MLIR's Broadcastable trait: a size of 1
    yields to the other size, equal sizes stay, and any other pair is refused. A size of 0 has no
    special role.
    """

    kind: ClassVar[str] = "broadcast"

    result: Size
    operands: tuple[Size, ...]

    @property
    def reads(self) -> tuple[Size, ...]:
        """The operands."""
        return self.operands

    @property
    def gives(self) -> tuple[Size, ...]:
        """The one size."""
        return (self.result,)

    def problems(self, known: Collection[str], ranks: Sequence[int]) -> Iterator[str]:
        """Also check that the symbol is new."""
        yield from super().problems(known, ranks)
        if self.result in known:
            yield f"symbol '{self.result}' is defined again"

    def evaluate(self, call: Evaluation) -> None:
        """Apply the rule to one operand after another."""
        decisive: Size = 1
        for size in self.operands:
            value, so_far = call.value(size), call.value(decisive)
            if so_far == 1:
                decisive = size
            elif value not in (1, so_far):
                raise SizesRefused(
                    f"sizes {call.describe(decisive)} and {call.describe(size)} "
                    f"do not broadcast: they have to be equal, or one of them 1"
                )
        value = call.value(decisive)
        if isinstance(self.result, str):
            call.define(self.result, value, decisive)
        elif value != self.result:
            raise SizesRefused(
                f"the operands broadcast to size {call.describe(decisive)}, "
                f"but the result's type says {self.result}"
            )

    def replay(self, table: SymbolTable) -> None:
        """The result is the broadcast, and the operands are known to broadcast to it."""
        if isinstance(self.result, str):
            size = table.broadcast(self.operands, self.result)
            if size != self.result:
                table.require_equal(size, table.leaf(self.result))
        else:
            size = table.broadcast(self.operands)
            table.require_equal(size, self.result)
        table.checked(self.operands, size)

    def __str__(self) -> str:
        """Write the step."""
        return f"{self.result} = {self.kind}({show_sizes(self.operands)})"

    @classmethod
    def read(cls, result: Result, tokens: Tokens) -> Broadcast:
        """Read the step."""
        return cls(one_size(cls.kind, result), read_sizes(tokens, ")"))
