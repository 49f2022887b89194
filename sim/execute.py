"""The results of a kernel: the whole iteration space in NumPy, a cache-sized piece at a time.

Every point of a strip is loaded before the strip is stored, and an input may overlap an output only
if both are the same elements. So any division of the walk into pieces gives the same bits, as long
as each piece is computed before any part of it is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from isa.operands import immediate_code
from isa.progress import Task
from sim.kernel import Kernel, Operation, Stream
from sim.memory import Memory
from sim.semantics import elements, execute_quietly, floating, lookup_table
from sim.semantics.formats import FORMATS

I32Array = NDArray[np.int32]
FloatFunction: TypeAlias = Callable[..., NDArray[np.float32]]
"""A function of numbers."""

PIECE_POINTS = 1 << 16
"""Points in a piece: 256 KiB per value, so that a body's values stay in a core's cache."""


@np.errstate(all="ignore")
def execute(
    kernel: Kernel,
    memory: Memory,
    table: I32Array = lookup_table.EMPTY,
    simulating: Task | None = None,
) -> I32Array:
    """Execute a checked kernel on memory; return the entries of the table afterwards.

    `simulating` counts the points.
    """
    if kernel.points == 0:
        return table
    streams = (*kernel.inputs, *kernel.outputs)
    shape, strides = kernel.merged  # few dimensions, so that NumPy's loops are long
    views = {
        stream.code: _view(stream, memory, shape, steps)
        for stream, steps in zip(streams, strides, strict=True)
    }
    steps = list(zip(kernel.body, _immediates(kernel.body), with_any_nans(kernel), strict=True))
    own = immediate_code()
    filled: list[I32Array] = []
    for piece in pieces(shape, PIECE_POINTS):
        values: dict[int, I32Array] = {
            s.code: elements.load(cut(views[s.code], piece), s.type) for s in kernel.inputs
        }
        for operation, immediate, with_any_nan in steps:
            values[own] = immediate
            operands = [values[code] for code in operation.sources]
            if with_any_nan is not None:
                numbers = with_any_nan(*(lanes.view(np.float32) for lanes in operands))
                values[operation.destination] = np.asarray(numbers).view(np.int32)
                continue
            name = operation.instruction.name
            values[operation.destination] = execute_quietly(name, operands, table)
            if operation.instruction.operation == lookup_table.FILL and not filled:
                # The first piece has more points than the table entries, if there are as many.
                points = np.broadcast_to(operands[0], _piece_shape(shape, piece))
                filled.append(lookup_table.filled(points.reshape(-1)[: len(table)]))
        # Each instruction's result is a new array, never a view of an input, so storing is safe.
        for s in kernel.outputs:
            elements.store(cut(views[s.code], piece), values[s.code], s.type)
        if simulating is not None:
            simulating.advance(prod(_piece_shape(shape, piece)))
    return filled[0] if filled else table


@lru_cache(maxsize=1024)
def _immediates(body: Sequence[Operation]) -> list[I32Array]:
    """The lanes of each operation's immediate."""
    return [np.array(operation.immediate, np.uint32).view(np.int32) for operation in body]


def with_any_nans(kernel: Kernel) -> Sequence[FloatFunction | None]:
    """Return a faster function for each operation whose result may be any NaN, else None.

    Which NaN the result is does not matter if the result is not stored, and is read only by
    operations that treat all NaNs alike: their own NaN results are canonical.
    """
    return _with_any_nans(kernel.body, frozenset(stream.code for stream in kernel.outputs))


@lru_cache(maxsize=1024)
def _with_any_nans(
    body: Sequence[Operation], stored: frozenset[int]
) -> Sequence[FloatFunction | None]:
    seen = set(stored)  # registers whose bits are seen later
    found: list[FloatFunction | None] = []
    for operation in reversed(body):
        code, instruction = operation.destination, operation.instruction
        own = instruction.type == "f32" and code not in seen
        found.append(floating.WITH_ANY_NAN.get(instruction.operation) if own else None)
        seen.discard(code)
        if not (instruction.type in FORMATS and instruction.operation in floating.BLIND_TO_NANS):
            seen.update(operation.sources)
    return found[::-1]


def _piece_shape(shape: Sequence[int], piece: tuple[slice, ...]) -> tuple[int, ...]:
    """Return the sizes of a piece of a space."""
    return (*(s.stop - s.start for s in piece), *shape[len(piece) :])


def pieces(shape: Sequence[int], points: int) -> Iterator[tuple[slice, ...]]:
    """Cut a space into boxes of at most `points` points, in walk order.

    A box is a range of one dimension at one index of the dimensions outside it; the slices stop at
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
    for indices in np.ndindex(*shape[: split - 1]):
        outer = tuple(slice(index, index + 1) for index in indices)
        for first in range(0, shape[split - 1], length):
            yield (*outer, slice(first, min(first + length, shape[split - 1])))


def _view(
    stream: Stream, memory: Memory, sizes: Sequence[int], strides: Sequence[int]
) -> NDArray[np.generic]:
    """View a stream's elements in memory; size 1 where the stream repeats, to avoid extra work."""
    first, end = stream.extent
    return np.ndarray(
        [size if stride else 1 for size, stride in zip(sizes, strides, strict=True)],
        elements.memory_dtype(stream.type),
        memory.view(first, end - first),
        stream.address - first,
        [stride * stream.type.bytes for stride in strides],
    )


def cut(view: NDArray[np.generic], piece: tuple[slice, ...]) -> NDArray[np.generic]:
    """Take a piece of a view; a dimension in which the elements repeat stays whole."""
    if not piece:
        return view
    cut = (s if n > 1 else slice(None) for s, n in zip(piece, view.shape, strict=False))
    return view[(*cut, ...)]  # with the ellipsis, a rank 0 view stays a view
