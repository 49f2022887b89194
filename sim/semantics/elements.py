"""Element types: their form in memory, their form in a lane, and the range of results.

Everything follows from the kind and the size in the element type's row of `isa/types.yaml`. A lane
is 32 bits, held as int32. A boolean is one byte in memory, true if not zero, and 0 or 1 in a lane.
An integer is sign-extended when loaded, and stored from the low bits of its lane. A float is
widened to the format of a lane when loaded, and narrowed again when stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.model import ElementType
from sim.semantics.formats import FORMATS
from sim.semantics.lanes import I32Array, sign_extended

_SIGNED, _UNSIGNED = (
    {nbytes: np.dtype(f"<{kind}{nbytes}") for nbytes in (1, 2, 4)} for kind in "iu"
)
"""NumPy's integer types, by their size in bytes."""


def memory_dtype(type_: ElementType) -> np.dtype[Any]:
    """Return NumPy's type for an element's bytes in memory: an integer, whatever the element is."""
    return (_UNSIGNED if type_.kind == "boolean" else _SIGNED)[type_.bytes]


def load(elements: NDArray[np.generic], type_: ElementType) -> I32Array:
    """Turn elements of `memory_dtype` into lanes; may return a view."""
    if type_.kind == "boolean":
        return np.not_equal(elements, 0).astype(np.int32)
    if type_.kind == "float":
        return FORMATS[type_.name].lanes(elements.view(_UNSIGNED[type_.bytes]))
    return elements.astype(np.int32, copy=False)


def store(target: NDArray[np.generic], lanes: I32Array, type_: ElementType) -> None:
    """Write lanes as elements to an array of `memory_dtype`, broadcast to its shape."""
    if type_.kind == "boolean":
        lanes = np.not_equal(lanes, 0)
    elif type_.kind == "float":
        lanes = FORMATS[type_.name].bits(lanes)
    np.copyto(target, lanes, casting="unsafe")


def in_range(result: NDArray[Any], type_: ElementType) -> I32Array:
    """Bring the result of an operation to its type's range.

    Truth values become 0 and 1, and integers are sign-extended from the type's bits. A float is
    rounded to its type's format by the operation itself, which knows the exact result.
    """
    if type_.kind == "integer":
        return sign_extended(result, type_.bits)
    return result.astype(np.int32, copy=False)
