"""The graph of a call: a row for each kernel, and lanes for the values that kernels pass on.

Kernels run one after another, and the rows are in that order, from top to bottom. A value that a
kernel passes to a later one is a line from row to row. Unless the next row is the only reader, the
line runs in its own lane, which is free again below the last reader. Drawing takes linear time, and
rows never overlap, however many there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MOST_LANES = 16
"""Maximum lanes side by side: a narrow screen has to show them and the rows."""


@dataclass(frozen=True)
class Node:
    """What runs in a row: the names of the values that it reads and writes."""

    reads: Sequence[str]
    writes: Sequence[str]


@dataclass(frozen=True)
class Edge:
    """A value from the row that writes it to the rows that read it.

    `lane` is None if the next row is the only reader.
    """

    value: str
    writer: int
    readers: Sequence[int]
    lane: int | None


@dataclass
class Graph:
    """Edges between rows; `hidden` are the edges for which no lane was free."""

    edges: list[Edge] = field(default_factory=list)
    lanes: int = 0
    hidden: int = 0


def writers(nodes: Sequence[Node]) -> list[Mapping[str, int]]:
    """Return, for each row, which row wrote each value that it reads; inputs are left out."""
    last: dict[str, int] = {}
    found: list[Mapping[str, int]] = []
    for row, node in enumerate(nodes):
        found.append({value: last[value] for value in node.reads if value in last})
        last.update(dict.fromkeys(node.writes, row))
    return found


def lay_out(nodes: Sequence[Node]) -> Graph:
    """Return the edges between rows, with their lanes."""
    readers: dict[tuple[int, str], list[int]] = {}
    for row, known in enumerate(writers(nodes)):
        for value, writer in known.items():
            readers.setdefault((writer, value), []).append(row)
    graph = Graph()
    free_from: list[int] = []
    for (writer, value), rows in sorted(readers.items()):
        if rows == [writer + 1]:
            graph.edges.append(Edge(value, writer, rows, None))
            continue
        lane = next((i for i, row in enumerate(free_from) if row <= writer), len(free_from))
        if lane == MOST_LANES:
            graph.hidden += 1
            continue
        free_from[lane : lane + 1] = [rows[-1]]
        graph.edges.append(Edge(value, writer, rows, lane))
    graph.lanes = len(free_from)
    return graph
