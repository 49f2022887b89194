"""Operations that are written differently for an array and for a single number.

The transcendental functions are written once, for NumPy arrays and for single numbers (for which
`sim.compiled` compiles them). Almost all of their code is the same for both. The functions here are
the exceptions: they take arrays, and `FOR_ONE` maps each of them to its version for a single
number. The code never branches on a Python condition, because the elements of one array may need
both branches.
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
    """Return a where the condition holds, else b."""
    return np.where(condition, a, b)


def entry(column: I64Array, index: I64Array) -> I64Array:
    """Return a copy of the entries of a table's column at `index`."""
    return column.take(index)


def floats(lanes: I32Array) -> F32Array:
    """Reinterpret lanes as float32."""
    return lanes.view(np.float32)


def wide_float(number: Any) -> F64Array:
    """Convert to float64."""
    return number.astype(np.float64)


def wide_integer(number: Any) -> I64Array:
    """Convert to int64."""
    return number.astype(np.int64)


def fields_of(number: F64Array) -> I64Array:
    """Reinterpret the bits of float64 as an integer."""
    return number.view(np.int64)


def float_with(fields: I64Array) -> F64Array:
    """Return the float64 with these bits."""
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
