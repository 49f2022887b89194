"""One random program: package, NumPy and static programs agree, and every mismatch is refused.

    PYTHONPATH=.:tests python -m random_programs.check SEED [SEED ...]

checks the programs of these seeds in every way and prints them.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from random_programs.generator import calls, generate
from random_programs.graph import Array, Graph, RefusedError

import hwc
from hwc.errors import DispatchError, UserError
from hwc.runtime.devices import Device
from hwc.runtime.program import Program

TARGETS = ("accel", "tiny", "wide")
CALLS = 4
PLANS = 4
LOCATED = re.compile(r"-:\d+:\d+: error: |(dimension \d+ of )?argument \d+ ")
"""How the message of a refused call begins: a place in the program, or an argument."""

FORMS = ("static", "specialised")
"""Programs for the sizes of one call: written by the graph itself, and by `specialize`."""


@dataclass(frozen=True)
class Way:
    """How a program is checked.

    `forms` are compiled for the sizes of the first call that fits, or of each with `every_call`.
    The calls of the package run on `device`, by default the simulator.
    """

    target: str
    forms: tuple[str, ...] = FORMS
    every_call: bool = True
    device: Device | None = None


@dataclass
class _Check:
    """The check of one graph, and how often what was seen."""

    graph: Graph
    way: Way
    seen: Counter[str] = field(default_factory=Counter)

    def run(self, every: Sequence[Sequence[Array]]) -> None:
        """Check all calls."""
        self.seen["programs"] += 1
        facts = [fact.text for fact in self.graph.options]
        compiled = hwc.compile(self.graph.text(), self.way.target, assume=facts)
        device = self.way.device
        program = compiled if device is None else Program(compiled.package, device)
        for arrays in every:
            try:
                values = self.graph.evaluate(arrays)
            except RefusedError as refused:
                self._refused(compiled, program, arrays, str(refused))
                continue
            expected = [values[v.name] for v in self.graph.returned]
            self.seen["calls that fit"] += 1
            _compare(program, arrays, expected)
            self._plans(program, arrays, expected)
            if self.way.every_call or self.seen["calls that fit"] == 1:
                for form, text in self._texts(compiled, arrays, values):
                    self.seen[f"{form} programs"] += 1
                    _compare(hwc.compile(text, self.way.target), arrays, expected)

    def _plans(self, program: Program, arrays: Sequence[Array], expected: Sequence[Array]) -> None:
        """Compare the results of the first plans, apart from those for other sizes only."""
        if not program.package.choices:
            return
        symbols = program.symbols([a.shape for a in arrays])
        for name in program.plans[:PLANS]:
            try:
                program.plan(symbols, name)
            except DispatchError:
                continue
            self.seen["plans"] += 1
            _compare(program, arrays, expected, name)

    def _texts(
        self, compiled: Program, arrays: Sequence[Array], values: Mapping[str, object]
    ) -> Iterator[tuple[str, str]]:
        """Yield the program for the sizes of one call, in the forms that are asked for."""
        if "static" in self.way.forms:
            yield "static", self.graph.text(values)
        # TOSA 1.0, which `specialize` writes, has no size 0
        if "specialised" in self.way.forms and all(np.size(v) for v in values.values()):
            yield "specialised", compiled.specialize(**_dims(self.graph, arrays))

    def _refused(
        self, compiled: Program, program: Program, arrays: Sequence[Array], why: str
    ) -> None:
        """Check that a call is refused, and that no program is specialised for it."""
        self.seen["calls refused"] += 1
        what = f"{why}; shapes {[a.shape for a in arrays]}"
        _check_refused(partial(program, *arrays), what)
        if all(np.size(a) for a in arrays) and "specialised" in self.way.forms:
            _check_refused(partial(compiled.specialize, **_dims(self.graph, arrays)), what)


def check(seed: int, way: Way | None = None) -> Counter[str]:
    """Check the program of a seed; returns how often what was seen.

    Without a `way`, the target and the form follow from the seed.

    Raises:
        AssertionError: something is not as NumPy says; the message has the seed, and the smallest
            part of the program for which that is so.
    """
    generator = generate(seed)
    every = list(calls(generator, CALLS))
    if way is None:
        form = FORMS[seed // len(TARGETS) % len(FORMS)]
        way = Way(TARGETS[seed % len(TARGETS)], (form,), every_call=False)
    try:
        return check_graph(generator.graph, every, way)
    except Exception as error:
        graph, error = _smallest(generator.graph, error, every, way)
        what = f"{type(error).__name__}: {error}"
        facts = "".join(f"// assume {fact.text}\n" for fact in graph.options)
        text = f"{graph.text()}{facts}"
        raise AssertionError(f"seed {seed}, {way.target}: {what}\n{text}") from error


def check_graph(graph: Graph, every: Sequence[Sequence[Array]], way: Way) -> Counter[str]:
    """Check a program with several calls; returns how often what was seen."""
    checking = _Check(graph, way)
    checking.run(every)
    return checking.seen


def _dims(graph: Graph, arrays: Sequence[Array]) -> dict[str, tuple[int, ...]]:
    """Return the sizes of a call's arguments by name."""
    names = (v.name.removeprefix("%") for v in graph.arguments)
    return {name: array.shape for name, array in zip(names, arrays, strict=True)}


def _compare(
    program: Program,
    arrays: Sequence[Array],
    expected: Sequence[Array],
    plan: str | None = None,
) -> None:
    shapes = f"shapes {[a.shape for a in arrays]}, plan {plan}"
    for output, array in zip(program(*arrays, plan=plan).outputs, expected, strict=True):
        np.testing.assert_array_equal(output, array, err_msg=shapes, strict=True)


def _check_refused(act: Callable[[], object], why: str) -> None:
    try:
        act()
    except UserError as error:
        assert LOCATED.match(str(error)), f"refused without a place: {error}"
        return
    raise AssertionError(f"taken, although {why}")


def _smallest(
    graph: Graph, error: Exception, every: Sequence[Sequence[Array]], way: Way
) -> tuple[Graph, Exception]:
    """Return the first part of a graph that fails as well, and its error."""
    for part in graph.parts():
        try:
            check_graph(part, every, way)
        except Exception as smaller:  # noqa: BLE001 - any failure counts
            return part, smaller
    return graph, error


def main() -> int:
    """Check the seeds of the command line; returns the exit code."""
    for seed in map(int, sys.argv[1:]):
        print(generate(seed).graph.text())
        seen = check(seed, Way(TARGETS[seed % len(TARGETS)]))
        print(", ".join(f"{what}: {count}" for what, count in seen.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
