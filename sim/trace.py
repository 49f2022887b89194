"""The trace of a simulation: one entry for each engine and strip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sim.kernel import Kernel

ENGINES = ("fetch", "broadcast", "lane", "special", "store")
"""The engines in the order in which a strip meets them.

Broadcast works on a strip once for each input stream, lane and special once for each phase.
"""


@dataclass(frozen=True)
class StripRecord:
    """One engine's work on one strip, in cycles since the start of the dispatch.

    The engine is busy from `start` to `end` (exclusive). Before `start` it waited `waits[cause]`
    cycles for each cause. The causes have the names of the counters (fetch: `ring`; broadcast:
    `data`, `slot`; lane: `input`, `special`, `output`; special: none, its waits are for `any`
    cause; store: `input`). The sum of the waits is the time between the end of the engine's
    previous work, or the time when the engine became free for the kernel, and `start`.

    `kernel` is the pc of the kernel's `loop`. `stream` is the operand code of a broadcast unit's
    stream, and 0 for the other engines. `phase` is the phase of the lanes or the special functions,
    and 0 for the other engines.
    """

    engine: str
    kernel: int
    stream: int
    strip: int
    phase: int
    start: int
    end: int
    waits: dict[str, int]


class StripTrace(Protocol):
    """Receives the records of strips, as a list does."""

    def append(self, record: StripRecord, /) -> None:
        """Take a record; for one engine, stream and kernel, records come in the order of time."""
        ...


@runtime_checkable
class SelectiveTrace(StripTrace, Protocol):
    """A trace that needs the records of only some strips, which makes long kernels faster."""

    def wanted(self, kernel: Kernel) -> range:
        """Return the strips of a kernel whose records are needed; others may be recorded too."""
        ...


@dataclass(frozen=True)
class SequenceRecord:
    """The sequencer's work up to a kernel or the end of the program, in cycles of the dispatch.

    The sequencer executes words from `begin` to `loop`, and sets up a kernel from there to `start`,
    when the kernel's fetch starts. During the set-up, the sequencer waits `fetch_wait` cycles for
    the fetch and the vector pipe to be free for the kernel, and then `end_wait` cycles for the end
    of earlier work on which the kernel depends. The last record of a dispatch has no kernel, and
    the program is over at `loop`. `kernel` is the pc of the kernel's `loop`.
    """

    begin: int
    loop: int
    start: int
    fetch_wait: int = 0
    end_wait: int = 0
    kernel: int | None = None
