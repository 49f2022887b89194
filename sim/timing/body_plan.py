"""The parts of a kernel's timing that depend only on its body, worked out once for each body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from isa.target import Target
from sim.kernel import Operation
from sim.timing.body import BodyTime, body_time, phases_of
from sim.timing.contract import Pipe


@dataclass(frozen=True)
class BodyPlan:
    """What the times of a kernel depend on besides its streams: its pipe, and its body on a strip.

    On the last strip, the body takes `part`; on every other strip, it takes `whole`.
    """

    pipe: Pipe
    whole: BodyTime
    part: BodyTime

    @cached_property
    def tables(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The phases on a whole strip, and on the last one, as arrays."""
        return np.array(self.whole.phases, np.int64), np.array(self.part.phases, np.int64)


@lru_cache(maxsize=4096)
def body_plan(
    target: Target, body: Sequence[Operation], copies: int, points: tuple[int, int]
) -> BodyPlan:
    """The plan of a body; `points` are the numbers of points of a whole strip and the last one."""
    whole, part = (_body_time(target, body, n) for n in points)
    return BodyPlan(Pipe.of(phases_of(body), copies), whole, part)


@lru_cache(maxsize=4096)
def _body_time(target: Target, body: Sequence[Operation], points: int) -> BodyTime:
    return body_time(target, phases_of(body), target.lanes, points)
