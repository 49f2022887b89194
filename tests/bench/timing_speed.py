"""Timings without data per second, beside runs of the same calls in the same process.

    python tests/bench/timing_speed.py [--target accel] [--calls 200]

Programs of one to four kernels are timed by `program.time` with shapes of several sizes, other
ones in each call, so that nothing that is kept for the same shapes helps. One line for each program
and size: timings per second, runs per second, and their ratio, in processor time; large sizes are
not run. The last lines time rows that are longer than their ring, in 10,000 rows of a matrix: rows
whose strips come into the same place after 3,125 strips or a little more, and rows of odd length,
whose strips do so after 50,001 strips or more.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from time import process_time

import numpy as np

import hwc
from hwc.runtime import Program

ROWS = "tensor<?x?xf32>"


def text(lines: list[str], results: list[str]) -> str:
    """Return a program of two arguments."""
    body = "\n".join(
        f"{line} : ({', '.join([ROWS] * (line.count('%') - 1))}) -> {ROWS}" for line in lines
    )
    types = ", ".join([ROWS] * len(results))
    head = f"func.func @main(%a: {ROWS}, %b: {ROWS}, %c: {ROWS}) -> ({types}) {{\n{body}\n"
    return f"{head}return {', '.join(results)} : {types}\n}}"


PROGRAMS = {
    "add": text(["%0 = tosa.add %a, %b"], ["%0"]),
    "chain": text(["%0 = tosa.sub %a, %b", "%1 = tosa.tanh %0", "%2 = tosa.add %1, %c"], ["%2"]),
    "several": text(
        [
            "%0 = tosa.add %b, %b",
            "%1 = tosa.sub %0, %c",
            "%2 = tosa.tanh %c",
            "%3 = tosa.add %a, %1",
        ],
        ["%0", "%1", "%2", "%3"],
    ),
}
SIZES = {"small": (4, 5), "medium": (60, 300), "large": (3000, 1000), "largest": (10**6, 1900)}
RUN = 1 << 22
"""The most points of a call that is run as well."""

SECONDS = 2.0
"""The processor time of a figure, about."""


def shapes(program: str, size: tuple[int, int], number: int) -> list[tuple[int, int]]:
    """Return the shapes of a call; the second operand is a row, the third one a column."""
    rows, row = size[0] + number % 7, size[1] + number
    return [(rows, row), (1, row), (rows, 1)]


def per_second(work: Iterator[object]) -> float:
    """Return how many items a second of processor time brings; stops after `SECONDS`."""
    start, done = process_time(), 0
    for _ in work:
        done += 1
        if process_time() - start > SECONDS:
            break
    return done / (process_time() - start)


def timings(program: Program, name: str, size: tuple[int, int], first: int, calls: int):
    """Time calls."""
    return (program.time(*shapes(name, size, first + n)) for n in range(calls))


def runs(program: Program, name: str, size: tuple[int, int], first: int, calls: int):
    """Run calls, whose arrays are views of one number: only the machine works with them."""
    zero = np.float32(0)
    return (
        program(*(np.broadcast_to(zero, shape) for shape in shapes(name, size, first + n)))
        for n in range(calls)
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time calls without data.")
    parser.add_argument("--target", default="accel")
    parser.add_argument("--calls", type=int, default=200)
    args = parser.parse_args()
    print(f"{'program':10}{'size':10}{'kernels':>8}{'timings/s':>11}{'runs/s':>9}{'ratio':>8}")
    for name, source in PROGRAMS.items():
        program = hwc.compile(source, args.target)
        for kind, size in SIZES.items():
            kernels = len(program.time(*shapes(name, size, 0)).kernels)
            rate = per_second(timings(program, name, size, 1, args.calls))
            line = f"{name:10}{kind:10}{kernels:8}{rate:11,.0f}"
            if size[0] * size[1] < RUN:
                ran = per_second(runs(program, name, size, 10_000, args.calls))
                line += f"{ran:9,.0f}{rate / ran:8.1f}"
            print(line, flush=True)
    program = hwc.compile(PROGRAMS["add"], args.target)
    for first in (50_000, 50_001):
        rows = (first + 2 * n for n in range(args.calls))
        rate = per_second(program.time((10_000, row), (1, row), (1, 1)) for row in rows)
        print(f"{'add':10}{f'rows {first}':13}{1:5}{rate:11,.0f}")


if __name__ == "__main__":
    main()
