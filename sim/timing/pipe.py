"""The order in which the ports of the vector pipe work on strips: which phases a step has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from isa.phases import phase_lag
from sim.timing.body import BodyTime, Phase, PhaseTime


@dataclass(frozen=True)
class Pipe:
    """What the order of the ports depends on, besides times: the same on every strip.

    Up to `copies` strips have their own registers. `first_output` is the first phase that writes an
    output stream. `segments` and `groups` count what the ports have to issue.
    """

    phases: int
    copies: int
    first_output: int
    segments: int
    groups: int

    @classmethod
    def of(cls, phases: Sequence[Phase], copies: int) -> Pipe:
        """Describe a body."""
        return cls(
            len(phases),
            copies,
            next(g for g, phase in enumerate(phases) if phase.writes_output),
            sum(bool(phase.segment) for phase in phases),
            sum(bool(phase.group) for phase in phases),
        )

    @property
    def lag(self) -> int:
        """Number of strips by which a phase lags the phase before it."""
        return phase_lag(self.groups, self.copies)

    @property
    def delay(self) -> int:
        """Number of steps from the step in which a strip begins to the step in which it ends."""
        return self.lag * (self.phases - 1)

    def stretches(
        self, first: int, end: int, strips: int, whole: BodyTime, part: BodyTime
    ) -> Iterator[tuple[int, tuple[ActivePhase, ...]]]:
        """Cut the steps `first` to `end` - 1 where the active phases change; yield ends and phases.

        The kernel has `strips` strips; the last strip takes `part`, every other strip `whole`.
        """
        step = first
        while step < end:
            active = self._active(step, strips, whole, part)
            # Between the first and the last steps, every phase has a strip, and a whole strip.
            step = min(strips - 1, end) if self.delay <= step < strips - 1 else step + 1
            yield step, active

    def _active(
        self, step: int, strips: int, whole: BodyTime, part: BodyTime
    ) -> tuple[ActivePhase, ...]:
        """The phases of a step."""
        in_phases = ((g, step - self.lag * g) for g in range(self.phases))
        bodies = (
            (g, part if strip == strips - 1 else whole)
            for g, strip in in_phases
            if 0 <= strip < strips
        )
        return tuple(ActivePhase(g, body.phases[g], body.landing) for g, body in bodies)


class ActivePhase(NamedTuple):
    """A phase in a step, and its times and the `landing` of the strip that is in the phase."""

    number: int
    time: PhaseTime
    landing: int
