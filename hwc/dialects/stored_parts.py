"""Which arguments or results of a function are the parts of one, whose type only memory has."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr

TYPE, PART = "stored.type", "stored.part"
"""The attributes of parts: the type of the first, and that others belong to the one before."""


@dataclass(frozen=True)
class Whole:
    """An argument or a result of a program: the number of its first part, how many, its type.

    `type` is None if it is its own part, of a type of the machine.
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
