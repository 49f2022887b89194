"""The cycles and counters of each kernel of a call, and what limited the kernel.

docs/timing.md, section "Counters of a kernel", says how a call's cycles are divided among kernels.
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
    bound,
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
"""What limits a kernel: a resource of the roofline, or why no resource was busy half the time."""

_ENGINES: dict[Resource, tuple[str, tuple[str, ...]]] = {
    "reads": ("fetch", ("fetch_busy",)),
    "writes": ("store", ("store_busy",)),
    "lanes": ("lane", ("lane_busy", "lane_stall_dependence")),
    "special functions": ("special", ("special_busy",)),
}
"""The engine of each resource, and the counters of the cycles that the engine takes for strips."""


class KernelRef(NamedTuple):
    """A kernel that a call runs: its place in the package, and the number of its dispatch.

    `step` is the number of the step in the package, and `kernel` the number of the kernel in the
    step. `lines` are the source lines that the kernel's instructions come from, counted from 1.
    """

    step: int
    kernel: int
    dispatch: int
    operators: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class KernelResult:
    """What one kernel of a call took on a target.

    `step` is the number of the step in the package; `kernel` and `dispatch` are the numbers of the
    kernel and the dispatch in the step. `operators` are the source operators that the kernel
    computes, and `lines` the source lines that they are on, if the package records them.

    `cycles` run from the end of the previous kernel to the end of this one, so the cycles of all
    kernels add up. Kernels overlap: `start` and `end` say when the fetch began and when the last
    write was answered, in cycles of the dispatch. `occupied` runs to `end` from `start`, or from
    the end of the previous kernel if that is earlier.
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
        """The number of points of the iteration space."""
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
        """Every counter of the machine, by its name in `isa/counters.yaml`."""
        return self.run.counters

    @property
    def cycles(self) -> int:
        """Cycles from the end of the previous kernel to the end of this one."""
        return self.run.counters["cycles"]

    @property
    def occupied(self) -> int:
        """Cycles in which the machine worked on the kernel, or on nothing."""
        return self.run.occupied

    @property
    def resources(self) -> dict[Resource, int]:
        """The fewest cycles that each resource of the roofline needs."""
        return resource_cycles(self.run.counters, self.target)

    @property
    def ideal_cycles(self) -> int:
        """The roofline: the fewest cycles in which the resources can do the kernel's work."""
        return ideal_cycles(self.run.counters, self.target)

    @property
    def bound(self) -> Resource | None:
        """The resource that sets the roofline; None if the kernel has no work."""
        return bound(self.run.counters, self.target)

    @property
    def roofline(self) -> float:
        """Ideal cycles over occupied cycles: at most 1; 0 without work."""
        return self.ideal_cycles / self.occupied if self.occupied else 0.0

    @property
    def stalls(self) -> dict[str, int]:
        """The cycles that engines waited, by counter name; counters that are 0 are left out."""
        return {name: n for name, n in self.counters.items() if n and "_stall" in name}

    @property
    def limit(self) -> Limit:
        """What limits the kernel: what takes at least half of its occupied cycles.

        If one or more engines do, the busiest engine is the limit. Otherwise, most of these cycles
        passed while the previous kernel was still running, or before the first strip was stored and
        after the last one, or while the engines waited for each other.
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
        """The counter of the longest wait of the engine that limits the kernel.

        If no engine limits the kernel, this is the longest wait of the lanes, or of the special
        functions if the lanes have no work. None if the engine never waited.
        """
        limit, counters = self.limit, self.run.counters
        engine = "lane" if counters["lane_busy"] else "special"
        if limit in RESOURCES:
            engine, _ = _ENGINES[limit]
        found = {n: c for n, c in self.stalls.items() if n.startswith(f"{engine}_stall")}
        return max(found, key=found.__getitem__) if found else None

    @property
    def bytes(self) -> int:
        """Bytes read and written."""
        return bytes_moved(self.run.counters)

    def row(self) -> dict[str, Any]:
        """Return the kernel as a row of a table: values by column name."""
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
