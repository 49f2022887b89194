"""Finds the arguments or results that are parts of one value whose type exists only in memory."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr

TYPE, PART = "stored.type", "stored.part"
"""The attributes of parts: the type, on the first part, and a mark on each further part."""


@dataclass(frozen=True)
class Whole:
    """An argument or a result of a program: the number of its first part, their count, its type.

    `type` is None if the value is its own only part, with a type of the machine.
    """

    first: int
    count: int
    type: str | None


def wholes(dictionaries: ArrayAttr[DictionaryAttr] | None, count: int) -> list[Whole]:
    """Return the arguments or results of a program whose function has `count` parts."""
    given = dictionaries.data if dictionaries else (DictionaryAttr({}),) * count
    found: list[Whole] = []
    for number, dictionary in enumerate(given):
        type_ = dictionary.data.get(TYPE)
        if PART in dictionary.data and found:
            last = found.pop()
            found.append(Whole(last.first, last.count + 1, last.type))
        else:
            name = type_.data if isinstance(type_, StringAttr) else None
            found.append(Whole(number, 1, name))
    return found
