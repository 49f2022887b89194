"""Offsets and fields of the host's registers, read from their description."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from rtl_models.sources import SOURCES

_SOURCE = SOURCES / "core" / "host_registers.rdl"
_REGISTER = re.compile(
    r"^    reg \{(?P<fields>.*?)^    \} (?P<name>\w+)(\[\w+\])? @ (?P<offset>\w+)", re.M | re.S
)
_FIELD = re.compile(r"\} (?P<name>\w+)\[(?P<high>\d+):(?P<low>\d+)\]")


@dataclass(frozen=True)
class Field:
    """The bits `low` to `high` of a register."""

    low: int
    high: int

    @property
    def mask(self) -> int:
        """The register's value with all bits of the field set, and no others."""
        return (2 << self.high) - (1 << self.low)

    def of(self, value: int) -> int:
        """Return the field of a register's value."""
        return (value & self.mask) >> self.low


@cache
def registers() -> dict[str, int]:
    """Return the byte offset of every register."""
    return {found["name"]: int(found["offset"], 16) for found in _described()}


@cache
def fields(register: str) -> dict[str, Field]:
    """Return the fields of a register."""
    (text,) = (found["fields"] for found in _described() if found["name"] == register)
    return {
        found["name"]: Field(int(found["low"]), int(found["high"]))
        for found in _FIELD.finditer(text)
    }


def _described() -> list[re.Match[str]]:
    return list(_REGISTER.finditer(_SOURCE.read_text(encoding="utf-8")))
