"""Views of memory as sizes and strides: padding, dense strides, extents, merging of dimensions.

Sizes and strides are outermost first. A stride counts elements; it is 0 where the view repeats.
"""

from __future__ import annotations

from collections.abc import Sequence


def pad_sizes(sizes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Pad a shape with sizes of 1 on the left to `rank` dimensions."""
    return (1,) * (rank - len(sizes)) + tuple(sizes)


def pad_strides(strides: Sequence[int], rank: int) -> tuple[int, ...]:
    """Pad strides on the left with 0 to `rank` dimensions: a padded dimension repeats."""
    return (0,) * (rank - len(strides)) + tuple(strides)


def dense_strides(sizes: Sequence[int]) -> tuple[int, ...]:
    """Strides of elements that lie in row-major order without gaps; 0 where the size is 1."""
    strides: list[int] = []
    inner = 1
    for size in reversed(sizes):
        strides.append(0 if size == 1 else inner)
        inner *= size
    return tuple(reversed(strides))


def extent(sizes: Sequence[int], strides: Sequence[int]) -> tuple[int, int]:
    """First element and end (exclusive), counted from the element at index 0; equal if empty."""
    if 0 in sizes:
        return 0, 0
    first, last = 0, 0
    for size, stride in zip(sizes, strides, strict=True):
        step = (size - 1) * stride
        if step < 0:
            first += step
        else:
            last += step
    return first, last + 1


def merge(
    sizes: Sequence[int], views: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Merge neighbouring dimensions that every view walks as if they were one.

    `views` are the strides of each view of a space of `sizes`. Two dimensions are merged if, in
    each view, the outer stride is the inner size times the inner stride. Dimensions of size 1
    vanish.
    Returns the sizes of the merged space and the strides of each view in it.
    """
    merged: list[int] = []
    columns: list[tuple[int, ...]] = []
    for size, *strides in zip(sizes, *views, strict=True):
        if size == 1:
            continue
        if columns and all(o == size * i for o, i in zip(columns[-1], strides, strict=True)):
            merged[-1] *= size
            columns[-1] = tuple(strides)
        else:
            merged.append(size)
            columns.append(tuple(strides))
    return tuple(merged), [tuple(column[n] for column in columns) for n in range(len(views))]
