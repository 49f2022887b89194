"""The values of a size or of a target's key: numbers, lists and ranges, as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import SupportsIndex

from hwc.errors import UserError

MOST_VALUES = 1_000_000
"""Maximum values of one size or key."""

SYNTAX = "a number, a range such as 1..100, 1..100:+7 or 1..4096:*2, or a list of them"

_RANGE = re.compile(r"(\d+)\.\.(\d+)(?::([+*])(\d+))?")

Names = tuple[str, ...]
"""Names that share their values: `x.0=y.0=1..8` gives both sizes the same values."""


def read_values(text: str, where: str) -> tuple[int, ...]:
    """Return the values of a list such as `1..4096:*2,5000`, each once, in the order given.

    `LOW..HIGH` counts up by one, `LOW..HIGH:+N` by N, and `LOW..HIGH:*N` multiplies by N; HIGH is
    included if a step lands on it.

    Raises:
        UserError: the text is not such a list, or a range is empty; the error begins with `where`.
    """
    found: dict[int, None] = {}
    for item in text.split(","):
        found.update(dict.fromkeys(_item(item.strip(), where)))
        if len(found) > MOST_VALUES:
            raise UserError(f"{where}: error: more than {MOST_VALUES:,} values")
    return tuple(found)


def _item(text: str, where: str) -> Iterable[int]:
    if text.isdecimal() and text.isascii():
        return (int(text),)
    match = _RANGE.fullmatch(text)
    if match is None or not text.isascii():
        raise UserError(f"{where}: error: got {text!r}, expected {SYNTAX}")
    low, high, kind, step = int(match[1]), int(match[2]), match[3] or "+", int(match[4] or 1)
    if low > high:
        raise UserError(f"{where}: error: the range {text} is empty: {low} is above {high}")
    if kind == "+":
        if not step:
            raise UserError(f"{where}: error: the range {text} never ends: add at least 1")
        return range(low, min(high, low + step * MOST_VALUES) + 1, step)
    if step < 2 or not low:
        raise UserError(
            f"{where}: error: the range {text} never ends: start at 1 or above, and multiply by 2 "
            "or more"
        )
    return _products(low, high, step)


def _products(low: int, high: int, factor: int) -> Iterable[int]:
    while low <= high:
        yield low
        low *= factor


def read_sizes(text: str, where: str) -> dict[Names, tuple[int, ...]]:
    """Return the values of each size of a text such as `n=1..4096:*2, x.0=y.0=64,768`.

    A comma separates both sizes and values: an item with a `=` begins the next size.

    Raises:
        UserError: the text is not of this form; the error begins with `where`.
    """
    parts: list[str] = []
    for part in text.split(","):
        if "=" in part or not parts:
            parts.append(part)
        else:
            parts[-1] += f",{part}"
    found: dict[Names, tuple[int, ...]] = {}
    for part in parts:
        *names, values = (piece.strip() for piece in part.split("="))
        if not names or not all(names):
            raise UserError(f"{where}: error: got {part.strip()!r}, expected NAME=VALUES")
        add(found, tuple(names), read_values(values, f"{where}: {'='.join(names)}"), where)
    return found


def add(
    found: dict[Names, tuple[int, ...]], names: Names, values: tuple[int, ...], where: str
) -> None:
    """Add a size, or several that share their values.

    Raises:
        UserError: a name occurs twice.
    """
    taken = {name for others in found for name in others}
    for number, name in enumerate(names):
        if name in taken or name in names[:number]:
            raise UserError(f"{where}: error: {name} is given twice")
    found[names] = values


def given_values(values: object, where: str) -> tuple[int, ...]:
    """Return values that a caller in Python gives: a number, a string, or several numbers.

    Raises:
        UserError: the values are none of these; the error begins with `where`.
    """
    if isinstance(values, str):
        return read_values(values, where)
    several: object = values
    if isinstance(values, SupportsIndex) and not isinstance(values, Iterable):
        several = (values,)
    if not isinstance(several, Iterable) or isinstance(several, Mapping):
        raise UserError(f"{where}: error: got {values!r}, expected numbers or a text")
    found = tuple(dict.fromkeys(several))
    for value in found:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise UserError(f"{where}: error: got {value!r}, expected whole numbers")
        if value.__index__() < 0:
            raise UserError(f"{where}: error: got {value!r}, expected 0 or more")
    if not found:
        raise UserError(f"{where}: error: no values")
    return tuple(value.__index__() for value in found)
