"""Other ways to compute a fused kernel: values that are narrower than the kernel kept in memory.

A kernel computes each of its values for every point of its iteration space. A value whose own sizes
have fewer points is then computed several times. Whether keeping it in memory takes fewer cycles
depends on sizes, so a kernel gets alternatives. There is one decision for each number of points
that values of the kernel have, for the `MOST_DECISIONS` with most work, so at most
2^`MOST_DECISIONS` alternatives. Points are products of sizes: rows times 1 are the same as rows.
Several kernels that are decided together share the limit. What little work leaves out may still
be slow, if its kernel is short, so `MOST_ALONE` others are alternatives that keep nothing else.

Two kernels of equal points may also be faster than one, because their instructions wait less for
each other. A dynamic program, in which points that turn out to be equal have different symbols, has
these alternatives anyhow. So that a static program does as well, its values are told apart by the
arguments that they depend on, as symbols tell them apart in a dynamic one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic

from hwc.planning.fusion_plan import Node, V
from hwc.shapes import Size
from hwc.shapes.products import Product

MOST_DECISIONS = 3
"""The most decisions that are combined. Each doubles the number of alternatives."""

MOST_ALONE = 2
"""The most other decisions of several kernels, each an alternative that keeps nothing else."""


@dataclass(frozen=True)
class Decision(Generic[V]):
    """Whether `kept`, values of equally many points, go through memory.

    `beats` counts the beats per group of lanes to compute the values and all their operands within
    the kernel; `work` counts only the beats of values that have the same number of points.
    """

    kept: tuple[V, ...]
    beats: int
    work: int


def decisions(
    nodes: Sequence[Node[V]],
    shape: tuple[Size, ...],
    outputs: Collection[V],
    pays: Callable[[int, Product, Product], bool],
) -> list[Decision[V]]:
    """Return the decisions for a kernel of `nodes`, in order, with the iteration space `shape`.

    `pays(beats, wide, narrow)` tells whether one more kernel may pay off if values that take
    `beats` beats are computed for `narrow` points instead of `wide`. A decision that pays off at no
    size is left out.
    """
    wide = Product.of(shape), _union(node.origins for node in nodes if node.value in outputs)
    kinds = {node.value: (Product.of(node.shape), node.origins) for node in nodes}
    if all(kind == wide for kind in kinds.values()):
        return []
    kept: dict[tuple[Product, int], dict[V, None]] = {}
    work: dict[tuple[Product, int], int] = {}
    for node in nodes:
        own = kinds[node.value]
        if own != wide:
            work[own] = work.get(own, 0) + node.beats
        for value in node.inputs:
            if value in kinds and kinds[value] not in (own, wide) and value not in outputs:
                kept.setdefault(kinds[value], {})[value] = None
    found: list[Decision[V]] = []
    for kind, values in kept.items():
        beats = _beats_of(nodes, values)
        if pays(beats, wide[0], kind[0]):
            found.append(Decision(tuple(values), beats, work[kind]))
    return most_work(found)[:MOST_DECISIONS]


def _union(origins: Iterable[int]) -> int:
    bits = 0
    for one in origins:
        bits |= one
    return bits


def most_work(found: Iterable[Decision[V]]) -> list[Decision[V]]:
    """Return the decisions, those with most work first."""
    return sorted(found, key=lambda d: (-d.work, -d.beats))


def _beats_of(nodes: Sequence[Node[V]], values: Mapping[V, None]) -> int:
    """Return the beats of all nodes that `values` are computed from, their own included."""
    needed = set(values)
    beats = 0
    for node in reversed(nodes):
        if node.value in needed:
            needed.update(node.inputs)
            beats += node.beats
    return beats


def subsets(found: Sequence[Decision[V]]) -> Iterator[tuple[Decision[V], ...]]:
    """Yield sets of decisions to keep values: every set of the first, then some others alone."""
    most, others = found[:MOST_DECISIONS], found[MOST_DECISIONS:]
    for count in range(1, len(most) + 1):
        yield from combinations(most, count)
    yield from ((one,) for one in others[:MOST_ALONE])
