"""Cuts a graph into parts, each with the values that it reads and the values that others read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hwc.models.graph import Front, Graph
from hwc.models.partition import partition


@dataclass(frozen=True)
class GraphPart:
    """The numbers of nodes that run together, and the values that cross the border, in order."""

    on_machine: bool
    nodes: tuple[int, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def cut_graph(
    graph: Graph[Any], front: Front, wanted: Sequence[bool], min_nodes: int = 1
) -> list[GraphPart]:
    """Return the parts of a graph in an order in which they may run.

    `wanted` says which nodes the machine may compute. A region goes to the host if fewer
    than `min_nodes` of its nodes compute something: views do not count. Constants do not cross
    borders.
    """
    makers = {name: number for number, node in enumerate(graph.nodes) for name in node.outputs}
    readers: dict[str, set[int]] = defaultdict(set)
    for number, node in enumerate(graph.nodes):
        for name in node.reads:
            readers[name].add(number)

    def part(on_machine: bool, nodes: tuple[int, ...]) -> GraphPart:
        own = set(nodes)
        read = dict.fromkeys(name for number in nodes for name in graph.nodes[number].reads)
        made = [name for number in nodes for name in graph.nodes[number].outputs if name]
        return GraphPart(
            on_machine,
            nodes,
            tuple(n for n in read if n not in graph.constants and makers.get(n) not in own),
            tuple(n for n in made if n in graph.outputs or readers[n] - own),
        )

    producers = [
        sorted({makers[name] for name in node.reads if name in makers}) for node in graph.nodes
    ]
    crossing = [
        {makers[name] for name in front.index_reads(number) if name in makers}
        for number in range(len(graph.nodes))
    ]
    computes = [not front.is_view(number) for number in range(len(graph.nodes))]
    found = partition(producers, wanted, min_nodes, computes, crossing)
    return [part(each.on_machine, each.nodes) for each in found]
