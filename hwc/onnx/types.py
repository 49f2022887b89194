"""Element types of ONNX, by their numbers in `onnx.TensorProto`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import isa
from hwc.package.host_types import UNSIGNED
from hwc.package.onnx_types import ONNX_TYPES

TYPES: Mapping[int, str] = MappingProxyType(
    {type_.number: name for name, type_ in ONNX_TYPES.items()}
)
"""The element types that a package can hold, by ONNX's numbers."""


def spelled(type_: str) -> str:
    """Return the MLIR name of a package's type."""
    known = isa.load().types
    return known[type_].mlir if type_ in known else type_


def in_region(type_: str) -> str:
    """Return the MLIR name of the type that a region has for a package's type."""
    return spelled(UNSIGNED.get(type_, type_))


FLOATS = ("f32", "f16", "bf16")
BYTE_FLOATS = ("f8E4M3FN", "f8E5M2")
INTEGERS = ("i32", "i16", "i8")
BOOLEAN = "i1"
COMPUTED = (*FLOATS, *INTEGERS, BOOLEAN)
"""The ONNX types that the machine computes with."""
MACHINE = (*COMPUTED, *BYTE_FLOATS)
"""The ONNX types that the machine has, as MLIR spells them; `BYTE_FLOATS` are only converted."""
