"""Views: the elements of one tensor in memory, seen as another tensor.

Element (i0, i1, ...) of a view is element `offset` + i0·strides[0] + i1·strides[1] + ... of its
root. A dimension of static size 1 has stride 0. Strides are products of sizes, because every tensor
in memory is dense and row-major, and its views are made only by reshaping.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeAlias, TypeVar

from hwc.shapes.products import ONE, ZERO, Product, Size
from hwc.shapes.symbols import SymbolTable, strip_ones

R = TypeVar("R", bound=Hashable)


@lru_cache(maxsize=4096)  # most tensors of a program share a few shapes
def row_major(sizes: tuple[Size, ...], innermost: Product = ONE) -> tuple[Product, ...]:
    """Return the row-major strides of `sizes`; adjacent elements lie `innermost` apart."""
    strides: list[Product] = []
    step = innermost
    for size in reversed(sizes):
        strides.append(ZERO if size == 1 else step)
        step *= Product.of((size,))
    return tuple(reversed(strides))


@lru_cache(maxsize=4096)
def _dense(sizes: tuple[Size, ...]) -> tuple[tuple[Size, ...], tuple[Product, ...]]:
    """Return the sizes and strides of a whole tensor: the same two objects for equal sizes."""
    return sizes, row_major(sizes)


@lru_cache(maxsize=4096)
def _shared(
    sizes: tuple[Size, ...], strides: tuple[Product, ...]
) -> tuple[tuple[Size, ...], tuple[Product, ...]]:
    """Return sizes and strides: the same two objects for all equal ones."""
    return sizes, strides


@dataclass(frozen=True, slots=True)
class View(Generic[R]):
    """A tensor that shows `root`'s elements with other sizes; `offset` counts elements of the root.

    Sizes are compared by name, so resolve them first (`resolve`).
    """

    root: R
    sizes: tuple[Size, ...]
    strides: tuple[Product, ...]
    offset: int = 0

    @staticmethod
    def dense(root: R, sizes: Sequence[Size]) -> View[R]:
        """Return the view of a whole tensor with these sizes."""
        return View(root, *_dense(tuple(sizes)))

    def resolve(self, table: SymbolTable) -> View[R]:
        """Return the view with every size resolved by `table`."""
        sizes = table.resolve_shape(self.sizes)
        strides = [
            ZERO if size == 1 else Product.of((s.factor, *table.resolve_shape(s.symbols)))
            for size, s in zip(sizes, self.strides, strict=True)
        ]
        if sizes == self.sizes and strides == [*self.strides]:
            return self
        return View(self.root, *_shared(sizes, tuple(strides)), self.offset)

    def same_stream(self, other: View[R]) -> bool:
        """Whether both views show the same elements wherever they are broadcast.

        Leading dimensions of size 1 make no difference, because broadcasting pads with them.
        """
        return self._stream() == other._stream()

    def _stream(self) -> tuple[object, ...]:
        sizes = strip_ones(self.sizes)
        return self.root, self.offset, sizes, self.strides[len(self.strides) - len(sizes) :]

    def reshape(self, old: Sequence[Size], new: Sequence[Size]) -> View[R] | None:
        """Return what this view becomes when the shape `old` that it broadcasts to becomes `new`.

        If `old` equals the view's own sizes, this is an ordinary reshape. The caller has checked
        that `old` and `new` have equally many elements. None if no view is right for all values of
        the symbols: some dimensions are split or joined where the view has neither all sizes of
        `old` nor all sizes 1, or where its elements are not evenly spaced.
        """
        padding = len(old) - len(self.sizes)
        sizes = (1,) * padding + self.sizes
        strides = (ZERO,) * padding + self.strides
        groups = dimension_groups(old, new)
        if groups is None or (sizes == tuple(old) and _spacing(sizes, strides) is not None):
            groups = [(tuple(range(len(old))), tuple(range(len(new))))]
        grouped = {i for source, _ in groups for i in source}
        if any(size != 1 for i, size in enumerate(sizes) if i not in grouped):
            return None
        seen: list[tuple[Size, Product]] = [(1, ZERO)] * len(new)
        for source, result in groups:
            own = tuple(sizes[i] for i in source)
            if all(size == 1 for size in own):
                continue
            if len(source) == len(result) == 1:
                seen[result[0]] = sizes[source[0]], strides[source[0]]
                continue
            step = _spacing(own, [strides[i] for i in source])
            if step is None or own != tuple(old[i] for i in source):
                return None
            wanted = tuple(new[i] for i in result)
            for i, size, stride in zip(result, wanted, row_major(wanted, step), strict=True):
                seen[i] = size, stride
        return View(self.root, tuple(s for s, _ in seen), tuple(t for _, t in seen), self.offset)


def _spacing(sizes: Sequence[Size], strides: Sequence[Product]) -> Product | None:
    """Return the distance between adjacent elements; None if the distance varies."""
    innermost: Product | None = None
    expected: Product | None = None
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        if size == 1:
            continue
        if innermost is None:
            innermost = stride
        elif stride != expected:
            return None
        expected = stride * Product.of((size,))
    return ONE if innermost is None else innermost


Group: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Dimensions of one shape, and the dimensions of another that they become."""


def dimension_groups(old: Sequence[Size], new: Sequence[Size]) -> list[Group] | None:
    """Return which dimensions of `old` become which dimensions of `new` in a reshape.

    The two products of a group are equal for all values of the symbols. Dimensions of size 1 are in
    no group. None if the products show only that all of `old` becomes all of `new`.
    """
    groups: list[Group] = []
    left = [i for i, size in enumerate(old) if size != 1]
    right = [i for i, size in enumerate(new) if size != 1]
    while left and right:
        source, result = [left.pop(0)], [right.pop(0)]
        while True:
            a = Product.of(old[i] for i in source)
            b = Product.of(new[i] for i in result)
            if a == b:
                break
            extend_left, extend_right = not b.divides(a), not a.divides(b)
            if extend_left and left:
                source.append(left.pop(0))
            if extend_right and right:
                result.append(right.pop(0))
            if (Product.of(old[i] for i in source), Product.of(new[i] for i in result)) == (a, b):
                return None
        groups.append((tuple(source), tuple(result)))
    return None if left or right else groups
