"""Where a call's buffers, programs and packets lie in the machine's memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

import isa
from hwc.errors import DispatchError
from hwc.package import BufferRef, Dispatch, Package

ALIGNMENT = 64
PAGE = 4096
WORD = 8


@dataclass(frozen=True)
class Placement:
    """Byte offsets from the base of the memory.

    Streams may touch [0, `window`), which holds the buffers only, so that no program can write over
    machine code or packets; these follow. `size` is the number of bytes in all.
    """

    buffers: Mapping[str, int]
    programs: tuple[int, ...]
    packets: tuple[int, ...]
    window: int
    size: int


def place(package: Package, symbols: Mapping[str, int], address_bits: int) -> Placement:
    """Place every buffer a call needs, each on a multiple of 64 bytes.

    Raises:
        DispatchError: a tensor has too many elements, or all do not fit the address space.
    """
    _check_sizes(package, symbols)
    needed = {p.name for d in package.dispatches for p in d.parameters if isinstance(p, BufferRef)}
    needed |= {t.buffer for t in package.outputs}
    buffers: dict[str, int] = {}
    end = 0
    for buffer in package.buffers:
        if buffer.name in needed:
            buffers[buffer.name] = end
            end = _up(end + buffer.nbytes(symbols), ALIGNMENT)
    window = end = _up(end, PAGE)
    programs: list[int] = []
    packets: list[int] = []
    for dispatch in package.dispatches:
        programs.append(end)
        end = _up(end + WORD * len(dispatch.words), ALIGNMENT)
        packets.append(end)
        end = _up(end + WORD * (1 + len(dispatch.parameters)), ALIGNMENT)
    if end + PAGE > 1 << address_bits:
        raise DispatchError(
            f"the call needs {end} bytes of memory, more than the target's {address_bits} "
            f"address bits reach"
        )
    return Placement(buffers, tuple(programs), tuple(packets), window, _up(end, PAGE))


def packet(
    dispatch: Dispatch, addresses: Mapping[str, int], symbols: Mapping[str, int]
) -> NDArray[np.uint64]:
    """Return the packet's words: the instruction set's version, then addresses and values."""
    values = [
        addresses[p.name] if isinstance(p, BufferRef) else symbols[p.name]
        for p in dispatch.parameters
    ]
    return np.array([isa.load().version, *values], dtype="<u8")


def _check_sizes(package: Package, symbols: Mapping[str, int]) -> None:
    limits = isa.load().limits
    for index, tensor in enumerate(package.outputs):
        shape = [symbols[d] if isinstance(d, str) else d for d in tensor.shape]
        if prod(shape) >= limits.size_limit:
            sizes = "x".join(map(str, shape))
            raise DispatchError(
                f"result {index} would have the shape {sizes}: "
                f"the number of elements has to stay below 2^{limits.size_bits}"
            )
    for buffer in package.buffers:
        if buffer.elements(symbols) >= limits.size_limit:
            raise DispatchError(
                f"an intermediate would have {buffer.elements(symbols)} elements: "
                f"the number of elements has to stay below 2^{limits.size_bits}"
            )


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
