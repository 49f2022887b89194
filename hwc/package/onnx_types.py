"""How ONNX encodes the element types of packages: numbers in files, and ONNX Runtime's names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class OnnxType(NamedTuple):
    """The number in `onnx.TensorProto`, and the name in `tensor(NAME)`."""

    number: int
    name: str


ONNX_TYPES: Mapping[str, OnnxType] = MappingProxyType(
    {
        "f32": OnnxType(1, "float"),
        "ui8": OnnxType(2, "uint8"),
        "i8": OnnxType(3, "int8"),
        "ui16": OnnxType(4, "uint16"),
        "i16": OnnxType(5, "int16"),
        "i32": OnnxType(6, "int32"),
        "i64": OnnxType(7, "int64"),
        "i1": OnnxType(9, "bool"),
        "f16": OnnxType(10, "float16"),
        "f64": OnnxType(11, "double"),
        "ui32": OnnxType(12, "uint32"),
        "ui64": OnnxType(13, "uint64"),
        "bf16": OnnxType(16, "bfloat16"),
        "f8e4m3": OnnxType(17, "float8e4m3fn"),
        "f8e4m3fnuz": OnnxType(18, "float8e4m3fnuz"),
        "f8e5m2": OnnxType(19, "float8e5m2"),
        "f8e5m2fnuz": OnnxType(20, "float8e5m2fnuz"),
        "ui4": OnnxType(21, "uint4"),
        "si4": OnnxType(22, "int4"),
        "f8e8m0": OnnxType(24, "float8e8m0"),
        "ui2": OnnxType(25, "uint2"),
        "si2": OnnxType(26, "int2"),
    }
)
"""Every ONNX type that a package can hold, by its name in packages."""
