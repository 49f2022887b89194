"""Calls per second of programs with small tensors, beside another revision.

    python tests/bench/small_calls.py REVISION [--target accel] [--devices simulator rtl]
        [--rounds 15]

Two programs, an addition and a chain of five operators that broadcasts, are called with tensors of
4 to 1,024 elements. Both revisions run all the time, each in a process of its own, and take turns.
One line for each program, size and device: thousands of calls per second of both, from the median
round, and their ratio: how many times as fast this checkout is. The last line is the geometric mean
of the ratios for each device. On the simulator the seconds are those of the processor, on `rtl`
those of the clock, because another process works there. REVISION runs from a worktree of its own,
with the Python of this process and what is installed there. Exit code 1 if results differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from math import exp, log
from pathlib import Path
from statistics import mean, median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from revisions import CHECKOUT, environment, worktree

ELEMENTS = (4, 16, 64, 256, 1024)
CALLS = 30
"""Calls of a round."""

ROWS = "tensor<?x?xf32>"
PROGRAMS = {
    "add": f"""func.func @main(%a: {ROWS}, %b: {ROWS}) -> {ROWS} {{
  %0 = tosa.add %a, %b : ({ROWS}, {ROWS}) -> {ROWS}
  return %0 : {ROWS}
}}
""",
    "chain": f"""func.func @main(%a: {ROWS}, %b: {ROWS}) -> {ROWS} {{
  %0 = tosa.sub %a, %b : ({ROWS}, {ROWS}) -> {ROWS}
  %1 = tosa.tanh %0 : ({ROWS}) -> {ROWS}
  %2 = tosa.maximum %1, %b : ({ROWS}, {ROWS}) -> {ROWS}
  %3 = tosa.abs %2 : ({ROWS}) -> {ROWS}
  %4 = tosa.add %3, %a : ({ROWS}, {ROWS}) -> {ROWS}
  return %4 : {ROWS}
}}
""",
}


def shapes(name: str, elements: int) -> list[tuple[int, int]]:
    """Return the shapes of a program's arguments; the chain repeats its second one."""
    rows = 1 << (elements.bit_length() - 1) // 2
    whole = rows, elements // rows
    return [whole, whole if name == "add" else (1, whole[1])]


class Caller:
    """A process that calls programs of one revision."""

    def __init__(self, checkout: Path, target: str) -> None:
        command = [sys.executable, str(Path(__file__).resolve()), "--serve", target]
        self._process = subprocess.Popen(
            command,
            cwd=checkout,
            env=environment(checkout),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def round(self, name: str, elements: int, device: str) -> tuple[float, str]:
        """Call a program CALLS times; returns the seconds of one call and a hash of results."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, elements, device]) + "\n")
        self._process.stdin.flush()
        seconds, digest = json.loads(self._process.stdout.readline())
        return seconds, digest

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def serve(target: str) -> None:
    """Call programs with the revision on `PYTHONPATH`, as standard input says."""
    import hwc  # noqa: PLC0415 - the one of the revision

    programs: dict[tuple[str, str], Any] = {}
    for line in sys.stdin:
        name, elements, device = json.loads(line)
        if (name, device) not in programs:
            programs[name, device] = hwc.compile(PROGRAMS[name], target, device=device)
        program = programs[name, device]
        rng = np.random.default_rng(elements)
        arrays = [rng.standard_normal(s).astype(np.float32) for s in shapes(name, elements)]
        result = program(*arrays)  # plans, and the hardware's build, are made once
        clock = process_time if device == "simulator" else perf_counter
        start = clock()
        for _ in range(CALLS):
            program(*arrays)
        seconds = (clock() - start) / CALLS
        digest = hashlib.sha256(b"".join(output.tobytes() for output in result.outputs))
        digest.update(str(sorted(result.counters.items())).encode())
        print(json.dumps([seconds, digest.hexdigest()]), flush=True)


def main() -> int:
    """Measure all programs, sizes and devices; returns the exit code."""
    parser = argparse.ArgumentParser(description="Time calls with small tensors.")
    parser.add_argument("revision", help="the revision to compare this checkout with")
    parser.add_argument("--target", default="accel")
    parser.add_argument("--devices", nargs="+", default=("simulator", "rtl"))
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    print(f"target {args.target}, {args.rounds} rounds of {CALLS} calls; thousands of calls/s")
    print(f"{'device':10}{'program':8}{'elements':>9}{'before':>9}{'now':>9}{'ratio':>9}")
    good = True
    ratios: dict[str, list[float]] = {device: [] for device in args.devices}
    cases = [(p, n, d) for d in args.devices for p in PROGRAMS for n in ELEMENTS]
    with (
        tempfile.TemporaryDirectory() as folder,
        worktree(args.revision, Path(folder) / "before") as before,
    ):
        callers = [Caller(checkout, args.target) for checkout in (before, CHECKOUT)]
        try:
            for case in cases:
                program, elements, device = case
                old, new, same = measure(callers, case, args.rounds)
                good &= same
                ratios[device].append(old / new)
                numbers = f"{1e-3 / old:9.3f}{1e-3 / new:9.3f}{old / new:9.2f}"
                print(f"{device:10}{program:8}{elements:9}{numbers}", flush=True)
        finally:
            for caller in callers:
                caller.close()
    for device, found in ratios.items():
        print(f"{device}: {exp(mean(map(log, found))):.2f} times as many calls per second")
    if not good:
        print("error: results or counters differ", file=sys.stderr)
    return 0 if good else 1


def measure(
    callers: list[Caller], case: tuple[str, int, str], rounds: int
) -> tuple[float, float, bool]:
    """Return the seconds of a call of both revisions, and whether their results are the same.

    The revisions take turns in going first.
    """
    found: list[list[float]] = [[], []]
    digests: set[str] = set()
    for turn in range(rounds + 1):  # the first one is not counted
        for which in (0, 1) if turn % 2 else (1, 0):
            seconds, digest = callers[which].round(*case)
            digests.add(digest)
            if turn:
                found[which].append(seconds)
    return median(found[0]), median(found[1]), len(digests) == 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
        sys.exit(0)
    sys.exit(main())
