"""A call's arguments as NumPy arrays of exactly the declared element types: nothing is cast.

What is accepted: anything `numpy.asarray` makes an array of, in any layout and byte order, as long
as its dtype is the argument's own. Python's `bool`, `int` and `float` have no dtype: as in NumPy
they take that of the argument, if their value fits it (a `bool` fits i1 only; an `int` fits an
integer type if in range, and f32 if exactly representable; a `float` fits f32 only, rounded to
nearest even, unless that makes a finite value infinite).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwc.errors import DispatchError
from hwc.package import Tensor
from hwc.package.shapes import argument

Array = NDArray[Any]

DTYPES: Mapping[str, np.dtype[Any]] = {
    "i1": np.dtype("bool"),
    "i8": np.dtype("<i1"),
    "i16": np.dtype("<i2"),
    "i32": np.dtype("<i4"),
    "f32": np.dtype("<f4"),
}
"""The dtype of the arrays that hold elements of a type, on the host and in the machine's memory."""


def to_arrays(inputs: Sequence[Tensor], values: Sequence[object]) -> list[Array]:
    """Return the arguments as arrays, in any layout and byte order but of the declared types.

    Raises:
        DispatchError: the number of arguments is wrong, or one is no array or of another type.
    """
    if len(values) != len(inputs):
        names = ", ".join(f"%{t.name}: {t}" for t in inputs) or "none"
        raise DispatchError(
            f"wrong number of arguments: {len(values)} came, {len(inputs)} expected ({names})"
        )
    return [_to_array(i, t, v) for i, (t, v) in enumerate(zip(inputs, values, strict=True))]


def _to_array(index: int, tensor: Tensor, value: object) -> Array:
    expected = DTYPES[tensor.type]
    who = argument(index, tensor.name)
    if type(value) in (bool, int, float):
        return _from_python(who, tensor, value)
    if isinstance(value, np.ma.MaskedArray):
        raise DispatchError(f"{who}: a masked array came; pass its data, `a.filled(...)`")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise DispatchError(f"{who}: not an array: {error}") from error
    if array.dtype.newbyteorder("=") != expected.newbyteorder("="):
        raise DispatchError(
            f"{who}: dtype {array.dtype} came, dtype {expected} expected by {tensor}; "
            f"nothing is converted silently: convert with `.astype(numpy.{expected.name})`"
        )
    return array


def _from_python(who: str, tensor: Tensor, value: Any) -> Array:
    expected = DTYPES[tensor.type]
    if tensor.type == "i1":
        fits = isinstance(value, bool)
    elif isinstance(value, bool):
        fits = False
    elif tensor.type == "f32":
        fits = _fits_f32(value)
    else:
        info = np.iinfo(expected)
        fits = isinstance(value, int) and info.min <= value <= info.max
    if not fits:
        raise DispatchError(
            f"{who}: the Python {type(value).__name__} {value!r} does not fit {tensor}; "
            f"pass `numpy.{expected.name}(...)` for a conversion of your own"
        )
    return np.array(value, dtype=expected)


def _fits_f32(value: float) -> bool:
    if isinstance(value, int):
        return abs(value) < 1 << 127 and int(np.float32(value)) == value
    with np.errstate(over="ignore"):
        return not math.isfinite(value) or bool(np.isfinite(np.float32(value)))
