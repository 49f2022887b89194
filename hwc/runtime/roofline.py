"""How close a run is to what the machine's buses, lanes and special functions allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from isa.target import Target

Resource: TypeAlias = Literal["reads", "writes", "lanes", "special functions"]
"""The resources of the roofline; if two are equal, the first in this order is named."""

RESOURCES: tuple[Resource, ...] = get_args(Resource)


def bytes_moved(counters: Mapping[str, int]) -> int:
    """Return the number of bytes read and written."""
    return counters["bytes_read"] + counters["bytes_written"]


def resource_cycles(counters: Mapping[str, int], target: Target) -> dict[Resource, int]:
    """Return the fewest cycles that each resource needs for the counted work.

    They are the bytes read over the read width and the bytes written over the write width, each
    rounded up, the beats of lane instructions, and the beats of special instructions.
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


def bound(counters: Mapping[str, int], target: Target) -> Resource | None:
    """Return the resource that sets the roofline; None if there is no work."""
    resources = resource_cycles(counters, target)
    most = max(resources, key=resources.__getitem__)
    return most if resources[most] else None


def roofline_share(counters: Mapping[str, int], target: Target) -> float:
    """Return ideal cycles over cycles: 1 if the run never waited; 0 if nothing ran."""
    cycles = counters["cycles"]
    return ideal_cycles(counters, target) / cycles if cycles else 0.0
