"""How long the vector pipe takes for the body of a kernel on one strip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isa.load import load
from isa.target import Target
from sim.kernel import Operation


@dataclass(frozen=True)
class BodyTime:
    """Cycles of a body, from the issue of its first beat.

    `length` to the earliest issue of the next strip, `results` until the results of the strip are
    complete, `beats` in which a beat issues; the others of `length` wait for dependences.
    """

    length: int
    results: int
    beats: int


def body_time(target: Target, body: Sequence[Operation], lanes: int, points: int) -> BodyTime:
    """Issue the instructions of a body one after another for a strip of `points` points.

    `lanes` are the points of a beat in the units that work on all lanes.

    An instruction issues when the one before has issued all of its beats, when its sources are
    ready, and no earlier than the order of write back allows.
    """
    units = load().units
    producers: dict[int, int] = {}
    issue: list[int] = []
    beats: list[int] = []
    latency: list[int] = []
    for number, operation in enumerate(body):
        unit = operation.instruction.unit
        assert unit is not None, "a body holds vector instructions"
        own_beats = -(-points // target.rate(unit, lanes))
        own_latency = units[unit].latency
        start = 0
        if number:
            end = issue[-1] + beats[-1]
            start = max(end, end + latency[-1] - own_latency)
        for source in operation.sources:
            producer = producers.get(source)
            if producer is not None:
                lag = max(0, beats[producer] - own_beats)
                start = max(start, issue[producer] + latency[producer] + lag)
        issue.append(start)
        beats.append(own_beats)
        latency.append(own_latency)
        producers[operation.destination] = number
    end = issue[-1] + beats[-1]
    return BodyTime(
        length=end + max(0, latency[-1] - latency[0]),
        results=end + latency[-1],
        beats=sum(beats),
    )
