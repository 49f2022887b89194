"""The longest paths of a circuit, alone or with all its parts, and where paths from its inputs end.

A path begins at a register, a memory or an input, and ends at a register, a memory or an output;
its levels are the gates between. For a circuit alone its parts are what registers are; with its
parts, paths go through them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isa.errors import UserError
from rtl_models.synthesis.netlist import Netlist

Integers = npt.NDArray[np.int64]
Nets = Iterable["int | None"]
_SHOWN = 6
"""Names of a loop in an error."""


class LoopError(UserError):
    """There is a loop of gates without a register."""


@dataclass(frozen=True)
class Path:
    """A path with the names of its ends; one of 0 levels is a wire."""

    levels: int
    start: str
    end: str


@dataclass(frozen=True)
class _End:
    net: int
    path: str
    name: str
    circuit: str


def own_path(netlist: Netlist) -> Path:
    """Return the longest path of a circuit without its parts.

    Raises:
        LoopError: there is a loop.
    """
    graph = _Graph()
    graph.add(netlist, "")
    for part in netlist.parts:
        graph.begin(part.outputs, f"{part.name}.")
        graph.finish(part.inputs, f"{part.name}.")
    graph.begin(netlist.inputs, "")
    graph.finish(netlist.outputs, "")
    return next(iter(graph.longest(1)), Path(0, "", ""))


def whole_paths(top: str, netlists: Mapping[str, Netlist], number: int) -> list[Path]:
    """Return the longest paths of a circuit with its parts, at most one that ends in each circuit.

    Instances of a circuit are not told apart: the path into one of them stands for all.

    Raises:
        LoopError: there is a loop.
    """
    graph = _whole(top, netlists)
    graph.begin(netlists[top].inputs, "")
    graph.finish(netlists[top].outputs, "")
    return graph.longest(number)


def ends_of_inputs(top: str, netlists: Mapping[str, Netlist]) -> dict[str, set[tuple[str, str]]]:
    """Return where the paths from each input of a circuit, with its parts, end.

    An end is the name of a circuit and the name of a register or a memory in it, with its path; or,
    where gates alone lead to an output, "" and the name of the output.
    """
    graph = _whole(top, netlists)
    graph.finish(netlists[top].outputs, "")
    return graph.ends_from(netlists[top].inputs)


def _whole(top: str, netlists: Mapping[str, Netlist]) -> _Graph:
    """Return the graph of a circuit with its parts, still without paths from or to its ports."""
    graph = _Graph()

    def add(netlist: Netlist, path: str) -> int:
        base = graph.add(netlist, path)
        for part in netlist.parts:
            circuit = netlists[part.circuit]
            below = add(circuit, f"{path}{part.name}.")
            for port, nets in part.inputs.items():
                graph.connect(base, nets, below, circuit.inputs[port])
            for port, nets in part.outputs.items():
                graph.connect(below, circuit.outputs[port], base, nets)
        return base

    add(netlists[top], "")
    return graph


class _Graph:
    """The nets of many instances, and what drives what with how many levels."""

    def __init__(self) -> None:
        self._nets = 0
        self._arcs: list[Integers] = []
        self._tables: dict[str, Integers] = {}
        self._bases: list[int] = []
        self._instances: list[tuple[int, str, Netlist]] = []
        self._starts: dict[int, str] = {}
        self._ends: list[_End] = []

    def add(self, netlist: Netlist, path: str) -> int:
        """Add an instance without its parts; returns the number of its first net."""
        base = self._nets
        self._nets += netlist.nets
        self._bases.append(base)
        self._instances.append((base, path, netlist))
        if netlist.name not in self._tables:
            self._tables[netlist.name] = np.array(netlist.arcs, np.int64).reshape(-1, 3)
        self._arcs.append(self._tables[netlist.name] + np.array([base, base, 0]))
        self._starts |= {base + net: path + name for net, name in netlist.starts.items()}
        self._ends += [_End(base + net, path, name, netlist.name) for net, name in netlist.ends]
        return base

    def connect(self, base: int, nets: Nets, other_base: int, others: Nets) -> None:
        """Let nets of an instance drive nets of another, by wires."""
        pairs = zip(nets, others, strict=True)
        arcs = [(base + a, other_base + b, 0) for a, b in pairs if a is not None and b is not None]
        self._arcs.append(np.array(arcs, np.int64).reshape(-1, 3))

    def begin(self, ports: Mapping[str, Nets], path: str) -> None:
        """Let paths begin at ports, of nets of the first instance."""
        for port, nets in ports.items():
            self._starts |= {net: path + port for net in nets if net is not None}

    def finish(self, ports: Mapping[str, Nets], path: str) -> None:
        """Let paths end at ports, of nets of the first instance."""
        for port, nets in ports.items():
            self._ends += [_End(net, path, port, "") for net in nets if net is not None]

    def longest(self, number: int) -> list[Path]:
        """Return the longest paths, longest first, each into another circuit."""
        source, target, weight = np.concatenate(self._arcs).T
        order = np.argsort(target, kind="stable")
        source, target, weight = source[order], target[order], weight[order]
        levels, left = _levels(self._nets, source, target, weight)
        if left.size:
            names = dict.fromkeys(map(self._name, _loop(left, source, target)))
            shown = ", ".join(list(names)[:_SHOWN])
            raise LoopError(f"error: a loop of gates without a register, through {shown}")

        best: dict[str, tuple[int, _End]] = {}
        for end in self._ends:
            reached = int(levels[end.net])
            if end.circuit not in best or reached > best[end.circuit][0]:
                best[end.circuit] = (reached, end)
        chosen = sorted(best.values(), key=lambda item: (-item[0], item[1].path, item[1].name))

        def start_of(net: int) -> str:
            while True:
                first, last = np.searchsorted(target, [net, net + 1])
                if net in self._starts or first == last:
                    return self._starts.get(net) or self._name(net)
                into = slice(first, last)
                on_path = levels[source[into]] + weight[into] == levels[net]
                net = int(source[into][on_path].min())

        return [
            Path(reached, start_of(end.net), end.path + end.name)
            for reached, end in chosen[:number]
        ]

    def ends_from(self, ports: Mapping[str, Nets]) -> dict[str, set[tuple[str, str]]]:
        """Return where the paths from ports end, by port; nets are of the first instance."""
        source, target, _ = np.concatenate(self._arcs).T
        order = np.argsort(source, kind="stable")
        target = target[order]
        first = np.searchsorted(source[order], np.arange(self._nets + 1))
        found: dict[str, set[tuple[str, str]]] = {}
        for port, nets in ports.items():
            reached = np.zeros(self._nets, bool)
            front = np.array([net for net in nets if net is not None], np.int64)
            while front.size:
                reached[front] = True
                following = np.unique(target[_ranges(first[front], first[front + 1])])
                front = following[~reached[following]]
            ends = (end for end in self._ends if reached[end.net])
            found[port] = {(end.circuit, end.path + end.name) for end in ends}
        return found

    def _name(self, net: int) -> str:
        base, path, netlist = self._instances[bisect_right(self._bases, net) - 1]
        return path + netlist.names.get(net - base, "?")


def _levels(
    nets: int, source: Integers, target: Integers, weight: Integers
) -> tuple[Integers, Integers]:
    """Return the level of every net, and the nets without a level: the nets in or after a loop."""
    levels = np.zeros(nets, np.int64)
    missing = np.bincount(target, minlength=nets)
    order = np.argsort(source, kind="stable")
    first = np.searchsorted(source[order], np.arange(nets + 1))
    front = np.flatnonzero(missing == 0)
    while front.size:
        arcs = order[_ranges(first[front], first[front + 1])]
        np.maximum.at(levels, target[arcs], levels[source[arcs]] + weight[arcs])
        np.subtract.at(missing, target[arcs], 1)
        reached = np.unique(target[arcs])
        front = reached[missing[reached] == 0]
    return levels, np.flatnonzero(missing > 0)


def _ranges(first: Integers, after: Integers) -> Integers:
    """Return all numbers of ranges, one range after another."""
    count = after - first
    return np.arange(count.sum()) + np.repeat(first - (np.cumsum(count) - count), count)


def _loop(left: Integers, source: Integers, target: Integers) -> list[int]:
    """Return the nets of a loop, from the nets that are in or after one."""
    within = np.isin(source, left)
    before = dict(zip(target[within].tolist(), source[within].tolist(), strict=True))
    index: dict[int, int] = {}
    net = int(left[0])
    while net not in index:
        index[net] = len(index)
        net = before[net]
    return list(index)[index[net] :]
