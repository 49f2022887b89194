"""Estimates the slowest paths of a circuit from its mapped cells, before it is placed.

To place a whole machine takes an hour, if it fits the device at all. Its cells are known within
minutes. They decide most of the delay of a path: the cells on the path, and the number of readers
of each net. The estimate shows where to look, not how fast the circuit is: once placed, the slowest
path of `tiny` takes about a fifth longer.

The delays of cells come from nextpnr's logs for an ECP5 of speed grade 6. A wire to one reader
takes `WIRE`, about the mean of the 188 short wires on the slowest paths of placed modules (0.77
ns), and `DOUBLING` more each time the number of readers doubles.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import log2
from typing import Any

from rtl_models.synthesis.nextpnr import NUMBERED

WIRE, DOUBLING = 0.75, 0.3
"""Nanoseconds."""
MOST_READERS = 256
"""A net of more readers is taken for one of so many: it gets buffers, or waits for a reset."""

Cell = Mapping[str, Any]
"""A cell as Yosys writes it in JSON: `type`, `port_directions`, `connections`."""

# What a cell takes from the clock to its outputs, in nanoseconds.
_FROM_CLOCK = {"TRELLIS_FF": 0.52, "DP16KD": 5.83}
# What it takes from inputs to outputs; each pattern is a kind of port.
_THROUGH: Mapping[str, tuple[tuple[str, str, float], ...]] = {
    "LUT4": (("[ABCD]", "Z", 0.24),),
    "PFUMX": (("ALUT|BLUT", "Z", 0.17), ("C0", "Z", 0.26)),
    "L6MUX21": (("D0|D1", "Z", 0.24), ("SD", "Z", 0.26)),
    "CCU2C": (
        ("[ABCD]0", "S0", 0.24),
        ("[ABCD]1", "S1", 0.24),
        ("[ABCD]0", "S1|COUT", 0.45),
        ("[ABCD]1", "COUT", 0.45),
        ("CIN", "S0|S1", 0.44),
        ("CIN", "COUT", 0.07),
    ),
    "TRELLIS_DPR16X4": (("RAD", "DO", 0.24),),
    "MULT18X18D": ((r"[AB]\d+", r"P\d+", 3.93),),
}
_CHAIN = "CIN"
"""The port whose wire takes no time."""
_CLOCKED = frozenset({"TRELLIS_FF", "DP16KD", "TRELLIS_DPR16X4"})
_CLOCKS = frozenset({"CLK", "WCK", "CLKA", "CLKB", "LSR", "RSTA", "RSTB"})
"""Inputs at which no path ends: clocks and resets."""

_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True)
class Crossing:
    """The slowest path between two places, and at how many inputs of cells such paths end.

    A place is a register or memory without indices: all bits, lanes and streams count as one.
    """

    ns: float
    start: str
    end: str
    ends: int


def slowest(cells: Mapping[str, Cell], least_ns: float) -> list[Crossing]:
    """Return where paths take at least some nanoseconds, the slowest first.

    Paths between registers, and from and to memories, count; those that begin at an input of the
    circuit or end at an output do not.
    """
    arrivals = _Arrivals(cells)
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for name, port, net in _inputs(cells):
        if cells[name]["type"] not in _CLOCKED or port in _CLOCKS or port == "RAD":
            continue
        ns, start = arrivals.of(net)
        ns += arrivals.wire(net)
        if start and ns >= least_ns:
            found[_place(start), _place(name)].append(ns)
    crossings = [Crossing(max(ns), *places, len(ns)) for places, ns in found.items()]
    return sorted(crossings, key=lambda c: (-c.ns, c.start, c.end))


class _Arrivals:
    """When each net has its value, and at which cell the path to it begins."""

    def __init__(self, cells: Mapping[str, Cell]) -> None:
        self._cells = cells
        self._drivers = {net: (name, port) for name, port, net in _outputs(cells)}
        self._readers = Counter(net for _, _, net in _inputs(cells))
        self._known: dict[int, tuple[float, str]] = {}

    def wire(self, net: int) -> float:
        return WIRE + DOUBLING * log2(min(self._readers[net], MOST_READERS))

    def of(self, net: int) -> tuple[float, str]:
        """Return nanoseconds from the clock, and the cell; an input of the circuit has none."""
        waiting = [net]
        while waiting:  # a path is longer than Python's stack
            one = waiting[-1]
            if one in self._known:
                waiting.pop()
                continue
            before = list(self._before(one))
            missing = [each for each, _ in before if each not in self._known]
            if missing:
                waiting += missing
                continue
            times = [(self._known[each][0] + ns, self._known[each][1]) for each, ns in before]
            self._known[one] = max(times, default=self._begin(one))
        return self._known[net]

    def _begin(self, net: int) -> tuple[float, str]:
        if net not in self._drivers:
            return 0.0, ""
        name = self._drivers[net][0]
        return _FROM_CLOCK.get(self._cells[name]["type"], 0.0), name

    def _before(self, net: int) -> Iterator[tuple[int, float]]:
        """Yield the nets that a net waits for, and how long its value takes from each."""
        if net not in self._drivers:
            return
        name, port = self._drivers[net]
        cell = self._cells[name]
        for inputs, outputs, ns in _THROUGH.get(cell["type"], ()):
            if not re.fullmatch(outputs, port):
                continue
            for source in cell["connections"]:
                if re.fullmatch(inputs, source):
                    for each in _nets(cell, source):
                        yield each, ns + (0.0 if source == _CHAIN else self.wire(each))


def _nets(cell: Cell, port: str) -> list[int]:
    """Return the nets at a port; constants are words."""
    return [net for net in cell["connections"][port] if isinstance(net, int)]


def _ports(cells: Mapping[str, Cell], direction: str) -> Iterator[tuple[str, str, int]]:
    for name, cell in cells.items():
        for port in cell["connections"]:
            if cell["port_directions"][port] == direction:
                yield from ((name, port, net) for net in _nets(cell, port))


def _inputs(cells: Mapping[str, Cell]) -> Iterable[tuple[str, str, int]]:
    return _ports(cells, "input")


def _outputs(cells: Mapping[str, Cell]) -> Iterable[tuple[str, str, int]]:
    return _ports(cells, "output")


def _place(cell: str) -> str:
    """Return the register or memory that a cell is a part of, without indices."""
    return _INDEX.sub("", NUMBERED.sub("", cell))
