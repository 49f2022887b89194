"""What the walks of streams alone say of repetition: periods to try, and spans that do repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

from isa.target import Target
from sim.streams import Pattern


def candidate_periods(target: Target, patterns: Sequence[Pattern], most: int) -> list[int]:
    """Periods in strips, at most `most`, that bus words, bursts, cuts and units suggest; ascending.

    Whether the strips do ask the same again is for the caller to check.
    """
    kinds: dict[str, list[int]] = {"word": [1], "burst": [1], "cut": [1], "unit": [1]}
    for pattern in patterns:
        word_points = target.axi_bytes // pattern.element_bytes * pattern.repeats[0]
        kinds["word"].append(_strips(target, word_points))
        kinds["burst"].append(_strips(target, word_points * target.burst_beats))
        kinds["cut"].append(_strips(target, pattern.cut_points or 1))
        kinds["unit"].append(_strips(target, pattern.unit_points))
    base = {lcm(*periods) for periods in kinds.values()}
    found = {1, *base, *(lcm(a, b) for a in base for b in base)}
    return sorted(period for period in found if period <= most)


def _strips(target: Target, points: int) -> int:
    """Least number of strips that hold a multiple of `points` points."""
    return lcm(points, target.vlen) // target.vlen


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
    for pattern in patterns:
        span = _points(target, pattern)
        if span is None:
            return None
        begin, end = max(begin, span[0]), min(end, span[1])
        period = lcm(period, _strips(target, span[2]))
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
        # Contiguous elements: what is asked depends on the position in a burst.
        word = target.axi_bytes // pattern.element_bytes * pattern.repeats[0]
        return 0, points - word, word * target.burst_beats
    if pattern.unit_points == points and (
        pattern.cut_points >= points or pattern.cut_points % target.lanes == 0
    ):
        # One held block: after its first pass nothing is fetched, before its last nothing leaves.
        one_pass = points // pattern.repeats[pattern.held]
        return one_pass, points - one_pass, 1
    return None
