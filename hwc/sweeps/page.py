"""The page of plots of a sweep, and the summary that the command prints."""

from __future__ import annotations

import html
from collections import Counter
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

import hwc
from hwc.pages.page import Page, counted, table
from hwc.runtime.accounts import share_text
from hwc.sweeps.job import Job
from hwc.sweeps.table import size_column

MOST_POINTS = 300_000
"""Maximum points on a page: a browser has to hold them."""

MOST_ERRORS = 20
"""Maximum kinds of errors that the page lists."""

_OPERATIONS = ("machine_operations", "host_operations")
_COLUMNS = ("cycles", "roofline", "limit", "bound", "error", *_OPERATIONS)

_BODY = """\
<h1>{title}</h1>
<p class="quiet">{what}</p>
{summary}
{plots}
{errors}"""

_PLOTS = """\
<h2 id="over-shapes">Over shapes</h2>
<p class="quiet">Choose what to show, which sizes are the axes, and the values of the
others.{thinned}</p>
<div class="controls" id="map-controls"></div>
<div class="plot" id="map" role="img" aria-label="Heat map over shapes"></div>
<h2 id="cost">Cycles against cells</h2>
<p class="quiet"><span id="cost-count"></span> <span id="cost-circles">A filled circle is a target
that was synthesised; the cells of the others are an estimate.</span></p>
<div class="controls" id="cost-controls"></div>
<div class="plot" id="cost-plot" role="img" aria-label="Cycles against cells for each target"></div>
<h2 id="limits">What limits where</h2>
<p class="quiet">The limit of a call is that of the kernels that take most of its cycles.</p>
<div class="plot" id="shares" role="img" aria-label="What limits each target"></div>"""

_NOTHING = "<p>No shape ran on any target, so there is nothing to draw.</p>"


@dataclass(frozen=True)
class Summary:
    """The summary of a sweep for one target.

    `cycles` is the geometric mean over the shapes that all targets with results can run.
    `arithmetic` is the machine's share of the operations of all shapes, for a model with parts on
    the host.
    """

    label: str
    cells: int | None
    cells_from: str | None
    errors: int
    cycles: float | None
    roofline: float | None
    limit: str | None
    arithmetic: float | None = None

    HEAD = ("target", "cells", "errors", "cycles", "roofline", "mostly limited by")

    def row(self) -> list[str]:
        """Return the texts of a table row."""
        of = ""
        if self.arithmetic is not None:
            of = f" for {share_text(self.arithmetic)} of the arithmetic"
        about = "~" if self.cells_from == "estimate" else ""
        return [
            self.label,
            "" if self.cells is None else f"{about}{self.cells}",
            str(self.errors),
            "" if self.cycles is None else f"{self.cycles:.0f}{of}",
            "" if self.roofline is None else f"{100 * self.roofline:.1f} %",
            self.limit or "",
        ]


def _arithmetic(machine: Any, host: Any) -> float | None:
    """Return the machine's share of operations; None for a program of the machine alone."""
    total = float(np.nansum(machine) + np.nansum(host))
    return float(np.nansum(machine)) / total if total else None


