"""Simulated cycles per second of the simulator and of the hardware under Verilator.

    python tests/bench/hardware_speed.py [--target tiny] [--rounds 5] [--large]

Five programs of different kinds, each with the same shapes and values on both, in turns; with
`--large` each takes 100,000 cycles or more. One line each: cycles, the time of the best round and
thousands of cycles per second of both, and their ratio, of the best and of the median rounds.
`dispatch` is the time in which the machine runs: for the simulator results and timing together, for
the hardware from the writes of its registers to the last counter read, without a trace. `call` is a
whole call of the program, which adds the checks of arguments and the copies into memory, and for
the hardware the transfer of memory into its process and out. A simulator that has run a dispatch
remembers its timing; `first` is the ratio for a dispatch on a new simulator, which remembers
nothing. Special functions are compiled by numba, as in a process that has computed much. Building
the hardware is not part of it. Exit code 1 if results differ.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # run as a script

from e2e.support.tosa_text import add_program, chain_program, dynamic, one_operator  # noqa: E402 - after the path
from e2e.test_long_chains import long_chain  # noqa: E402 - as above

import hwc  # noqa: E402 - as above
from hwc.cli.values import random_array  # noqa: E402 - as above
from hwc.runtime.program import Program  # noqa: E402 - as above
from hwc.runtime.rtl import RtlDevice  # noqa: E402 - as above
from hwc.runtime.simulator import Simulator  # noqa: E402 - as above
from sim.semantics.special import load_all  # noqa: E402 - as above

TWO = dynamic(2)
PROGRAMS = {
    "dense add": (add_program(TWO, TWO, TWO), [(64, 256), (64, 256)]),
    "row, column": (chain_program([TWO] * 4, TWO), [(64, 256), (1, 256), (64, 1), (1, 1)]),
    "30 operators": (long_chain(30), [(32, 256), (1, 256)]),
    "tanh": (one_operator("tanh", [(TWO, "f32")], (TWO, "f32")), [(32, 256)]),
    "i8 add": (add_program(TWO, TWO, TWO, "i8"), [(64, 256), (64, 1)]),
}
LARGE = {"dense add": 32, "row, column": 16, "30 operators": 4, "tanh": 32, "i8 add": 64}
"""How many times the rows of each program `--large` takes."""


class Timed:
    """A device that notes how long its dispatches take."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.seconds = 0.0

    def allocate(self, nbytes: int) -> Any:
        return self.device.allocate(nbytes)

    def run(self, memory: Any, job: Any) -> Any:
        start = perf_counter()
        outcome = self.device.run(memory, job)
        self.seconds += perf_counter() - start
        return outcome


class TimedHardware(RtlDevice):
    """The hardware, noting how long it runs between its memory's transfers."""

    seconds = 0.0

    def session(self, *memory: int) -> Any:
        session = super().session(*memory)
        if "run" not in vars(session):
            real = session.run

            def run(*arguments: Any, **options: Any) -> Any:
                start = perf_counter()
                outcome = real(*arguments, **options)
                self.seconds += perf_counter() - start
                return outcome

            session.run = run
        return session


def measure(device: Any, program: Program, arrays: list[Any]) -> tuple[float, float, Any]:
    """One call: seconds of its dispatches, of all of it, and its result."""
    device.seconds = 0.0
    start = perf_counter()
    result = program(*arrays)
    return device.seconds, perf_counter() - start, result


def same(a: Any, b: Any) -> bool:
    pairs = zip(a.outputs, b.outputs, strict=True)
    return a.counters == b.counters and all(x.tobytes() == y.tobytes() for x, y in pairs)


def main() -> int:
    """Measure every program; returns the exit code."""
    parser = argparse.ArgumentParser(description="Time simulator and hardware.")
    parser.add_argument("--target", default="accel")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="with 100,000 cycles or more")
    args = parser.parse_args()
    load_all()
    print(f"target {args.target}, {args.rounds} rounds; ms of the best; kHz: thousands of cycles/s")
    print(f"{'':13}{'cycles':>8} |{'simulator':^27} |{'hardware':^27} | {'simulator/hardware':^31}")
    print(f"{'program':13}{'':8} |{'dispatch':>9}{'call':>9}{'kHz':>9} |{'dispatch':>9}{'call':>9}"
          f"{'kHz':>9} |{'best':>8}{'median':>8}{'call':>8}{'first':>8}")  # fmt: skip
    good = True
    hardware = None
    ratios: list[float] = []
    for name, (text, small) in PROGRAMS.items():
        times = LARGE[name] if args.large else 1
        shapes = [(rows * times if rows > 1 else 1, width) for rows, width in small]
        package = hwc.compile(text, args.target).package
        target = Program(package).target
        hardware = hardware or TimedHardware(target)
        devices = Timed(Simulator(target)), hardware
        programs = [Program(package, device) for device in devices]
        rng = np.random.default_rng(0)
        arrays = [random_array(s, t.type, rng) for s, t in zip(shapes, package.inputs, strict=True)]
        spent: list[list[tuple[float, float]]] = [[], []]
        first: list[float] = []
        for turn in range(args.rounds + 1):  # the first is not counted: builds, imports, caches
            results = []
            for device, program, found in zip(devices, programs, spent, strict=True):
                dispatch, call, result = measure(device, program, arrays)
                results.append(result)
                if turn:
                    found.append((dispatch, call))
            new = Timed(Simulator(target))
            measure(new, Program(package, new), arrays)
            first.append(new.seconds)
            good &= same(*results)
        cycles = results[0].cycles
        best = [[min(column) for column in zip(*found, strict=True)] for found in spent]
        middle = [median(dispatch for dispatch, _ in found) for found in spent]
        columns = [
            f"{dispatch * 1e3:9.2f}{call * 1e3:9.2f}{cycles / dispatch / 1e3:9.1f}"
            for dispatch, call in best
        ]
        found = [best[1][0] / best[0][0], middle[1] / middle[0], best[1][1] / best[0][1]]
        found.append(best[1][0] / min(first))
        line = "".join(f"{ratio:8.1f}" for ratio in found)
        print(f"{name:13}{cycles:8} |{' |'.join(columns)} |{line}", flush=True)
        ratios.append(found[0])
    if hardware is not None:
        hardware.close()
    print(f"the simulator is {min(ratios):.0f} to {max(ratios):.0f} times as fast")
    if not good:
        print("error: outputs or counters differ", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
