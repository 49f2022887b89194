"""Symbolic sizes: every `?` is a symbol, and a broadcast of symbols is a symbol of its own.

A size is an int or a name. Names are leaves (a dimension of an argument, or a size that a reshape
computes) or broadcasts of other sizes. Broadcasting is associative, commutative and idempotent, and
1 is its neutral element. So a broadcast is a set of leaves: two expressions over the same set are
the same symbol. Two names become one only where equality is required (`require_equal`); the fact
that two sizes broadcast together proves nothing about them.

The shape program checks every fact in the table before anything is dispatched, so the facts hold
wherever the table is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from hwc.shapes.products import Product, Size
from hwc.shapes.ranges import ANY, Range

_ONE = Range(1, 1)

COUNT_ROUNDS = 8
"""The maximum number of rounds in which element counts narrow sizes; limits may converge slowly."""


class SizeConflict(ValueError):  # noqa: N818 - it is a fact about two sizes, callers make the error
    """A size would have to be both `first` and `second`, which exclude each other.

    `sizes` are the sizes that had to fit each other, as the caller named them.
    """

    def __init__(
        self, first: int | Range, second: int | Range, sizes: tuple[Size, ...] = ()
    ) -> None:
        super().__init__(f"{first} and {second}")
        self.first = first
        self.second = second
        self.sizes = sizes


def strip_ones(shape: Sequence[Size]) -> tuple[Size, ...]:
    """Return `shape` without its leading static 1s; broadcasting would pad with them anyway."""
    start = 0
    while start < len(shape) and shape[start] == 1:
        start += 1
    return tuple(shape[start:])


@dataclass
class SymbolTable:
    """The symbols of one function, and the facts known about them.

    For each derived symbol, `broadcasts` holds the leaves that it was made of, in creation order.
    `learned` counts the facts: while the count is the same, nothing new is known about any size.
    """

    broadcasts: dict[str, frozenset[Size]] = field(default_factory=dict)
    _parent: dict[str, Size] = field(default_factory=dict)
    _names: dict[frozenset[Size], str] = field(default_factory=dict)
    _ranges: dict[str, Range] = field(default_factory=dict)
    _named: set[str] = field(default_factory=set)
    _fits: dict[tuple[Size, Size], None] = field(default_factory=dict)
    _counts: dict[tuple[Product, Product], None] = field(default_factory=dict)
    _fresh: int = 0
    learned: int = 0

    def leaf(self, name: str, named: bool = False) -> str:
        """Make `name` a symbol about which nothing is known, unless it is a symbol already.

        Among equal symbols, one that a person has `named` represents them all.
        """
        self._parent.setdefault(name, name)
        if named:
            self._named.add(name)
        return name

    def is_new(self, size: Size) -> bool:
        """Whether `size` is a name that is not a symbol yet."""
        return isinstance(size, str) and size not in self._parent

    def fresh(self, prefix: str = "d") -> str:
        """Return a new leaf with an unused name."""
        while (name := f"{prefix}{self._fresh}") in self._parent:
            self._fresh += 1
        return self.leaf(name)

    def resolve(self, size: Size) -> Size:
        """Return what `size` is known to equal: a static size, or one name for all equal sizes."""
        path: list[str] = []
        while isinstance(size, str):
            parent = self._parent[size]
            if parent == size:
                break
            path.append(size)
            size = parent
        for name in path:
            self._parent[name] = size
        return size

    def resolve_shape(self, shape: Iterable[Size]) -> tuple[Size, ...]:
        """Resolve every size of `shape`; a tuple in which nothing changes is returned itself."""
        given = tuple(shape)
        resolved = tuple([self.resolve(size) for size in given])
        return given if resolved == given else resolved

    def range_of(self, size: Size) -> Range:
        """Return the values that `size` may have."""
        size = self.resolve(size)
        return Range(size, size) if isinstance(size, int) else self._ranges.get(size, ANY)

    def assume(self, size: Size, known: Range) -> None:
        """Record that `size` lies within `known`; a single value makes the symbol static.

        Raises:
            SizeConflict: no value is left.
        """
        both = self.range_of(size).meet(known)
        root = self.resolve(size)
        if both is None:
            raise SizeConflict(self.range_of(size), known, (size,))
        if isinstance(root, str):
            self.learned += 1
            self._ranges[root] = both
            if both.low == both.high:
                self._make_static(root, both.low)

    def leaves(self, size: Size) -> frozenset[Size]:
        """Return the set of sizes that broadcast to `size`; for 1, the empty set."""
        size = self.resolve(size)
        if isinstance(size, int):
            return frozenset() if size == 1 else frozenset((size,))
        made_of = self.broadcasts.get(size)
        return frozenset((size,)) if made_of is None else self._reduce(made_of)

    def _reduce(self, sizes: Iterable[Size]) -> frozenset[Size]:
        """Resolve a set of sizes; a size that is proven not to be 1 is the result of the set.

        Raises:
            SizeConflict: two static sizes in the set differ and neither is 1.
        """
        found = {root for size in sizes if (root := self.resolve(size)) != 1}
        statics = sorted(s for s in found if isinstance(s, int))
        if len(statics) > 1:
            raise SizeConflict(statics[0], statics[1])
        if statics:
            return frozenset(statics)
        if len(found) > 1 and self._ranges:
            decisive = sorted(s for s in found if self.range_of(s).excludes_one)
            if decisive:
                return frozenset(decisive[:1])
        return self._largest(found)

    def _largest(self, sizes: Iterable[Size]) -> frozenset[Size]:
        """Return `sizes`, all resolved, without the sizes that are known to fit another of them."""
        left = set(sizes)
        if len(left) > 1 and (self._fits or self._ranges):
            for size in sorted(left, key=str):
                if any(self.fits(size, other) for other in left - {size}):
                    left.remove(size)
        return frozenset(left)

    def fits(self, size: Size, other: Size) -> bool:
        """Whether `size` is known to be 1 or `other`, without a check that is still to be made.

        True for `other` itself, for what `fit` has recorded, and for a size with only these values.
        """
        wanted = self.resolve(other)
        found, to_visit = set[Size](), [self.resolve(size)]
        while to_visit:
            one = to_visit.pop()
            if one in {1, wanted}:
                return True
            if isinstance(wanted, int) and self.range_of(one).within((1, wanted)):
                return True
            found.add(one)
            for small, large in self._fits:
                if self.resolve(small) == one and (root := self.resolve(large)) not in found:
                    to_visit.append(root)
        return False

    def fit(self, size: Size, other: Size) -> None:
        """Record that `size` is 1 or `other`.

        Raises:
            SizeConflict: `size` is known to be neither.
        """
        self.learned += 1
        self._fits[size, other] = None
        self._carry_fit(size, other)

    def _carry_fit(self, size: Size, other: Size) -> bool:
        """Record what follows if `size` is 1 or `other`; return whether anything was new."""
        small, large = self.resolve(size), self.resolve(other)
        if small in {1, large}:
            return False
        if large == 1 or self.range_of(small).excludes_one or self.fits(large, small):
            self.require_equal(small, large)
            return True
        return self._narrow(small, self.range_of(large).join(_ONE))

    def _narrow(self, size: Size, known: Range) -> bool:
        """Record that `size` lies within `known`; return whether this was new."""
        before = self.range_of(size)
        self.assume(size, known)
        return self.range_of(size) != before

    def find_broadcast(self, sizes: Iterable[Size]) -> Size | None:
        """Return what `sizes` broadcast to if it is known, else None; define nothing."""
        return self._known(sizes)[1]

    def _known(self, sizes: Iterable[Size]) -> tuple[frozenset[Size], Size | None]:
        """Return the leaves of a broadcast, and its result if the result is known already."""
        roots = {self.resolve(s) for s in sizes} - {1}
        if len(roots) < 2:  # noqa: PLR2004
            return frozenset(roots), next(iter(roots), 1)
        union: frozenset[Size] = frozenset().union(*(self.leaves(s) for s in roots))
        leaves = self._reduce(union)
        return leaves, self._lookup(leaves)

    def _lookup(self, leaves: frozenset[Size]) -> Size | None:
        if not leaves:
            return 1
        if len(leaves) == 1:
            return self.resolve(next(iter(leaves)))
        name = self._names.get(leaves)
        return None if name is None else self.resolve(name)

    def broadcast(self, sizes: Sequence[Size], name: str | None = None) -> Size:
        """Return what `sizes` broadcast to; a new result is a symbol called `name`, or a fresh one.

        Raises:
            SizeConflict: two static sizes differ and neither is 1.
        """
        leaves, known = self._known(sizes)
        if known is not None:
            return known
        result = self.fresh() if name is None else self.leaf(name)
        self.broadcasts[result] = leaves
        self._names[leaves] = result
        return result

    def broadcast_shapes(self, shapes: Iterable[Sequence[Size]]) -> tuple[Size, ...]:
        """Return what `shapes`, padded with 1 on the left, broadcast to; new sizes get symbols.

        Raises:
            SizeConflict: two static sizes of a dimension differ and neither is 1.
        """
        found = list(shapes)
        rank = max((len(shape) for shape in found), default=0)
        return tuple(
            self.broadcast([shape[-i] for shape in found if len(shape) >= i])
            for i in range(rank, 0, -1)
        )

    def checked(self, sizes: Sequence[Size], result: Size) -> None:
        """Record that `sizes` have been checked to broadcast to `result`.

        A size that broadcasts to a static size, or to a leaf, equals it or 1. This is not known
        before the check, so call `implied` first.

        Raises:
            SizeConflict: a size is known to be neither.
        """
        root = self.resolve(result)
        if root == 1 or root in self.broadcasts:
            return
        for size in sizes:
            for leaf in self.leaves(size):
                if isinstance(leaf, str) and leaf != root:
                    if isinstance(root, int):
                        self.assume(leaf, Range.of({1, root}))
                    else:
                        self.fit(leaf, root)

    def implied(self, sizes: Sequence[Size], result: Size) -> bool:
        """Whether earlier checks of broadcasts prove that `sizes` broadcast to `result`.

        True if one of the sizes is a checked broadcast over a set that includes all leaves of the
        others, or if all the others are known to fit one of the sizes.
        """
        roots = self._largest({self.resolve(s) for s in sizes} - {1})
        if len(roots) <= 1:
            return True
        result = self.resolve(result)
        if not isinstance(result, str) or result not in self.broadcasts or result not in roots:
            return False
        made_of = self.leaves(result)
        return all(self.leaves(r) <= made_of for r in roots)

    def require_equal(self, first: Size, second: Size) -> None:
        """Make two sizes one, because the program is valid only where they are equal.

        Raises:
            SizeConflict: both are static and differ, or a range excludes the other.
        """
        a, b = self.resolve(first), self.resolve(second)
        if a == b:
            return
        if isinstance(a, int) and isinstance(b, int):
            raise SizeConflict(a, b, (first, second))
        # Keep a leaf rather than a broadcast, so that a set of leaves never contains itself.
        keep, drop = (a, b) if isinstance(a, int) or self._prefer(a, b) else (b, a)
        assert isinstance(drop, str)
        if isinstance(keep, int):
            self._make_static(drop, keep)
            return
        self.learned += 1
        both = self.range_of(keep).meet(self.range_of(drop))
        if both is None:
            raise SizeConflict(self.range_of(keep), self.range_of(drop), (first, second))
        self._parent[drop] = keep
        if both != ANY:
            self.assume(keep, both)

    def _prefer(self, a: Size, b: Size) -> bool:
        return isinstance(b, str) and self._precedence(a) <= self._precedence(b)

    def _precedence(self, size: Size) -> int:
        return 2 if size in self.broadcasts else int(size not in self._named)

    def _make_static(self, name: str, size: int) -> None:
        if not self.range_of(name).contains(size):
            raise SizeConflict(self.range_of(name), size, (name,))
        self.learned += 1
        self._parent[name] = size
        if size == 1:
            for leaf in self.broadcasts.get(name, ()):
                self.require_equal(leaf, 1)

    def require_same_count(
        self, source: Sequence[Size], result: Sequence[Size], divided: str | None = None
    ) -> None:
        """Record that the shapes `source` and `result` hold equally many elements.

        If this determines one size, compute it. `divided` is the symbol of `result` that the check
        itself computes by a division. The check refuses a division by zero, so symbols on both
        sides then cancel. Without `divided` they do not cancel: 0 = 0 says nothing.

        Raises:
            SizeConflict: no size makes the numbers equal.
        """
        before, after = (Product.of(self.resolve_shape(shape)) for shape in (source, result))
        known, other = before.factor, after.factor
        left, right = Counter(before.symbols), Counter(after.symbols)
        common = left & right
        if common and divided not in right - common:
            return
        left, right = left - common, right - common
        counts = Product.of((known, *left.elements())), Product.of((other, *right.elements()))
        self._counts[counts] = None
        if left.total() == 0 and right.total() == 1 and other:
            self.require_equal(_quotient(known, other), next(iter(right)))
        elif left.total() == 1 and right.total() == 0 and known:
            self.require_equal(_quotient(other, known), next(iter(left)))
        elif left.total() == right.total() == 1 and known == other != 0:
            self.require_equal(next(iter(left)), next(iter(right)))
        self._carry_count(*counts)
        self._carry_count(*reversed(counts))

    def _carry_count(self, one: Product, other: Product) -> bool:
        """Narrow the size in `one`, given that `one` equals `other`; return whether this was new.

        Raises:
            SizeConflict: `one` cannot equal `other`.
        """
        one = Product.of((one.factor, *self.resolve_shape(one.symbols)))
        sizes = self.resolve_shape(other.symbols)
        if len(one.symbols) > 1 or set(one.symbols) & set(sizes):
            return False
        count = reduce(Range.times, map(self.range_of, sizes), Range(other.factor, other.factor))
        if not one.symbols:
            if not count.contains(one.factor):
                raise SizeConflict(one.factor, count)
            return False
        known = count.divided(one.factor)
        if known is None:
            raise SizeConflict(self.range_of(one.symbols[0]), count)
        return self._narrow(one.symbols[0], known)

    def canonicalize(self) -> None:
        """Propagate equalities through the broadcasts until nothing changes.

        With s0 = 4 known, bcast(s0, s1) is 4; with s0 = s2 known, bcast(s0, s1) and bcast(s2, s1)
        become one symbol.
        """
        changed, rounds = True, 0
        while changed:
            changed, rounds = False, rounds + 1
            names: dict[frozenset[Size], str] = {}
            for name, made_of in self.broadcasts.items():
                leaves = self._reduce(made_of)
                known = self._lookup(leaves) if len(leaves) < 2 else names.get(leaves)
                if known is not None and self.resolve(known) != self.resolve(name):
                    self.require_equal(name, known)
                    changed = True
                names.setdefault(leaves, name)
            self._names = names
            changed |= self._carry_ranges()
            if rounds <= COUNT_ROUNDS:
                for counts in self._counts:
                    changed |= self._carry_count(*counts)
                    changed |= self._carry_count(*reversed(counts))

    def _carry_ranges(self) -> bool:
        """Propagate ranges through the broadcasts and the fits; return whether anything was new."""
        changed = False
        for size, other in list(self._fits):
            changed |= self._carry_fit(size, other)
        if not self._ranges:
            return changed
        for name, made_of in self.broadcasts.items():
            sizes = [size for size in made_of if self.resolve(size) != 1]
            if not sizes:
                continue
            ranges = [self.range_of(size) for size in sizes]
            changed |= self._narrow(name, reduce(Range.join, ranges))
            whole = self.range_of(name).join(_ONE)
            for size in sizes:
                changed |= self._narrow(size, whole)
        return changed

    def broadcasts_to(self, shapes: Iterable[Sequence[Size]], result: Sequence[Size]) -> bool:
        """Whether `shapes`, padded with 1 on the left, are known to broadcast to `result`."""
        wanted = strip_ones(self.resolve_shape(result))
        padded = [tuple(shape) for shape in shapes]
        rank = max((len(shape) for shape in padded), default=0)
        if rank < len(wanted):
            return False
        for i in range(1, rank + 1):
            sizes = [shape[-i] for shape in padded if len(shape) >= i]
            target = wanted[-i] if i <= len(wanted) else 1
            if self.find_broadcast(sizes) != target:
                return False
        return True


def _quotient(count: int, divisor: int) -> int:
    if count % divisor:
        raise SizeConflict(count, Range.multiple(divisor))
    return count // divisor
