"""The phases of a body, and the time that the vector pipe's two ports take for them on one strip.

docs/timing.md, section "Vector pipe", defines every quantity here by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from isa.load import load
from isa.target import Target
from sim.kernel import Operation


@dataclass
class Phase:
    """A phase of a body: lane instructions, then special ones; either may be missing."""

    segment: list[Operation] = field(default_factory=list)
    group: list[Operation] = field(default_factory=list)

    @property
    def writes_output(self) -> bool:
        """Whether an instruction of the phase writes an output stream."""
        output = load().operands["output"]
        return any(output.holds(o.destination) for o in (*self.segment, *self.group))


def phases_of(body: Sequence[Operation]) -> list[Phase]:
    """The nonempty phases of a body: without A_m if the body ends in a special instruction."""
    phases = [Phase()]
    for operation in body:
        if operation.special:
            phases[-1].group.append(operation)
        else:
            if phases[-1].group:
                phases.append(Phase())
            phases[-1].segment.append(operation)
    return phases


class PhaseTime(NamedTuple):
    """Cycles of a phase on one strip; all are 0 for a segment or a group that is empty.

    `length` (len_g): cycles of the segment. `lead`: from the begin of the segment to the begin of
    the group, 1 at least. `results`: from the end of the segment until its results are complete.
    `group` (slen_g): cycles of the group. `back`: from the begin of the group to the begin of the
    next segment.
    """

    length: int
    lead: int
    results: int
    group: int
    back: int


@dataclass(frozen=True)
class BodyTime:
    """The phases of a body on a strip, and the beats that each port issues for the strip.

    `landing`: cycles from the last broadcast beat of the strip to its first use.
    """

    phases: tuple[PhaseTime, ...]
    lane_beats: int
    special_beats: int
    landing: int

    @cached_property
    def lane_length(self) -> int:
        """Cycles of all segments."""
        return sum(phase.length for phase in self.phases)


def body_time(target: Target, phases: Sequence[Phase], lanes: int, points: int) -> BodyTime:
    """The times of a body's phases on a strip of `points` points, with `lanes` points in a beat."""
    beats, special_beats = -(-points // lanes), -(-points // target.special_rate)
    return BodyTime(
        tuple(_phase_time(phase, beats, special_beats) for phase in phases),
        beats * sum(len(phase.segment) for phase in phases),
        special_beats * sum(len(phase.group) for phase in phases),
        landing(beats),
    )


def landing(rows: int) -> int:
    """Cycles from the last broadcast beat of a strip of some rows to its first use."""
    constants = load().timing
    return max(constants.landing_ready, constants.last_row_ready - (rows - 1))


def _phase_time(phase: Phase, beats: int, special_beats: int) -> PhaseTime:
    constants = load().timing
    writers: dict[int, int] = {}
    issued = _issue(phase.segment, beats, constants.lane, writers)
    length = lead = results = group = back = 0
    if issued:
        length = issued[-1] + max(beats, constants.lane)
        results = issued[-1] + beats + constants.lane - length
    if phase.group:
        reads = {source for operation in phase.group for source in operation.sources}
        fed = [issued[writers[r]] + constants.lane for r in reads & set(writers)]
        lead = max(fed, default=1 if issued else 0)
        group = _issue(phase.group, special_beats, constants.special, {})[-1] + special_beats
        back = group + constants.special - beats
    return PhaseTime(length, lead, results, group, back)


def _issue(
    operations: Sequence[Operation], beats: int, latency: int, writers: dict[int, int]
) -> list[int]:
    """When each instruction issues, relative to the first; fills in the last `writers`."""
    issued: list[int] = []
    for number, operation in enumerate(operations):
        start = issued[-1] + beats if issued else 0
        for source in operation.sources:
            if source in writers:
                start = max(start, issued[writers[source]] + latency)
        issued.append(start)
        writers[operation.destination] = number
    return issued


class PhasePauses(NamedTuple):
    """When the ports issue no beat within a phase: (begin, end) after the begin of its part."""

    segment: tuple[tuple[int, int], ...]
    group: tuple[tuple[int, int], ...]


def body_pauses(
    target: Target, phases: Sequence[Phase], lanes: int, points: int
) -> tuple[PhasePauses, ...]:
    """The pauses within the phases of a body on a strip; pauses and beats add up to `body_time`."""
    beats, special_beats = -(-points // lanes), -(-points // target.special_rate)
    constants = load().timing
    found: list[PhasePauses] = []
    for phase in phases:
        issued = _issue(phase.segment, beats, constants.lane, {})
        group = _issue(phase.group, special_beats, constants.special, {})
        if issued:
            issued.append(issued[-1] + max(beats, constants.lane))
        found.append(PhasePauses(_pauses(issued, beats), _pauses(group, special_beats)))
    return tuple(found)


def _pauses(issued: Sequence[int], beats: int) -> tuple[tuple[int, int], ...]:
    """The times between the end of an instruction's beats and the next begin."""
    return tuple(
        (begin + beats, after)
        for begin, after in zip(issued[:-1], issued[1:], strict=True)
        if begin + beats < after
    )
