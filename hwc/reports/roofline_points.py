"""The points of the roofline plot: one for each kernel, as data and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hwc.pages.page import table
from hwc.reports.words import short
from hwc.runtime.kernels import KernelResult
from hwc.runtime.roofline import bytes_moved


def roofline_point(number: int, kernel: KernelResult) -> dict[str, Any]:
    """Return what the page draws of a kernel; docs/report.md says what x and y are."""
    need = kernel.resources
    compute = max(need["lanes"], need["special functions"])
    bus = max(need["reads"], need["writes"])
    return {
        "n": number,
        "name": short(kernel.operators),
        "x": compute / max(bus, 1),
        "y": compute / max(kernel.occupied, 1),
        "cycles": kernel.cycles,
        "limit": kernel.limit,
        "bound": kernel.bound or "",
        "roofline": kernel.roofline,
        "bytes": bytes_moved(kernel.counters),
    }


def points_table(points: Sequence[dict[str, Any]]) -> str:
    """Return the table that has the figures of the plot."""
    cells = [
        [
            *(str(point["n"]), f"{point['x']:.3g}", f"{100 * point['y']:.1f} %"),
            *(f"{100 * point['roofline']:.1f} %", f"{point['cycles']:,}", point["limit"]),
        ]
        for point in points
    ]
    head = ["kernel", "pipe cycles per bus cycle", "share with work", "roofline", "cycles"]
    return table("Points of the roofline", [*head, "limited by"], cells, (1, 2, 3, 4))
