"""Performance counters: the names and order of `isa/counters.yaml`, and sums of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from isa.load import load

ANY_TIMING = (
    *("strips", "instructions", "lane_busy", "special_busy", "cuts"),
    *("bytes_read", "bytes_written", "read_beats", "write_beats"),
)
"""Counters that no stall of memory changes."""


def zero() -> dict[str, int]:
    """All counters at 0, in the order of the host's registers."""
    return dict.fromkeys(load().counters, 0)


def total(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Sum of counters, each given whole or in part; a name that is not a counter is a KeyError."""
    sums = zero()
    for part in parts:
        for name, value in part.items():
            sums[name] += value
    return sums
