"""What each kernel of a call took, and what limited it.

docs/timing.md, section "Counters of a kernel", says how a call's cycles are shared out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal, NamedTuple, TypeAlias

from hwc.runtime.display import kernel_text, row_html
from hwc.runtime.roofline import (
    RESOURCES,
    Resource,
    bytes_moved,
    ideal_cycles,
    resource_cycles,
)
from isa.dispatch import KernelRun
from isa.load import load
from isa.target import Target

Limit: TypeAlias = (
    Resource
    | Literal["set-up and latency", "the kernel before", "waits between engines", "no points"]
)
"""What limits a kernel: a resource of the roofline, or else why none was busy half of the time."""

_ENGINES: dict[Resource, tuple[str, tuple[str, ...]]] = {
    "reads": ("fetch", ("fetch_busy",)),
    "writes": ("store", ("store_busy",)),
    "lanes": ("lane", ("lane_busy", "lane_stall_dependence")),
    "special functions": ("special", ("special_busy",)),
}
"""The engine of each resource, and the counters of the cycles that it takes for strips."""


class KernelRef(NamedTuple):
    """A kernel that a call runs: where the package has it, and the number of its dispatch.

    `step` is the number of the package's step, `kernel` that of the kernel in it. `lines` are the
    lines of the source that the kernel's instructions come from, from 1.
    """

    step: int
    kernel: int
    dispatch: int
    operators: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class KernelResult:
    """What one kernel of a call took on a target.

    `step` and `kernel` are the numbers of the package's step and of the kernel in it, `dispatch`
    that of the dispatch in its step. `operators` are the source operators that it computes, and
    `lines` the lines of the source that they are in, if the package says so.

    `cycles` are those from the end of the kernel before to the end of this one, so the cycles of
    kernels add up. Kernels overlap: `start` and `end` say when the fetch began and when the last
    write was answered, in cycles of the dispatch, and `occupied` are the cycles from `start`, or
    from the end of the kernel before if that is earlier, to `end`.
    """

    step: int
    kernel: int
    dispatch: int
    operators: str
    lines: tuple[int, ...]
    run: KernelRun = field(repr=False)
    target: Target = field(repr=False)

    def __repr__(self) -> str:
        return kernel_text(self)

    def _repr_html_(self) -> str:
        """Return the kernel for a notebook."""
        return row_html(self.row())

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the iteration space, outermost first."""
        return self.run.sizes

    @property
    def points(self) -> int:
        """Points of the iteration space."""
        return prod(self.run.sizes)

    @property
    def start(self) -> int:
        """The cycle of the dispatch in which the fetch began."""
        return self.run.start

    @property
    def end(self) -> int:
        """The cycle of the dispatch in which the last write was answered."""
        return self.run.end

    @property
    def counters(self) -> Mapping[str, int]:
        """Every counter of the machine, by the names of `isa/counters.yaml`."""
        return self.run.counters

    @property
    def cycles(self) -> int:
        """Cycles from the end of the kernel before to the end of this one."""
        return self.run.counters["cycles"]

    @property
    def occupied(self) -> int:
        """Cycles in which the machine worked on the kernel, or on nothing."""
        return self.run.occupied

    @property
    def resources(self) -> dict[Resource, int]:
        """The cycles that each resource of the roofline needs at least."""
        return resource_cycles(self.run.counters, self.target)

    @property
    def ideal_cycles(self) -> int:
        """The roofline: the fewest cycles in which the resources can do the kernel's work."""
        return ideal_cycles(self.run.counters, self.target)

    @property
    def bound(self) -> Resource | None:
        """The resource that makes the roofline; None if the kernel has no work."""
        resources = self.resources
        most = max(resources, key=resources.__getitem__)
        return most if resources[most] else None

    @property
    def roofline(self) -> float:
        """Ideal cycles over occupied cycles: 1 at most; 0 without work."""
        return self.ideal_cycles / self.occupied if self.occupied else 0.0

    @property
    def stalls(self) -> dict[str, int]:
        """The cycles that engines waited, by the names of the counters that are not 0."""
        return {name: n for name, n in self.counters.items() if n and "_stall" in name}

    @property
    def limit(self) -> Limit:
        """What limits the kernel: what takes at least half of the cycles that it occupied.

        If an engine does, it is the busiest one. Otherwise most of these cycles passed while the
        kernel before was not over, or before the first strip was stored and after the last one, or
        the engines waited for each other.
        """
        run = self.run
        if not self.points:
            return "no points"
        busy: dict[Resource, int] = {
            resource: sum(run.counters[name] for name in names)
            for resource, (_, names) in _ENGINES.items()
        }
        busiest = max(busy, key=busy.__getitem__)
        half = run.occupied / 2
        if busy[busiest] >= half:
            return busiest
        if run.occupied - run.counters["cycles"] >= half:
            return "the kernel before"
        answer = self.target.memory_latency + load().timing.write_return
        strips = run.end - answer - run.stored_first
        return "set-up and latency" if strips < half else "waits between engines"

    @property
    def main_stall(self) -> str | None:
        """The counter of what the engine that limits the kernel waited for most.

        If no engine limits it, the engine is the lanes, or the special functions without lanes.
        None if the engine never waited.
        """
        limit, counters = self.limit, self.run.counters
        engine = "lane" if counters["lane_busy"] else "special"
        if limit in RESOURCES:
            engine, _ = _ENGINES[limit]
        found = {n: c for n, c in self.stalls.items() if n.startswith(f"{engine}_stall")}
        return max(found, key=found.__getitem__) if found else None

    @property
    def bytes(self) -> int:
        """Bytes that were read and written."""
        return bytes_moved(self.run.counters)

    def row(self) -> dict[str, Any]:
        """Return the kernel as a row of a table: a value by column name."""
        return {name: getattr(self, name) for name in _ATTRIBUTES} | dict(self.run.counters)


_ATTRIBUTES = (
    *("step", "kernel", "dispatch", "operators", "lines", "sizes", "points"),
    *(
        "start",
        "end",
        "occupied",
        "bytes",
        "ideal_cycles",
        "bound",
        "roofline",
        "limit",
        "main_stall",
    ),
)

COLUMNS = ("number", *_ATTRIBUTES, *load().counters)
"""The columns of a table of kernels."""


def kernel_table(kernels: Sequence[KernelResult]) -> list[dict[str, Any]]:
    """Return kernels as rows, with their `number` in the order of execution."""
    return [{"number": number, **kernel.row()} for number, kernel in enumerate(kernels)]
