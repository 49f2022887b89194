"""Regret: cycles of the plan that a call chooses over those of the best, found by forcing each.

    PYTHONPATH=.:tests python -m bench.regret [--graphs 300] [--targets accel ...] [-v]

The named programs (`bench.programs`) and random graphs (`bench.random_graphs`), ten shape sets
each. With one choice every plan is forced. With several, each alternative of each choice is forced
while the other choices stay as chosen: kernels run one after another, so choices do not influence
each other. Every plan has to give the same bits. Exit code 1 if a call takes more than 1.02 times
the cycles of the best plan.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from bench.programs import PROGRAMS, Named, Shape
from bench.random_graphs import Graph

import hwc
from hwc.errors import DispatchError
from hwc.runtime import Program
from isa.target import load_target

TARGETS = ("accel", "tiny", "wide")
MOST = 1.02


class Call(NamedTuple):
    """One call: what ran, and the best plan, with their cycles."""

    name: str
    target: str
    shapes: list[Shape]
    chosen: str
    cycles: int
    best: str
    least: int

    @property
    def regret(self) -> float:
        """Cycles of the chosen plan over those of the best."""
        return self.cycles / self.least


def measure(source: Named | Graph, program: Program, target: str) -> Iterator[Call]:
    """Call a program with each of its shape sets, and with every plan forced.

    Raises:
        ValueError: two plans give different bits.
    """
    for shapes in source.shape_sets():
        arrays = source.arrays(shapes)
        result = program(*arrays)
        names = result.plan.split(",") if result.plan else []
        best, least = list(names), result.cycles
        for at, choice in enumerate(program.package.choices):
            saved = 0
            for alternative in choice.alternatives:
                plan = ",".join((*names[:at], alternative.name, *names[at + 1 :]))
                try:
                    other = program(*arrays, plan=plan)
                except DispatchError:  # for other sizes only
                    continue
                for one, same in zip(result.outputs, other.outputs, strict=True):
                    if one.tobytes() != same.tobytes():
                        raise ValueError(f"{source.name}, {shapes}: plan {plan} gives other bits")
                if result.cycles - other.cycles > saved:
                    best[at], saved = alternative.name, result.cycles - other.cycles
            least -= saved
        yield Call(
            source.name, target, shapes, ",".join(names), result.cycles, ",".join(best), least
        )


def main() -> int:
    """Print the calls above the limit and a summary; returns the exit code."""
    parser = argparse.ArgumentParser(description="Compare the chosen plan with the best one.")
    parser.add_argument("--graphs", type=int, default=300, help="number of random graphs")
    parser.add_argument("--targets", nargs="+", default=list(TARGETS))
    parser.add_argument("-v", "--verbose", action="store_true", help="print every call")
    args = parser.parse_args()
    calls: list[Call] = []
    for target in args.targets:
        for source in (*PROGRAMS, *map(Graph, range(args.graphs))):
            program = hwc.compile(source.text(), load_target(target))
            for call in measure(source, program, target):
                calls.append(call)
                if args.verbose or call.regret > MOST:
                    shapes = " ".join("x".join(map(str, shape)) for shape in call.shapes)
                    print(
                        f"{call.regret:.3f} {call.name}, {target}, {shapes}: {call.chosen} "
                        f"{call.cycles}, best {call.best} {call.least}",
                        flush=True,
                    )
    bad = sum(call.regret > MOST for call in calls)
    worst = max(call.regret for call in calls)
    mean = float(np.mean([call.regret for call in calls]))
    print(
        f"{len(calls)} calls of {len(PROGRAMS) + args.graphs} programs on {len(args.targets)} "
        f"targets: regret at most {worst:.3f}, mean {mean:.5f}; {bad} calls above {MOST}"
    )
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
