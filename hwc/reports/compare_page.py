"""The page that compares two calls."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hwc.files import write_text
from hwc.pages.page import Page, counted, table_class
from hwc.reports.compare import Call, Kernel, Match, check, matches
from hwc.reports.extra import need_extra
from hwc.reports.words import by_x, short
from hwc.runtime.accounts import share_text

MOST_ROWS = 1000
"""Maximum rows in the table of kernels: those that differ most."""

MOST_BARS = 25
"""Maximum bars in the plot: those that differ most."""

SECTIONS = (("total", "In total"), ("kernels", "Kernel by kernel"))

_HERE = Path(__file__).parent
_LESS_IS_NOT_BETTER = {"strips", "instructions"}
"""Counters that say how the work is divided, not how long it takes."""


@dataclass(frozen=True)
class Comparison:
    """Two calls, and how their kernels match; `html` makes the page, and `save` writes it."""

    a: Call
    b: Call
    matches: Sequence[Match]

    @classmethod
    def of(cls, a: Call, b: Call) -> Comparison:
        """Compare two calls.

        Raises:
            UserError: they are of different programs, or have different shapes.
        """
        check(a, b)
        found = sorted(matches(a.kernels, b.kernels), key=lambda m: -abs(m.difference))
        return cls(a, b, found)

    def html(self) -> str:
        """Return the page: one file that needs nothing else, not even a network.

        Raises:
            UserError: the plotting library is missing.
        """
        need_extra()
        style = (_HERE / "report.css").read_text(encoding="utf-8")
        script = (_HERE / "compare.js").read_text(encoding="utf-8")
        bars = [m for m in self.matches if m.difference][:MOST_BARS]
        data = [
            {"name": _operators(m), "a": m.cycles[0], "b": m.cycles[1], "numbers": _numbers(m)}
            for m in bars
        ]
        title = f"{self.a.name} and {self.b.name}"
        body = "\n".join(self._body(len(bars)))
        return Page(title, body, {"bars": data}, script, SECTIONS, style).html()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page.

        Raises:
            UserError: the file cannot be written, or the plotting library is missing.
        """
        write_text(path, self.html())

    def _body(self, bars: int) -> Iterator[str]:
        a, b = self.a, self.b
        names = (f"<code>{html.escape(call.name)}</code>" for call in (a, b))
        yield f"<h1>From {' to '.join(names)}</h1>"
        for call in (a, b):
            plan = f", plan {call.plan}" if call.plan else ""
            share = "" if call.share is None else f" for {share_text(call.share)} of the arithmetic"
            yield (
                f'<p class="quiet">{html.escape(call.name)}: target {html.escape(call.target)}'
                f"{html.escape(plan)}, {counted(len(call.kernels), 'kernel')}{share}</p>"
            )
        inputs = ", ".join(f"%{name} {by_x(shape)}x{type_}" for name, type_, shape in a.inputs)
        if inputs:
            yield f'<p class="quiet">{html.escape(inputs)}</p>'
        yield f"<p>{self._became()}</p>"
        yield '<h2 id="total">In total</h2>'
        if a.counters != b.counters:
            first = "The cycles come first, then the" if a.cycles != b.cycles else "The"
            then = "" if a.cycles != b.cycles else " come first"
            yield (
                f'<p class="quiet">{first} counters that differ most{then}. Counters that are the '
                "same are left out.</p>"
            )
        yield self._totals()
        yield '<h2 id="kernels">Kernel by kernel</h2>'
        yield (
            '<p class="quiet">Kernels match by the operators of the source that they compute. '
            "Where fusion differs, the kernels between two matches are one row.</p>"
        )
        if bars:
            yield '<div class="plot" id="bars" role="img" aria-label="Differences of cycles by kernel; the table below has the same figures"></div>'  # noqa: E501
        else:
            yield "<p>No kernel has another number of cycles.</p>"
        if len(self.matches) > MOST_ROWS:
            yield (
                f'<p class="left-out">These are the {MOST_ROWS:,} rows that differ most, of '
                f"{len(self.matches):,} in all.</p>"
            )
        yield self._kernels()

    def _became(self) -> str:
        """Return a sentence, in HTML, about the cycles of the two calls."""
        a, b = self.a, self.b
        of = "" if a.share is None and b.share is None else " of the machine"
        if a.cycles == b.cycles:
            same = a.counters == b.counters and a.kernels == b.kernels
            more = " All counters and all kernels are the same." if same else ""
            return f"<b>Both calls take {counted(a.cycles, 'cycle')}{of}</b>.{more}"
        ratio = f"{a.cycles / b.cycles:.2f}" if b.cycles else "1.00"
        faster = f" ({ratio} times as fast)" if ratio != "1.00" else ""
        marked = _marked(a.cycles, b.cycles)
        return f"<b>{counted(a.cycles, 'cycle')}{of} become {b.cycles:,}</b>: {marked}{faster}."

    def _totals(self) -> str:
        pairs = [(name, self.a.counters[name], self.b.counters[name]) for name in self.a.counters]
        differ = [pair for pair in pairs if pair[1] != pair[2]]
        if not differ:
            return "<p>All counters are the same.</p>"
        differ.sort(key=lambda pair: (pair[0] != "cycles", -abs(pair[2] - pair[1])))
        rows = [
            [name.replace("_", " "), f"{a:,}", f"{b:,}", *_cells(a, b, name)]
            for name, a, b in differ
        ]
        return _table("Counters", ("counter", *_SIDES), rows)

    def _kernels(self) -> str:
        rows: list[list[str]] = []
        for match in self.matches[:MOST_ROWS]:
            a, b = match.cycles
            sides = [f"{cycles:,}" if own else "—" for cycles, own in ((a, match.a), (b, match.b))]
            rows.append(
                [
                    html.escape(_numbers(match)),
                    f"<td class=wide>{html.escape(_operators(match))}</td>",
                    *sides,
                    *_cells(a, b),
                    html.escape(_sizes(match)),
                    html.escape(_limits(match)),
                ]
            )
        head = ("kernels", "operators", *_SIDES, "sizes", "limited by")
        return _table("Kernels", head, rows)


