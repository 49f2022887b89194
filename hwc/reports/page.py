"""The page of a report: its sections, and the data that its plots need."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hwc.pages.page import Page, counted, table, table_class
from hwc.reports.code_section import folded, kernel_code
from hwc.reports.graph import lay_out, writers
from hwc.reports.graph_svg import drawing
from hwc.reports.report import Ran, Report, names_of
from hwc.reports.roofline_points import points_table, roofline_point
from hwc.reports.timeline import timeline
from hwc.reports.words import LONGEST, by_x, left_out, share, short
from hwc.runtime.accounts import Accounts
from hwc.runtime.kernels import KernelResult
from hwc.runtime.roofline import bytes_moved, ideal_cycles, roofline_share
from isa.load import load

MOST_ROWS = 1000
"""Maximum rows in the graph, and in the table of kernels."""

MOST_CODE = 300
"""Maximum kernels whose instructions the page shows: those with the most cycles."""

MOST_POINTS = 2000
"""Maximum points in the roofline plot: the kernels with the most cycles."""

MOST_BARS = 25
"""Maximum kernels whose cycles are bars: those with the most cycles."""

SECTIONS = (
    ("graph", "Graph"),
    ("roofline", "Roofline"),
    ("causes", "Cycles by cause"),
    ("timeline", "Timeline"),
    ("kernels", "Kernels"),
    ("code", "Code"),
)

_HERE = Path(__file__).parent


def report_page(report: Report) -> Page:
    """Return the page of a report."""
    builder = _Builder(report)
    style = (_HERE / "report.css").read_text(encoding="utf-8")
    script = (_HERE / "report.js").read_text(encoding="utf-8")
    body = "\n".join(builder.body())
    return Page(f"Report of {report.name}", body, builder.data, script, SECTIONS, style)


def _accounts(accounts: Accounts, cycles: int) -> str:
    """Say what a call of a model took on the machine, on the host, and between them."""
    copies, seconds = accounts.copies, accounts.host_seconds
    took = "" if seconds is None else f" ({1000 * seconds:.2f} ms, measured on this computer)"
    headline = accounts.headline(cycles)
    return (
        f"{headline[0].upper()}{headline[1:]}. The machine computed "
        f"{accounts.machine.operations:,} operations, and the host {accounts.host.operations:,}"
        f"{took}. Copied to the machine: {counted(copies.to_machine, 'value')}, "
        f"{copies.bytes_to_machine:,} bytes; to the host: {counted(copies.to_host, 'value')}, "
        f"{copies.bytes_to_host:,} bytes."
    )


class _Builder:
    """Builds the sections, and collects their data."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.kernels = report.kernels
        self.cycles = report.result.cycles
        self.names = names_of(report.package)
        slowest = sorted(self.kernels, key=lambda row: -_result(row).cycles)
        self.slowest = slowest
        self.coded = {_number(row) for row in slowest[:MOST_CODE]}
        self.points = sum(_result(row).points for row in self.kernels)
        self.data: dict[str, Any] = {"engines": list(_engines())}

    def body(self) -> Iterator[str]:
        """Yield the sections."""
        yield from self._head()
        yield from self._graph()
        yield from self._roofline()
        yield from self._causes()
        yield from self._timeline()
        yield from self._table()
        yield from self._code()

    def _head(self) -> Iterator[str]:
        report, target, counters = self.report, self.report.target, self.report.result.counters
        yield f"<h1>Report of <code>{html.escape(report.name)}</code></h1>"
        plan = f", plan {report.result.plan}" if report.result.plan else ""
        told = [f"@{report.package.entry} on target {target.name}{plan}"]
        if report.result.shapes:
            pairs = zip(report.package.inputs, report.result.shapes, strict=True)
            told.append(", ".join(f"%{t.name} {by_x(shape)}x{t.type}" for t, shape in pairs))
        yield f'<p class="quiet">{html.escape("; ".join(told))}</p>'
        roofline = roofline_share(counters, target)
        accounts = report.result.accounts
        facts = {
            "cycles" if accounts is None else "cycles on the machine": f"{self.cycles:,}",
            "of the roofline": f"{100 * roofline:.1f} %",
            "cycles at best": f"{ideal_cycles(counters, target):,}",
            "bytes read": f"{counters['bytes_read']:,}",
            "bytes written": f"{counters['bytes_written']:,}",
            "kernels": f"{len(self.kernels):,}",
        }
        items = "".join(f"<div><dt>{n}</dt><dd>{v}</dd></div>" for n, v in facts.items())
        yield f'<dl class="facts">{items}</dl>'
        if accounts is not None:
            yield f"<p>{html.escape(_accounts(accounts, self.cycles))}</p>"
        if self.slowest:
            yield f"<p>{self._most()}</p>"
        yield (
            "<noscript><p>The plots need JavaScript. Tables have the figures of all plots but the "
            "timeline.</p></noscript>"
        )

    def _most(self) -> str:
        """Return a sentence about the kernels that take the most cycles."""
        first, count = self.slowest[0], len(self.slowest)
        most = _result(first)
        if not self.points:
            return (
                "No kernel has points, because a size is 0. The cycles are those of loading the "
                "program and setting up the kernels."
            )
        link, part = _link(first, self.coded), share(most.cycles, self.cycles)
        limit = f"limited by {most.limit}" if most.points else "without points"
        equal = sum(_result(row).cycles == most.cycles for row in self.slowest)
        if equal == 1:
            return f"Kernel {link} takes the most cycles, {part} of them, and is {limit}."
        who = f"{equal:,} kernels take the most cycles"
        if equal == count:
            who = f"All {count:,} kernels take the same number of cycles"
        return f"{who}, {part} each. The first of them, {link}, is {limit}."

    def _graph(self) -> Iterator[str]:
        yield '<h2 id="graph">Graph of kernels</h2>'
        ran = self.report.ran
        if not ran:
            yield "<p>The call ran no kernel.</p>"
            return
        kept = ran[:MOST_ROWS]
        layout = lay_out([row.node for row in kept])
        yield (
            '<p class="quiet">The call ran the kernels from top to bottom. A line leads from the '
            "kernel that computes a value to those that read it; the bar is the kernel’s share of "
            "the cycles.</p>"
        )
        if len(ran) > len(kept):
            yield (
                f'<p class="left-out">These are the first {len(kept):,} of {len(ran):,} rows.</p>'
            )
        if layout.hidden:
            yield (
                f'<p class="left-out">Left out: {counted(layout.hidden, "line")}, because there is '
                "no room beside the others. Every row says what it reads.</p>"
            )
        known = writers([row.node for row in kept])
        items = [self._graph_row(row, known[n], kept) for n, row in enumerate(kept)]
        yield drawing(layout, items)

    def _graph_row(
        self, row: Ran, written_by: Mapping[str, int], kept: Sequence[Ran]
    ) -> tuple[str, str, float]:
        """Return the two lines of a row, and its share of the cycles."""
        writes = [self.names[value] for value in row.node.writes if value in self.names]
        parts: list[str] = []
        part = 0.0
        if row.result is None:
            head = f"step {row.place} on the host: {short(row.operators)}"
            if row.step is not None:
                parts.append(f"{1000 * row.step.seconds:.2f} ms on this computer")
            first = html.escape(head)
        else:
            result = row.result
            part = result.cycles / self.cycles if self.cycles else 0.0
            first = _link(row, self.coded)
            parts.append(by_x(result.sizes))
            parts.append(f"{result.cycles:,} cycles ({share(result.cycles, self.cycles)})")
        if row.node.reads:
            parts.append(f"reads {self._read(row.node.reads, written_by, kept)}")
        if writes:
            parts.append(f"writes {', '.join(dict.fromkeys(writes))}")
        return first, html.escape(" · ".join(parts)), part

    def _read(
        self, values: Sequence[str], written_by: Mapping[str, int], kept: Sequence[Ran]
    ) -> str:
        """Return what a row reads: arguments and constants by name, other values by kernel."""
        named = [self.names.get(v, v) for v in values if v not in written_by]
        rows = [kept[written_by[value]] for value in values if value in written_by]
        numbers = [str(row.number) for row in rows if row.number is not None]
        if numbers:
            what = "kernel" if len(numbers) == 1 else "kernels"
            named.append(f"{what} {', '.join(numbers)}")
        named += [f"step {row.place} on the host" for row in rows if row.number is None]
        return ", ".join(dict.fromkeys(named))

    def _roofline(self) -> Iterator[str]:
        yield '<h2 id="roofline">Roofline</h2>'
        shown = [row for row in self.slowest[:MOST_POINTS] if _result(row).points]
        if not shown:
            yield "<p>No kernel has points, so there is nothing to draw.</p>"
            return
        yield (
            '<p class="quiet">A point is a kernel. Across: how many cycles the lanes or the '
            "special functions need for each cycle of the bus. Up: what share of the kernel’s "
            "cycles they are busy. No kernel can be above the line: to the left of 1 the bus "
            "limits, to the right the vector pipe. The farther a point is below the line, the "
            "longer the kernel waited.</p>"
        )
        yield from left_out(len(shown), len(self.kernels), "points")
        yield '<div class="plot" id="roofline-plot" role="img" aria-label="Roofline plot; the table below has the same figures"></div>'  # noqa: E501
        points = [roofline_point(_number(row), _result(row)) for row in shown]
        self.data["roofline"] = points
        yield folded("The points as a table", points_table(points))

    def _causes(self) -> Iterator[str]:
        yield '<h2 id="causes">Cycles by cause</h2>'
        counters = self.report.result.counters
        yield (
            '<p class="quiet">What each engine did in the cycles of the call. The broadcast units '
            "of all streams are counted together.</p>"
        )
        yield '<div class="plot low" id="engines-plot" role="img" aria-label="Cycles of each engine by cause; the table below has the same figures"></div>'  # noqa: E501
        self.data["causes"] = _by_engine(counters, self.cycles)
        yield folded("The cycles of the engines as a table", _engine_table(counters))
        if not self.kernels:
            return
        yield "<h3>Kernel by kernel</h3>"
        yield from left_out(min(MOST_BARS, len(self.kernels)), len(self.kernels), "kernels")
        yield '<div class="controls" id="engine-controls"></div>'
        yield '<div class="plot" id="kernels-plot" role="img" aria-label="Cycles of kernels by cause; the table below has the same figures"></div>'  # noqa: E501
        slowest = self.slowest[:MOST_BARS]
        self.data["kernels"] = [
            {
                "n": row.number,
                "name": short(row.operators),
                "causes": _by_engine(_result(row).counters, _result(row).occupied),
            }
            for row in slowest
        ]
        names = [name for name in load().counters if "_busy" in name or "_stall" in name]
        used = [name for name in names if counters[name]]
        head = ["kernel", "occupied", *(name.replace("_", " ") for name in used)]
        cells = [
            [
                str(row.number),
                f"{_result(row).occupied:,}",
                *(f"{_result(row).counters[name]:,}" for name in used),
            ]
            for row in slowest
        ]
        numbers = tuple(range(1, len(head)))
        figures = table("Cycles of kernels by cause", head, cells, numbers)
        yield folded("The kernels by cause as a table", figures)

    def _timeline(self) -> Iterator[str]:
        yield '<h2 id="timeline">Timeline</h2>'
        trace = self.report.trace
        if trace is None:
            yield "<p>The report was made without a trace.</p>"
            return
        if not self.points:
            why = "No kernel has points" if self.kernels else "The call ran no kernel"
            yield f"<p>{why}, so there is nothing to draw.</p>"
            return
        found = timeline(trace, self.cycles)
        if found.shares:
            yield (
                '<p class="quiet">What share of each interval of about '
                f"{found.interval:,.0f} cycles an engine was busy: the stronger the colour, the "
                "busier. There "
                "are too many strips to draw each; <code>hwc run --trace</code> writes them all. "
                "The share is averaged over one strip or more.</p>"
            )
        else:
            yield (
                '<p class="quiet">When each engine worked on a strip, and what it waited for, in '
                "cycles of the call.</p>"
            )
        if found.kernels_left_out:
            yield (
                '<p class="left-out">The kernels are left out of the timeline, because there are '
                f"{found.kernels_left_out:,}.</p>"
            )
        yield '<div class="plot" id="timeline-plot" role="img" aria-label="Timeline of the engines; the table of engines has the sums"></div>'  # noqa: E501
        self.data["timeline"] = found.to_json()

    def _table(self) -> Iterator[str]:
        yield '<h2 id="kernels">Kernels</h2>'
        kept = self.slowest[:MOST_ROWS]
        yield '<p class="quiet">The kernels with the most cycles come first.</p>'
        yield from left_out(len(kept), len(self.kernels), "kernels")
        head = "".join(
            f"<th scope=col{' class=number' * (name in _NUMBERS)}>{name}</th>" for name in _COLUMNS
        )
        lines = "\n".join(self._table_row(row) for row in kept)
        yield (
            f'<div class="{table_class(len(kept))}" tabindex="0" role="region" '
            'aria-label="Table of kernels">'
            f"<table id=kernel-table><thead><tr>{head}</tr></thead>\n<tbody>\n{lines}\n"
            "</tbody></table></div>"
        )

    def _table_row(self, row: Ran) -> str:
        result = _result(row)
        cells = {
            "cycles": f"{result.cycles:,}",
            "share": share(result.cycles, self.cycles),
            "limited by": result.limit if result.points else "has no points",
            "longest wait": (result.main_stall or "").replace("_", " "),
            "roofline": f"{100 * result.roofline:.1f} %",
            "sizes": by_x(result.sizes),
            "points": f"{result.points:,}",
            "bytes": f"{bytes_moved(result.counters):,}",
            "at best": result.bound or "",
        }
        rest = "".join(
            f"<td{' class=number' * (name in _NUMBERS)}>{html.escape(cells[name])}</td>"
            for name in _COLUMNS[1:]
        )
        return f"<tr><td>{_link(row, self.coded, 40)}</td>{rest}</tr>"

    def _code(self) -> Iterator[str]:
        source = self.report.source
        yield '<h2 id="code">Source and instructions</h2>'
        if source.missing:
            yield (
                f'<p class="left-out">The lines of the source are left out: '
                f"{html.escape(source.missing)}.</p>"
            )
        yield from left_out(len(self.coded), len(self.kernels), "kernels")
        for row in self.kernels:
            if _number(row) in self.coded:
                yield kernel_code(row, source, self.names, is_open=row is self.slowest[0])


