"""Parses facts about sizes: `2 <= a.n <= 4096`, `a.d % 8 == 0`, `b.n in {1, a.n}`.

    fact  = size "in" "{" size { "," size } "}"
          | size "%" number "==" number
          | size relation size { relation size }
    relation = "==" | "!=" | "<" | "<=" | ">" | ">="
    size  = number | name

A relation other than `==` compares a name with a number. The caller defines what a name means. A
fact becomes steps of the shape program, which check the fact in every call.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from hwc.shapes.ranges import ANY
from hwc.shapes.steps import Among, Congruent, Differs, Equal, Step, Within
from hwc.shapes.symbols import Size

_WORD = re.compile(r"\s*([A-Za-z_$][\w$.-]*|[0-9]+|[<>=!]=|\S)")
_NAME = re.compile(r"[A-Za-z_$]")
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""Each relation with its two sides exchanged."""


class FactError(ValueError):
    """A text that is not a fact; says what is wrong."""


def read_fact(text: str, meaning: Callable[[str], Size]) -> tuple[Step, ...]:
    """Return the steps that check a fact.

    `meaning` returns the size that a name stands for, or raises a FactError.

    Raises:
        FactError: the text is not a fact, or has a name without a meaning.
    """
    return _Reader(text, meaning).fact()


class _Reader:
    """The words of one fact, read from left to right."""

    def __init__(self, text: str, meaning: Callable[[str], Size]) -> None:
        self._words = [match[1] for match in _WORD.finditer(text)]
        self._next = 0
        self._meaning = meaning

    def fact(self) -> tuple[Step, ...]:
        numbers = [self._peek().isdecimal()]
        first = self._size()
        if self._take("in"):
            return (self._choices(first),)
        if self._take("%"):
            return (self._congruence(first),)
        sizes, relations = [first], list[str]()
        while (relation := self._peek()) in _MIRRORED:
            self._next += 1
            relations.append(relation)
            numbers.append(self._peek().isdecimal())
            sizes.append(self._size())
        if not relations:
            raise self._unexpected("'in', '%' or one of " + " ".join(_MIRRORED))
        self._end()
        steps: list[Step] = []
        sides = zip(pairwise(sizes), pairwise(numbers), relations, strict=True)
        for (left, right), is_number, relation in sides:
            # A name may stand for a static size; that size is then the subject of the step.
            mirrored = is_number == (True, False) or (
                isinstance(left, int) and isinstance(right, str)
            )
            if mirrored and relation != "==":
                step = _compare(right, _MIRRORED[relation], left)
            else:
                step = _compare(left, relation, right)
            if steps and isinstance(step, Within) and isinstance(steps[-1], Within):
                step = _both(steps.pop(), step)
            steps.append(step)
        return tuple(steps)

    def _choices(self, size: Size) -> Step:
        self._need("{")
        choices = [self._size()]
        while not self._take("}"):
            self._need(",")
            choices.append(self._size())
        self._end()
        return Among(size, tuple(choices))

    def _congruence(self, size: Size) -> Step:
        modulus = self._number()
        self._need("==")
        remainder = self._number()
        self._end()
        if remainder >= modulus:
            raise FactError(f"no division by {modulus} leaves {remainder}")
        return Congruent(size, modulus, remainder)

    def _peek(self) -> str:
        return self._words[self._next] if self._next < len(self._words) else ""

    def _take(self, word: str) -> bool:
        found = self._peek() == word
        self._next += found
        return found

    def _need(self, word: str) -> None:
        if not self._take(word):
            raise self._unexpected(f"'{word}'")

    def _end(self) -> None:
        if self._peek():
            raise self._unexpected("the end of the fact")

    def _number(self) -> int:
        if not self._peek().isdecimal():
            raise self._unexpected("a number")
        digits = self._peek().lstrip("0") or "0"
        # Python refuses to convert thousands of digits.
        if len(digits) > len(str(ANY.high)) or int(digits) > ANY.high:
            raise FactError(f"{_short(digits)} is not a size: the largest is {ANY.high}")
        self._next += 1
        return int(digits)

    def _size(self) -> Size:
        word = self._peek()
        if word != "in" and _NAME.match(word):
            self._next += 1
            return self._meaning(word)
        if word.isdecimal():
            return self._number()
        raise self._unexpected("a size")

    def _unexpected(self, wanted: str) -> FactError:
        got = f"'{self._peek()}'" if self._peek() else "the end"
        before = f" after '{self._words[self._next - 1]}'" if self._next else ""
        return FactError(f"expected {wanted}{before}, got {got}")


def _short(digits: str) -> str:
    return digits if len(digits) <= 40 else f"a number of {len(digits)} digits"


def _both(first: Step, second: Within) -> Within:
    """Return both limits of a size, as in `2 <= a.n <= 4096`."""
    assert isinstance(first, Within)
    low, high = max(first.low, second.low), min(first.high, second.high)
    if low > high:
        raise FactError(f"no size is from {low} to {high}")
    return Within(second.size, low, high)


def _compare(left: Size, relation: str, right: Size) -> Step:
    if relation == "==":
        return Equal((left, right))
    if isinstance(right, str):
        raise FactError(
            f"'{relation}' compares two sizes that are not numbers; write '==', 'in' or a number"
        )
    low, high = ANY.low, ANY.high
    match relation:
        case "!=":
            return Differs(left, right)
        case "<":
            high = right - 1
        case "<=":
            high = right
        case ">":
            low = right + 1
        case _:
            low = right
    if low > high:
        raise FactError(f"no size is {relation} {right}")
    return Within(left, low, high)
