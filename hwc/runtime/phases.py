"""The phases of a call, and a stopwatch for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

PHASES = {
    "arguments": "check the arguments' types",
    "sizes": "run the shape program: check and compute sizes",
    "plan": "choose the plan",
    "link": "link the kernels of the plan",
    "place": "place buffers, programs and packets",
    "copy_in": "allocate, copy arguments and constants in",
    "packet": "write programs and packets",
    "device": "run the dispatches",
    "copy_out": "copy results out",
}
"""The phases in order, with what happens in each. A phase begins where the previous one ends."""

Lap: TypeAlias = Callable[[str], None]
"""Called with the name of a phase when the phase ends; a phase may be repeated."""


def no_lap(phase: str) -> None:
    """Measure nothing."""


class Watch:
    """Adds up the seconds of each phase, from when the watch is made; `lap` ends a phase."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0)
        self._last = time.perf_counter()

    def lap(self, phase: str) -> None:
        """Add the time since the last lap to this phase."""
        now = time.perf_counter()
        self.seconds[phase] += now - self._last
        self._last = now
