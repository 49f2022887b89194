"""One random program: package, NumPy and the static program agree, and every mismatch is refused.

    PYTHONPATH=.:tests python -m random_programs.check SEED [SEED ...]

checks the programs of these seeds and prints them.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence

import numpy as np
from random_programs.generator import calls, generate
from random_programs.graph import Array, Graph, RefusedError

import hwc
from hwc.errors import DispatchError
from hwc.runtime.devices import Device
from hwc.runtime.program import Program

TARGETS = ("accel", "tiny", "wide")
CALLS = 4
LOCATED = re.compile(r"-:\d+:\d+: error: |argument \d+ ")
"""How the message of a refused call begins: a place in the program, or an argument."""


def check(
    seed: int, static: int | None = None, target: str | None = None, device: Device | None = None
) -> Counter[str]:
    """Check the program of a seed; returns how often what was seen.

    `static` is the number of calls whose program is compiled again with the sizes of the call
    (None: all of them). The calls run on `device`, by default the simulator.

    Raises:
        AssertionError: something is not as NumPy says; the message has the seed, and the smallest
            part of the program for which that is so.
    """
    generator = generate(seed)
    every = list(calls(generator, CALLS))
    target = target or TARGETS[seed % len(TARGETS)]
    try:
        return check_graph(generator.graph, every, static, target, device)
    except Exception as error:
        graph, error = _smallest(generator.graph, error, every, static, target, device)
        what = f"{type(error).__name__}: {error}"
        raise AssertionError(f"seed {seed}, {target}: {what}\n{graph.text()}") from error


def check_graph(
    graph: Graph,
    every: Sequence[Sequence[Array]],
    static: int | None,
    target: str,
    device: Device | None,
) -> Counter[str]:
    """Check a program with several calls."""
    seen: Counter[str] = Counter(programs=1)
    package = hwc.compile(graph.text(), target).package
    program = Program(package) if device is None else Program(package, device)
    for arrays in every:
        try:
            values = graph.evaluate(arrays)
        except RefusedError as refused:
            seen["calls refused"] += 1
            _check_refused(program, arrays, refused)
            continue
        seen["calls that fit"] += 1
        expected = [values[v.name] for v in graph.returned]
        _compare(program, arrays, expected)
        if static is None or seen["static programs"] < static:
            seen["static programs"] += 1
            _compare(hwc.compile(graph.text(values), target), arrays, expected)
    return seen


def _compare(program: Program, arrays: Sequence[Array], expected: Sequence[Array]) -> None:
    shapes = f"shapes {[a.shape for a in arrays]}"
    for output, array in zip(program(*arrays).outputs, expected, strict=True):
        np.testing.assert_array_equal(output, array, err_msg=shapes, strict=True)


def _check_refused(program: Program, arrays: Sequence[Array], refused: RefusedError) -> None:
    try:
        program(*arrays)
    except DispatchError as error:
        assert LOCATED.match(str(error)), f"refused without a place: {error}"
        return
    raise AssertionError(f"taken, although {refused}; shapes {[a.shape for a in arrays]}")


def _smallest(
    graph: Graph,
    error: Exception,
    every: Sequence[Sequence[Array]],
    static: int | None,
    target: str,
    device: Device | None,
) -> tuple[Graph, Exception]:
    """Return the first part of a graph that fails as well, and its error."""
    for part in graph.parts():
        try:
            check_graph(part, every, static, target, device)
        except Exception as smaller:  # noqa: BLE001 - any failure counts
            return part, smaller
    return graph, error


def main() -> int:
    """Check the seeds of the command line; returns the exit code."""
    for seed in map(int, sys.argv[1:]):
        print(generate(seed).graph.text())
        print(", ".join(f"{what}: {count}" for what, count in check(seed).items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
