"""The page docs/reports/operator_rules.md."""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from operator_rules.check import REFUSED, Case, Found
from operator_rules.table import FORMS

PREFACE = (
    "`PYTHONPATH=.:tests python -m operator_rules --write` writes this page: for every operator "
    "of TOSA 1.0, each statement of its ERROR_IF and REQUIRE list that sizes or data can break. "
    "A misfit is a legal example that is changed in one place. It has four forms. On the machine, "
    "the operator runs on the machine; an operator that the machine does not have reads what the "
    "machine computes. On the host, nothing runs on the machine. The static form has all sizes in "
    "types. In the dynamic form, a call gives them, and of a wrong result one size is static.",
    "A misfit counts as refused only if the error names the operator, its line and column, and "
    "both sizes, each with the operand, the argument or the type that it comes from. A misfit "
    "that reaches an engine counts as accepted. A number is how many are refused, of how many.",
)
DEFINED = """\
## Not refused, because hwc defines the result

| operators | statement of TOSA 1.0 | here |
| :-- | :-- | :-- |
| with two or three operands | operands have one rank | shapes align at the last dimension; \
`--conform=1.0` refuses other ranks |
| `add`, `sub`, `mul`, `abs`, `negate`, `reduce_sum` | no overflow | integers wrap |
| `intdiv` | no division by 0, no overflow | a defined result |
| `mul`, `rescale` and shifts | the shift is in range | \
[its low bits count](../elementwise.md) |
| all | sizes are at least 1 | a size of 0 is accepted where the operator has a meaning for it |

`cond_if`, `while_loop`, `variable`, `variable_read`, `variable_write`, and a `custom` operator that
nothing defines, are refused whatever their sizes are.
"""


def page(found: Sequence[Found], legal: Mapping[Case, str | None]) -> str:
    """Return the page: what became of misfits, and what is wrong with the legal examples."""
    refused = sum(each.verdict == REFUSED and not each.lacks for each in found)
    verdicts = Counter(each.verdict for each in found)
    total = (
        f"{len(found)} misfits: {refused} refused with operator, place and both origins; "
        + "".join(f"{verdicts[v]} {v}, " for v in ("accepted", "crashed"))
        + f"{verdicts[REFUSED] - refused} refused with less."
    )
    paragraphs = [textwrap.fill(text, 100) for text in (*PREFACE, total)]
    parts = [
        "# Operator rules",
        *paragraphs,
        _misfits(found),
        _failures(found),
        DEFINED.rstrip(),
        _legal(legal),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _misfits(found: Sequence[Found]) -> str:
    """A row for each rule, of all operators whose numbers are the same."""
    counts: dict[tuple[str, str], list[list[int]]] = {}
    for each in found:
        assert each.case.misfit is not None
        key = each.case.example.operator, each.case.misfit.rule
        numbers = counts.setdefault(key, [[0, 0] for _ in FORMS])[FORMS.index(each.case.form)]
        numbers[0] += each.verdict == REFUSED and not each.lacks
        numbers[1] += 1
    rows: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for (operator, rule), forms in counts.items():
        rows[(rule, *(f"{good} of {every}" for good, every in forms))].append(f"`{operator}`")
    lines = [f"| {', '.join(operators)} | {' | '.join(row)} |" for row, operators in rows.items()]
    return "\n".join(["## Misfits\n", _head("operators", "rule"), *lines])


def _head(*first: str) -> str:
    columns = (*first, *map(str, FORMS))
    return f"| {' | '.join(columns)} |\n|{' :-- |' * len(first)}{' --: |' * len(FORMS)}"


def _failures(found: Sequence[Found]) -> str:
    lines = [
        f"- {each.case}: {each.verdict}, lacks {each.lacks}: {each.message.splitlines()[:1]}"
        for each in found
        if each.verdict != REFUSED or each.lacks
    ]
    return "\n".join(["## Accepted, crashed, or refused with less\n", *lines]) if lines else ""


def _legal(legal: Mapping[Case, str | None]) -> str:
    """A row for all operators whose legal examples fare alike."""
    results: dict[str, list[str]] = defaultdict(list)
    for case, problem in legal.items():
        results[case.example.operator].append("right" if problem is None else problem)
    rows: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for operator, row in results.items():
        rows[tuple(row)].append(f"`{operator}`")
    lines = [f"| {', '.join(names)} | {' | '.join(row)} |" for row, names in rows.items()]
    text = (
        "The legal example of each operator, compared with NumPy. IREE, which computes parts on "
        "the host, does not compile some operators with dynamic sizes, such as convolutions whose "
        "weights are dynamic. hwc then refuses the program, and names the operator and its place."
    )
    return "\n".join(
        ["## Legal examples\n", textwrap.fill(text, 100) + "\n", _head("operators"), *lines]
    )
