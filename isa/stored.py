"""Types that memory holds but lanes do not: an element is one or more elements of machine types.

A program passes such a tensor on, or converts its elements to numbers of the machine. Each part is
its own dense tensor, low bits first; the last part is sign-extended from the remaining bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from isa.load import load
from isa.model import ElementType


@dataclass(frozen=True)
class StoredType:
    """An integer type: its bits, NumPy's type of an element on the host, and its parts."""

    name: str
    bits: int
    dtype: str
    parts: tuple[str, ...]
    kind: str = "integer"

    @property
    def mlir(self) -> str:
        """The type as MLIR writes it."""
        return self.name

    @property
    def bytes(self) -> int:
        """Bytes of an element in an array of the host."""
        return int(self.dtype[-1])

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest value."""
        return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1


STORED: Mapping[str, StoredType] = MappingProxyType(
    {
        "i4": StoredType("i4", 4, "<i1", ("i8",)),
        "i48": StoredType("i48", 48, "<i8", ("i32", "i16")),
    }
)
"""Every such type by its name."""


def tensor_type(name: str) -> ElementType | StoredType:
    """Return the element type of an argument or a result of a program."""
    return STORED[name] if name in STORED else load().types[name]


def tensor_types() -> tuple[str, ...]:
    """Return the names of all element types that arguments and results may have."""
    return (*load().types, *STORED)