_COLUMNS = (
    *("kernel", "cycles", "share", "limited by", "longest wait", "roofline", "sizes", "points"),
    *("bytes", "at best"),
)
"""The columns of the table of kernels. A phone shows the first of them without scrolling."""

_NUMBERS = {"cycles", "share", "points", "bytes", "roofline"}


def _engines() -> Iterator[str]:
    for name in load().counters:
        engine, is_busy, _ = name.partition("_busy")
        if is_busy:
            yield engine


def _by_engine(counters: Mapping[str, int], cycles: int) -> dict[str, dict[str, int]]:
    """Return the cycles of each engine by cause, including those in which it was idle."""
    found: dict[str, dict[str, int]] = {}
    for engine in _engines():
        stall = f"{engine}_stall"
        causes = {"busy": counters[f"{engine}_busy"]}
        for name, count in counters.items():
            if name.startswith(stall):
                causes[name.removeprefix(stall).strip("_") or "any"] = count
        rest = cycles - sum(causes.values())
        if rest > 0:
            causes["idle"] = rest
        found[engine] = {cause: count for cause, count in causes.items() if count}
    return found


def _engine_table(counters: Mapping[str, int]) -> str:
    rows: list[list[str]] = []
    for engine, causes in _by_engine(counters, counters["cycles"]).items():
        waits = [f"{cause} {n:,}" for cause, n in causes.items() if cause not in ("busy", "idle")]
        idle = f"{causes.get('idle', 0):,}"
        rows.append([engine, f"{causes.get('busy', 0):,}", idle, ", ".join(waits) or "0"])
    head = ["engine", "busy", "idle", "waited for"]
    return table("Cycles of the engines", head, rows, right=(1, 2))


def _result(row: Ran) -> KernelResult:
    assert row.result is not None, "only rows of kernels are asked for"
    return row.result


def _number(row: Ran) -> int:
    assert row.number is not None, "only rows of kernels are asked for"
    return row.number


def _link(row: Ran, coded: set[int], longest: int = LONGEST) -> str:
    """Return a kernel's number and operators, as a link to its code if the page has the code."""
    text = html.escape(short(row.operators, longest))
    if row.number in coded:
        return f'<a href="#kernel-{row.number}">{row.number}: {text}</a>'
    return f"{row.number}: {text}"
