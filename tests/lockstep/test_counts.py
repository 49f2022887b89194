"""Comparisons are counted in every process and printed once, at the end of a test run."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

from lockstep import counts


def test_the_table_of_counts():
    numbers = Counter({"tiny cases": 2, "tiny cycles": 1000, "wide cases": 1, "wide faults": 1})
    lines = [line.split() for line in counts.table(numbers)]
    assert lines[0] == ["target", "cases", "dispatches", "faults", "cycles", "differences"]
    assert lines[1] == ["tiny", "2", "0", "0", "1,000", "0"]
    assert lines[-1] == ["all", "3", "0", "1", "1,000", "0"]
    assert counts.table(Counter()) == []


def test_workers_hand_over_what_they_counted(monkeypatch):
    """Two workers count, and the process that started them prints the sum."""
    outputs = []
    for cycles in (10, 7):
        monkeypatch.setattr(counts, "COUNTS", Counter())
        counts.add("wide", cases=1, cycles=cycles)
        config = SimpleNamespace(workeroutput={})
        counts.pytest_sessionfinish(SimpleNamespace(config=config))
        outputs.append(config.workeroutput)
    monkeypatch.setattr(counts, "COUNTS", Counter())
    counts.pytest_sessionfinish(SimpleNamespace(config=SimpleNamespace()))
    for output in [*outputs, {}]:
        counts.pytest_testnodedown(SimpleNamespace(workeroutput=output))
    lines: list[str] = []
    reporter = SimpleNamespace(section=lines.append, write_line=lines.append)
    counts.pytest_terminal_summary(reporter)
    assert lines[0] == "simulator and hardware in lockstep"
    assert lines[2].split() == ["wide", "2", "0", "0", "17", "0"]
    assert len(lines) == 3
