"""What is said differently for an array and for a single number.

The transcendental functions are written once, for arrays of NumPy and for single numbers, for which
`sim.compiled` compiles them. Almost all of it reads the same for both. The functions here are the
rest: they take arrays, and `FOR_ONE` has each of them for a number. A condition of Python never
decides, as both ways are taken by some elements of an array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.semantics.lanes import I32Array

F32Array = NDArray[np.float32]
F64Array = NDArray[np.float64]
I64Array = NDArray[np.int64]


def choose(condition: Any, a: Any, b: Any) -> Any:
    """Take a where the condition holds, else b."""
    return np.where(condition, a, b)


def entry(column: I64Array, index: I64Array) -> I64Array:
    """Take the entries of a column of a table; they are new."""
    return column.take(index)


def floats(lanes: I32Array) -> F32Array:
    """Read lanes as float32 without moving a bit."""
    return lanes.view(np.float32)


def wide_float(number: Any) -> F64Array:
    """Convert to float64."""
    return number.astype(np.float64)


def wide_integer(number: Any) -> I64Array:
    """Convert to int64."""
    return number.astype(np.int64)


def fields_of(number: F64Array) -> I64Array:
    """Read the fields of float64 as an integer."""
    return number.view(np.int64)


def float_with(fields: I64Array) -> F64Array:
    """Return the float64 that has these fields."""
    return fields.view(np.float64)


FOR_ONE: Mapping[Callable[..., Any], Callable[..., Any]] = MappingProxyType(
    {
        choose: lambda condition, a, b: a if condition else b,
        entry: lambda column, index: column[index],
        floats: lambda lane: np.int32(lane).view(np.float32),
        wide_float: np.float64,
        wide_integer: np.int64,
        fields_of: lambda number: np.float64(number).view(np.int64),
        float_with: lambda fields: np.int64(fields).view(np.float64),
    }
)
"""The functions above for a single number."""
