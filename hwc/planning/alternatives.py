"""Alternatives to a fused kernel: values that are narrower than the kernel are kept in memory.

A kernel computes each of its values for every point of its iteration space. A value whose own sizes
have fewer points is then computed several times. Whether keeping the value in memory takes fewer
cycles depends on the sizes, so a kernel gets alternatives. There is one decision for each number of
points that values of the kernel have. The `MOST_DECISIONS` decisions with the most work are
combined, which gives at most 2^`MOST_DECISIONS` alternatives. Points are products of sizes: rows
times 1 are the same as rows. Several kernels that are decided together share the limit. A decision
with too little work for this may still matter if its kernel is short, so `MOST_ALONE` others each
become an alternative that keeps nothing else.

Two kernels with equally many points may also be faster than one, because their instructions wait
less for each other. A dynamic program has these alternatives anyway: points that turn out to be
equal have different symbols there. To give a static program the same alternatives, its values are
told apart by the arguments on which they depend, as symbols tell them apart in a dynamic program.
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
"""The maximum number of decisions to combine. Each one doubles the number of alternatives."""

MOST_ALONE = 2
"""The maximum number of other decisions; each is an alternative that keeps nothing else."""


@dataclass(frozen=True)
class Decision(Generic[V]):
    """Whether the values `kept`, which have equally many points, go through memory.

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

    `pays(beats, wide, narrow)` says whether one more kernel may pay off if values that take `beats`
    beats are computed for `narrow` points instead of `wide` points. A decision that never pays off,
    at any size, is left out.
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
    """Return the decisions, sorted by work, most work first."""
    return sorted(found, key=lambda d: (-d.work, -d.beats))


def _beats_of(nodes: Sequence[Node[V]], values: Mapping[V, None]) -> int:
    """Return the beats of all nodes needed to compute `values`, including the values' own nodes."""
    needed = set(values)
    beats = 0
    for node in reversed(nodes):
        if node.value in needed:
            needed.update(node.inputs)
            beats += node.beats
    return beats


def subsets(found: Sequence[Decision[V]]) -> Iterator[tuple[Decision[V], ...]]:
    """Yield sets of decisions: every subset of the first ones, then some of the others alone."""
    most, others = found[:MOST_DECISIONS], found[MOST_DECISIONS:]
    for count in range(1, len(most) + 1):
        yield from combinations(most, count)
    yield from ((one,) for one in others[:MOST_ALONE])
