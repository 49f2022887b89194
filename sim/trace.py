"""The trace of a simulation: one entry for each engine and strip."""

from __future__ import annotations

from dataclasses import dataclass

ENGINES = ("fetch", "broadcast", "lane", "special", "store")
"""The engines in the order in which a strip meets them.

Broadcast works on a strip once for each input stream, lane and special once for each phase.
"""


@dataclass(frozen=True)
class StripRecord:
    """One engine's work on one strip, in cycles since the start of the dispatch.

    The engine is busy from `start` to `end` (exclusive). Before `start` it waited `waits[cause]`
    cycles for each cause, the causes being the counters' (fetch: `ring`; broadcast: `data`, `slot`;
    lane: `input`, `special`, `output`; special: none, its waits are for `any` cause; store:
    `input`). Their sum is the time between the end of the engine's previous work, or the time from
    which on it was free for the kernel, and `start`. `kernel` is the pc of the kernel's `loop`;
    `stream` is the operand code of a broadcast unit's stream and 0 for the other engines; `phase`
    is that of the lanes or the special functions, and 0 for the other engines.
    """

    engine: str
    kernel: int
    stream: int
    strip: int
    phase: int
    start: int
    end: int
    waits: dict[str, int]
