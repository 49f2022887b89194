"""The requests of a stream's strips in plain numbers: `packed_walk` and `bursts`, for one strip.

Requests are worked out once for all strips in a row that make the same ones.
"""

from __future__ import annotations

from sim.timing.bursts import cost_is_words
from sim.timing.places import (
    ADDRESS,
    BLOCK,
    BURST,
    BUS,
    BYTES,
    COST,
    CUT,
    CUT_LANES,
    CUTS,
    CYCLE,
    CYCLE_ELEMENTS,
    EVENS,
    FETCHED,
    FILL,
    FIRST_LEVEL,
    FREE,
    FREED,
    GAP,
    HELD,
    LAST,
    LEVELS,
    PHASE,
    POINTS,
    RUN,
    STRIP_WORDS,
    STRIPS,
    TOTAL,
    UNIT,
    UNTIL,
    VLEN,
    WAITS,
    WORD_ELEMENTS,
    WORDS,
    Numbers,
)


def prepare(kernel: Numbers, stream: Numbers, strip: int) -> None:
    """Work out what a stream requests for a strip, and until which strip it requests the same."""
    vlen = kernel[VLEN]
    first = strip * vlen
    end = min(first + vlen, kernel[POINTS])
    stream[WORDS] = stream[COST] = stream[LAST] = 0
    stream[CUTS] = stream[FETCHED] = stream[FREED] = 0
    stream[PHASE] = -1
    if stream[WAITS]:
        free = _released(stream, end) if end < kernel[POINTS] else stream[TOTAL]
        stream[FREED] = free - stream[FREE]
    until = kernel[POINTS]
    if stream[FILL] < stream[TOTAL]:
        until = first_use(stream, stream[FILL])
    if until >= end:
        if stream[WAITS]:
            until = min(until, last_use(stream, stream[FREE]))  # the next release
    else:
        until = _request(kernel, stream, end)
    if stream[CUT]:
        stream[CUTS] = _cuts(stream, first, end)
        # The next end of a block, which may cut a beat.
        until = min(until, (first // stream[CUT] + 1) * stream[CUT] - 1)
    # The last strip may have fewer points, and releases everything.
    stream[UNTIL] = max(min(until // vlen, kernel[STRIPS] - 1), strip + 1)


def _request(kernel: Numbers, stream: Numbers, end: int) -> int:
    """Request the words of a strip that ends before point `end`.

    Returns the next point whose strip requests anything else; 0 if the next strip does.
    """
    size, bus, elements = stream[BYTES], kernel[BUS], stream[RUN]
    before, last = stream[FILL], needed(stream, end - 1) - 1
    run = last // elements
    begin = run * elements
    base = stream[ADDRESS] + (_run_start(stream, run) - begin) * size
    # Whole bus words are fetched, within the run.
    end_word = (base + last * size) // bus + 1
    after = min((end_word * bus - base) // size, begin + elements)
    stream[FETCHED] = after - before
    first_word = (base + max(before, begin) * size) // bus
    stream[WORDS] = end_word - first_word
    stream[COST], stream[LAST] = burst_cost(kernel, first_word, end_word)
    if before < begin:  # the end of one run comes before the beginning of the next
        base = stream[ADDRESS] + (_run_start(stream, run - 1) - begin + elements) * size
        word, end_word = (base + before * size) // bus, -(-(base + begin * size) // bus)
        cost, _ = burst_cost(kernel, word, end_word)
        stream[WORDS] += end_word - word
        stream[COST] += cost
        stream[LAST] += cost
        return 0
    words, more = stream[STRIP_WORDS], stream[FETCHED]
    if stream[WORDS] != words or more * stream[CYCLE] != kernel[VLEN] * stream[CYCLE_ELEMENTS]:
        return 0
    by_units = stream[CYCLE] == stream[UNIT]
    if stream[WAITS] and stream[FREED] != (more if by_units else 0):
        return 0
    # Each strip needs as many elements more. The words of a strip must not reach beyond the last.
    alike = (stream[EVENS] - last % stream[EVENS] - 1 - stream[WORD_ELEMENTS]) // more
    if alike < 1 or not (by_units or end <= first_use(stream, last) + stream[CYCLE]):
        return 0
    if not cost_is_words(first_word, words, kernel[BURST], kernel[GAP]):
        stream[PHASE] = first_word % kernel[BURST]
        stream[COST] = stream[LAST] = 0
    return end + alike * kernel[VLEN]


def burst_cost(kernel: Numbers, first_word: int, end_word: int) -> tuple[int, int]:
    """Cost and last beat of the requests for words of one run: see `sim.timing.bursts`."""
    burst, gap = kernel[BURST], kernel[GAP]
    # Bursts end before every multiple of `burst`: the first and the last may be shorter.
    first_end = (first_word // burst + 1) * burst
    if first_end >= end_word:
        beats = end_word - first_word
        return max(beats, gap), beats
    whole = (end_word - 1 - first_end) // burst
    beats = end_word - first_end - whole * burst
    before = max(first_end - first_word, gap) + whole * max(burst, gap)
    return before + max(beats, gap), before + beats


def needed(stream: Numbers, point: int) -> int:
    """Return how many elements must have been fetched when a point is reached."""
    points, whole = stream[UNIT], stream[BLOCK]
    unit = point // points
    position = point - unit * points
    needed = unit * whole
    for level in range(stream[HELD], 0, -1):
        points //= stream[FIRST_LEVEL + 2 * level]
        if position >= points:  # in a later pass, which needs the whole block
            return needed + whole
        count = stream[FIRST_LEVEL + 2 * level - 1]
        points //= count
        whole //= count
        inside = position // points
        position -= inside * points
        needed += inside * whole
    return needed + 1


def _released(stream: Numbers, point: int) -> int:
    """Return how many elements are not needed from a point on; a block's last pass frees it."""
    points, whole = stream[UNIT], stream[BLOCK]
    unit = point // points
    position = point - unit * points
    released = unit * whole
    for level in range(stream[HELD], 0, -1):
        repeats = stream[FIRST_LEVEL + 2 * level]
        points //= repeats
        position -= (repeats - 1) * points
        if position < 0:
            return released
        count = stream[FIRST_LEVEL + 2 * level - 1]
        points //= count
        whole //= count
        inside = position // points
        position -= inside * points
        released += inside * whole
    return released


def first_use(stream: Numbers, element: int) -> int:
    """Return the first point that needs an element: in the first pass of every level."""
    if stream[HELD] == 0:
        return element * stream[UNIT]
    unit = element // stream[BLOCK]
    rest, point, points = element - unit * stream[BLOCK], unit * stream[UNIT], 1
    for level in range(stream[HELD]):
        points *= stream[FIRST_LEVEL + 2 * level]
        count = stream[FIRST_LEVEL + 2 * level + 1]
        point += rest % count * points
        rest //= count
        points *= count
    return point


def last_use(stream: Numbers, element: int) -> int:
    """Return the last point that needs an element: in the last pass of every level."""
    point, points = first_use(stream, element), 1
    for level in range(stream[HELD] + 1):
        repeats = stream[FIRST_LEVEL + 2 * level]
        point += (repeats - 1) * points
        points *= repeats * stream[FIRST_LEVEL + 2 * level + 1]
    return point


def _run_start(stream: Numbers, run: int) -> int:
    """Return the number in memory of the first element of a run of the walk."""
    start, elements = 0, stream[RUN]
    for level in range(stream[HELD] + 1, stream[LEVELS]):
        if run == 0:
            break
        run //= stream[FIRST_LEVEL + 2 * level]
        count = stream[FIRST_LEVEL + 2 * level + 1]
        start += run % count * elements
        run //= count
        elements *= count
    return start


def _cuts(stream: Numbers, first: int, end: int) -> int:
    """Ends of blocks that split a beat of the strip with points `first` to `end` - 1."""
    block, both = stream[CUT], stream[CUT_LANES]
    return (end - 1) // block - first // block - ((end - 1) // both - first // both)
