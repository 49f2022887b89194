"""The addresses of a call's buffers, programs and packets in the machine's memory."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

import isa
from hwc.errors import DispatchError, PackageError
from hwc.package import BUFFER_ALIGNMENT, Package
from hwc.package.host_types import tensor_type
from hwc.package.model import sizes_of


class PlacedStep(Protocol):
    """What a step of a call needs placed."""

    @property
    def uses(self) -> Sequence[frozenset[str]]:
        """The names of the buffers that each kernel of the step reads or writes, in order."""
        ...

    @property
    def areas(self) -> Sequence[int]:
        """The sizes in bytes of the areas that the step needs besides the buffers."""
        ...


@dataclass(frozen=True)
class Placement:
    """Byte offsets from the base of the memory, and the sizes in bytes of the buffers.

    Streams may use [0, `window`). The window holds only the buffers, so no program can overwrite
    machine code or packets. The areas of the steps follow: `areas` has the offsets of the areas of
    each step of the call. `size` is the total number of bytes.
    """

    buffers: Mapping[str, int]
    nbytes: Mapping[str, int]
    areas: tuple[tuple[int, ...], ...]
    window: int
    size: int


def place(
    package: Package,
    steps: Sequence[PlacedStep],
    symbols: Mapping[str, int],
    address_bits: int,
    held: Collection[str] = (),
    results: Collection[str] | None = None,
) -> Placement:
    """Place every buffer that the steps of a call use, and the steps' areas.

    Buffers that the host fills before the first step are placed first: arguments, constants, and
    the buffers named in `held`, which earlier steps computed. Every other buffer is placed when its
    first kernel needs it. A buffer's space is free again after its last kernel, unless the buffer
    is one of the `results` (by default, the results of the program). Each area starts at a multiple
    of `image_alignment`, because machine code has to.

    Raises:
        DispatchError: a tensor has too many elements, or the address space is too small.
        PackageError: a tensor and its buffer have different numbers of elements.
    """
    limits = isa.load().limits
    needed = set[str]()
    if results is None:
        results = needed = {name for tensor in package.outputs for name, _ in tensor.parts}
    uses = [names for step in steps for names in step.uses]
    needed = needed.union(*uses)
    order = package.in_order(needed)
    elements = {buffer.name: buffer.elements(symbols) for buffer in order}
    _check_sizes(package, elements, symbols)
    _check_views(package, elements, symbols)
    nbytes = {b.name: elements[b.name] * tensor_type(b.type).bytes for b in order}
    buffers, end = _place_buffers(package, nbytes, uses, held, results)
    window = end = _up(end, limits.window_alignment)
    placed: list[tuple[int, ...]] = []
    for step in steps:
        offsets: list[int] = []
        for area in step.areas:
            offsets.append(end)
            end = _up(end + area, limits.image_alignment)
        placed.append(tuple(offsets))
    if end + limits.window_alignment > 1 << address_bits:
        raise DispatchError(
            f"the call needs {end} bytes of memory, more than the target's {address_bits} "
            f"address bits reach"
        )
    return Placement(buffers, nbytes, tuple(placed), window, _up(end, limits.window_alignment))


def _place_buffers(
    package: Package,
    nbytes: Mapping[str, int],
    uses: Sequence[frozenset[str]],
    held: Collection[str],
    results: Collection[str],
) -> tuple[dict[str, int], int]:
    """Return the offsets of the buffers that take `nbytes`, and the bytes of all."""
    last = {name: number for number, names in enumerate(uses) for name in names}
    sizes = {name: _up(count, BUFFER_ALIGNMENT) for name, count in nbytes.items()}
    offsets: dict[str, int] = {}
    room = _Room()
    for name in nbytes:
        if package.buffer(name).filled_by_host or name in held or name not in last:
            offsets[name] = room.take(sizes[name])
    for number, names in enumerate(uses):
        fresh = package.in_order(name for name in names if name not in offsets)
        for buffer in fresh:
            offsets[buffer.name] = room.take(sizes[buffer.name])
        for buffer in package.in_order(name for name in names if last[name] == number):
            if buffer.name not in results:
                room.give(offsets[buffer.name], sizes[buffer.name])
    return offsets, room.end


class _Room:
    """An allocator of bytes from offset 0 on. Pieces of 0 bytes are not recorded."""

    def __init__(self) -> None:
        self.end = 0
        self._free: list[tuple[int, int]] = []  # offset and size; no two touch each other

    def take(self, size: int) -> int:
        """Return the offset of a new piece: in the smallest free piece that fits, or at the end."""
        fits = [(free, offset) for offset, free in self._free if free >= size > 0]
        if not fits:
            self.end += size
            return self.end - size
        free, offset = min(fits)
        at = bisect_left(self._free, (offset, free))
        self._free[at : at + 1] = [(offset + size, free - size)] if free > size else []
        return offset

    def give(self, offset: int, size: int) -> None:
        """Free a piece, and join it with the free pieces next to it."""
        if not size:
            return
        at = bisect_left(self._free, (offset, size))
        first, last = at, at
        if at and sum(self._free[at - 1]) == offset:
            first = at - 1
            offset, size = self._free[first][0], size + self._free[first][1]
        if at < len(self._free) and self._free[at][0] == offset + size:
            last = at + 1
            size += self._free[at][1]
        self._free[first:last] = [(offset, size)]


def _check_sizes(package: Package, elements: Mapping[str, int], symbols: Mapping[str, int]) -> None:
    limits = isa.load().limits
    for index, tensor in enumerate(package.outputs):
        if tensor.buffer not in elements:
            continue
        shape = sizes_of(tensor.shape, symbols)
        if prod(shape) >= limits.size_limit:
            sizes = "x".join(map(str, shape))
            raise DispatchError(
                f"result {index} would have the shape {sizes}: "
                f"the number of elements has to be below 2^{limits.size_bits}"
            )
    for count in elements.values():
        if count >= limits.size_limit:
            raise DispatchError(
                f"an intermediate would have {count} elements: "
                f"the number of elements has to be below 2^{limits.size_bits}"
            )


def _check_views(package: Package, elements: Mapping[str, int], symbols: Mapping[str, int]) -> None:
    """Check that every tensor has as many elements as its buffer, now that symbols have values."""
    for role, tensors in (("argument", package.inputs), ("result", package.outputs)):
        for index, tensor in enumerate(tensors):
            for name, _ in tensor.parts:
                buffer = package.buffer(name)
                if tensor.shape == buffer.shape or name not in elements:
                    continue
                count, expected = prod(sizes_of(tensor.shape, symbols)), elements[name]
                if count != expected:
                    raise PackageError(
                        f"{package.source_name}: error: damaged package: {role} {index} has "
                        f"{count} elements, its buffer {name!r} has {expected}"
                    )


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
