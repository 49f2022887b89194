"""Spans of a walk in which a stream asks the same, period after period, by its pattern alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

from isa.target import Target
from sim.streams import Pattern


@dataclass(frozen=True)
class Span:
    """Strips from `begin` to `end` (exclusive) ask what the strips `period` later ask.

    Per period, fetched and released elements of stream i grow by `elements[i]`.
    """

    begin: int
    end: int
    period: int
    elements: tuple[int, ...]


def common_span(target: Target, patterns: Sequence[Pattern], period: int) -> Span | None:
    """The span that all streams have in common, its period a multiple of `period` strips."""
    begin, end = 0, 1 << 62
    spans = [_points(target, pattern) for pattern in patterns]
    for span in spans:
        if span is None:
            return None
        begin, end = max(begin, span[0]), min(end, span[1])
        period = lcm(period, lcm(span[2], target.vlen) // target.vlen)
    walked = period * target.vlen
    elements = tuple(
        walked // pattern.repeats[0] if len(pattern.data) == 1 else 0 for pattern in patterns
    )
    # A strip's requests depend on the strip before, its releases on the strip after.
    return Span(begin // target.vlen + 2, end // target.vlen - 2, period, elements)


def _points(target: Target, pattern: Pattern) -> tuple[int, int, int] | None:
    """First point, end and period in points of one stream's steady span; None if it has none."""
    points = pattern.points
    if pattern.fetched_elements == 1:
        return 1, points - 1, 1
    if len(pattern.data) == 1:
        # Contiguous elements: what is asked depends on the place in a burst.
        word = target.axi_bytes // pattern.element_bytes * pattern.repeats[0]
        return 0, points - word, word * target.burst_beats
    if pattern.unit_points == points and (
        pattern.cut_points >= points or pattern.cut_points % target.lanes == 0
    ):
        # One held block: after its first pass nothing is fetched, before its last nothing leaves.
        one_pass = points // pattern.repeats[pattern.held]
        return one_pass, points - one_pass, 1
    return None
