"""The numbers of a kernel and its streams for `sim.timing.scalar`; see `sim.timing.places`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import gcd, lcm

from isa.load import load
from isa.target import Target
from sim.kernel import Kernel
from sim.timing import places
from sim.timing.body_plan import BodyPlan
from sim.timing.packed_walk import PackedWalk
from sim.timing.scalar_periods import EVEN_PERIODS
from sim.timing.spans import CommonSpan

PIECE_STRIPS = 32
"""Strips of a piece, at least: by the end of a piece, the engines have often become steady."""


def kernel_numbers(
    target: Target,
    kernel: Kernel,
    plan: BodyPlan,
    streams: Sequence[Sequence[int]],
    even_period: int = 0,
) -> list[int]:
    """The numbers of a kernel whose streams have the given numbers."""
    vlen, lanes, strips, bus = kernel.vlen, kernel.lanes, kernel.strips, target.axi_bytes
    left = kernel.points - (strips - 1) * vlen
    store = store_last = 0
    for stream in kernel.outputs:
        step = min(lanes, bus // stream.type.bytes)
        store += -(-vlen // step)
        store_last += -(-left // step) + (stream.extent[1] % bus != 0)
    return [
        *(kernel.points, vlen, strips, -(-vlen // lanes), -(-left // lanes), store, store_last),
        *constants(target),
        *pipe_numbers(plan),
        *(_piece(target, streams), even_period),
    ]


def fetched_numbers(target: Target, plan: BodyPlan, strips: int, beats: int, store: int):
    """The numbers of a kernel whose data is there from the start, and of a stream for it.

    Each of the strips takes a broadcast of `beats` and a store of `store` cycles. The stream is one
    element.
    """
    stream = [0] * places.FIRST_LEVEL + [1, 1]
    for place in (places.TOTAL, places.CAPACITY, places.BYTES, places.BLOCK, places.RUN):
        stream[place] = 1
    stream[places.UNIT], stream[places.FILL] = strips, 1
    numbers = [
        *(strips, 1, strips, beats, beats, store, store),
        *constants(target),
        *pipe_numbers(plan),
        *(PIECE_STRIPS, 0),
    ]
    numbers[places.STRIP_FETCH_MIN] = numbers[places.EMPTY_STRIP_READY] = 0
    return numbers, stream


NEVER_ENDS = 1 << 62


@cache
def constants(target: Target) -> tuple[int, ...]:
    """The numbers of a kernel that depend on the target alone."""
    c = load().timing
    return (
        *(target.axi_bytes, target.burst_beats, target.burst_gap),
        target.memory_latency + c.read_return,
        *(c.ring_release, c.slot_free, c.store_ready, c.special),
        *(c.strip_fetch_min, c.empty_strip_ready),
        *(c.fetched_strips, c.landing_strips, c.store_strips),
        max(c.landing_strips, c.store_strips),
    )


def pipe_numbers(plan: BodyPlan) -> tuple[int, ...]:
    """The numbers of a kernel that depend on its body alone."""
    pipe = plan.pipe
    return (
        *(pipe.copies, pipe.first_output, pipe.lag, pipe.delay, pipe.groups, pipe.segments),
        *(plan.whole.landing, plan.part.landing),
    )


def stream_numbers(walk: PackedWalk, points: int, growth: int) -> list[int]:
    """The numbers of a stream in a kernel of some points; `growth` is that of a common span."""
    pattern, bus, vlen, lanes = walk.pattern, walk.target.axi_bytes, walk.vlen, walk.lanes
    size, cut, capacity, total = (
        pattern.element_bytes,
        pattern.cut_points,
        walk.capacity,
        walk.total,
    )
    if cut % lanes == 0 or cut >= points:
        cut = 0
    cycle, elements, evens = pattern.unit_points, pattern.block_elements, pattern.run_elements
    if pattern.held and vlen % cycle and pattern.data[0] > vlen:
        cycle, elements, evens = pattern.repeats[0], 1, pattern.data[0]
    words = 0
    if vlen % cycle == bus % size == walk.address % size == 0:
        words, rest = divmod(vlen // cycle * elements * size, bus)
        if rest:
            words = 0
    numbers = [
        *(walk.address, size, capacity, total, pattern.unit_points, pattern.block_elements),
        *(
            pattern.run_elements,
            cut,
            lcm(cut, lanes) if cut else 0,
            pattern.held,
            len(pattern.repeats),
        ),
        *(
            total > capacity and _waits(walk),
            words,
            bus // size,
            cycle,
            elements,
            evens,
            growth,
            0,
            0,
        ),
        *_UNCHANGED,
    ]
    for pair in zip(pattern.repeats, pattern.data, strict=True):
        numbers += pair
    return numbers


_UNCHANGED = (0,) * (places.FIRST_LEVEL - places.FILL)
"""The numbers of a stream that change, before the first strip."""


def choose_evens(
    walks: Sequence[PackedWalk], streams: Sequence[list[int]], span: CommonSpan | None
) -> int:
    """Choose the streams that may fetch in even stretches; return the stretches' period in strips.

    The period is 0 if even stretches are not worth while: they are short, pieces of a walk do as
    well, or the whole walk, which repeats in `span`, has no longer period.
    """
    period, shortest, pieces = 1, 1 << 62, True
    for walk, stream in zip(walks, streams, strict=True):
        cycle, elements = stream[places.CYCLE], stream[places.CYCLE_ELEMENTS]
        moved = elements * walk.pattern.element_bytes
        cycles = walk.alike_bytes // gcd(walk.alike_bytes, moved)
        own = lcm(cycle * cycles, walk.vlen) // walk.vlen
        stretch = stream[places.EVENS] // elements * cycle // walk.vlen
        if 0 < stream[places.CUT] < walk.vlen:
            period = lcm(period, lcm(stream[places.CUT_LANES], walk.vlen) // walk.vlen)
        if stretch >= EVEN_PERIODS * own:
            stream[places.EVEN_FETCH] = 1
            period, shortest = lcm(period, own), min(shortest, stretch)
            pieces = pieces and stream[places.STRIP_WORDS] > 0
    short = shortest < EVEN_PERIODS * period
    if short or (pieces and period <= PIECE_STRIPS) or (span and span.period <= period):
        return 0
    return period


def _waits(walk: PackedWalk) -> bool:
    """Whether the ring may lack room when the fetch of a strip does not wait for anything else.

    The fetch waits for the broadcast of the strip `fetched_strips` earlier. So the ring has to hold
    no more than a block, what the strips since then need, and the rest of a bus word.
    """
    pattern = walk.pattern
    strips = load().timing.fetched_strips * walk.vlen // pattern.repeats[0] + 2
    most = pattern.block_elements + strips + walk.target.axi_bytes // pattern.element_bytes
    return most > walk.capacity


def _piece(target: Target, streams: Sequence[Sequence[int]]) -> int:
    """Strips after which every stream of whole words comes into the same place in a burst again."""
    burst, turn = target.burst_beats, 1
    for stream in streams:
        turn = lcm(turn, burst // gcd(stream[places.STRIP_WORDS], burst))
    return -(-PIECE_STRIPS // turn) * turn
