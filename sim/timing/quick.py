"""Computes the times of a kernel with `scalar.walk`: prepares its inputs and reads its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import lcm

import numpy as np

from isa.load import load
from isa.target import Target
from sim.compiled import compiled
from sim.kernel import Kernel
from sim.timing import scalar
from sim.timing.body_plan import BodyPlan
from sim.timing.contract import NEVER, Starts, lookback
from sim.timing.counters import Ends, KernelTime, Sums, kernel_counters
from sim.timing.packed_walk import PackedWalk
from sim.timing.spans import CommonSpan, common_span

assert lookback() < scalar.HISTORY

PLAIN_WORK = 48
"""Strips times (streams + 1) up to which `scalar.walk` in Python is faster than NumPy."""
SEARCH = 8
"""About how many periods are evaluated to find a repetition; shorter walks repeat no strips."""
COMPILE_WORK, KERNEL_WORK = 1 << 16, 128
"""Strips evaluated before numba is loaded, and what a walk counts in addition to its strips.

Evaluating `COMPILE_WORK` strips without numba takes about as long as loading numba.
"""


@cache
def _constants(target: Target) -> list[int]:
    c = load().timing
    return [
        *(target.axi_bytes, target.burst_beats, target.burst_gap),
        target.memory_latency + c.read_return,
        *(c.ring_release, c.slot_free, c.landing_ready, c.store_ready, c.special),
        *(c.strip_fetch_min, c.empty_strip_ready),
        *(c.fetched_strips, c.landing_strips, c.store_strips, lookback()),
    ]


def quick_times(
    target: Target, kernel: Kernel, starts: Starts, walks: Sequence[PackedWalk], plan: BodyPlan
) -> KernelTime | None:
    """The times of a kernel whose engines are free at `starts`; None if another way is quicker.

    `walks` are the walks of the kernel's input streams, in order.
    """
    span = common_span(walks, kernel.vlen, 1)
    strips = kernel.strips
    if span is not None:
        once = strips - (span.end - span.begin) + SEARCH * span.period
        span, strips = (span, once) if once < strips else (None, strips)
    if not _compiled.walk_if_loaded and (len(walks) + 1) * strips <= PLAIN_WORK:
        return scalar_times(target, kernel, starts, walks, plan, span, scalar.walk)
    walk = _compiled.walk_for(strips)
    return walk and scalar_times(target, kernel, starts, walks, plan, span, walk)


def scalar_times(
    target: Target,
    kernel: Kernel,
    starts: Starts,
    walks: Sequence[PackedWalk],
    plan: BodyPlan,
    span: CommonSpan | None,
    walk: Callable[..., None],
) -> KernelTime:
    """The times of a kernel, computed by `walk`: `scalar.walk`, or that function compiled.

    `span` is the range in which `walks` repeat together, if that range is long enough to repeat
    strips.
    """
    pipe, count, bus = plan.pipe, len(walks), target.axi_bytes
    flushes = sum(stream.extent[1] % bus != 0 for stream in kernel.outputs)
    repeated, growths = (-1, -1, 1), (0,) * count
    if span is not None:
        repeated, growths = (
            (span.begin, min(span.end, kernel.strips - 1), span.period),
            span.growths,
        )
    numbers = [
        *(kernel.points, kernel.vlen, kernel.lanes, kernel.strips),
        *_constants(target),
        *(pipe.copies, pipe.first_output, pipe.lag, pipe.delay, pipe.groups, pipe.segments),
        *(flushes, *starts, *repeated),
    ]
    levels = max((len(walk.pattern.repeats) for walk in walks), default=1)
    streams = [
        _stream(walk, growth, levels, starts.broadcast)
        for walk, growth in zip(walks, growths, strict=True)
    ]
    outputs = [min(kernel.lanes, bus // stream.type.bytes) for stream in kernel.outputs]
    # A queue holds different amounts, all of them in the ring; none for a stream that never waits.
    waiting = [walk.capacity + 2 for walk in walks if walk.total > walk.capacity]
    room = min(kernel.strips, max(waiting, default=1))
    state = 1 + scalar.SUMS + 3 + lookback() * _histories(plan, streams) + count * (1 + 2 * room)
    saved = 1 if span is None else state
    result, streams = _walked(walk, numbers, streams, outputs, plan, room, saved)
    return _kernel_time(target, kernel, starts, walks, plan, streams, result)


def stored_after(target: Target, plan: BodyPlan, strips: int, beats: int, store: int) -> int:
    """When the last of `strips` strips is stored, if all data is there from the start.

    A broadcast takes `beats` cycles (0: no broadcast); a store takes `store` cycles.
    """
    # A strip has enough points for both; the stream is one element, already fetched.
    points = max(1, beats) * max(1, store)
    stream = [0] * scalar.FIRST_LEVEL + [1, 1]
    for place in (scalar.TOTAL, scalar.CAPACITY, scalar.BYTES, scalar.BLOCK, scalar.RUN):
        stream[place] = 1
    stream[scalar.UNIT], stream[scalar.FILL] = strips * points, 1
    pipe = plan.pipe
    numbers = [
        *(strips * points, points, max(1, store), strips),
        *_constants(target),
        *(pipe.copies, pipe.first_output, pipe.lag, pipe.delay, pipe.groups, pipe.segments),
        *(0, 0, 0, 0, -1, -1, 1),
    ]
    numbers[scalar.STRIP_FETCH_MIN] = numbers[scalar.EMPTY_STRIP_READY] = 0
    outputs = [max(1, beats)] if store else []
    walk = _compiled.walk_if_loaded or scalar.walk
    result, _ = _walked(walk, numbers, [stream] if beats else [], outputs, plan, 1, 1)
    return result[scalar.STORED]


def _histories(plan: BodyPlan, streams: Sequence[Sequence[int]]) -> int:
    return scalar.FIRST_READY + plan.pipe.groups + len(streams)


def _walked(
    walk: Callable[..., None],
    numbers: list[int],
    streams: list[list[int]],
    outputs: list[int],
    plan: BodyPlan,
    room: int,
    saved: int,
) -> tuple[list[int], list[list[int]]]:
    """Walk, with memory for queues of `room` entries and for `saved` numbers of a state.

    Returns the numbers of the result, and the numbers of each stream after the walk.
    """
    count, histories, result = len(streams), _histories(plan, streams), [0] * scalar.RESULTS
    if walk is scalar.walk:
        history = [[NEVER] * scalar.HISTORY for _ in range(histories)]
        queues = [[[0] * room for _ in range(count)] for _ in range(2)]
        phases = plan.whole.phases, plan.part.phases
        walk(numbers, streams, outputs, *phases, history, *queues, [0] * saved, result)
        return result, streams
    table = np.array(streams, dtype=np.int64).reshape(count, len(streams[0]) if count else 1)
    history = np.full((histories, scalar.HISTORY), NEVER, dtype=np.int64)
    queues = np.empty((2, count, room), dtype=np.int64)
    saving = np.empty(saved, dtype=np.int64)
    kernel, rates, found = (np.array(v, dtype=np.int64) for v in (numbers, outputs, result))
    walk(kernel, table, rates, *plan.tables, history, queues[0], queues[1], saving, found)
    return found.tolist(), table.tolist()


def _stream(walk: PackedWalk, growth: int, levels: int, landed: int) -> list[int]:
    """The numbers of a stream."""
    pattern = walk.pattern
    missing = levels - len(pattern.repeats)
    pairs = zip(pattern.repeats, pattern.data, strict=True)
    return [
        *(walk.address, pattern.element_bytes, walk.capacity, walk.total),
        *(pattern.unit_points, pattern.block_elements, pattern.run_elements),
        *(pattern.cut_points, lcm(pattern.cut_points, walk.lanes)),
        *(pattern.held, len(pattern.repeats), growth, landed, 0, 0, 0, 0),
        *(number for pair in pairs for number in pair),
        *[1] * (2 * missing),
    ]


def _kernel_time(
    target: Target,
    kernel: Kernel,
    starts: Starts,
    walks: Sequence[PackedWalk],
    plan: BodyPlan,
    streams: Sequence[Sequence[int]],
    result: Sequence[int],
) -> KernelTime:
    """The time of a kernel from the numbers of a result."""
    ends = Ends(
        fetched=result[scalar.FETCHED],
        landed=[stream[scalar.LANDED] for stream in streams],
        lane=result[scalar.LANE],
        special=result[scalar.SPECIAL],
        stored=result[scalar.STORED],
        data_stall=result[scalar.DATA_STALL],
        input_stall=result[scalar.INPUT_STALL],
        output_stall=result[scalar.OUTPUT_STALL],
    )
    sums = Sums(*result[: scalar.CUTS + 1])
    # `Sums` has the order of the results: fetch, broadcast, store, words, cuts.
    fetched_bytes = sum(walk.fetched_bytes for walk in walks)
    counters = kernel_counters(target, kernel, starts, ends, sums, fetched_bytes, plan)
    return KernelTime.of(counters, ends, result[scalar.STORED_FIRST])


class _Compiled:
    """`scalar.walk` compiled by numba, once loading numba pays off (`sim.compiled`)."""

    def __init__(self) -> None:
        self._work = 0
        self._walk: Callable[..., None] | None = None
        self._missing = False

    @property
    def walk_if_loaded(self) -> Callable[..., None] | None:
        """The compiled walk, if this process has loaded it."""
        return self._walk

    def walk_for(self, strips: int) -> Callable[..., None] | None:
        """The compiled walk, for a walk of `strips` strips; None if not loaded or not available.

        Each walk counts as work, so many short walks load numba just as one long walk does.
        """
        self._work += strips + KERNEL_WORK
        if self._walk is None and self._work > COMPILE_WORK and not self._missing:
            try:
                self._walk = compiled_walk()
            except ImportError:  # numba is not installed, or is too old for this NumPy
                self._missing = True
        return self._walk


@cache
def compiled_walk() -> Callable[..., None]:
    """`scalar.walk`, compiled by numba."""
    return compiled(scalar.walk)


_compiled = _Compiled()