_SIDES = ("from", "to", "difference", "change")


def _table(label: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an HTML table; cells with differences already have their tags."""
    titles = "".join(
        f"<th scope=col{' class=number' * (name in _SIDES)}>{name}</th>" for name in head
    )
    lines = "\n".join(
        "<tr>"
        + "".join(
            cell
            if cell.startswith("<td")
            else f"<td{' class=number' * (name in _SIDES)}>{cell}</td>"
            for name, cell in zip(head, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="{table_class(len(rows))}" tabindex="0" role="region" aria-label="{label}">'
        "<table>"
        f"<thead><tr>{titles}</tr></thead>\n<tbody>\n{lines}\n</tbody></table></div>"
    )


def _cells(a: int, b: int, name: str = "cycles") -> tuple[str, str]:
    """Return the cells of a difference and a change, coloured if it is better or worse."""
    kind = ""
    if a != b and name not in _LESS_IS_NOT_BETTER:
        kind = " better" if b < a else " worse"
    change = "" if a == b else f"{100 * (b - a) / a:+.1f} %" if a else "new"
    return tuple(  # type: ignore[return-value]
        f'<td class="number{kind}">{text}</td>' for text in (_difference(a, b), change)
    )


def _difference(a: int, b: int) -> str:
    """Return a difference; the arrow shows its direction without colour."""
    if a == b:
        return "0"
    return f"{'▼' if b < a else '▲'} {b - a:+,}"


def _marked(a: int, b: int) -> str:
    """Return the difference of two numbers that differ, in HTML."""
    kind = "better" if b < a else "worse"
    share = f", {100 * (b - a) / a:+.1f} %" if a else ""
    return f'<span class="{kind}">{_difference(a, b)}{share}</span>'


def _numbers(match: Match) -> str:
    """Return the numbers of the kernels on each side."""
    a, b = (" + ".join(str(k.number) for k in side) or "none" for side in (match.a, match.b))
    return a if a == b else f"{a} → {b}"


def _operators(match: Match) -> str:
    a, b = (" | ".join(k.operators for k in side) for side in (match.a, match.b))
    if a == b or not b:
        return short(a)
    return short(b) if not a else f"{short(a)} → {short(b)}"


def _sizes(match: Match) -> str:
    a, b = (" + ".join(by_x(k.sizes) for k in side) for side in (match.a, match.b))
    return a if a == b or not b else b if not a else f"{a} → {b}"


def _limits(match: Match) -> str:
    a, b = (_limit(side) for side in (match.a, match.b))
    return a if a == b or not b else b if not a else f"{a} → {b}"


def _limit(side: Sequence[Kernel]) -> str:
    return max(side, key=lambda k: k.cycles).limit if side else ""
