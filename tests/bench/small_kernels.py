"""Cycles of programs with small tensors, where set-up and the wait for memory are what counts.

    python tests/bench/small_kernels.py [--sizes 16x16 64x64] [--targets accel tiny wide]

One line for each target and program: an addition, a chain of three operators, the demo, and four
operators, each on arguments of its own, which are four kernels. The demo has three dimensions: its
first is 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import hwc

ROWS = "tensor<?x?xf32>"
DEMO = Path(__file__).parents[1] / "e2e" / "programs" / "chain.mlir"
OPERATORS = ("add", "sub", "maximum", "minimum")


def function(arguments: int, lines: Sequence[str], results: Sequence[str]) -> str:
    """Write a function on matrices."""
    named = ", ".join(f"%a{i}: {ROWS}" for i in range(arguments))
    types = ", ".join([ROWS] * len(results))
    body = "\n".join(f"  {line}" for line in lines)
    returned = f"return {', '.join(results)} : {types}"
    return f"func.func @main({named}) -> ({types}) {{\n{body}\n  {returned}\n}}\n"


def binary(result: str, name: str, a: str, b: str) -> str:
    """Write an operator."""
    return f"{result} = tosa.{name} {a}, {b} : ({ROWS}, {ROWS}) -> {ROWS}"


def four() -> str:
    """Write four operators on eight arguments."""
    results = [f"%r{i}" for i in range(4)]
    lines = [
        binary(result, name, f"%a{2 * i}", f"%a{2 * i + 1}")
        for i, (result, name) in enumerate(zip(results, OPERATORS, strict=True))
    ]
    return function(8, lines, results)


PROGRAMS = {
    "add": (2, 2, function(2, [binary("%r", "add", "%a0", "%a1")], ["%r"])),
    "add, tanh, sub": (
        3,
        2,
        function(
            3,
            [
                binary("%0", "add", "%a0", "%a1"),
                f"%1 = tosa.tanh %0 : ({ROWS}) -> {ROWS}",
                binary("%2", "sub", "%1", "%a2"),
            ],
            ["%2"],
        ),
    ),
    "demo": (4, 3, DEMO.read_text(encoding="utf-8")),
    "four kernels": (8, 2, four()),
}
"""Number of arguments, their rank, and text."""


def measure(name: str, target: str, sizes: tuple[int, ...]) -> int:
    """Return the cycles of a program whose last dimensions have these sizes."""
    arguments, rank, text = PROGRAMS[name]
    shape = (1,) * (rank - len(sizes)) + sizes
    result = hwc.compile(text, target)(*[np.ones(shape, np.float32)] * arguments)
    assert result.cycles is not None
    return result.cycles


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sizes", nargs="+", default=["16x16"])
    parser.add_argument("--targets", nargs="+", default=["accel", "tiny", "wide"])
    options = parser.parse_args()
    for sizes in options.sizes:
        shape = tuple(int(n) for n in sizes.split("x"))
        for target in options.targets:
            for name in PROGRAMS:
                cycles = measure(name, target, shape)
                print(f"{sizes:8} {target:6} {name:14} {cycles:8,} cycles")


if __name__ == "__main__":
    main()
