"""The walk of a kernel in plain numbers: one strip after another, without arrays of strips.

This is the recurrence of `contract` and the requests of `packed_walk`, written a second time for
two cases where those modules are slow: a kernel of few strips, for which NumPy's calls cost more
than the work, and a long walk, for which numba compiles this module. numba takes numbers and arrays
only, so every quantity has a place in one of the arrays below. Without numba, the arrays are lists,
and Python runs the same function. `tests/unit/sim/timing/test_scalar.py` compares this module with
the other two.

Repetition is found with Brent's cycle detection: when the state of the engines equals the state at
an earlier strip plus a constant, and the requests of the walks repeat until the end of their span,
the strips up to there take that constant again and again.
"""

from __future__ import annotations

from typing import Any

from sim.timing.contract import NEVER

Numbers = Any
"""A list of numbers, or a one-dimensional array."""
Table = Any
"""A list of lists of numbers, or a two-dimensional array."""

(
    POINTS, VLEN, LANES, STRIPS, BUS, BURST, GAP, LATENCY,
    RING_RELEASE, SLOT_FREE, LANDING_READY, STORE_READY, SPECIAL_LATENCY,
    STRIP_FETCH_MIN, EMPTY_STRIP_READY, FETCHED_STRIPS, LANDING_STRIPS, STORE_STRIPS, LOOKBACK,
    COPIES, FIRST_OUTPUT, LAG, DELAY, GROUPS, SEGMENTS, FLUSHES,
    START_BROADCAST, START_PIPE, START_STORE, SPAN_BEGIN, SPAN_END, SPAN_PERIOD,
) = range(32)  # fmt: skip
"""The places of a kernel's numbers, including the constants of the contract.

`FLUSHES` are cycles of the store engine after the last strip. From `SPAN_BEGIN` to `SPAN_END` the
strips repeat after every `SPAN_PERIOD` strips; a begin of -1 means that no strips repeat.
"""

(
    ADDRESS, BYTES, CAPACITY, TOTAL, UNIT, BLOCK, RUN, CUT, CUT_LANES, HELD, LEVELS, GROWTH,
    LANDED, FILL, ARRIVAL, OLDEST, NEWEST, FIRST_LEVEL,
) = range(18)  # fmt: skip
"""The places of a stream's numbers; from `FIRST_LEVEL` on, the repeats and data of each level.

The numbers from `LANDED` to `NEWEST` change: the latest b1, the elements fetched, when a strip's
data arrive, and the begin and the end of the stream's queue of releases. All of these but the first
are 0 before the first strip.
"""

LENGTH, LEAD, COMPLETE, GROUP, BACK = range(5)
"""The places of a phase's numbers: see `sim.timing.body.PhaseTime`."""

(
    FETCH_BUSY, BROADCAST_BUSY, STORE_BUSY, WORDS, CUTS, DATA_STALL, INPUT_STALL, OUTPUT_STALL,
    FETCHED, LANE, SPECIAL, STORED, STORED_FIRST, EVALUATED,
    RESULTS,
) = range(15)  # fmt: skip
"""The places of a result's numbers."""
SUMS = OUTPUT_STALL + 1
"""The number of sums, which come first in a result and grow by the same amount in each repetition.
"""

HISTORY = 16
"""Steps that a history of times holds, modulo this power of two; more than any step looks back."""
E, S1, FIRST_READY = range(3)
"""The order of the histories: after `ready` of each group comes b1 of each stream."""


