"""The addresses of a call's buffers, programs and packets in the machine's memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

import isa
from hwc.errors import DispatchError, PackageError
from hwc.package import BUFFER_ALIGNMENT, Package, Tensor
from hwc.package.model import sizes_of


class PlacedStep(Protocol):
    """What has to be placed for a step of a call."""

    @property
    def buffers(self) -> Collection[str]:
        """The names of the buffers that the step reads or writes."""
        ...

    @property
    def areas(self) -> Sequence[int]:
        """The sizes in bytes of the areas that the step needs besides the buffers."""
        ...


@dataclass(frozen=True)
class Placement:
    """Byte offsets from the base of the memory.

    Streams may use [0, `window`), which holds the buffers only, so that no program can write over
    machine code or packets. The areas of the steps follow: for each step of the call, the
    offsets of its areas. `size` is the number of bytes in all.
    """

    buffers: Mapping[str, int]
    areas: tuple[tuple[int, ...], ...]
    window: int
    size: int


def place(
    package: Package,
    steps: Sequence[PlacedStep],
    symbols: Mapping[str, int],
    address_bits: int,
    results: Collection[Tensor] | None = None,
) -> Placement:
    """Place every buffer that the steps of a call and its results need, and the steps' areas.

    `results` are those of the program, unless they are given. Areas begin where a program may
    begin.

    Raises:
        DispatchError: a tensor has too many elements, or all do not fit the address space.
        PackageError: a tensor and its buffer have different numbers of elements.
    """
    limits = isa.load().limits
    needed = {tensor.buffer for tensor in (package.outputs if results is None else results)}
    needed = needed.union(*(step.buffers for step in steps))
    _check_sizes(package, needed, symbols)
    _check_views(package, needed, symbols)
    buffers: dict[str, int] = {}
    end = 0
    for buffer in package.buffers:
        if buffer.name in needed:
            buffers[buffer.name] = end
            end = _up(end + buffer.nbytes(symbols), BUFFER_ALIGNMENT)
    window = end = _up(end, limits.window_alignment)
    placed: list[tuple[int, ...]] = []
    for step in steps:
        offsets: list[int] = []
        for nbytes in step.areas:
            offsets.append(end)
            end = _up(end + nbytes, limits.image_alignment)
        placed.append(tuple(offsets))
    if end + limits.window_alignment > 1 << address_bits:
        raise DispatchError(
            f"the call needs {end} bytes of memory, more than the target's {address_bits} "
            f"address bits reach"
        )
    return Placement(buffers, tuple(placed), window, _up(end, limits.window_alignment))


def _check_sizes(package: Package, needed: Collection[str], symbols: Mapping[str, int]) -> None:
    limits = isa.load().limits
    for index, tensor in enumerate(package.outputs):
        if tensor.buffer not in needed:
            continue
        shape = sizes_of(tensor.shape, symbols)
        if prod(shape) >= limits.size_limit:
            sizes = "x".join(map(str, shape))
            raise DispatchError(
                f"result {index} would have the shape {sizes}: "
                f"the number of elements has to be below 2^{limits.size_bits}"
            )
    for buffer in package.buffers:
        if buffer.name in needed and buffer.elements(symbols) >= limits.size_limit:
            raise DispatchError(
                f"an intermediate would have {buffer.elements(symbols)} elements: "
                f"the number of elements has to be below 2^{limits.size_bits}"
            )


def _check_views(package: Package, needed: Collection[str], symbols: Mapping[str, int]) -> None:
    """Check that every tensor has as many elements as its buffer; only a call knows its symbols."""
    for role, tensors in (("argument", package.inputs), ("result", package.outputs)):
        for index, tensor in enumerate(tensors):
            for name, _ in tensor.parts:
                buffer = package.buffer(name)
                if tensor.shape == buffer.shape or name not in needed:
                    continue
                count, expected = prod(sizes_of(tensor.shape, symbols)), buffer.elements(symbols)
                if count != expected:
                    raise PackageError(
                        f"{package.source_name}: error: damaged package: {role} {index} has "
                        f"{count} elements, its buffer {name!r} has {expected}"
                    )


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
