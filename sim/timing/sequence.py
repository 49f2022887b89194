"""When the engines take over from one kernel to the next: docs/timing.md, section "Kernels"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from isa.load import load
from sim.kernel import Kernel, Stream
from sim.timing.contract import ALL_FREE, Starts


class Takeover(NamedTuple):
    """The start of a kernel's fetch, and when the other engines are free, in cycles from there."""

    start: int
    starts: Starts


@dataclass(frozen=True)
class AtWork:
    """A kernel that the engines have taken up; times are cycles of the dispatch.

    `pipe` is P; `fetched`, `landed` and `stored` are F1, B1 and S1 of the last strip. `before` is
    the end of the previous kernel.
    """

    outputs: tuple[Stream, ...]
    pipe: int
    fetched: int
    landed: int
    stored: int
    end: int
    before: int

    @property
    def fetch_free(self) -> int:
        """The earliest start of the next kernel's fetch that fetch and vector pipe allow."""
        return max(self.fetched, self.pipe) + load().timing.setup_start

    def next(self, ready: int, kernel: Kernel) -> Takeover:
        """When the engines take up `kernel`, which is set up at `ready`."""
        c = load().timing
        start = max(
            ready,
            self.fetch_free,
            self.landed + c.ring_clear,
            self.end if self._writes_for(kernel) else self.before,
        )
        pipe = max(start, self.stored + c.pipe_restart)
        broadcast = max(pipe, self.landed + c.broadcast_restart)
        store = max(pipe, self.end)
        return Takeover(start, Starts(broadcast - start, pipe - start, store - start))

    def _writes_for(self, kernel: Kernel) -> bool:
        """Whether an input of `kernel` shares bytes with an output."""
        return any(_share(i, o) for i in kernel.inputs for o in self.outputs)


def take_over(last: AtWork | None, ready: int, kernel: Kernel) -> Takeover:
    """When the engines take up `kernel` after the kernel `last`."""
    return last.next(ready, kernel) if last else Takeover(ready, ALL_FREE)


def _share(one: Stream, other: Stream) -> bool:
    """Whether two streams share bytes."""
    (first, limit), (other_first, other_limit) = one.extent, other.extent
    return max(first, other_first) < min(limit, other_limit)
