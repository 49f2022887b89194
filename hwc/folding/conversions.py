"""Exact bulk conversions between the number types that constants may have.

TOSA 1.0 (`cast`) and upstream's `arith` define the conversions. To a float: rounded once, to
nearest even; a number that is too large becomes infinite, or a NaN where there is no infinity. From
a float to an integer: rounded, then saturated; a NaN gives 0. From an integer to an integer: the
low bits. A NaN becomes the canonical NaN of the result's type.

Here, elements are their bits: unsigned integers of the size that xDSL stores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hwc.dialects.constant_types import NumberType
from sim.semantics.formats import FloatFormat, canonical, floats
from sim.semantics.lanes import LANE_BITS

Bits = NDArray[np.unsignedinteger[Any]]

_EXACT_BITS = 53
"""Bits of an integer that float64 holds exactly."""

_CANONICAL_F64 = np.uint64(FloatFormat(11, 52).canonical_nan)


@dataclass(frozen=True)
class Conversion:
    """How an operation converts numbers: whether integers are signed, and how floats are rounded.

    `to_boolean` says which numbers become true: all numbers except 0, or odd numbers.
    """

    signed: bool = True
    rounding: Literal["nearest", "toward zero"] = "nearest"
    to_boolean: Literal["not zero", "odd"] = "odd"
    true: int = -1


CONVERSIONS: Mapping[str, Conversion] = {
    "tosa.cast": Conversion(to_boolean="not zero", true=1),
    "arith.extf": Conversion(),
    "arith.extsi": Conversion(),
    "arith.extui": Conversion(signed=False, true=1),
    "arith.fptosi": Conversion(rounding="toward zero"),
    "arith.fptoui": Conversion(signed=False, rounding="toward zero"),
    "arith.sitofp": Conversion(),
    "arith.truncf": Conversion(),
    "arith.trunci": Conversion(),
    "arith.uitofp": Conversion(signed=False, true=1),
}
"""The operations that convert numbers."""


def can_convert(source: NumberType, target: NumberType) -> bool:
    """Whether `convert` supports the conversion.

    A conversion that would round an integer twice is not supported.
    """
    if target.kind == "integer" or target.bits > LANE_BITS:
        return True
    return source.kind == "float" or source.bits <= _EXACT_BITS or target.bits == LANE_BITS


def convert(bits: Bits, source: NumberType, target: NumberType, how: Conversion) -> Bits:
    """Return the bits of numbers of type `source` as numbers of type `target`.

    `can_convert` has to hold.
    """
    with np.errstate(all="ignore"):
        values = _read(bits, source, how)
        if target.kind == "float":
            return _float_bits(values, target)
        return _integer_bits(values, target, how)


def _read(bits: Bits, type_: NumberType, how: Conversion) -> NDArray[Any]:
    """Return exact numbers: float64 or 64-bit integers."""
    if type_.kind == "float":
        return _floats(bits, type_)
    if type_.bits == 1:
        return np.where(bits & 1, how.true, 0)
    if how.signed:
        above = 64 - type_.bits
        return bits.astype(np.uint64).view(np.int64) << above >> above
    return bits.astype(np.uint64) & np.uint64((1 << type_.bits) - 1)


def _floats(bits: Bits, type_: NumberType) -> NDArray[np.float64]:
    if type_.bits == 64:
        return bits.view(np.float64)
    lanes = _format(type_).lanes(bits)
    return floats(lanes).astype(np.float64)


def _format(type_: NumberType) -> FloatFormat:
    return FloatFormat(type_.exponent_bits, type_.fraction_bits, type_.infinite)


def _float_bits(values: NDArray[Any], type_: NumberType) -> Bits:
    if type_.bits == 64:
        wide = values.astype(np.float64)
        return np.where(np.isnan(wide), _CANONICAL_F64, wide.view(np.uint64))
    format_ = _format(type_)
    stored = format_.bits(canonical(np.array(format_.round(values))))
    return stored.astype(f"i{type_.bits // 8}").view(f"u{type_.bits // 8}")


def _integer_bits(values: NDArray[Any], type_: NumberType, how: Conversion) -> Bits:
    if type_.bits == 1 and how.to_boolean == "not zero":
        return (values != 0).astype(np.uint8)  # a NaN is not zero
    if values.dtype.kind == "f":
        values = _saturated(values, type_.bits, how)
    stored = next(size for size in (8, 16, 32, 64) if type_.bits <= size)
    above = stored - type_.bits
    # xDSL stores every integer sign-extended.
    bits = values.astype(f"i{stored // 8}") << above >> above
    return bits.view(f"u{stored // 8}")


def _saturated(values: NDArray[np.float64], bits: int, how: Conversion) -> NDArray[Any]:
    """Round floats to integers of `bits`; float64 cannot hold the largest 64-bit integer."""
    whole = np.rint(values) if how.rounding == "nearest" else np.trunc(values)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if how.signed else (0, (1 << bits) - 1)
    dtype = np.int64 if how.signed else np.uint64
    inside = (whole > low) & (whole < high)
    converted = np.where(inside, whole, 0).astype(dtype)
    converted = np.where(whole >= high, dtype(high), converted)
    return np.where(whole <= low, dtype(low), converted)
