"""Turns a call's arguments into NumPy arrays of exactly the declared element types, without casts.

An argument may be anything that `numpy.asarray` turns into an array, or an array of another library
that has `__dlpack__` and lies in CPU memory. Layout and byte order do not matter, but the dtype has
to be the declared one. Where NumPy's type is wider than the declared type (int64 for i48, int8 for
i4), every element has to be in range.

Python's `bool`, `int` and `float` have no dtype. As in NumPy, they take the dtype of the argument
if their value fits. A `bool` fits a boolean type only. An `int` fits an integer type if in range,
and a float type if exactly representable. A `float` fits float types only and is rounded to nearest
even, unless rounding would make a finite value infinite.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hwc.errors import DispatchError
from hwc.package import Tensor
from hwc.package.host_types import tensor_type
from hwc.package.shapes import wrong_count
from hwc.runtime.host_floats import (
    dtype_name,
    elements_of,
    holds,
    is_opaque,
    numbers_of,
    own_elements,
)
from hwc.shapes.steps import argument
from isa.model import ElementType
from isa.stored import StoredType

Array = NDArray[Any]

_NUMBERS = "?biufc"
"""Kinds of dtypes whose elements `astype` can convert."""

_SHOWN_BITS = 128

_CPU_READS = (1, 3, 11)
"""DLPack device types whose memory the CPU can read: CPU, and host memory pinned by CUDA or ROCm.
"""
_DEVICES = {2: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 14: "oneAPI"}
_NOT_AN_ARRAY = (TypeError, ValueError, OverflowError)
"""What NumPy raises if it cannot turn a value into an array."""


def bind(
    inputs: Sequence[Tensor], values: Sequence[object], named: Mapping[str, object]
) -> Sequence[object]:
    """Return the arguments in order: positional ones first, then the others by name.

    Raises:
        DispatchError: a name is unknown, an argument is given twice, or one is missing.
    """
    if not named:
        return values
    if len(values) > len(inputs):
        raise DispatchError(wrong_count(inputs, len(values) + len(named)))
    numbers = {tensor.name: number for number, tensor in enumerate(inputs)}
    found: dict[int, object] = dict(enumerate(values))
    unknown = [name for name in named if name not in numbers]
    if unknown:
        known = ", ".join(f"%{name}" for name in numbers) or "none"
        what = "is no argument" if len(unknown) == 1 else "are no arguments"
        names = ", ".join(f"'{name}'" for name in unknown)
        raise DispatchError(f"there {what} {names}: the program has {known}")
    twice = [name for name in named if numbers[name] in found]
    if twice:
        who = ", ".join(argument(numbers[name], name) for name in twice)
        raise DispatchError(f"{who}: given twice, by position and by name")
    found |= {numbers[name]: value for name, value in named.items()}
    missing = [argument(n, t.name) for n, t in enumerate(inputs) if n not in found]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        names = ", ".join(f"%{t.name}: {t}" for t in inputs)
        raise DispatchError(f"{', '.join(missing)} {verb} missing: the program has {names}")
    return [found[number] for number in range(len(inputs))]


def to_arrays(inputs: Sequence[Tensor], values: Sequence[object]) -> list[Array]:
    """Return the arguments as arrays of the declared types, in any layout and byte order.

    Raises:
        DispatchError: the number of arguments is wrong, or one is not an array or has another type.
    """
    if len(values) != len(inputs):
        raise DispatchError(wrong_count(inputs, len(values)))
    return [_to_array(i, t, v) for i, (t, v) in enumerate(zip(inputs, values, strict=True))]


def check_types(inputs: Sequence[Tensor], dtypes: Sequence[np.dtype[Any]]) -> None:
    """Check the number and the types of array arguments.

    Raises:
        DispatchError: the number of arguments is wrong, or one has another type.
    """
    if len(dtypes) != len(inputs):
        raise DispatchError(wrong_count(inputs, len(dtypes)))
    for i, (tensor, dtype) in enumerate(zip(inputs, dtypes, strict=True)):
        _check_type(argument(i, tensor.name), tensor, dtype)


def _check_type(who: str, tensor: Tensor, dtype: np.dtype[Any]) -> None:
    type_ = tensor_type(tensor.type)
    if not holds(dtype, type_):
        name = np.dtype(type_.dtype).name
        advice = f": convert with `.astype(numpy.{name})`"
        if dtype.kind not in _NUMBERS or is_opaque(type_):
            advice = ""
        raise DispatchError(
            f"{who}: got dtype {dtype}, expected {dtype_name(type_)} ({tensor}); "
            f"nothing is converted silently{advice}"
        )


def _to_array(index: int, tensor: Tensor, value: object) -> Array:
    who = argument(index, tensor.name)
    if type(value) in (bool, int, float):
        return _from_python(who, tensor, value)
    if isinstance(value, np.ma.MaskedArray):
        raise DispatchError(f"{who}: got a masked array; pass its data, `a.filled(...)`")
    array = value if type(value) is np.ndarray else _from_any(who, value)
    if array.dtype.kind not in _NUMBERS + "V" and not isinstance(value, np.ndarray):
        got = "None" if value is None else f"a value of type {type(value).__name__}"
        raise DispatchError(f"{who}: got {got}, expected an array of numbers ({tensor})")
    _check_type(who, tensor, array.dtype)
    type_ = tensor_type(tensor.type)
    array = own_elements(array, type_)
    if type_.kind == "integer" and type_.bits < 8 * type_.bytes:
        _check_range(who, type_, array)
    return array


def _check_range(who: str, type_: ElementType | StoredType, array: Array) -> None:
    """Refuse elements out of range where NumPy's type is wider than the tensor's."""
    low, high = type_.range
    outside = (array < low) | (array > high)
    if outside.any():
        first = np.unravel_index(np.argmax(outside), array.shape)
        at = f"element {[int(i) for i in first]}" if first else "the element"
        raise DispatchError(
            f"{who}: {at} is {array[first]}, expected {low} to {high} ({type_.mlir})"
        )


def _from_any(who: str, value: object) -> Array:
    """Convert an array of another library, a list, or anything else that NumPy accepts."""
    refused: Exception | None = None
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        try:
            _check_device(who, value)
            return np.from_dlpack(cast("Any", value))
        except DispatchError:
            raise
        except Exception as error:  # each library has its own errors
            refused = error
            if not (hasattr(value, "__array__") or hasattr(value, "__array_interface__")):
                raise DispatchError(f"{who}: cannot be read through DLPack: {error}") from error
    try:
        return np.asarray(value)
    except Exception as error:
        if refused is None and not isinstance(error, _NOT_AN_ARRAY):
            raise
        raise DispatchError(f"{who}: not an array: {error}") from error


def _check_device(who: str, value: Any) -> None:
    """Refuse an array that is not in memory that the CPU can read."""
    kind, number = value.__dlpack_device__()
    if int(kind) not in _CPU_READS:
        name = _DEVICES.get(int(kind), f"of DLPack's type {int(kind)}")
        raise DispatchError(
            f"{who}: the array is on a device, {name} {number}; copy it to the CPU first"
        )


def _from_python(who: str, tensor: Tensor, value: Any) -> Array:
    type_ = tensor_type(tensor.type)
    expected = np.dtype(type_.dtype)
    if not _fits(type_, value):
        own = "an array" if is_opaque(type_) else f"`numpy.{expected.name}(...)`"
        raise DispatchError(
            f"{who}: the Python {type(value).__name__} {_shown(value)} does not fit {tensor}; "
            f"pass {own} for a conversion of your own"
        )
    return _number(type_, value)


def _shown(value: float) -> str:
    """Format a number for a message; Python refuses to format an `int` of thousands of digits."""
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        return f"of {value.bit_length()} bits"
    return repr(value)


def _fits(type_: ElementType | StoredType, value: float) -> bool:
    """Whether a `bool`, an `int` or a `float` is a value of the type."""
    if isinstance(value, bool) or type_.kind == "boolean":
        return isinstance(value, bool) and type_.kind == "boolean"
    if type_.kind == "float":
        return _fits_float(type_, value)
    low, high = type_.range
    return isinstance(value, int) and low <= value <= high


def _fits_float(type_: ElementType | StoredType, value: float) -> bool:
    """Whether the format represents an `int` exactly, or a `float` without overflow."""
    try:
        rounded = float(numbers_of(_number(type_, value), type_)[()])
    except OverflowError:  # an `int` beyond the range of `float`
        return False
    if isinstance(value, int):
        return math.isfinite(rounded) and int(rounded) == value
    return not math.isfinite(value) or math.isfinite(rounded)


def _number(type_: ElementType | StoredType, value: float) -> Array:
    """Return a number as a rank-0 array; OverflowError if it is out of the range of `float`."""
    if is_opaque(type_):
        return elements_of(np.array(float(value)), type_)
    with np.errstate(over="ignore"):
        return np.array(value, dtype=type_.dtype)
