"""Element types of tensors: the machine's, types that exist only in its memory, and the host's.

Steps on the host read and write tensors that never reach the machine, such as the target sizes of
a reshape, usually `i64`. NumPy has most types of the host. Arrays of the others hold one byte per
element: integers of 4 and 2 bits, and floats that NumPy does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from isa import stored
from isa.model import ElementType
from isa.stored import StoredType


@dataclass(frozen=True)
class HostType(StoredType):
    """A type that the machine does not have, neither in lanes nor in memory."""

    parts: tuple[str, ...] = ()

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest value."""
        return (0, (1 << self.bits) - 1) if self.dtype[1] == "u" else super().range


HOST_TYPES: Mapping[str, HostType] = MappingProxyType(
    {
        type_.name: type_
        for type_ in (
            HostType("i64", 64, "<i8"),
            HostType("f64", 64, "<f8", kind="float"),
            *(HostType(f"ui{8 * n}", 8 * n, f"<u{n}") for n in (1, 2, 4, 8)),
            *(HostType(f"ui{bits}", bits, "<u1") for bits in (4, 2)),
            *(HostType(f"si{bits}", bits, "<i1") for bits in (4, 2)),
            *(
                HostType(f"f8{of}", 8, "V1", kind="float")
                for of in ("e4m3fnuz", "e5m2fnuz", "e8m0")
            ),
        )
    }
)
"""Every type of the host by its name."""

UNSIGNED: Mapping[str, str] = MappingProxyType({"ui8": "i8", "ui16": "i16"})
"""Types of the host that buffers of the machine may have: kernels read the signed type's bytes."""


def tensor_type(name: str) -> ElementType | StoredType:
    """Return the element type of a tensor of a package."""
    return HOST_TYPES[name] if name in HOST_TYPES else stored.tensor_type(name)


def spelling(name: str) -> str:
    """Return how MLIR spells an element type: `f8e4m3` in a package is `f8E4M3FN` in MLIR."""
    return tensor_type(name).mlir if name in tensor_types() else name


def is_numpys(name: str) -> bool:
    """Whether NumPy has a type with exactly these elements."""
    type_ = tensor_type(name)
    whole = type_.kind == "boolean" or type_.bits == 8 * type_.bytes
    return whole and not type_.dtype.startswith("V")


def tensor_types() -> tuple[str, ...]:
    """Return the names of all element types that tensors of a package may have."""
    return (*stored.tensor_types(), *HOST_TYPES)
