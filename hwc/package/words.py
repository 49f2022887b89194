"""Looks into words of machine code: which packet parameter a word names, and table fills."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import isa


@dataclass(frozen=True)
class ParameterField:
    """The field of a word that holds the number of a parameter: its lowest bit and its value."""

    low: int
    index: int


@lru_cache(maxsize=1 << 16)
def parameter_of(word: int) -> ParameterField | None:
    """Return the field of a legal word that holds a parameter's number; None if there is none."""
    decoded = isa.decode(word)
    if decoded.name == "base":
        name = "param"
    elif decoded.name == "size" and decoded.fields["from_param"]:
        name = "value"
    else:
        return None
    field = isa.load().formats[decoded.instruction.format].field(name)
    return ParameterField(field.low, decoded.fields[name])


@lru_cache(maxsize=1 << 16)
def fills_table(word: int) -> bool:
    """Whether a legal word fills the machine's table."""
    return isa.decode(word).name == "fill"
