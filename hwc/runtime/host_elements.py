"""The elements of a call's buffers: the host writes them before a run and reads them after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

import isa
from hwc.errors import DispatchError, PackageError
from hwc.package import Buffer, Package
from hwc.package.host_types import tensor_type
from hwc.runtime.devices import DeviceMemory
from hwc.runtime.placement import Placement


def elements(memory: DeviceMemory, placement: Placement, buffer: Buffer) -> NDArray[Any]:
    """Return a view of the elements of a buffer in the memory, in row-major order."""
    address, nbytes = memory.base + placement.buffers[buffer.name], placement.nbytes[buffer.name]
    return memory.view(address, nbytes).view(tensor_type(buffer.type).dtype)


def fill(
    package: Package,
    memory: DeviceMemory,
    placement: Placement,
    symbols: Mapping[str, int],
    held: Mapping[str, NDArray[Any]],
) -> None:
    """Write what the first kernels read: constants, and `held`, the arrays of buffers by name.

    Raises:
        DispatchError: a value does not fit the element type of its buffer.
        PackageError: an array and its buffer have different numbers of elements.
    """
    for name, array in held.items():
        if name in placement.buffers:
            place = elements(memory, placement, package.buffer(name))
            if place.size != array.size:
                raise PackageError(
                    f"{package.source_name}: error: damaged package: buffer {name!r} has "
                    f"{place.size} elements, what it is filled with has {array.size}"
                )
            place.reshape(array.shape)[...] = array
    for buffer in map(package.buffer, placement.buffers):
        if buffer.kind in {"values", "positions"}:
            elements(memory, placement, buffer)[...] = host_elements(buffer, symbols)
        elif buffer.kind == "constant":
            count = placement.nbytes[buffer.name]
            data = np.frombuffer(package.constants, np.uint8, count, buffer.offset)
            memory.view(memory.base + placement.buffers[buffer.name], count)[:] = data


def host_elements(buffer: Buffer, symbols: Mapping[str, int]) -> NDArray[Any]:
    """Return the elements of a buffer of kind `values` or `positions` in row-major order.

    Raises:
        DispatchError: an element does not fit the element type.
    """
    type_ = isa.load().types[buffer.type]
    _check_range(buffer, symbols)
    if buffer.kind == "positions":
        return np.arange(buffer.elements(symbols), dtype=type_.dtype)
    values = [symbols[value] if isinstance(value, str) else value for value in buffer.values]
    return np.array(values, dtype=type_.dtype)


def check_host_elements(
    package: Package, buffers: Iterable[str], symbols: Mapping[str, int]
) -> None:
    """Make those checks of `fill` that need no array, for the buffers with these names.

    Raises:
        DispatchError: a value does not fit the element type of its buffer.
    """
    for buffer in map(package.buffer, buffers):
        if buffer.kind in {"values", "positions"}:
            _check_range(buffer, symbols)


def _check_range(buffer: Buffer, symbols: Mapping[str, int]) -> None:
    """Check that the values which the host writes fit the element type of their buffer."""
    if buffer.kind == "positions":
        _check(buffer, max(0, buffer.elements(symbols) - 1))
        return
    for value in buffer.values:
        _check(buffer, symbols[value] if isinstance(value, str) else value)


def _check(buffer: Buffer, value: int) -> None:
    low, high = isa.load().types[buffer.type].range
    if not low <= value <= high:
        raise DispatchError(
            f"the host cannot store {value} in buffer {buffer.name!r}: an {buffer.type} is "
            f"{low} to {high}"
        )