def walk(  # noqa: PLR0912, PLR0915 - one strip, kept in one loop for speed
    kernel: Numbers,
    streams: Table,
    outputs: Numbers,
    whole: Table,
    part: Table,
    history: Table,
    released: Table,
    released_at: Table,
    saved: Numbers,
    result: Numbers,
) -> None:
    """Take a kernel from its first strip to its last, and write `result`.

    `outputs` are the points that each output stream stores in a cycle; `whole` and `part` are the
    phases of the body on a whole strip and on the last strip. The other arguments are memory:
    `history` has histories of times, all `NEVER` at first. `released` and `released_at` are a queue
    for each stream: the amounts that strips have released so far, and when. `saved` has room for a
    state.
    """
    count, phases = len(streams), len(whole)
    strips, delay, lag, vlen = kernel[STRIPS], kernel[DELAY], kernel[LAG], kernel[VLEN]
    mask, first_b1 = HISTORY - 1, FIRST_READY + kernel[GROUPS]
    e, s1, ready, b1 = history[E], history[S1], history[FIRST_READY:first_b1], history[first_b1:]
    f1, lane, special = 0, kernel[START_PIPE], kernel[START_PIPE]
    stored = kernel[START_STORE]
    check, saved_at, distance = kernel[SPAN_BEGIN], -1, 0
    step = now = 0  # `now` counts the steps that are evaluated: the place in the histories
    while step < strips + delay:
        if step == check:
            ends = f1, lane, special, stored
            if saved_at >= 0 and _state(
                kernel, streams, ends, now, history, released, released_at, saved, False
            ):
                turns = (kernel[SPAN_END] - step) // (step - saved_at)
                growth = turns * (stored - saved[0])
                for n in range(SUMS):
                    result[n] += turns * (result[n] - saved[1 + n])
                stored += growth
                f1 += growth if count else 0
                lane += growth if kernel[SEGMENTS] else 0
                special += growth if kernel[GROUPS] else 0
                for times in history:
                    for k in range(HISTORY):
                        times[k] += growth
                passed = turns * (step - saved_at)
                for i in range(count):
                    stream = streams[i]
                    fetched = passed // kernel[SPAN_PERIOD] * stream[GROWTH]
                    stream[FILL] += fetched
                    stream[LANDED] += growth
                    for k in range(stream[OLDEST], stream[NEWEST]):
                        released[i][k % len(released[i])] += fetched
                        released_at[i][k % len(released[i])] += growth
                step += passed
                check = -1
            else:
                if saved_at < 0 or step - saved_at == distance:
                    # The state is saved at the first check, the second, the fourth, and so on.
                    _state(kernel, streams, ends, now, history, released, released_at, saved, True)
                    for n in range(SUMS):
                        saved[1 + n] = result[n]
                    distance = kernel[SPAN_PERIOD] if saved_at < 0 else 2 * distance
                    saved_at = step
                check += kernel[SPAN_PERIOD]
                if check + kernel[SPAN_PERIOD] > kernel[SPAN_END]:
                    check = -1

        inputs = NEVER
        if step < strips:
            first = step * vlen
            end = min(first + vlen, kernel[POINTS])
            f0 = f1
            requested = 0
            for i in range(count):
                stream = streams[i]
                before, after = stream[FILL], _fill(kernel, stream, end - 1)
                stream[FILL] = after
                stream[ARRIVAL] = kernel[EMPTY_STRIP_READY]
                if after > before:
                    words, cost, last = _requests(kernel, stream, before, after)
                    stream[ARRIVAL] = requested + last + kernel[LATENCY]
                    requested += cost
                    result[WORDS] += words
                # F0(s) = max(F1(s-1), B1_i(s - fetched_strips) + ring_release for each stream i,
                #             B1_i(k) + ring_release for each stream i that needs room)
                if step >= kernel[FETCHED_STRIPS]:
                    ended = b1[i][(now - kernel[FETCHED_STRIPS]) & mask] + kernel[RING_RELEASE]
                    f0 = max(f0, ended)
                missing = after - stream[CAPACITY]
                if missing > 0:
                    size = len(released[i])
                    while released[i][stream[OLDEST] % size] < missing:
                        stream[OLDEST] += 1
                    f0 = max(f0, released_at[i][stream[OLDEST] % size] + kernel[RING_RELEASE])
            fetch = max(requested, kernel[STRIP_FETCH_MIN]) if count else 0
            f1 = f0 + fetch
            result[FETCH_BUSY] += fetch
            landing_free = e[(now + delay - kernel[LANDING_STRIPS]) & mask] + kernel[SLOT_FREE]
            for i in range(count):
                stream = streams[i]
                cuts = _cuts(stream, first, end)
                beats = -(-(end - first) // kernel[LANES]) + cuts
                result[BROADCAST_BUSY] += beats
                result[CUTS] += cuts
                # B0_i(s) = max(B1_i(s-1), D_i(s), E(s - landing_strips) + slot_free)
                b0 = stream[LANDED]
                if f0 + stream[ARRIVAL] > b0:
                    result[DATA_STALL] += f0 + stream[ARRIVAL] - b0
                    b0 = f0 + stream[ARRIVAL]
                landed = max(b0, landing_free) + beats
                b1[i][now & mask] = stream[LANDED] = landed
                inputs = max(inputs, landed)
                if stream[TOTAL] > stream[CAPACITY]:
                    free = _released(stream, end) if end < kernel[POINTS] else stream[TOTAL]
                    size, newest = len(released[i]), stream[NEWEST]
                    if newest == 0 or free > released[i][(newest - 1) % size]:
                        released[i][newest % size] = free
                        released_at[i][newest % size] = landed
                        stream[NEWEST] = newest + 1
            inputs += kernel[LANDING_READY]

        x0 = back = 0
        for g in range(phases):
            strip = step - lag * g
            if strip < 0 or strip >= strips:
                if g < kernel[GROUPS]:
                    ready[g][now & mask] = NEVER
                continue
            phase = part[g] if strip == strips - 1 else whole[g]
            if g == 0:
                due = e[(now + delay - kernel[COPIES]) & mask]
            else:
                due = ready[g - 1][(now - lag) & mask]
            slot = NEVER
            if g == kernel[FIRST_OUTPUT]:
                slot = s1[(now + delay - lag * g - kernel[STORE_STRIPS]) & mask] + kernel[SLOT_FREE]
            if phase[LENGTH] == 0:  # a phase without a segment can only be the first
                # X0_0(s) = max(X1 before, inputs(s), E(s-D), slot(s))
                x0 = max(special, due, inputs, slot)
            else:
                # A0_g(s) = max(A1 before, inputs(s), E(s-D) or X0_(g-1)(s) + back_(g-1), slot(s))
                if g == 0 and inputs > lane:
                    result[INPUT_STALL] += inputs - lane
                    lane = inputs
                lane = max(lane, due)
                if slot > lane:
                    result[OUTPUT_STALL] += slot - lane
                    lane = slot
                # X0_g(s) = max(X1 before, A0_g(s) + lead_g)
                x0 = max(special, lane + phase[LEAD])
                lane += phase[LENGTH]
            if phase[GROUP]:
                special, back = x0 + phase[GROUP], phase[BACK]
                ready[g][now & mask] = x0 + back

        e[now & mask] = s1[now & mask] = NEVER
        if step >= delay:
            strip = step - delay
            phase = part[phases - 1] if strip == strips - 1 else whole[phases - 1]
            store = kernel[FLUSHES] if strip == strips - 1 else 0
            for rate in outputs:
                store += -(-min(kernel[POINTS] - strip * vlen, vlen) // rate)
            # S0(s) = max(S1(s-1), W(s) + store_ready)
            done, s0 = lane, lane + phase[COMPLETE]
            if phase[GROUP]:
                done, s0 = max(done, x0 + back), max(s0, special + kernel[SPECIAL_LATENCY])
            stored = max(stored, s0 + kernel[STORE_READY]) + store
            e[now & mask], s1[now & mask] = done, stored
            result[STORE_BUSY] += store
            if step == delay:
                result[STORED_FIRST] = stored
        step += 1
        now += 1
    result[FETCHED], result[LANE], result[SPECIAL], result[STORED] = f1, lane, special, stored
    result[EVALUATED] = now


def _state(  # noqa: PLR0912 - each part of the state is saved and compared in one place
    kernel: Numbers,
    streams: Table,
    ends: tuple[int, int, int, int],
    now: int,
    history: Table,
    released: Table,
    released_at: Table,
    saved: Numbers,
    save: bool,
) -> bool:
    """Save the state that coming strips depend on, or say whether it equals the saved state.

    Times count from the end of the last store, and released amounts from the amount fetched. A port
    that has nothing to issue, or a fetch engine without streams, does not count.
    """
    f1, lane, special, stored = ends
    at = 1 + SUMS
    for time in (
        f1 if len(streams) else stored,
        lane if kernel[SEGMENTS] else stored,
        special if kernel[GROUPS] else stored,
    ):
        if save:
            saved[at] = time - stored
        elif saved[at] != time - stored:
            return False
        at += 1
    for times in history:
        for back in range(1, kernel[LOOKBACK] + 1):
            time = times[(now - back) & (HISTORY - 1)] - stored
            if save:
                saved[at] = time
            elif saved[at] != time:
                return False
            at += 1
    for i in range(len(streams)):
        stream = streams[i]
        waiting = stream[NEWEST] - stream[OLDEST]
        if save:
            saved[at] = waiting
        elif saved[at] != waiting:
            return False
        at += 1
        for k in range(stream[OLDEST], stream[NEWEST]):
            place = k % len(released[i])
            amount, time = released[i][place] - stream[FILL], released_at[i][place] - stored
            if save:
                saved[at], saved[at + 1] = amount, time
            elif saved[at] != amount or saved[at + 1] != time:
                return False
            at += 2
    if save:
        saved[0] = stored
    return True


def _fill(kernel: Numbers, stream: Numbers, point: int) -> int:
    """Elements fetched for the points up to one: whole bus words, within the run."""
    last = _needed(stream, point) - 1
    run = last // stream[RUN]
    begin = stream[ADDRESS] + _run_start(stream, run) * stream[BYTES]
    word = (begin + (last - run * stream[RUN]) * stream[BYTES]) // kernel[BUS]
    held = ((word + 1) * kernel[BUS] - begin) // stream[BYTES]
    return run * stream[RUN] + min(held, stream[RUN])


def _needed(stream: Numbers, point: int) -> int:
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


def _requests(kernel: Numbers, stream: Numbers, before: int, after: int) -> tuple[int, int, int]:
    """Bus words, cost and last beat of the requests for elements `before` to `after` - 1.

    The elements are in one run, or in the end of one run and the beginning of the next.
    """
    begin = (after - 1) // stream[RUN] * stream[RUN]
    if before >= begin:
        return _segment(kernel, stream, before, after)
    words, cost, _ = _segment(kernel, stream, before, begin)
    more_words, more, last = _segment(kernel, stream, begin, after)
    return words + more_words, cost + more, cost + last


def _segment(kernel: Numbers, stream: Numbers, first: int, end: int) -> tuple[int, int, int]:
    """Bus words, cost and last beat for elements of one run: see `sim.timing.bursts`."""
    run = first // stream[RUN]
    base = stream[ADDRESS] + (_run_start(stream, run) - run * stream[RUN]) * stream[BYTES]
    bus, burst, gap = kernel[BUS], kernel[BURST], kernel[GAP]
    first_word = (base + first * stream[BYTES]) // bus
    end_word = -(-(base + end * stream[BYTES]) // bus)
    # Bursts end before every multiple of `burst`: the first and the last may be shorter.
    first_end = (first_word // burst + 1) * burst
    last_begin = (end_word - 1) // burst * burst
    before = 0
    if first_end < end_word:
        whole = (last_begin - first_end) // burst
        before = max(first_end - first_word, gap) + whole * max(burst, gap)
    beats = end_word - max(first_word, last_begin)
    return end_word - first_word, before + max(beats, gap), before + beats


def _cuts(stream: Numbers, first: int, end: int) -> int:
    """Ends of blocks that split a beat of the strip with points `first` to `end` - 1."""
    block, both = stream[CUT], stream[CUT_LANES]
    if block == 0:
        return 0
    return (end - 1) // block - first // block - ((end - 1) // both - first // both)
