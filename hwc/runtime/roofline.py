"""How near a run is to what the machine's buses, lanes and special functions allow."""

from __future__ import annotations

from collections.abc import Mapping

from isa.target import Target


def bytes_moved(counters: Mapping[str, int]) -> int:
    """Return the bytes that were read and written."""
    return counters["bytes_read"] + counters["bytes_written"]


def ideal_cycles(counters: Mapping[str, int], target: Target) -> int:
    """Return the fewest cycles in which the counted work can be done.

    That is the largest of: bytes read over the read width, bytes written over the write width, each
    rounded up, the beats of lane instructions, and those of special functions and division.
    """
    width = target.axi_bytes
    return max(
        -(-counters["bytes_read"] // width),
        -(-counters["bytes_written"] // width),
        counters["lane_busy"],
        counters["special_busy"],
    )


def roofline_share(counters: Mapping[str, int], target: Target) -> float:
    """Return ideal cycles over cycles: 1 is a run that never waited; 0 if nothing ran."""
    cycles = counters["cycles"]
    return ideal_cycles(counters, target) / cycles if cycles else 0.0
