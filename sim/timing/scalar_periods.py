"""Repetition of a walk by whole periods of its streams, found with Brent's cycle detection.

Where the requests of the walks repeat until the end of a span, and the state of the engines equals
the state some periods earlier, all that happened since then happens again and again.

There are two kinds of spans. The span of the whole walk is known before the walk begins. An even
stretch is part of a walk: each stream fetches nothing there, or the same number of elements in each
of its cycles. Its period may be much shorter.
"""

from __future__ import annotations

from sim.timing.places import (
    CHECK,
    CUT,
    CYCLE,
    CYCLE_ELEMENTS,
    DISTANCE,
    EVEN,
    EVEN_FETCH,
    EVEN_GROWTH,
    EVEN_PERIOD,
    EVENS,
    FILL,
    FREE,
    GROWTH,
    PERIOD,
    POINTS,
    SAVED_AT,
    SAVED_STORED,
    SPAN_END,
    STEP,
    STORED,
    STRIPS,
    SUMS,
    TOTAL,
    UNIT,
    UNKNOWN,
    UNTIL,
    VLEN,
    WAITS,
    WHOLE,
    WORD_ELEMENTS,
    Numbers,
    Table,
)
from sim.timing.scalar_memo import read_state, same, write_state
from sim.timing.scalar_streams import first_use, last_use, needed

EVEN_PERIODS = 4
"""Periods of an even stretch with which the search for repetition pays off."""


def check_period(
    kernel: Numbers,
    streams: Table,
    history: Table,
    ends: Numbers,
    spans: Table,
    number: int,
    saved: Table,
    progress: Numbers,
    result: Numbers,
) -> None:
    """Repeat as many periods as a span has left, or prepare the next check.

    `saved` has room for a state now and, for each span, an earlier state and the sums of a result.
    """
    span, now, before, sums = spans[number], saved[0], saved[1 + 2 * number], saved[2 + 2 * number]
    step, period = progress[STEP], span[PERIOD]
    read_state(kernel, streams, history, ends, step, now)
    if span[SAVED_AT] >= 0 and same(now, before, 0):
        passed = step - span[SAVED_AT]
        turns = (span[SPAN_END] - step) // passed
        for n in range(SUMS):
            result[n] += turns * (result[n] - sums[n])
        ends[STORED] += turns * (ends[STORED] - span[SAVED_STORED])
        growth = GROWTH if number == WHOLE else EVEN_GROWTH
        for i in range(len(streams)):
            stream = streams[i]
            fetched = turns * passed // period * stream[growth]
            stream[FILL] += fetched
            stream[FREE] += fetched if stream[WAITS] else 0
            stream[UNTIL] = 0
        progress[STEP] += turns * passed
        write_state(kernel, streams, history, ends, progress[STEP], now)
        span[CHECK] = UNKNOWN
        if number == WHOLE:
            spans[EVEN][CHECK], spans[EVEN][SPAN_END] = UNKNOWN, 0
        return
    if span[SAVED_AT] < 0 or step - span[SAVED_AT] == span[DISTANCE]:
        # The state is saved at the first check, the second, the fourth, and so on.
        for n in range(len(now)):
            before[n] = now[n]
        for n in range(SUMS):
            sums[n] = result[n]
        span[DISTANCE] = period if span[SAVED_AT] < 0 else 2 * span[DISTANCE]
        span[SAVED_AT], span[SAVED_STORED] = step, ends[STORED]
    span[CHECK] = step + period if step + 2 * period <= span[SPAN_END] else UNKNOWN


def begin_stretch(kernel: Numbers, streams: Table, spans: Table, step: int) -> None:
    """Look for an even stretch from the strip of a step on; its end is where to look again."""
    points = (kernel[STRIPS] - 1) * kernel[VLEN]
    if spans[WHOLE][CHECK] > step:
        points = min(points, spans[WHOLE][CHECK] * kernel[VLEN])
    for i in range(len(streams)):
        points = min(points, _even_until(kernel, streams[i], step * kernel[VLEN]))
    span, end = spans[EVEN], points // kernel[VLEN]
    worth_while = end - step >= EVEN_PERIODS * kernel[EVEN_PERIOD]
    span[CHECK] = step if worth_while else UNKNOWN
    span[SPAN_END] = max(end, step + 1)
    span[PERIOD], span[SAVED_AT] = kernel[EVEN_PERIOD], UNKNOWN


def _even_until(kernel: Numbers, stream: Numbers, point: int) -> int:
    """The point up to which a stream is even from a point on; no more than that point if not."""
    until = kernel[POINTS]
    if stream[CUT] >= kernel[VLEN]:  # the period allows for ends of blocks in every strip
        until = ((point - 1) // stream[CUT] + 1) * stream[CUT]
    last = needed(stream, point - 1) - 1
    stream[EVEN_GROWTH] = 0
    if stream[FILL] < stream[TOTAL]:
        begin, by_units = first_use(stream, last), stream[CYCLE] == stream[UNIT]
        if stream[EVEN_FETCH] and (by_units or point <= begin + stream[CYCLE]):
            if stream[WAITS] and not by_units:  # fetches and releases do not keep step
                return 0
            # The words of a strip must not reach beyond the stretch.
            left = stream[EVENS] - last % stream[EVENS] - stream[WORD_ELEMENTS]
            cycles = kernel[EVEN_PERIOD] * kernel[VLEN] // stream[CYCLE]
            stream[EVEN_GROWTH] = cycles * stream[CYCLE_ELEMENTS]
            return min(until, begin + left // stream[CYCLE_ELEMENTS] * stream[CYCLE])
        until = min(until, first_use(stream, stream[FILL]))
    if stream[WAITS]:
        until = min(until, last_use(stream, stream[FREE]))
    return until
