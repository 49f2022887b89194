"""Which lines, branches and bits of the hardware's sources ran."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from rtl_models.coverage.data import Point

_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True)
class Share:
    """The number of covered points and the number of all points."""

    covered: int
    total: int

    def __add__(self, other: Share) -> Share:
        return Share(self.covered + other.covered, self.total + other.total)

    @property
    def percent(self) -> float:
        """The covered points in per cent; 100 if there are no points."""
        return 100 * self.covered / self.total if self.total else 100.0

    def __str__(self) -> str:
        return f"{self.percent:.1f} % ({self.covered} of {self.total})"


def line_counts(points: Mapping[Point, int]) -> dict[str, dict[int, int]]:
    """Return by file and line how often it ran: of several points on a line the least.

    So a line with both sides of a `?:` counts as covered only if both were taken.
    """
    files: dict[str, dict[int, int]] = defaultdict(dict)
    for point, count in points.items():
        if point.kind in ("line", "branch"):
            for line in point.lines:
                files[point.file][line] = min(count, files[point.file].get(line, count))
    return dict(files)


def shares(points: Mapping[Point, int], kind: str) -> dict[str, Share]:
    """Return by file how many of its points of a kind have counted."""
    files: dict[str, Share] = defaultdict(lambda: Share(0, 0))
    for point, count in points.items():
        if point.kind == kind:
            files[point.file] += Share(int(count > 0), 1)
    return dict(files)


def untoggled(points: Mapping[Point, int]) -> Counter[tuple[str, str]]:
    """Count the edges that never occurred, by file and signal, without the indices of bits."""
    groups: Counter[tuple[str, str]] = Counter()
    for point, count in points.items():
        if point.kind == "toggle" and not count:
            groups[point.file, _INDEX.sub("", point.what.rpartition(":")[0])] += 1
    return groups


def total(files: Mapping[str, Share]) -> Share:
    """Add up."""
    return sum(files.values(), Share(0, 0))