class Results:
    """The rows of a finished sweep, as arrays of targets by shapes."""

    def __init__(self, job: Job, file: Path) -> None:
        self.job = job
        columns = ["cells", "cells_from", *_COLUMNS]
        import pandas  # noqa: PLC0415 - an extra

        self.rows = pandas.read_parquet(file, columns=columns)

    def _by_target(self, column: str) -> Any:
        return self.rows[column].to_numpy().reshape(len(self.job.variants), len(self.job.grid))

    def summaries(self) -> list[Summary]:
        """Return the summary of each target."""
        cycles = self._by_target("cycles").astype(float)
        shares = self._by_target("roofline").astype(float)
        limits, cells = self._by_target("limit"), self._by_target("cells")
        origins = self._by_target("cells_from")
        ran = ~np.isnan(cycles)
        machine, host = (self._by_target(name).astype(float) for name in _OPERATIONS)
        some = ran.any(axis=1)
        common = ran[some].all(axis=0) if some.any() else np.zeros(len(self.job.grid), bool)
        found: list[Summary] = []
        for number, variant in enumerate(self.job.variants):
            mean = share = most = None
            if some[number]:
                counts = Counter(limits[number][ran[number]]).most_common(1)
                most = counts[0][0]
                share = float(shares[number][ran[number]].mean())
                if common.any():
                    logs = np.log(np.maximum(cycles[number][common], 1))
                    mean = float(np.exp(logs.mean()))
            own = cells[number][0]
            found.append(
                Summary(
                    variant.label,
                    None if _is_null(own) else int(own),
                    None if _is_null(own) else origins[number][0],
                    int((~ran[number]).sum()),
                    mean,
                    share,
                    most,
                    _arithmetic(machine[number], host[number]),
                )
            )
        return found

    def page(self) -> str:
        """Return the page in HTML."""
        job, summaries = self.job, self.summaries()
        keep = _thinned(job)
        picked = np.ix_(range(len(job.variants)), *keep)
        shape = (len(job.variants), *(len(values) for values in job.grid.sizes.values()))

        def values(column: str) -> Any:
            return self.rows[column].to_numpy().reshape(shape)[picked].ravel()

        limits, limit = _coded(values("limit"))
        bounds, bound = _coded(values("bound"))
        data = {
            "targets": [
                {
                    "label": summary.label,
                    "short": " ".join(f"{k}={v}" for k, v in variant.varied.items())
                    or variant.base,
                    "base": variant.base,
                    "cells": summary.cells,
                    "from": summary.cells_from,
                }
                for variant, summary in zip(job.variants, summaries, strict=True)
            ],
            "sizes": [
                {"name": size_column(job, name), "values": [all_[i] for i in kept]}
                for (name, all_), kept in zip(job.grid.sizes.items(), keep, strict=True)
            ],
            "cycles": [None if _is_null(c) else int(c) for c in values("cycles")],
            "roofline": [None if _is_null(r) else round(float(r), 4) for r in values("roofline")],
            "limits": limits,
            "limit": limit,
            "bounds": bounds,
            "bound": bound,
        }
        name = job.source.name
        errors = sum(summary.errors for summary in summaries)
        what = (
            f"{counted(job.points, 'point')}: {counted(len(job.grid), 'shape')} on "
            f"{counted(len(job.variants), 'target')}. "
            f"{errors:,} cannot run. hwc {hwc.__version__}; all rows are in table.parquet."
        )
        thinned = any(
            len(kept) < len(all_) for kept, all_ in zip(keep, job.grid.sizes.values(), strict=True)
        )
        more = (
            " The page has some of the values of each size; the table has all." if thinned else ""
        )
        body = _BODY.format(
            title=f"Sweep of <code>{html.escape(name)}</code>",
            what=what,
            summary=table(
                "Targets", list(Summary.HEAD), [s.row() for s in summaries], right=(1, 2, 3, 4)
            ),
            plots=_PLOTS.format(thinned=more) if errors < job.points else _NOTHING,
            errors=self._errors(),
        )
        script = (Path(__file__).parent / "page.js").read_text(encoding="utf-8")
        return Page(f"Sweep of {name}", body, data, script).html()

    def _errors(self) -> str:
        counts = self.rows["error"].value_counts(sort=False)
        if counts.empty:
            return ""
        most = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
        rows = [[f"{count:,}", str(text).splitlines()[0]] for text, count in most[:MOST_ERRORS]]
        head = '<h2 id="errors">Why points cannot run</h2>\n'
        if len(most) > len(rows):
            head += f'<p class="quiet">The {len(rows)} most frequent of {len(most):,}.</p>\n'
        return head + table("Why points cannot run", ["points", "error"], rows, (0,), "wraps")


def _is_null(value: Any) -> bool:
    return value is None or value != value  # noqa: PLR0124 - NaN, which pandas uses for null numbers


def _coded(values: Any) -> tuple[list[str], list[int | None]]:
    """Return the distinct texts of a column, sorted, and the index of each value's text."""
    texts = sorted({text for text in values if isinstance(text, str)})
    numbers = {text: number for number, text in enumerate(texts)}
    return texts, [numbers.get(text) for text in values]


def _thinned(job: Job) -> list[list[int]]:
    """Return which values of each size the page has: all, unless there are too many points."""
    counts = [len(values) for values in job.grid.sizes.values()]
    kept = list(counts)
    while len(job.variants) * int(np.prod(kept)) > MOST_POINTS and max(kept, default=1) > 2:
        longest = kept.index(max(kept))
        kept[longest] = ceil(kept[longest] / 2)
    return [
        [int(i) for i in np.unique(np.linspace(0, count - 1, few).round())]
        for count, few in zip(counts, kept, strict=True)
    ]
