"""The parts of a kernel's timing that depend only on its body, worked out once for each body."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from isa.target import Target
from sim.kernel import Body
from sim.timing.body import BodyTime, body_time, phases_of
from sim.timing.pipe import Pipe


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


def body_plan(target: Target, body: Body, copies: int, points: tuple[int, int]) -> BodyPlan:
    """The plan of a body; `points` are the numbers of points of a whole strip and the last one."""
    whole, part = points
    return _body_plan(
        target, body, copies, whole_beats(target, body, whole), whole_beats(target, body, part)
    )


def whole_beats(target: Target, body: Body, points: int) -> int:
    """The most points for which a body takes the same beats: they share a cached plan."""
    step = target.special_rate if body.special else target.lanes
    return -(-points // step) * step


@lru_cache(maxsize=4096)
def _body_plan(target: Target, body: Body, copies: int, whole: int, part: int) -> BodyPlan:
    pipe = Pipe.of(phases_of(body), copies)
    return BodyPlan(pipe, _body_time(target, body, whole), _body_time(target, body, part))


@lru_cache(maxsize=4096)
def _body_time(target: Target, body: Body, points: int) -> BodyTime:
    return body_time(target, phases_of(body), target.lanes, points)
