"""What an engine does: it works on strips, and waits before and between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CAUSES: Mapping[str, tuple[str, ...]] = {
    "fetch": ("ring",),
    "broadcast": ("data", "slot"),
    "lane": ("dependence", "input", "special", "output"),
    "special": ("any",),
    "store": ("input",),
}
"""What each engine waits for, in the order of the counters.

An idle engine waits for the first condition that does not hold; a `dependence` is within work.
"""


class Wait(NamedTuple):
    """Cycles `begin` to `end` (exclusive) in which an engine waits for a cause."""

    cause: str
    begin: int
    end: int

    @property
    def cycles(self) -> int:
        """The length of the wait."""
        return self.end - self.begin


@dataclass(slots=True)
class Work:
    """An engine's work on strips `first` to `last` of a kernel, with the waits for it.

    `begin` is the start of the first wait, `start` and `end` are the start and end of the work, in
    cycles of the dispatch. `busy` is the number of cycles in which the engine does not wait.
    `count` is the number of merged pieces. The waits of merged pieces are moved to the beginning,
    so only their number of cycles for each cause has a meaning.
    """

    first: int
    last: int
    phase: int
    points: int
    begin: int
    start: int
    end: int
    busy: int
    waits: Sequence[Wait]
    count: int = 1

    @classmethod
    def of(
        cls,
        strip: int,
        phase: int,
        points: int,
        start: int,
        end: int,
        waits: Sequence[Wait],
    ) -> Work:
        """Return the work on one strip from `start` to `end`; waits may come before and within."""
        within = sum(wait.cycles for wait in waits if wait.begin >= start)
        begin = min(start, waits[0].begin) if waits else start
        return cls(strip, strip, phase, points, begin, start, end, end - start - within, waits)

    @property
    def cost(self) -> int:
        """The number of slices that the work becomes."""
        return 1 + len(self.waits)

    def merged(self, after: Work, engine: str) -> Work:
        """Return this work and the work that follows it as one."""
        cycles = dict.fromkeys(CAUSES[engine], 0)
        for wait in (*self.waits, *after.waits):
            cycles[wait.cause] += wait.cycles
        waits: list[Wait] = []
        time = self.begin
        for cause, number in cycles.items():
            if number:
                waits.append(Wait(cause, time, time + number))
                time += number
        return Work(
            min(self.first, after.first),
            max(self.last, after.last),
            max(self.phase, after.phase),
            self.points + after.points,
            self.begin,
            self.begin,
            after.end,
            self.busy + after.busy,
            waits,
            self.count + after.count,
        )
