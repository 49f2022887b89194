"""How near a run is to what the machine's buses, lanes and special functions allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from isa.target import Target

Resource: TypeAlias = Literal["reads", "writes", "lanes", "special functions"]
"""What the roofline counts, in the order in which equals are named."""

RESOURCES: tuple[Resource, ...] = get_args(Resource)


def bytes_moved(counters: Mapping[str, int]) -> int:
    """Return the bytes that were read and written."""
    return counters["bytes_read"] + counters["bytes_written"]


def resource_cycles(counters: Mapping[str, int], target: Target) -> dict[Resource, int]:
    """Return the cycles that each resource needs at least for the counted work.

    Those are bytes read over the read width, bytes written over the write width, each rounded up,
    beats of lane instructions, and beats of special functions and division.
    """
    width = target.axi_bytes
    return {
        "reads": -(-counters["bytes_read"] // width),
        "writes": -(-counters["bytes_written"] // width),
        "lanes": counters["lane_busy"],
        "special functions": counters["special_busy"],
    }


def ideal_cycles(counters: Mapping[str, int], target: Target) -> int:
    """Return the fewest cycles in which the counted work can be done: the largest of the four."""
    return max(resource_cycles(counters, target).values())


def roofline_share(counters: Mapping[str, int], target: Target) -> float:
    """Return ideal cycles over cycles: 1 is a run that never waited; 0 if nothing ran."""
    cycles = counters["cycles"]
    return ideal_cycles(counters, target) / cycles if cycles else 0.0
