"""Runs ONNX's own tests of its element-wise operators: a table of what the machine computes.

    PYTHONPATH=.:tests python tests/bench/onnx_nodes.py [--write]

Each test runs with the sizes that it has and with all sizes dynamic. `--write` writes the page
docs/reports/onnx_nodes.md. Exit code 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import onnx
from e2e.support.onnx_nodes import HOST, MACHINE, REFUSED, Outcome, cases, dynamic, play

from hwc.files import write_text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reports" / "onnx_nodes.md"
WRONG = "wrong"
FORMS: Mapping[str, Callable[[onnx.ModelProto], onnx.ModelProto]] = {
    "static": lambda model: model,
    "dynamic": dynamic,
}

PREFACE = (
    "`PYTHONPATH=.:tests python tests/bench/onnx_nodes.py --write` writes this page: the tests of "
    f"single nodes that the package onnx {onnx.__version__} generates, for every operator that "
    "computes each point on its own, compiled for `accel` and run on the simulator. Two numbers "
    "are the tests with their own sizes and with all sizes dynamic. A result counts if it is "
    "within the tolerance of the test. What is not for the machine stays on the host, where ONNX "
    "Runtime computes it, and the result counts as well. A model is refused if a package cannot "
    "hold its arguments or results, or ONNX Runtime has no implementation for their types."
)

TYPE = "the machine does not compute with "
"""How a reason begins that ends with a type."""


def main() -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    write = parser.parse_args().write
    outcomes = {
        name: {form: [_played(case, change) for case in tests] for form, change in FORMS.items()}
        for name, tests in sorted(cases().items())
    }
    text = page(outcomes)
    if write:
        write_text(PAGE, text)
    print(text if not write else f"see {PAGE}")
    wrong = _count(outcomes)[WRONG]
    return 1 if any(wrong) else 0


def _played(case: Any, change: Callable[[onnx.ModelProto], onnx.ModelProto]) -> Outcome:
    try:
        return play(case, change(case.model))
    except AssertionError as error:
        return Outcome(WRONG, str(error).strip().splitlines()[0])


Outcomes = dict[str, dict[str, list[Outcome]]]


def _count(outcomes: Outcomes) -> dict[str, list[int]]:
    """Return how many tests ended how, for each form."""
    counts = [Counter(o.where for of in outcomes.values() for o in of[form]) for form in FORMS]
    return {where: [count[where] for count in counts] for where in (MACHINE, HOST, REFUSED, WRONG)}


def page(outcomes: Outcomes) -> str:
    """Return the page: totals, and a row for each operator."""
    head = ["operator", "tests", "on the machine", "on the host", "refused", "wrong", "why"]
    rows = [head, [":--", *["--:"] * 5, ":--"]]
    for name, of in [("all", _all(outcomes)), *outcomes.items()]:
        counts = _count({name: of}).values()
        why = "" if name == "all" else _why({o.reason for played in of.values() for o in played})
        rows.append([name, str(len(of["static"])), *map(_pair, counts), why])
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return f"# ONNX's tests of element-wise operators\n\n{textwrap.fill(PREFACE, 100)}\n\n{table}"


def _why(reasons: set[str]) -> str:
    """Return the reasons in a line: types that the machine lacks are one reason."""
    types = sorted(reason.removeprefix(TYPE) for reason in reasons if reason.startswith(TYPE))
    others = sorted(reason for reason in reasons if reason and not reason.startswith(TYPE))
    return "; ".join([*([TYPE + ", ".join(types)] if types else []), *others])


def _all(outcomes: Outcomes) -> dict[str, list[Outcome]]:
    return {form: [o for of in outcomes.values() for o in of[form]] for form in FORMS}


def _pair(numbers: list[int]) -> str:
    return " / ".join(map(str, numbers)) if any(numbers) else "–"


if __name__ == "__main__":
    sys.exit(main())
