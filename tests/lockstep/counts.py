"""Counts of what lockstep compared, from every process, printed at the end of a test run."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

WHAT = ("cases", "dispatches", "faults", "cycles", "differences")
COUNTS: Counter[str] = Counter()
"""The counts of this process, by `TARGET WHAT`."""

_KEY = "lockstep"


def add(target: str, **counts: int) -> None:
    """Count something compared on a target."""
    COUNTS.update({f"{target} {what}": number for what, number in counts.items()})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the counts of a worker of pytest-xdist."""
    COUNTS.update(getattr(node, "workeroutput", {}).get(_KEY, {}))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In a worker: hand over the counts."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_KEY] = dict(COUNTS)


def table(counts: Counter[str]) -> list[str]:
    """The counts as lines, one for each target and one for all; none if nothing was compared."""
    targets = sorted({key.split()[0] for key in counts})
    lines = ["".join([f"{'target':10}", *(f"{what:>14}" for what in WHAT)])] if targets else []
    for target in targets:
        numbers = "".join(f"{counts[f'{target} {what}']:14,}" for what in WHAT)
        lines.append(f"{target:10}{numbers}")
    if len(targets) > 1:
        sums = (sum(counts[f"{target} {what}"] for target in targets) for what in WHAT)
        lines.append(f"{'all':10}" + "".join(f"{number:14,}" for number in sums))
    return lines


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the counts."""
    lines = table(COUNTS)
    if lines:
        terminalreporter.section("simulator and hardware in lockstep")
        for line in lines:
            terminalreporter.write_line(line)
