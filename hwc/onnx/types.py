"""Element types of ONNX, by the numbers that `onnx.TensorProto` has for them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TYPES: Mapping[int, str] = MappingProxyType(
    {
        1: "f32",
        2: "ui8",
        3: "i8",
        4: "ui16",
        5: "i16",
        6: "i32",
        7: "i64",
        9: "i1",
        10: "f16",
        11: "f64",
        12: "ui32",
        13: "ui64",
    }
)
"""The types of tensors that a package can hold, by the number that ONNX gives them."""

FLOATS = ("f32", "f16")
INTEGERS = ("i32", "i16", "i8")
BOOLEAN = "i1"
MACHINE = (*FLOATS, *INTEGERS, BOOLEAN)
"""The types of ONNX that the machine computes with."""
