"""Converts numbers to elements of a float type in host arrays, and back.

NumPy has no type for bf16 and for one-byte floats. To NumPy, their elements are opaque bytes: `V2`
and `V1`. The package ml_dtypes has types for them (`bfloat16`, `float8_e4m3fn` and so on), and
arrays of these types are accepted too. ml_dtypes converts floats that the machine lacks.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.model import ElementType
from isa.stored import StoredType
from sim.semantics.elements import load, memory_dtype, store
from sim.semantics.formats import FORMATS, canonical, floats

Array = NDArray[Any]

_NAMES = {
    "bf16": "bfloat16",
    "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e5m2fnuz": "float8_e5m2fnuz",
    "f8e8m0": "float8_e8m0fnu",
    "si4": "int4",
    "si2": "int2",
    "ui4": "uint4",
    "ui2": "uint2",
}
"""The names that ml_dtypes gives to types that NumPy lacks."""


def is_opaque(type_: ElementType | StoredType) -> bool:
    """Whether NumPy has no type for these elements."""
    return np.dtype(type_.dtype).kind == "V"


def holds(dtype: np.dtype[Any], type_: ElementType | StoredType) -> bool:
    """Whether the elements of an array are of a type, in any byte order that NumPy knows."""
    expected = np.dtype(type_.dtype)
    # NumPy works out the name of a type whenever it is asked for it, which takes longer.
    if dtype == expected or _has_name(dtype, type_):
        return True
    return dtype.newbyteorder("=") == expected.newbyteorder("=")


def dtype_name(type_: ElementType | StoredType) -> str:
    """Return the common name for the dtype of an array of these elements."""
    expected = np.dtype(type_.dtype)
    return f"{expected.str} ({_NAMES[type_.name]})" if is_opaque(type_) else str(expected)


def own_elements(array: Array, type_: ElementType | StoredType) -> Array:
    """View an array that `holds` elements of a type as NumPy's own dtype for them."""
    if is_opaque(type_):
        return array.view(type_.dtype)
    return array.astype(type_.dtype) if _has_name(array.dtype, type_) else array


def _has_name(dtype: np.dtype[Any], type_: ElementType | StoredType) -> bool:
    """Whether a dtype is the one that ml_dtypes has for these elements."""
    name = _NAMES.get(type_.name)
    return name is not None and dtype.name == name


def numbers_dtype(type_: ElementType | StoredType) -> np.dtype[Any]:
    """Return ml_dtypes' type for opaque elements; the engines install ml_dtypes."""
    ml_dtypes: Any = importlib.import_module("ml_dtypes")
    return np.dtype(getattr(ml_dtypes, _NAMES[type_.name]))


def elements_of(numbers: Array, type_: ElementType | StoredType) -> Array:
    """Convert numbers, at most float64, to elements of a float type, with one rounding."""
    if not isinstance(type_, ElementType):
        own = numbers_dtype(type_) if is_opaque(type_) else np.dtype(type_.dtype)
        with np.errstate(all="ignore"):
            return np.array(numbers, np.float64).astype(own).view(type_.dtype)
    with np.errstate(all="ignore"):
        lanes = canonical(FORMATS[type_.name].round(np.array(numbers, np.float64)))
    result = np.empty(lanes.shape, memory_dtype(type_))
    store(result, lanes, type_)
    return result.view(type_.dtype)


def numbers_of(elements: Array, type_: ElementType | StoredType) -> Array:
    """Convert elements to numbers of a type that NumPy has: opaque elements to float32."""
    if not is_opaque(type_):
        return elements
    if not isinstance(type_, ElementType):
        return np.ascontiguousarray(elements).view(numbers_dtype(type_)).astype(np.float32)
    stored = np.ascontiguousarray(elements).reshape(elements.shape).view(memory_dtype(type_))
    return floats(np.array(load(stored, type_)))
