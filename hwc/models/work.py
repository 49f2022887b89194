"""Counts the arithmetic of a model's parts, as formulas of the sizes of a call."""

from __future__ import annotations

from typing import Any

from hwc.models.assemble import Assembly
from hwc.models.cutting import GraphPart
from hwc.models.graph import Front, Graph
from hwc.package import OperatorWork, Work, joined


class WorkWriter:
    """Writes the arithmetic of the steps of a package, part by part."""

    def __init__(self, graph: Graph[Any], front: Front, assembly: Assembly) -> None:
        self._graph = graph
        self._front = front
        self._assembly = assembly
        self._steps: list[tuple[OperatorWork, ...]] = []
        self.step_of: dict[int, int] = {}
        """The number of the step of each node; the first step if a region has several."""

    def add(self, part: GraphPart) -> None:
        """Add a part whose steps the assembly has."""
        self.step_of.update(dict.fromkeys(part.nodes, len(self._steps)))
        found = joined(self._node(number) for number in part.nodes)
        # A region of several steps has all its arithmetic in the first one.
        missing = self._assembly.steps - len(self._steps)
        self._steps += [found, *((),) * (missing - 1)][:missing]

    def _node(self, number: int) -> OperatorWork:
        operations = self._front.operations(number, self._assembly.known)
        operator = self._graph.nodes[number].operator
        return OperatorWork(operator, 1, None if operations is None else tuple(operations))

    def work(self) -> Work:
        """Return the arithmetic of all steps."""
        return Work(tuple(self._steps))
