"""The text form of steps: the words of a step, from a string or from an IR parser.

A step is written `RESULT = KIND(OPERANDS)`: `d0 = broadcast(s0, 4)`, `[4, r0] = reshape(s0, 5)`,
`equal(s0, s1)`. A size is a number or the name of a symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol, TypeAlias

from hwc.shapes.symbols import Size

Result: TypeAlias = Size | tuple[Size, ...] | None
"""The result in the text of a step: one size, a list of sizes, or nothing."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")
_TOKEN = re.compile(rf"\s*(?:(?P<name>{_NAME.pattern})|(?P<number>[0-9]+)|(?P<punctuation>\S))")


class StepSyntaxError(ValueError):
    """A text that is not a step; says what is wrong."""


class Tokens(Protocol):
    """The words of a text, one after another; each method takes the next word if it fits."""

    def name(self) -> str | None:
        """Take a name."""
        ...

    def number(self) -> int | None:
        """Take a number that is not negative."""
        ...

    def punctuation(self, text: str) -> bool:
        """Take a punctuation mark; return whether it was there."""
        ...


class TextTokens:
    """The words of a string."""

    def __init__(self, text: str) -> None:
        self._words = [match for match in _TOKEN.finditer(text)]
        self._next = 0

    def _take(self, group: str) -> str | None:
        if self._next == len(self._words):
            return None
        text = self._words[self._next][group]
        if text is not None:
            self._next += 1
        return text

    def name(self) -> str | None:
        """Take a name."""
        return self._take("name")

    def number(self) -> int | None:
        """Take a number that is not negative."""
        text = self._take("number")
        return None if text is None else int(text)

    def punctuation(self, text: str) -> bool:
        """Take a punctuation mark; return whether it was there."""
        if self._next < len(self._words) and self._words[self._next]["punctuation"] == text:
            self._next += 1
            return True
        return False

    @property
    def at_end(self) -> bool:
        """Whether every word has been taken."""
        return self._next == len(self._words)


def is_name(text: str) -> bool:
    """Whether a symbol may be called `text`: IR and steps both have to allow the name."""
    return _NAME.fullmatch(text) is not None


def need_punctuation(tokens: Tokens, text: str) -> None:
    """Take a punctuation mark.

    Raises:
        StepSyntaxError: the next word is another one.
    """
    if not tokens.punctuation(text):
        raise StepSyntaxError(f"expected '{text}'")


def need_number(tokens: Tokens) -> int:
    """Take a number.

    Raises:
        StepSyntaxError: the next word is another one.
    """
    number = tokens.number()
    if number is None:
        raise StepSyntaxError("expected a number")
    return number


def need_word(tokens: Tokens, word: str) -> None:
    """Take a given word.

    Raises:
        StepSyntaxError: the next word is another one.
    """
    if tokens.name() != word:
        raise StepSyntaxError(f"expected '{word}'")


def read_size(tokens: Tokens) -> Size:
    """Take a size.

    Raises:
        StepSyntaxError: the next word is another one.
    """
    size = tokens.number()
    if size is None:
        size = tokens.name()
    if size is None:
        raise StepSyntaxError("expected a size or the name of a symbol")
    return size


def read_sizes(tokens: Tokens, end: str) -> tuple[Size, ...]:
    """Take comma-separated sizes, up to and including the punctuation mark `end`.

    Raises:
        StepSyntaxError: the next word is another one.
    """
    sizes: list[Size] = []
    while not tokens.punctuation(end):
        if sizes:
            need_punctuation(tokens, ",")
        sizes.append(read_size(tokens))
    return tuple(sizes)


def need_sizes(tokens: Tokens) -> tuple[Size, ...]:
    """Take `[s0, 4]`.

    Raises:
        StepSyntaxError: the next words are not such a list.
    """
    need_punctuation(tokens, "[")
    return read_sizes(tokens, "]")


def read_values(tokens: Tokens, end: str) -> tuple[Size, ...]:
    """Take comma-separated values up to `end`, as `read_sizes` does; a number may be negative.

    Raises:
        StepSyntaxError: the next word is another one.
    """
    values: list[Size] = []
    while not tokens.punctuation(end):
        if values:
            need_punctuation(tokens, ",")
        values.append(-need_number(tokens) if tokens.punctuation("-") else read_size(tokens))
    return tuple(values)


def show_sizes(sizes: Iterable[Size]) -> str:
    """Format sizes, separated by commas."""
    return ", ".join(map(str, sizes))


def one_size(kind: str, result: Result) -> Size:
    """Return the one size that a step of this kind gives.

    Raises:
        StepSyntaxError: the step gives nothing, or a list.
    """
    if not isinstance(result, int | str):
        raise StepSyntaxError(f"'{kind}' gives one size: 'RESULT = {kind}(...)'")
    return result


def no_result(kind: str, result: Result) -> None:
    """Check that a step gives nothing.

    Raises:
        StepSyntaxError: the step gives a size or a list.
    """
    if result is not None:
        raise StepSyntaxError(f"'{kind}' gives no size: '{kind}(...)'")
