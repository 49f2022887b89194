"""The elements of the buffers that the host fills from the sizes of a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import isa
from hwc.errors import DispatchError
from hwc.package import Buffer


def host_elements(buffer: Buffer, symbols: Mapping[str, int]) -> NDArray[Any]:
    """Return the elements of a buffer of kind `values` or `positions` in row-major order.

    Raises:
        DispatchError: one does not fit the element type.
    """
    type_ = isa.load().types[buffer.type]
    if buffer.kind == "positions":
        count = buffer.elements(symbols)
        _check(buffer, max(0, count - 1))
        return np.arange(count, dtype=type_.dtype)
    values = [symbols[value] if isinstance(value, str) else value for value in buffer.values]
    for value in values:
        _check(buffer, value)
    return np.array(values, dtype=type_.dtype)


def _check(buffer: Buffer, value: int) -> None:
    low, high = isa.load().types[buffer.type].range
    if not low <= value <= high:
        raise DispatchError(
            f"the host cannot store {value} in buffer {buffer.name!r}: an {buffer.type} is "
            f"{low} to {high}"
        )
