"""How long the timing of a strip takes in this checkout, and in another revision.

    python tests/bench/strip_speed.py REVISION [--target accel] [--rounds 7]

Four programs with three sizes. One line for each: the strips, in this checkout, and microseconds of
processor time for a strip in both revisions, with their ratio: as a run asks for times, and with
every strip evaluated, where nothing that repeats is passed over. The strips are counted in each
revision, because what were two kernels may have become one. REVISION runs from a worktree of its
own, with the Python of this process and what is installed there. Exit code 1 if a run takes more
than `LIMIT` times as long for a strip.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from revisions import CHECKOUT, environment, worktree

LIMIT = 1.5
ROWS = "tensor<?x?xf32>"
SIZES = ((16, 16), (256, 1024), (3001, 1001))
SECONDS = 0.02
"""The processor time of a round, about."""


def text(*lines: str) -> str:
    """Return a program of three arguments that returns its last value."""
    types = [(line, ", ".join([ROWS] * (line.count("%") - 1))) for line in lines]
    body = "\n".join(f"{line} : ({operands}) -> {ROWS}" for line, operands in types)
    head = f"func.func @main(%a: {ROWS}, %b: {ROWS}, %c: {ROWS}) -> {ROWS} {{"
    return f"{head}\n{body}\nreturn %{len(lines) - 1} : {ROWS}\n}}"


PROGRAMS = {
    "add a row": text("%0 = tosa.add %a, %b"),
    "row, column": text("%0 = tosa.sub %a, %b", "%1 = tosa.add %0, %c"),
    "tanh between": text("%0 = tosa.sub %a, %b", "%1 = tosa.tanh %0", "%2 = tosa.add %1, %c"),
    "three special": text(
        "%0 = tosa.tanh %a",
        "%1 = tosa.add %0, %b",
        "%2 = tosa.exp %1",
        "%3 = tosa.sigmoid %2",
        "%4 = tosa.sub %3, %c",
    ),
}


def best(work: Any, rounds: int) -> float:
    """Return the processor time of the best of some rounds of calls."""
    start = process_time()
    work()
    calls = max(1, int(SECONDS / max(1e-6, process_time() - start)))
    times: list[float] = []
    for _ in range(rounds):
        start = process_time()
        for _ in range(calls):
            work()
        times.append((process_time() - start) / calls)
    return min(times)


def measure(target: str, rounds: int) -> None:
    """Print the figures of the revision on `PYTHONPATH` as JSON."""
    import hwc  # noqa: PLC0415 - the one of the revision
    import sim.timing  # noqa: PLC0415 - as above
    from sim.timing.walk import kernel_time  # noqa: PLC0415 - as above

    kernels: list[tuple[Any, Any]] = []
    # What a run calls: the older name or the newer one.
    name = "kernel_times" if hasattr(sim.timing, "kernel_times") else "kernel_time"
    original = getattr(sim.timing, name)

    def noted(target: Any, kernel: Any, *args: Any, **options: Any) -> Any:
        kernels.append((target, kernel))
        return original(target, kernel, *args, **options)

    setattr(sim.timing, name, noted)
    for module in list(sys.modules.values()):  # who imported the function itself
        if module.__name__.startswith("sim.") and getattr(module, name, None) is original:
            setattr(module, name, noted)
    runs: list[list[tuple[Any, Any]]] = []
    for source in PROGRAMS.values():
        program = hwc.compile(source, target)
        for rows, row in SIZES:
            kernels.clear()
            program(*(np.zeros(s, np.float32) for s in ((rows, row), (1, row), (rows, 1))))
            runs.append(kernels[:])
    found: list[list[float]] = []
    for measured in (False, True):  # first so that numba is loaded, as after much work
        found.clear()
        for ran in runs:
            strips = sum(kernel.strips for _, kernel in ran)
            times = [
                best(
                    lambda r=ran, o=options: [kernel_time(*k, **o) for k in r],
                    rounds if measured else 1,
                )
                for options in ({}, {"skip": False})
            ]
            found.append([strips, *(1e6 * time / strips for time in times)])
    print(json.dumps(found))


def figures(checkout: Path, target: str, rounds: int) -> list[list[float]]:
    """Return what `measure` prints in a process of its own, with the modules of a checkout."""
    command = [sys.executable, str(Path(__file__).resolve()), "--measure", target, str(rounds)]
    done = subprocess.run(
        command, cwd=checkout, env=environment(checkout), check=True, stdout=subprocess.PIPE
    )
    return json.loads(done.stdout)


def main() -> int:
    """Measure both revisions; returns the exit code."""
    parser = argparse.ArgumentParser(description="Time the timing of strips.")
    parser.add_argument("revision", help="the revision to compare this checkout with")
    parser.add_argument("--target", default="accel")
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        worktree(args.revision, Path(folder) / "before") as before,
    ):
        old, new = (figures(c, args.target, args.rounds) for c in (before, CHECKOUT))
    print("us for a strip                             a run               every strip")
    print(f"{'program':15}{'size':>10}{'strips':>8}{'before':>9}{'now':>9}{'ratio':>7}", end="")
    print(f"{'before':>9}{'now':>9}{'ratio':>7}")
    cases = [(name, size) for name in PROGRAMS for size in SIZES]
    for (name, size), was, now in zip(cases, old, new, strict=True):
        line = f"{name:15}{f'{size[0]}x{size[1]}':>10}{int(now[0]):8}"
        for a, b in zip(was[1:], now[1:], strict=True):
            line += f"{a:9.3f}{b:9.3f}{b / a:7.2f}"
        print(line)
    worst = max(now[1] / was[1] for was, now in zip(old, new, strict=True))
    print(f"a run takes at most {worst:.2f} times as long for a strip")
    return int(worst > LIMIT)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main())
