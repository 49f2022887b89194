"""What a kernel computes: the whole iteration space in NumPy, a cache-sized piece at a time.

Every point of a strip is loaded before the strip is stored, and an input may only overlap an output
if they are the same elements. So any cut of the walk into pieces gives the same bits, as long as
each piece is computed before any of it is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from isa.operands import immediate_code
from sim.kernel import Kernel, Stream
from sim.memory import Memory
from sim.semantics import elements
from sim.semantics import execute as execute_instruction
from sim.streams import pad

I32Array = NDArray[np.int32]

PIECE_POINTS = 1 << 16
"""Points of a piece: 256 KiB per value, so that a body's values stay in a core's cache."""


def execute(kernel: Kernel, memory: Memory) -> None:
    """Execute a checked kernel on memory."""
    if kernel.points == 0:
        return
    shape, groups = coalesce(kernel)
    inputs = {s.code: _view(s, memory, kernel, groups) for s in kernel.inputs}
    outputs = {s.code: _view(s, memory, kernel, groups) for s in kernel.outputs}
    types = {s.code: s.type for s in (*kernel.inputs, *kernel.outputs)}
    for piece in pieces(shape, PIECE_POINTS):
        values: dict[int, I32Array] = {
            code: elements.load(_cut(view, piece), types[code]) for code, view in inputs.items()
        }
        for operation in kernel.body:
            values[immediate_code()] = np.array(operation.immediate, np.uint32).view(np.int32)
            operands = [values[code] for code in operation.sources]
            values[operation.destination] = execute_instruction(
                operation.instruction.name, operands
            )
        # Every instruction's result is a new array, never a view of an input stored to here.
        for code, view in outputs.items():
            elements.store(_cut(view, piece), values[code], types[code])


def coalesce(kernel: Kernel) -> tuple[tuple[int, ...], list[list[int]]]:
    """Merge neighbouring dimensions that every input treats alike, so that NumPy's loops are long.

    Returns the sizes of the merged space and the dimensions that each merges, outermost first.
    Dimensions of size 1 vanish.
    """
    rank = len(kernel.iteration)
    padded = [pad(stream.sizes, rank) for stream in kernel.inputs]
    groups: list[list[int]] = []
    last_kinds: list[bool] | None = None
    for dim, size in enumerate(kernel.iteration):
        if size == 1:
            continue
        kinds = [sizes[dim] == 1 for sizes in padded]
        if kinds == last_kinds:
            groups[-1].append(dim)
        else:
            groups.append([dim])
        last_kinds = kinds
    return tuple(prod(kernel.iteration[d] for d in group) for group in groups), groups


def pieces(shape: Sequence[int], points: int) -> Iterator[tuple[slice, ...]]:
    """Cut a space into boxes of at most `points` points, in walk order.

    A box is a range of one dimension at one place of the dimensions outside it; the slices stop at
    that dimension.
    """
    inner, split = 1, len(shape)
    while split and inner * shape[split - 1] <= points:
        split -= 1
        inner *= shape[split]
    if split == 0:
        yield ()
        return
    length = max(1, points // inner)
    for place in np.ndindex(*shape[: split - 1]):
        outer = tuple(slice(index, index + 1) for index in place)
        for first in range(0, shape[split - 1], length):
            yield (*outer, slice(first, min(first + length, shape[split - 1])))


def _view(
    stream: Stream, memory: Memory, kernel: Kernel, groups: Sequence[Sequence[int]]
) -> NDArray[np.generic]:
    """View a stream's elements in memory in the merged space; size 1 where it broadcasts."""
    sizes = pad(stream.sizes, len(kernel.iteration))
    raw = memory.view(stream.address, stream.nbytes).view(elements.memory_dtype(stream.type))
    return raw.reshape([prod(sizes[d] for d in group) for group in groups])


def _cut(view: NDArray[np.generic], piece: tuple[slice, ...]) -> NDArray[np.generic]:
    """Take a piece of a stream; a broadcast dimension stays whole."""
    cut = (s if n > 1 else slice(None) for s, n in zip(piece, view.shape, strict=False))
    return view[(*cut, ...)]  # the ellipsis keeps a rank 0 view a view
