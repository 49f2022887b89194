"""The Broadcastable trait: the shape of the result of an element-wise operator.

A shape is a tuple of sizes, outermost first; `DYNAMIC` stands for a size known only at dispatch.
Rules: ranks are padded on the left with 1. In each dimension, size 1 yields to the other size, and
equal sizes stay. A dynamic size yields to a static size other than 1. Size 0 is treated like any
other size. Results never broadcast.
"""

from __future__ import annotations

from collections.abc import Sequence

DYNAMIC = -(2**63)
"""The number for a dynamic size in the tensor types of MLIR and xDSL."""

Shape = tuple[int, ...]


class BroadcastError(Exception):
    """Two static sizes of one dimension differ, and neither is 1.

    `first` and `second` are (operand number, size) of the two; `dimension` counts in the padded
    rank.
    """

    def __init__(self, dimension: int, first: tuple[int, int], second: tuple[int, int]) -> None:
        super().__init__(dimension, first, second)
        self.dimension = dimension
        self.first = first
        self.second = second


def expand_rank(shape: Sequence[int], rank: int) -> Shape:
    """Return `shape` with sizes 1 added on its left up to `rank` dimensions."""
    return (1,) * (rank - len(shape)) + tuple(shape)


def infer_shape(shapes: Sequence[Sequence[int]]) -> Shape:
    """Return the shape to which `shapes` broadcast together.

    Raises:
        BroadcastError: the shapes do not broadcast; the error names the first such dimension.
    """
    rank = max(map(len, shapes))
    padded = [expand_rank(shape, rank) for shape in shapes]
    return tuple(_infer_size(axis, [shape[axis] for shape in padded]) for axis in range(rank))


def _infer_size(dimension: int, sizes: list[int]) -> int:
    result = 1
    decided_by: tuple[int, int] | None = None
    for operand, size in enumerate(sizes):
        if size == DYNAMIC:
            result = DYNAMIC if decided_by is None else result
        elif size != 1:
            if decided_by is not None and size != decided_by[1]:
                raise BroadcastError(dimension, decided_by, (operand, size))
            decided_by = decided_by or (operand, size)
            result = size
    return result


def static_mismatch(inferred: Shape, declared: Shape) -> int | None:
    """Return the first dimension whose static sizes differ, or None; the ranks must be equal.

    An inferred size may be dynamic where the declared size is static: the two are compared at
    dispatch.
    """
    for dimension, (left, right) in enumerate(zip(inferred, declared, strict=True)):
        if DYNAMIC not in (left, right) and left != right:
            return dimension
    return None


def show_shape(shape: Sequence[int]) -> str:
    """Return the shape as MLIR writes it: `2x?x5`; rank 0 is `scalar`."""
    return "x".join("?" if size < 0 else str(size) for size in shape) or "scalar"
