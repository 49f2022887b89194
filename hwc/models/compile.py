"""Compiles a graph to a package: cuts the graph, and makes each part a step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import isa
from hwc.errors import CompileError, SourceError, UserError
from hwc.frontend.source import Source
from hwc.models.assemble import Assembly
from hwc.models.cutting import GraphPart, cut_graph
from hwc.models.graph import Front, Graph
from hwc.models.report import NodePlace, Report
from hwc.models.sizes import MisfitError
from hwc.models.work import WorkWriter
from hwc.package import Indices, Package
from isa.progress import Task


@dataclass(frozen=True)
class Cut:
    """How to cut a model: operators that stay on the host, and the minimum nodes per region."""

    keep_on_host: tuple[str, ...] = ()
    min_nodes: int = 1


def compile_graph(
    graph: Graph[Any],
    front: Front,
    target: Mapping[str, object],
    compile_region: Callable[[Source], Package],
    cut: Cut,
) -> tuple[Package, Report]:
    """Return the package of a model, and a report that says where each part runs.

    `compile_region` compiles a program for the target.

    Raises:
        SourceError: the engine does not know an operator, or no package can hold a tensor.
        CompileError: an operator that has to stay on the host is not in the model.
    """
    _check_borders(graph)
    _check_cut(graph, cut)
    return _Compiler(graph, front, compile_region, cut).compile(target)


def _check_borders(graph: Graph[Any]) -> None:
    """Refuse a model with an argument or a result whose type or rank no package can hold."""
    for role, names in (("argument", graph.inputs), ("result", graph.outputs)):
        for value in names:
            type_, rank = graph.type_of(value), graph.rank(value)
            if type_ is None:
                raise SourceError(
                    f"{graph.name}: error: {role} '{value}' has the type "
                    f"{graph.other_type(value)}, which no argument or result of a model has; "
                    "convert it inside the model"
                )
            if rank is None:
                raise SourceError(f"{graph.name}: error: {role} '{value}' has an unknown rank")
            if rank > isa.load().limits.rank_max:
                raise SourceError(
                    f"{graph.name}: error: {role} '{value}' has rank {rank}; "
                    f"the largest is {isa.load().limits.rank_max}"
                )


def _check_cut(graph: Graph[Any], cut: Cut) -> None:
    """Refuse operators that are not in the model: the intended one would run on the machine."""
    nodes = (*graph.nodes, *graph.folded, *graph.unused)
    known = sorted({name for node in nodes for name in (node.operator, node.origin) if name})
    for operator in cut.keep_on_host:
        if operator not in known:
            raise CompileError(
                f"--keep-on-host: error: the model has no operator '{operator}'; it has "
                f"{', '.join(known) or 'none'}"
            )


class _Compiler:
    def __init__(
        self,
        graph: Graph[Any],
        front: Front,
        compile_region: Callable[[Source], Package],
        cut: Cut,
    ) -> None:
        self._graph = graph
        self._front = front
        self._compile_region = compile_region
        self._cut = cut
        self._reasons: dict[int, str] = {}
        self._compiled: dict[str, Package] = {}
        for number, node in enumerate(graph.nodes):
            reason = front.refusal(number)
            if {node.operator, node.origin} & {*cut.keep_on_host}:
                reason = "it is kept on the host by request"
            if reason is not None:
                self._reasons[number] = reason

    def compile(self, target: Mapping[str, object]) -> tuple[Package, Report]:
        """Cut and compile; nodes whose region does not compile stay on the host."""
        while True:
            try:
                return self._try(target)
            except _RefusedError as refused:
                for number in refused.nodes:
                    self._reasons[number] = refused.reason

    def _try(self, target: Mapping[str, object]) -> tuple[Package, Report]:
        nodes = self._graph.nodes
        wanted = [number not in self._reasons for number in range(len(nodes))]
        parts = cut_graph(self._graph, self._front, wanted, self._cut.min_nodes)
        assembly = Assembly(self._graph, self._front.kernel_source)
        self._rules(assembly, self._graph.folded)
        work = WorkWriter(self._graph, self._front, assembly)
        regions = [part for part in parts if part.on_machine]
        with Task("compiling", len(parts), "parts") as task:
            for number, part in enumerate(parts):
                task.name = f"compiling part {number} ({nodes[part.nodes[0]].operator})"
                task.reach(number)
                if part.on_machine:
                    self._add_region(assembly, part)
                else:
                    self._add_host(assembly, part)
                work.add(part)
        self._rules(assembly, self._graph.unused)
        own = work.work() if len(regions) < len(parts) else None
        package = assembly.build(target, self._front.module, own)
        machine = {number for part in regions for number in part.nodes}
        places = (
            NodePlace(
                node.operator,
                node.origin,
                node.place_in(self._graph.name),
                work.step_of[number],
                "" if number in machine else self._reasons.get(number, self._small(number)),
            )
            for number, node in enumerate(nodes)
        )
        return package, Report(package, len(regions), tuple(places))

    def _small(self, node: int) -> str:
        """Return why a node that the machine could compute stays on the host."""
        if self._cut.min_nodes == 1 and self._front.is_view(node):
            return "nothing beside it is computed by the machine"
        return f"its region has fewer than {self._cut.min_nodes} operators"

    def _add_host(self, assembly: Assembly, part: GraphPart) -> None:
        self._check_host(part.nodes, (*part.inputs, *part.outputs))
        own = [self._graph.nodes[number] for number in part.nodes]
        indices = self._rules(assembly, own)
        made = self._front.part(part.nodes, part.inputs, part.outputs, assembly.place)
        assembly.add_host(self._front.engine, made, own, part.inputs, part.outputs, indices)

    def _rules(self, assembly: Assembly, nodes: Iterable[Any]) -> list[Indices]:
        """Write the rules of nodes about sizes; return their rules about data.

        Raises:
            SourceError: no call satisfies the rules of a node.
        """
        indices: list[Indices] = []
        for node in nodes:
            writer = assembly.node_sizes(node)
            try:
                assembly.known.update(self._front.sizes(node, writer, assembly.known))
            except MisfitError as misfit:
                raise self._front.error(node, str(misfit)) from None
            indices += writer.indices
        return indices

    def _add_region(self, assembly: Assembly, part: GraphPart) -> None:
        self._rules(assembly, (self._graph.nodes[number] for number in part.nodes))
        read = {name for number in part.nodes for name in self._front.machine_reads(number)}
        arguments = [assembly.argument(name) for name in part.inputs if name in read]
        text = self._front.region(part.nodes, arguments, part.outputs)
        if text.text not in self._compiled:
            first = self._graph.nodes[part.nodes[0]].operator
            source = Source(f"{self._graph.name}, region of {first}", text.text)
            try:
                self._compiled[text.text] = self._compile_region(source)
            except UserError as error:
                reason = str(error).splitlines()[0].partition("error: ")[2]
                raise _RefusedError(part.nodes, f"its region does not compile: {reason}") from error
        assembly.add_region(self._compiled[text.text], text)

    def _check_host(self, part: Sequence[int], crossing: Iterable[str]) -> None:
        """Put all nodes on the host if a value cannot be passed from part to part."""
        for name in crossing:
            if self._graph.type_of(name) is None or self._graph.rank(name) is None:
                everything = range(len(self._graph.nodes))
                if len(part) == len(everything):
                    raise SourceError(
                        f"{self._graph.name}: error: '{name}' has an unknown type or rank"
                    )
                raise _RefusedError(
                    everything, f"'{name}', which passes from part to part, has no known rank"
                )


class _RefusedError(Exception):
    """Nodes that cannot run on the machine after all, and the reason."""

    def __init__(self, nodes: Sequence[int], reason: str) -> None:
        super().__init__(reason)
        self.nodes = tuple(nodes)
        self.reason = reason
