"""Readable machine code: the instruction of each word, and the parameter that the word names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hwc.package.machine import Parameter
from hwc.package.words import parameter_of
from isa.disasm import disassemble


class Listed(NamedTuple):
    """A word: the text of its instruction, and the parameter that it names or what is odd in it."""

    text: str
    remark: str


def listed(words: Sequence[int], parameters: Sequence[Parameter]) -> Iterator[Listed]:
    """Yield the text of each word; it names `parameters` by number."""
    for word in words:
        text, _, remark = disassemble([word]).rstrip().partition(" ; ")
        yield Listed(text, remark or _parameter(word, parameters))


def _parameter(word: int, parameters: Sequence[Parameter]) -> str:
    """Return the name of the parameter that a legal word reads; '' if it reads none."""
    if not parameters:
        return ""
    found = parameter_of(word)
    return parameters[found.index].name if found else ""
