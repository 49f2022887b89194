"""The requests of each strip to the engines, for ranges of strips at a time.

docs/timing.md, sections "Streams" and "Engines", defines every quantity here by its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from isa.target import Target
from sim.kernel import Kernel
from sim.streams import I64Array
from sim.timing.bursts import Segment


@dataclass(frozen=True)
class InputStrips:
    """Requests of consecutive strips to one input stream; one array element for each strip.

    `fill`: amount fetched when the strip's requests are made. `free`: amount released when its
    broadcast ends. `segments`: the bytes requested, one segment after another. `beats`: beats of
    the broadcast, cuts included. `cuts`: the cuts among them.
    """

    fill: I64Array
    free: I64Array
    segments: Sequence[Segment]
    beats: I64Array
    cuts: I64Array


@dataclass(frozen=True)
class Span:
    """A range of a walk in which each period makes the same requests as the period before.

    Begin, end (exclusive) and period are counted in points or in strips, as the caller chooses.
    `growth` is the amount by which fill and free grow in a period.
    """

    begin: int
    end: int
    period: int
    growth: int


class InputWalk(Protocol):
    """How an input stream is fetched, held in its ring and broadcast, strip by strip.

    The walk chooses the unit of fill, free and capacity.
    """

    @property
    def capacity(self) -> int:
        """Capacity of a ring."""
        ...

    @property
    def total(self) -> int:
        """Amount fetched over the whole walk: `fill` of its last strip."""
        ...

    @property
    def fetched_bytes(self) -> int:
        """Bytes of all elements fetched over the whole walk."""
        ...

    def strips(self, first: int, count: int) -> InputStrips:
        """Compute the requests of strips `first` to `first + count - 1`."""
        ...

    def periods(self) -> Mapping[str, int]:
        """Points after which bus words, bursts, cuts and units may repeat, by name."""
        ...

    def span(self) -> Span | None:
        """The range of points in which the walk is known to repeat; None if it is not known."""
        ...


def strip_ends(kernel_points: int, vlen: int, first: int, count: int) -> I64Array:
    """First points of strips `first` to `first + count - 1`, and the end of the last strip."""
    ends = np.arange(first, first + count + 1, dtype=np.int64) * vlen
    return np.minimum(ends, kernel_points)


def store_strips(target: Target, kernel: Kernel, first: int, count: int) -> I64Array:
    """Cycles of the store engine for each of the strips `first` to `first + count - 1`."""
    ends = strip_ends(kernel.points, kernel.vlen, first, count)
    points = ends[1:] - ends[:-1]
    cycles = np.zeros(count, dtype=np.int64)
    for stream in kernel.outputs:
        step = min(kernel.lanes, target.axi_bytes // stream.type.bytes)
        cycles += -(-points // step)
        if first + count == kernel.strips:
            # A flush writes the bus word that the last step left unfilled.
            cycles[-1] += stream.extent[1] % target.axi_bytes != 0
    return cycles
