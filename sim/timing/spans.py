"""Repetition in the walks of the streams alone: periods to try, and spans that do repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

from sim.timing.strips import InputWalk


def candidate_periods(walks: Sequence[InputWalk], vlen: int, most: int) -> list[int]:
    """Periods in strips, at most `most`, that the walks suggest together; ascending.

    The caller has to check whether the requests of the strips do repeat.
    """
    if not most:
        return []
    kinds: dict[str, int] = {}
    for walk in walks:
        for name, points in walk.periods().items():
            kinds[name] = lcm(kinds.get(name, 1), _strips(points, vlen))
    base = kinds.values()
    found = {1, *base, *(lcm(a, b) for a in base for b in base)}
    return sorted(period for period in found if period <= most)


@dataclass(frozen=True)
class CommonSpan:
    """Strips `begin` to `end` (exclusive) make the same requests as the strips `period` earlier.

    `growths` are the amounts by which fill and free of each stream grow in a period.
    """

    begin: int
    end: int
    period: int
    growths: tuple[int, ...]


def common_span(walks: Sequence[InputWalk], vlen: int, period: int) -> CommonSpan | None:
    """The span that all walks have in common, its period a multiple of `period` strips."""
    begin, end = 0, 1 << 62
    spans = [walk.span() for walk in walks]
    for span in spans:
        if span is None:
            return None
        begin, end = max(begin, span.begin), min(end, span.end)
        period = lcm(period, _strips(span.period, vlen))
    growths = tuple(s.growth * (period * vlen // s.period) for s in spans if s)
    # A strip's requests depend on the strip before, its releases on the strip after.
    return CommonSpan(begin // vlen + 2, end // vlen - 2, period, growths)


def _strips(points: int, vlen: int) -> int:
    """The least number of strips whose points are a multiple of `points`."""
    return lcm(points, vlen) // vlen
