"""Performance counters: names and order from `isa/counters.yaml`, and sums of counters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from isa.load import load

ANY_TIMING = (
    *("strips", "instructions", "lane_busy", "special_busy", "cuts"),
    *("bytes_read", "bytes_written", "read_beats", "write_beats"),
)
"""Counters that memory stalls do not change."""


def zero() -> dict[str, int]:
    """All counters at 0, in the order of the host's registers."""
    return dict.fromkeys(load().counters, 0)


def total(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Sum sets of counters, complete or partial; KeyError for a name that is not a counter."""
    sums = zero()
    for part in parts:
        for name, value in part.items():
            sums[name] += value
    return sums
