"""The netlist of one circuit, as Yosys writes it in JSON: its cells and their connections."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FLIP_FLOP = re.compile(r"\$_(?:FF_|(?:S?DFF|DFFE|SDFFC?E|ALDFFE?|DFFSRE?)_[PN01]+_)")
_GATE = re.compile(r"\$_(BUF|NOT|AND|NAND|OR|NOR|XOR|XNOR|ANDNOT|ORNOT|MUX)_")
_CLOCKS = ("C", "RD_CLK", "WR_CLK")
_HOLDS = re.compile(r"_q$")


@dataclass(frozen=True)
class Memory:
    """A memory that synthesis kept as a memory."""

    name: str
    words: int
    bits: int
    """Bits of a word. A column that holds the same constant in every word does not count."""
    write_ports: int
    read_ports: int
    registered: bool
    """Whether all reads have a register, as block memories need."""


@dataclass(frozen=True)
class Part:
    """An instance of another circuit, with the nets at its ports; None is a constant."""

    name: str
    circuit: str
    inputs: Mapping[str, list[int | None]]
    outputs: Mapping[str, list[int | None]]


@dataclass
class Netlist:
    """One circuit, without its parts. Nets are numbers below `nets`."""

    name: str
    """The module and the path of its first instance: `module$path`."""
    nets: int = 0
    gates: Counter[str] = field(default_factory=Counter)
    flip_flops: int = 0
    other: Counter[str] = field(default_factory=Counter)
    """Cells that are neither gates nor flip-flops nor memories: latches, or what was not mapped."""
    memories: list[Memory] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    inputs: dict[str, list[int | None]] = field(default_factory=dict)
    outputs: dict[str, list[int | None]] = field(default_factory=dict)
    arcs: list[tuple[int, int, int]] = field(default_factory=list)
    """Net, the net that it drives through logic, and the levels between."""
    starts: dict[int, str] = field(default_factory=dict)
    """Nets that flip-flops and registered reads drive, with the name of the driver."""
    ends: list[tuple[int, str]] = field(default_factory=list)
    """Nets that go into flip-flops and memories, with the name of the cell that takes them."""
    names: dict[int, str] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """The name of the module in the sources."""
        return self.name.partition("$")[0]

    @property
    def path(self) -> str:
        """Where the first instance is."""
        return self.name.partition("$")[2] or self.name


def read_netlist(path: Path) -> Netlist:
    """Return the netlist of the one module in a file that is not a black box."""
    modules = json.loads(path.read_text(encoding="utf-8"))["modules"]
    (own,) = (name for name, m in modules.items() if "blackbox" not in m["attributes"])
    netlist = Netlist(own, names=_names(modules[own]["netnames"]))
    netlist.nets = 1 + max(netlist.names, default=1)
    for name, port in modules[own]["ports"].items():
        side = netlist.inputs if port["direction"] == "input" else netlist.outputs
        side[name] = _nets(port["bits"])
    for name, cell in modules[own]["cells"].items():
        _add_cell(netlist, name, cell)
    return netlist


def _add_cell(netlist: Netlist, name: str, cell: Mapping[str, Any]) -> None:
    kind: str = cell["type"]
    pins = {pin: _nets(bits) for pin, bits in cell["connections"].items()}
    if _GATE.fullmatch(kind):
        netlist.gates[kind] += 1
        (output,) = pins.pop("Y")
        assert output is not None
        netlist.arcs += [(net, output, 1) for (net,) in pins.values() if net is not None]
    elif _FLIP_FLOP.fullmatch(kind):
        netlist.flip_flops += 1
        (output,) = pins.pop("Q")
        assert output is not None
        netlist.starts[output] = netlist.names[output]
        netlist.ends += [(net, netlist.names[output]) for net in _read(pins)]
    elif kind == "$mem_v2":
        _add_memory(netlist, cell, pins)
    elif not kind.startswith("$"):
        directions = cell["port_directions"]
        inputs = {pin: nets for pin, nets in pins.items() if directions[pin] == "input"}
        outputs = {pin: nets for pin, nets in pins.items() if directions[pin] == "output"}
        netlist.parts.append(Part(name, kind, inputs, outputs))
    elif kind != "$scopeinfo":
        netlist.other[kind] += 1


def _add_memory(
    netlist: Netlist, cell: Mapping[str, Any], pins: Mapping[str, list[int | None]]
) -> None:
    parameters = cell["parameters"]
    words, bits, address_bits, writes, reads = (
        int(parameters[key], 2) for key in ("SIZE", "WIDTH", "ABITS", "WR_PORTS", "RD_PORTS")
    )
    clocked = [int(c) for c in reversed(parameters["RD_CLK_ENABLE"])][:reads]
    name = parameters["MEMID"].removeprefix("\\")
    netlist.memories.append(Memory(name, words, bits, writes, reads, all(clocked)))
    ending = {pin: nets for pin, nets in pins.items() if pin not in ("RD_DATA", "RD_ADDR")}
    netlist.ends += [(net, name) for net in _read(ending)]
    for port in range(reads):
        address = pins["RD_ADDR"][port * address_bits : (port + 1) * address_bits]
        data = [net for net in pins["RD_DATA"][port * bits : (port + 1) * bits] if net is not None]
        if clocked[port]:
            netlist.ends += [(net, name) for net in address if net is not None]
            netlist.starts |= {net: name for net in data}
        else:
            # A tree of multiplexers, one level for a bit of the address.
            levels = (words - 1).bit_length()
            known = [net for net in address if net is not None]
            netlist.arcs += [(source, net, levels) for source in known for net in data]


def _read(pins: Mapping[str, list[int | None]]) -> Iterator[int]:
    for pin, nets in pins.items():
        if pin not in _CLOCKS:
            yield from (net for net in nets if net is not None)


def _nets(bits: list[int | str]) -> list[int | None]:
    """Return the nets of a list of bits, of which constants are text."""
    return [bit if isinstance(bit, int) else None for bit in bits]


def _names(entries: Mapping[str, Any]) -> dict[int, str]:
    """Name every net: by a register if it is one, else the shortest name in the sources."""

    def rank(name: str) -> tuple[bool, bool, int, str]:
        return (bool(entries[name]["hide_name"]), not _HOLDS.search(name), len(name), name)

    names: dict[int, str] = {}
    for name in sorted(entries, key=rank):
        for net in _nets(entries[name]["bits"]):
            if net is not None:
                names.setdefault(net, name)
    return names
