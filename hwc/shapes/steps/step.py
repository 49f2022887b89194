"""A step of a shape program: checks sizes of a call, or computes a size."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from hwc.shapes.steps.evaluation import Evaluation
from hwc.shapes.steps.text import Result, Tokens, is_name
from hwc.shapes.symbols import Size, SymbolTable


@dataclass(frozen=True)
class Origin:
    """The source operation that requires a step: `tosa.add`, at `file:line:col`.

    `dimension` is the dimension of the operation's result that the step is about, if there is one.
    Otherwise `about` may say what the step is about, such as `in the inner dimension`.
    """

    operation: str
    location: str
    dimension: int | None = None
    about: str = ""

    def __str__(self) -> str:
        """Begin an error message."""
        return f"{self.location}: error: {self.subject}"

    @property
    def subject(self) -> str:
        """The operation, and the part of it that the step is about."""
        at = f" {self.about}" if self.about else ""
        if self.dimension is not None:
            at = f" in dimension {self.dimension} of the result"
        return f"'{self.operation}'{at}"


@dataclass(frozen=True)
class Step(ABC):
    """Base of all kinds of steps; a kind is one frozen dataclass in its own file.

    `kind` is the word for the kind in the text. `origin` is the source operation that requires the
    step. It is None if no operation requires the step, and also in IR, where the operation that
    holds the step has the origin.
    """

    kind: ClassVar[str]
    origin: Origin | None = field(default=None, kw_only=True)

    @property
    @abstractmethod
    def reads(self) -> tuple[Size, ...]:
        """The sizes that the step needs."""

    @property
    @abstractmethod
    def gives(self) -> tuple[Size, ...]:
        """The sizes that the step defines; static or already defined sizes are checked instead."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols among the sizes that the step gives."""
        return tuple(size for size in self.gives if isinstance(size, str))

    def problems(self, known: Collection[str], ranks: Sequence[int]) -> Iterator[str]:
        """Yield every inconsistency of the step.

        `known` are the symbols of earlier steps, `ranks` the ranks of the program's arguments.
        """
        for size in dict.fromkeys(self.reads):
            if isinstance(size, str) and size not in known:
                yield f"symbol '{size}' is used before it is defined"
        for symbol in self.symbols:
            if not is_name(symbol):
                yield (
                    f"'{symbol}' is not a name for a symbol: letters, digits, '_', '$', '.', "
                    "no digit first"
                )

    def explain(self, call: Evaluation, symbol: str, otherwise: str) -> None:
        """Remember for messages that the step's operation computed a symbol.

        Where no operation requires the step, `otherwise` says where the value comes from.
        """
        origin = self.origin
        at = otherwise if origin is None else f"'{origin.operation}' at {origin.location}"
        call.explain(symbol, at)

    def renamed(self, names: Mapping[str, str]) -> Step:
        """Return the step with renamed symbols; `names` maps old names to new names."""

        def new(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(names.get(size, size) for size in value)
            return names.get(value, value) if isinstance(value, str) else value

        own = [field.name for field in fields(self) if field.name != "origin"]
        return replace(self, **{name: new(getattr(self, name)) for name in own})

    @abstractmethod
    def evaluate(self, call: Evaluation) -> None:
        """Check the sizes of a call, and define what the step gives.

        Raises:
            SizesRefused: the sizes do not satisfy the step.
        """

    @abstractmethod
    def replay(self, table: SymbolTable) -> None:
        """Add to `table` what the step implies for every call that it accepts.

        Raises:
            SizeConflict: the step accepts no call that the earlier steps accept.
        """

    @abstractmethod
    def __str__(self) -> str:
        """Write the step, without its origin; `read` reads it."""

    @classmethod
    @abstractmethod
    def read(cls, result: Result, tokens: Tokens) -> Step:
        """Return the step written as `result = kind(...`; `tokens` are the words that follow.

        Raises:
            StepSyntaxError: the text is not such a step.
        """
