"""One page: its text, its plots and their data in one HTML file."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_TALL = 40
"""A table with at most this many rows is as tall as its rows; a longer one scrolls in its box."""

_HERE = Path(__file__).parent

_HTML = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="hwc">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
{navigation}<main id="content" tabindex="-1">
{body}
</main>
<script>{plotly}</script>
<script type="application/json" id="data">{data}</script>
<script>
{script}</script>
</body>
</html>
"""


@dataclass(frozen=True)
class Page:
    """A page with plots.

    `body` is HTML. `script` is JavaScript, which reads `data` from `hwc.data` and draws with
    `hwc.plot(id, make)`: `make` returns the data and the layout of a Plotly plot, and is called
    again when the page switches between light and dark. `hwc/pages/page.js` defines `hwc`.
    `sections` are the ids and the names of the sections linked at the top; `style` is CSS for this
    page alone.
    """

    title: str
    body: str
    data: Any
    script: str
    sections: tuple[tuple[str, str], ...] = ()
    style: str = ""

    def html(self) -> str:
        """Return the page as an HTML file."""
        from plotly.offline import get_plotlyjs  # noqa: PLC0415 - an extra

        return _HTML.format(
            title=html.escape(self.title),
            style=(_HERE / "page.css").read_text(encoding="utf-8") + self.style,
            navigation=self._navigation(),
            body=self.body,
            plotly=get_plotlyjs(),
            data=embedded(self.data),
            script=(_HERE / "page.js").read_text(encoding="utf-8") + self.script,
        )

    def _navigation(self) -> str:
        """Return the links at the top; keyboard users can skip them."""
        if not self.sections:
            return ""
        links = "".join(
            f'<li><a href="#{at}">{html.escape(name)}</a></li>' for at, name in self.sections
        )
        return (
            '<a class="skip" href="#content">Skip to the content</a>\n'
            f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n'
        )


def embedded(data: Any) -> str:
    """Return data as JSON that is safe in a script element, whatever strings it contains."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


def table(
    label: str, head: list[str], rows: list[list[str]], right: tuple[int, ...] = (), kind: str = ""
) -> str:
    """Return an HTML table in a box that scrolls if the table is too wide for the screen.

    `label` tells users of a screen reader what the box has. The columns in `right` are numbers.
    `kind` is a class of the style sheet for the box.
    """

    def cells(tag: str, row: list[str]) -> str:
        return "".join(
            f"<{tag}{' scope=col' * (tag == 'th')}{' class=number' * (column in right)}>"
            f"{html.escape(cell)}</{tag}>"
            for column, cell in enumerate(row)
        )

    lines = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    classes = " ".join(filter(None, (table_class(len(rows)), kind)))
    return (
        f'<div class="{classes}" tabindex="0" role="region" aria-label="{html.escape(label)}">'
        f"<table>\n<thead><tr>{cells('th', head)}</tr></thead>\n"
        f"<tbody>\n{lines}\n</tbody>\n</table></div>"
    )


def table_class(rows: int) -> str:
    """Return the classes of the box of a table with this number of rows."""
    return "table tall" if rows <= MOST_TALL else "table"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as pages write it: `1 kernel`, `1,000 kernels`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
