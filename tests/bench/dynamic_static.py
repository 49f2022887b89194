"""Cycles of dynamic programs over those of static ones: dynamic sizes have to cost nothing.

    PYTHONPATH=.:tests python -m bench.dynamic_static [--graphs 300] [--targets accel ...] [-v]

The named programs (`bench.programs`) at their reported sizes, and random graphs
(`bench.random_graphs`), all of 64 Ki points and more: the package in which every size is dynamic
beside the package that knows all sizes. Exit code 1 if a dynamic program takes more than 1.02 times
the cycles of the static one, or reads and writes another number of bytes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from bench.programs import PROGRAMS, Named
from bench.random_graphs import Graph

import hwc
from isa.target import Target, load_target

TARGETS = ("accel", "tiny", "wide")
MOST = 1.02


class Row(NamedTuple):
    """One program on one target: cycles and bytes, dynamic and static, and the plan that ran."""

    name: str
    target: str
    cycles: tuple[int, int]
    nbytes: tuple[int, int]

    @property
    def ratio(self) -> float:
        """Dynamic over static cycles."""
        return self.cycles[0] / self.cycles[1]

    @property
    def good(self) -> bool:
        """Whether dynamic sizes cost nothing."""
        return self.ratio <= MOST and self.nbytes[0] == self.nbytes[1]


def measure(program: Named | Graph, target: Target) -> Row:
    """Run a program in both forms.

    Raises:
        ValueError: they give different bits.
    """
    shapes = program.shapes() if isinstance(program, Named) else program.shapes
    arrays = program.arrays(shapes)
    dynamic = hwc.compile(program.text(), target)(*arrays)
    static = hwc.compile(program.text(shapes), target)(*arrays)
    for one, other in zip(dynamic.outputs, static.outputs, strict=True):
        if not np.array_equal(one.view(np.uint32), other.view(np.uint32)):
            raise ValueError(f"{program.name}: dynamic and static results differ")
    nbytes = [r.counters["bytes_read"] + r.counters["bytes_written"] for r in (dynamic, static)]
    return Row(program.name, target.name, (dynamic.cycles, static.cycles), (nbytes[0], nbytes[1]))


def rows(graphs: int, targets: list[str]) -> Iterator[Row]:
    """Measure every program on every target."""
    for name in targets:
        target = load_target(name)
        for program in (*PROGRAMS, *map(Graph, range(graphs))):
            yield measure(program, target)


def main() -> int:
    """Print the table; returns the exit code."""
    parser = argparse.ArgumentParser(description="Compare dynamic programs with static ones.")
    parser.add_argument("--graphs", type=int, default=300, help="number of random graphs")
    parser.add_argument("--targets", nargs="+", default=list(TARGETS))
    parser.add_argument("-v", "--verbose", action="store_true", help="print every graph")
    args = parser.parse_args()
    print(f"{'program':22}{'target':8}{'dynamic':>10}{'static':>10}{'ratio':>8}{'bytes':>12}")
    measured: list[Row] = []
    for row in rows(args.graphs, args.targets):
        measured.append(row)
        if args.verbose or not row.good or not row.name.startswith("graph"):
            same = (
                "equal" if row.nbytes[0] == row.nbytes[1] else f"{row.nbytes[0] - row.nbytes[1]:+}"
            )
            print(
                f"{row.name:22}{row.target:8}{row.cycles[0]:10}{row.cycles[1]:10}"
                f"{row.ratio:8.3f}{same:>12}{'' if row.good else '  !'}",
                flush=True,
            )
    bad = [row for row in measured if not row.good]
    ratios = [row.ratio for row in measured]
    print(
        f"{len(measured)} runs: ratio {min(ratios):.3f} to {max(ratios):.3f}, "
        f"mean {sum(ratios) / len(ratios):.4f}; {len(bad)} above {MOST} or with other bytes"
    )
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
