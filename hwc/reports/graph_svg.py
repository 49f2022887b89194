"""The drawing of a graph: lines on the left, and a row of text for each kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwc.reports.graph import Edge, Graph

ROW = 52
"""The height of a row in pixels: two lines of text."""

STEP = 13
"""The width of a lane in pixels."""

RADIUS = 4.5
COLORS = 6
"""Lanes take the colours in turn; a colour means nothing, but tells lines apart."""


def drawing(graph: Graph, rows: Sequence[tuple[str, str, float]]) -> str:
    """Return a graph in HTML; a row is two lines of HTML, and the share, 0 to 1, of its bar."""
    left = STEP * graph.lanes + 14
    height = ROW * len(rows)
    lines = "".join(_paths(graph, left - 6))
    dots = "".join(
        f'<circle cx="{left - 6}" cy="{_y(row)}" r="{RADIUS}"/>' for row in range(len(rows))
    )
    items = "\n".join(
        f'<li><span class="bar" style="width:{100 * share:.1f}%"></span>'
        f"<span class=line>{first}</span><span class='line quiet'>{second}</span></li>"
        for first, second, share in rows
    )
    return (
        f'<div class="graph" tabindex="0" role="region" aria-label="Graph of kernels">'
        f'<div class="graph-rows" style="--row:{ROW}px">'
        f'<svg aria-hidden="true" width="{left + 6}" height="{height}">{lines}{dots}</svg>'
        f"<ol>\n{items}\n</ol></div></div>"
    )


def _y(row: int) -> int:
    return ROW * row + ROW // 2


def _paths(graph: Graph, spine: int) -> Iterator[str]:
    for edge in graph.edges:
        if edge.lane is None:
            begin, (end,) = edge.writer, edge.readers
            yield f'<path class="next" d="M{spine} {_y(begin)}V{_y(end)}"/>'
        else:
            color = f"lane-{edge.lane % COLORS}"
            yield f'<path class="{color}" d="{_lane(edge, spine)}"/>'


def _lane(edge: Edge, spine: int) -> str:
    """Return the path from the writer into the lane, down, and out to each reader."""
    assert edge.lane is not None
    x, bend = spine - STEP * (edge.lane + 1), ROW // 2
    begin, last = _y(edge.writer), _y(edge.readers[-1])
    path = f"M{spine} {begin}C{x} {begin} {x} {begin} {x} {begin + bend}V{last - bend}"
    for reader in edge.readers:
        y = _y(reader)
        path += f"M{x} {y - bend}C{x} {y} {x} {y} {spine} {y}"
    return path
