"""The report in Markdown: tables of circuits, memories and paths for every target."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rtl_models.synthesis.netlist import Memory, Netlist
from rtl_models.synthesis.parameters import Parameters
from rtl_models.synthesis.paths import Path, own_path, whole_paths

_PATHS = 10


@dataclass(frozen=True)
class Synthesis:
    """A target's machine: its circuits by name, their parameters, and what paths there are."""

    target: str
    top: str
    netlists: Mapping[str, Netlist]
    parameters: Mapping[str, Parameters]
    own: Mapping[str, Path]
    whole: list[Path]
    instances: Mapping[str, int]

    @property
    def flip_flops(self) -> int:
        """Bits of flip-flops, all instances."""
        return sum(n.flip_flops * self.instances[name] for name, n in self.netlists.items())

    @property
    def cells(self) -> int:
        """Gates, flip-flops and memories of all instances."""
        return sum(_cells(n) * self.instances[name] for name, n in self.netlists.items())

    @property
    def memories(self) -> list[tuple[str, Memory, int]]:
        """Every memory with the circuit that it is in and the number of its instances."""
        return [(n, m, self.instances[n]) for n, c in self.netlists.items() for m in c.memories]


def measure(
    target: str, top: str, netlists: Mapping[str, Netlist], parameters: Mapping[str, Parameters]
) -> Synthesis:
    """Count instances and find the longest paths.

    Raises:
        LoopError: there is a loop of gates.
    """
    own = {name: own_path(netlist) for name, netlist in netlists.items()}
    whole = whole_paths(top, netlists, _PATHS)
    return Synthesis(target, top, netlists, parameters, own, whole, instances(top, netlists))


def instances(top: str, netlists: Mapping[str, Netlist]) -> Mapping[str, int]:
    """Return how often each circuit occurs in `top`, by its name; parts come before wholes."""
    numbers: Counter[str] = Counter({top: 1})
    for name in reversed(list(netlists)):
        for part in netlists[name].parts:
            numbers[part.circuit] += numbers[name]
    return numbers


def report(syntheses: list[Synthesis], preface: str) -> str:
    """Return the report; `preface` says how the report was made."""
    lines = ["# Synthesis of the hardware", "", *preface.splitlines(), ""]
    lines += ["| target | circuits | instances | cells | flip-flops | memories | memory bits "]
    lines[-1] += "| deepest path |"
    lines += ["|---|---|---|---|---|---|---|---|"]
    for synthesis in syntheses:
        memories = synthesis.memories
        bits = sum(m.words * m.bits * number for _, m, number in memories)
        lines.append(
            f"| {synthesis.target} | {len(synthesis.netlists)} "
            f"| {sum(synthesis.instances.values())} | {synthesis.cells} | {synthesis.flip_flops} "
            f"| {sum(number for _, _, number in memories)} | {bits} "
            f"| {max(path.levels for path in synthesis.whole)} levels |"
        )
    for synthesis in syntheses:
        lines += ["", f"## Target {synthesis.target}", "", *_circuits(synthesis)]
        lines += ["", *_memories(synthesis), "", *_paths(synthesis)]
    return "".join(line + "\n" for line in lines)


def _circuits(synthesis: Synthesis) -> Iterator[str]:
    yield f"### Modules of {synthesis.target}"
    yield ""
    yield "| module | instances | cells | flip-flops | memories | levels | from | to |"
    yield "|---|---|---|---|---|---|---|---|"
    titles = _titles(synthesis)
    for name in sorted(titles, key=lambda name: _order(synthesis, name)):
        netlist, path = synthesis.netlists[name], synthesis.own[name]
        memories = ", ".join(f"{m.words} × {m.bits}" for m in netlist.memories)
        ends = f"`{path.start}` | `{path.end}`" if path.levels else "– | –"
        yield (
            f"| {titles[name]} | {synthesis.instances[name]} | {_cells(netlist)} "
            f"| {netlist.flip_flops} | {memories or '–'} | {path.levels} | {ends} |"
        )
    yield (
        f"| **machine with all parts** | {sum(synthesis.instances.values())} | {synthesis.cells} "
        f"| {synthesis.flip_flops} | {sum(n for _, _, n in synthesis.memories)} "
        f"| {max(path.levels for path in synthesis.whole)} | see below | |"
    )


def _memories(synthesis: Synthesis) -> Iterator[str]:
    keepers: dict[str, set[str]] = defaultdict(set)
    for netlist in synthesis.netlists.values():
        for part in netlist.parts:
            keepers[part.circuit].add(netlist.module)
    yield f"### Memories of {synthesis.target}"
    yield ""
    yield "| cell | in | instances | words × bits | bits of all | ports | read through |"
    yield "|---|---|---|---|---|---|---|"
    rows: Counter[tuple[str, str, int, int, str, str]] = Counter()
    for name, memory, number in synthesis.memories:
        ports = f"{memory.write_ports} write, {memory.read_ports} read"
        holder = ", ".join(f"`{module}`" for module in sorted(keepers[name]))
        through = "a register" if memory.registered else "multiplexers"
        cell = synthesis.netlists[name].module
        rows[cell, holder, memory.words, memory.bits, ports, through] += number
    for (cell, holder, words, bits, ports, through), number in sorted(rows.items()):
        yield (
            f"| `{cell}` | {holder} | {number} | {words} × {bits} | {words * bits * number} "
            f"| {ports} | {through} |"
        )


def _paths(synthesis: Synthesis) -> Iterator[str]:
    yield f"### Deepest paths of {synthesis.target}"
    yield ""
    yield "| levels | from | to |"
    yield "|---|---|---|"
    for path in synthesis.whole:
        yield f"| {path.levels} | `{path.start}` | `{path.end}` |"


def _cells(netlist: Netlist) -> int:
    return netlist.gates.total() + netlist.flip_flops + len(netlist.memories)


def _order(synthesis: Synthesis, name: str) -> tuple[str, list[tuple[str, int]], str]:
    netlist = synthesis.netlists[name]
    return netlist.module, sorted(synthesis.parameters[name].items()), netlist.path


def _titles(synthesis: Synthesis) -> dict[str, str]:
    """Title every circuit: by its module, with parameters and a path as far as it needs them."""
    circuits = synthesis.netlists
    modules = Counter(netlist.module for netlist in circuits.values())
    titles = {name: f"`{netlist.module}`" for name, netlist in circuits.items()}
    for name, netlist in circuits.items():
        if modules[netlist.module] > 1:
            titles[name] += "".join(f" {p}={v}" for p, v in synthesis.parameters[name].items())
    same = Counter(titles.values())
    return {
        name: title if same[title] == 1 else f"{title} at `{circuits[name].path}`"
        for name, title in titles.items()
    }
