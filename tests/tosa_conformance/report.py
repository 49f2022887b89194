"""The tables of a conformance run, in Markdown."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from tosa_conformance.play import (
    ACCEPTED,
    CRASHED,
    OTHER,
    PASSED,
    REFUSED,
    RIGHT,
    WRONG,
    Outcome,
    Played,
    Way,
)

POSITIVE = (PASSED, REFUSED, WRONG, CRASHED)
NEGATIVE = (RIGHT, OTHER, ACCEPTED, CRASHED)
FORMS: Mapping[str, Callable[[Played], Outcome | None]] = {
    "static": lambda played: played.static,
    "dynamic": lambda played: played.dynamic,
}

_VALUE = r"^(?:argument|operand|result|the result) .* has(?= element type)"

Counts = Mapping[str, Counter[str]]
"""How many tests have which verdict, for each form."""


def table(head: Sequence[str], texts: int, rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown; the first columns are text, the others are numbers."""
    lines = [head, [*[":--"] * texts, *["--:"] * (len(head) - texts)], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def count(tests: Iterable[Played]) -> Counts:
    """Count the verdicts."""
    counts: dict[str, Counter[str]] = {form: Counter() for form in FORMS}
    for played in tests:
        for form, outcome_of in FORMS.items():
            outcome = outcome_of(played)
            if outcome is not None:
                counts[form][outcome.verdict] += 1
    return counts


class Run(NamedTuple):
    """The tests of a seed, played in one way."""

    seed: int
    way: Way
    tests: Sequence[Played]


def failures(tests: Iterable[Played]) -> int:
    """Return how many results are wrong or missing because something crashed."""
    return sum(c[WRONG] + c[CRASHED] for c in count(tests).values())


def totals(runs: Sequence[Run]) -> str:
    """Return the totals of every run as tables."""
    parts = []
    for name, verdicts, negative in (
        ("positive tests", POSITIVE, False),
        ("negative tests", NEGATIVE, True),
    ):
        rows = []
        for seed, way, tests in runs:
            chosen = [played for played in tests if bool(played.case.rule) == negative]
            place = [
                f"seed {seed}",
                way.target,
                "simulator and RTL" if way.hardware else "simulator",
            ]
            for form, counts in count(chosen).items():
                numbers = [counts.total(), *(counts[verdict] for verdict in verdicts)]
                if numbers[0]:
                    rows.append([*place, form, *map(str, numbers)])
        parts.append(table([name, "target", "runs on", "form", "number", *verdicts], 4, rows))
    return "\n".join(parts) + _cycles(runs)


def _cycles(runs: Sequence[Run]) -> str:
    cycles = sum(o.cycles for r in runs if r.way.hardware for _, o in _outcomes(r.tests))
    if not cycles:
        return ""
    return (
        f"\nSimulator and RTL ran {cycles:,} cycles side by side. A difference in a bit of\n"
        "memory, in a counter or in the cycle of a strip counts as wrong.\n"
    )


def page(runs: Sequence[Run], preface: str) -> str:
    """Return the report."""
    tests = [played for run in runs for played in run.tests]
    positive = [p for p in tests if not p.case.rule]
    negative = [p for p in tests if p.case.rule]
    parts = [f"# Conformance\n\n{preface}\n", totals(runs)]
    parts += ["## Operators, types and profiles\n", _positive(positive)]
    parts += ["## Negative tests\n", _negative(negative)]
    parts += _named(tests)
    parts += ["## Why tests are refused\n", _refusals(positive)]
    return "\n".join(parts)


def _positive(tests: Sequence[Played]) -> str:
    groups: dict[tuple[str, str, str], list[Played]] = defaultdict(list)
    for played in tests:
        groups[played.case.operator, played.case.type, played.case.profile].append(played)
    head = ["operator", "type", "profile", "tests", *POSITIVE, "largest error"]
    rows = [
        [*key, str(len(groups[key])), *_pairs(groups[key], POSITIVE), _error(groups[key])]
        for key in sorted(groups, key=_in_order)
    ]
    return (
        "All runs together. Two numbers are the static and the dynamic form. The largest error is\n"
        "in units of the error that the specification allows; 0 is exact.\n\n"
        + table(head, 3, rows)
    )


def _in_order(key: tuple[str, str, str]) -> tuple[object, ...]:
    """Sort i8 before i16."""
    operator, type_, profile = key
    return operator, re.sub(r"\d+", lambda digits: digits.group().zfill(2), type_), profile


def _negative(tests: Sequence[Played]) -> str:
    groups: dict[str, list[Played]] = defaultdict(list)
    for played in tests:
        groups[played.case.rule].append(played)
    rows = [[r, str(len(groups[r])), *_pairs(groups[r], NEGATIVE)] for r in sorted(groups)]
    return (
        "A program that breaks a rule has to be refused, and the error should name that rule.\n"
        "Rules about the sizes of a result are not broken once the program has no sizes.\n\n"
        + table(["rule", "tests", *NEGATIVE], 1, rows)
    )


def _pairs(tests: Sequence[Played], verdicts: Sequence[str]) -> list[str]:
    counts = count(tests)
    return [
        "–" if not any(c[v] for c in counts.values()) else " / ".join(_cells(counts, v))
        for v in verdicts
    ]


def _cells(counts: Counts, verdict: str) -> list[str]:
    return [str(counts[form][verdict]) if counts[form] else "–" for form in FORMS]


def _error(tests: Sequence[Played]) -> str:
    errors = [o.error for _, o in _outcomes(tests) if o.error is not None and o.error == o.error]
    return f"{max(errors):.3g}" if errors else ""


def _outcomes(tests: Iterable[Played]) -> list[tuple[str, Outcome]]:
    found = [(form, f(played)) for played in tests for form, f in FORMS.items()]
    return [(form, outcome) for form, outcome in found if outcome is not None]


def _named(tests: Iterable[Played]) -> list[str]:
    """The tests that a person has to look at, by name."""
    lines = [
        f"- `{played.case.folder.name}`, {form}: {outcome.verdict}"
        + (f": {outcome.message}" if outcome.message else "")
        for played in tests
        for form, outcome in _outcomes([played])
        if outcome.verdict in (WRONG, CRASHED, ACCEPTED)
    ]
    return ["## Wrong, crashed or accepted\n", "\n".join(lines) + "\n"] if lines else []


def _refusals(tests: Iterable[Played]) -> str:
    counts: dict[str, Counter[str]] = {form: Counter() for form in FORMS}
    for form, outcome in _outcomes(tests):
        if outcome.verdict == REFUSED:
            counts[form][_general(outcome.message)] += 1
    reasons = sorted(set().union(*counts.values()), key=lambda r: (-counts["static"][r], r))
    rows = [[r.replace("|", "\\|"), *(str(counts[form][r]) for form in FORMS)] for r in reasons]
    return table(["error", *FORMS], 1, rows)


def _general(message: str) -> str:
    """Return an error without what belongs to one test alone."""
    return re.sub(_VALUE, "a value has", message).partition(";")[0]
