"""Computes the times of a kernel with `scalar.walk`: prepares its inputs and reads its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from isa.target import Target
from sim.compiled import compiled
from sim.kernel import Kernel
from sim.streams import I64Array
from sim.timing import places, scalar
from sim.timing.body_plan import BodyPlan
from sim.timing.contract import ALL_FREE, NEVER, Starts, lookback
from sim.timing.counters import Ends, KernelTime, Sums, kernel_counters
from sim.timing.packed_walk import PackedWalk
from sim.timing.scalar_inputs import (
    choose_evens,
    fetched_numbers,
    kernel_numbers,
    stream_numbers,
)
from sim.timing.spans import CommonSpan, common_span

assert lookback() < places.HISTORY

PLAIN_WORK = 160
"""Strips times (streams + 1) up to which `scalar.walk` in Python is faster than NumPy."""
PLAIN_PARTS = 2
"""Units of `PLAIN_WORK` that take as long in Python as one strip in NumPy."""
SEARCH = 8
"""About how many periods are evaluated to find a repetition; shorter walks repeat no strips."""
COMPILE_WORK, KERNEL_WORK = 1 << 16, 128
"""Strips evaluated before numba is loaded, and what a walk in NumPy counts in addition to them.

Evaluating `COMPILE_WORK` strips without numba takes about as long as loading numba.
"""


SHORT = 48
"""Strips of a walk that does not look for repetition, at most."""
STATES, MOVES = 512, 1024
"""States and moves that a walk remembers: powers of two."""


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
    work = (len(walks) + 1) * strips
    plain = work <= PLAIN_WORK
    walk = _compiled.walk_for(work // PLAIN_PARTS if plain else strips + KERNEL_WORK)
    if walk is None and plain:
        walk = scalar.walk
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
    growths = span.growths if span else (0,) * len(walks)
    streams = [
        stream_numbers(stream, kernel.points, growth)
        for stream, growth in zip(walks, growths, strict=True)
    ]
    period = choose_evens(walks, streams, span) if kernel.strips > SHORT else 0
    numbers = kernel_numbers(target, kernel, plan, streams, period)
    result = _walked(walk, numbers, streams, plan, starts, span)
    return _kernel_time(target, kernel, starts, walks, plan, *result)


def stored_after(target: Target, plan: BodyPlan, strips: int, beats: int, store: int) -> int:
    """When the last of `strips` strips is stored, if all data is there from the start.

    A broadcast takes `beats` cycles (0: no broadcast); a store takes `store` cycles.
    """
    numbers, stream = fetched_numbers(target, plan, strips, beats, store)
    walk = _compiled.walk_if_loaded or scalar.walk
    _, _, ends = _walked(walk, numbers, [stream] if beats else [], plan, ALL_FREE)
    return ends[places.STORED]


def _walked(
    walk: Callable[..., None],
    numbers: list[int],
    streams: list[list[int]],
    plan: BodyPlan,
    starts: Starts,
    span: CommonSpan | None = None,
) -> tuple[list[int], list[int], list[int]]:
    """Walk; return the result, the last b1 of each stream, and the last ends."""
    longest = max((len(stream) for stream in streams), default=1)
    streams = [stream + [1] * (longest - len(stream)) for stream in streams]
    ends = [0, starts.pipe, starts.pipe, starts.store]
    strips, repeats = numbers[places.STRIPS], None
    if span is not None and strips > SHORT:
        # In the first steps, the engines look back on strips that do not exist.
        begin = max(span.begin, places.HISTORY)
        repeats = [begin, min(span.end, strips - 1), span.period]
    first, last = places.FIRST_READY + numbers[places.GROUPS], (strips - 1) % places.HISTORY
    units = slice(first, first + len(streams))
    if walk is scalar.walk:
        times = [[NEVER] * places.HISTORY for _ in range(first + 2 * len(streams))]
        for b1 in times[units]:
            b1[-1] = starts.broadcast
        spans = [[places.UNKNOWN] * places.SPAN for _ in range(2)]
        if repeats:
            spans[places.WHOLE][: places.SAVED_AT] = repeats
        # To look up moves would take longer than to evaluate the strips.
        memory = [[]] * 5
        if strips > SHORT:
            memory = [table.tolist() for table in _memory(numbers, streams, 0, 0)]
        phases, progress = (plan.whole.phases, plan.part.phases), [0] * places.PROGRESS
        result = [0] * places.RESULTS
        walk(numbers, streams, *phases, times, ends, spans, *memory, progress, result)
        return result, [b1[last] for b1 in times[units]], ends
    times = np.empty((first + 2 * len(streams), places.HISTORY), dtype=np.int64)
    times.fill(NEVER)
    times[units, -1] = starts.broadcast
    spans = np.empty((2, places.SPAN), dtype=np.int64)
    spans.fill(places.UNKNOWN)
    if repeats:
        spans[places.WHOLE, : places.SAVED_AT] = repeats
    table = np.array(streams, dtype=np.int64) if streams else _NO_TABLE
    both = np.array(numbers + ends, dtype=np.int64)
    kernel, found = both[: len(numbers)], both[len(numbers) :]
    progress = np.zeros(places.PROGRESS, dtype=np.int64)
    sums = np.zeros(places.RESULTS, dtype=np.int64)
    memory = _memory(numbers, streams, STATES, MOVES) if strips > SHORT else _NO_MEMORY
    walk(kernel, table, *plan.tables, times, found, spans, *memory, progress, sums)
    return sums.tolist(), times[units, last].tolist(), found.tolist()


def _state_size(numbers: Sequence[int], streams: Sequence[Sequence[int]]) -> int:
    """The size of a state: see `sim.timing.scalar_memo`."""
    pipe = places.FIRST_READY + numbers[places.GROUPS]
    units = len(streams) + sum(stream[places.WAITS] for stream in streams)
    return 3 + pipe * numbers[places.LOOKBACK] + units * numbers[places.FETCHED_STRIPS]


def _memory(
    numbers: Sequence[int], streams: Sequence[Sequence[int]], states: int, moves: int
) -> tuple[I64Array, ...]:
    """Memory for the states and moves of a walk, and for the search for periods."""
    state = _state_size(numbers, streams)
    move = places.FIRST_REQUEST + len(streams) * places.REQUESTS
    slots = np.full(2 * (states + moves), -1, dtype=np.int64)
    return (
        np.empty((5, state), dtype=np.int64),
        np.empty((states, state), dtype=np.int64),
        slots[: 2 * states],
        np.empty((moves, move), dtype=np.int64),
        slots[2 * states :],
    )


_NO_TABLE, _NO_NUMBERS = np.empty((0, 1), dtype=np.int64), np.empty(0, dtype=np.int64)
_NO_MEMORY = (_NO_TABLE, _NO_TABLE, _NO_NUMBERS, _NO_TABLE, _NO_NUMBERS)
"""For a short walk."""


def _kernel_time(
    target: Target,
    kernel: Kernel,
    starts: Starts,
    walks: Sequence[PackedWalk],
    plan: BodyPlan,
    result: Sequence[int],
    landed: Sequence[int],
    times: Sequence[int],
) -> KernelTime:
    """The time of a kernel from what `_walked` returns."""
    ends = Ends(
        fetched=times[places.F1],
        landed=landed,
        lane=times[places.LANE],
        special=times[places.SPECIAL],
        stored=times[places.STORED],
        data_stall=result[places.DATA_STALL],
        input_stall=result[places.INPUT_STALL],
        output_stall=result[places.OUTPUT_STALL],
    )
    sums = Sums(*result[: places.ALL_CUTS + 1])
    # `Sums` has the order of the results: fetch, broadcast, store, words, cuts.
    fetched_bytes = sum(walk.fetched_bytes for walk in walks)
    counters = kernel_counters(target, kernel, starts, ends, sums, fetched_bytes, plan)
    return KernelTime.of(counters, ends, result[places.STORED_FIRST])


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

    def walk_for(self, work: int) -> Callable[..., None] | None:
        """The compiled walk, for a walk that takes `work`; None if not loaded or not available.

        Work is counted in strips. It adds up, so that many short walks load numba just as one long
        walk does.
        """
        self._work += work
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
