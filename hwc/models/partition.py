"""Cuts a graph into parts for the machine and parts for the host, in an order in which they run.

Each node gets a level: the maximum number of changes between machine and host on a path to the
node. The two ends of an edge have the same level only if they run in the same place, so a path that
leaves a level never comes back to it. Joining neighbours with equal levels therefore makes no cycle
between parts: the parts are convex, and larger parts would not be.

An edge may also have to cross a border, although both ends run on the host. Such an edge counts as
a change.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """Nodes that run together, by their numbers in the graph."""

    on_machine: bool
    nodes: tuple[int, ...]


def levels(
    producers: Sequence[Sequence[int]],
    on_machine: Sequence[bool],
    crossing: Sequence[Collection[int]] | None = None,
) -> list[int]:
    """Return the level of each node.

    For each node, `producers` has the numbers of the nodes whose results the node reads; these are
    smaller than the node's own number. `crossing` has those among them whose results have to cross
    a border if the node runs on the host.
    """
    found: list[int] = []
    for node, before in enumerate(producers):
        must = () if crossing is None or on_machine[node] else crossing[node]
        changes = (found[p] + (on_machine[p] != on_machine[node] or p in must) for p in before)
        found.append(max(changes, default=0))
    return found


def partition(
    producers: Sequence[Sequence[int]],
    on_machine: Sequence[bool],
    min_nodes: int = 1,
    counted: Sequence[bool] | None = None,
    crossing: Sequence[Collection[int]] | None = None,
) -> list[Part]:
    """Return the parts in an order in which they may run.

    On the machine, neighbours with the same level form one part; on the host, all nodes of a level
    form one part. A part for the machine with fewer than `min_nodes` nodes runs on the host
    instead, where it joins its neighbours. `counted` says which nodes count towards `min_nodes`:
    all nodes (None), or only the nodes that are worth a part. `crossing` is that of `levels`.
    """
    wanted = list(on_machine)
    while True:
        parts = _parts(producers, wanted, crossing)
        small = {
            node
            for part in parts
            if part.on_machine and _count(part, counted) < min_nodes
            for node in part.nodes
        }
        if not small:
            return parts
        wanted = [on and node not in small for node, on in enumerate(wanted)]


def _count(part: Part, counted: Sequence[bool] | None) -> int:
    return sum(counted is None or counted[node] for node in part.nodes)


def _parts(
    producers: Sequence[Sequence[int]],
    on_machine: Sequence[bool],
    crossing: Sequence[Collection[int]] | None,
) -> list[Part]:
    level = levels(producers, on_machine, crossing)
    joined = list(range(len(level)))

    def root(node: int) -> int:
        while joined[node] != node:
            joined[node] = joined[joined[node]]
            node = joined[node]
        return node

    first_on_host: dict[int, int] = {}
    for node, before in enumerate(producers):
        if on_machine[node]:
            for other in before:
                if on_machine[other] and level[other] == level[node]:
                    joined[root(node)] = root(other)
        else:
            joined[root(node)] = root(first_on_host.setdefault(level[node], node))
    groups: dict[int, list[int]] = {}
    for node in range(len(level)):
        groups.setdefault(root(node), []).append(node)
    parts = [Part(on_machine[nodes[0]], tuple(nodes)) for nodes in groups.values()]
    return sorted(parts, key=lambda part: (level[part.nodes[0]], part.on_machine, part.nodes))
