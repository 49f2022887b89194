"""The places of numbers in the arrays of `sim.timing.scalar`.

numba takes numbers and arrays only, so every quantity has a place in an array.
"""

from __future__ import annotations

from typing import Any

Numbers = Any
"""A list of numbers, or a one-dimensional array."""
Table = Any
"""A list of lists of numbers, or a two-dimensional array."""

(
    POINTS, VLEN, STRIPS, BEATS, BEATS_LAST, STORE, STORE_LAST, BUS, BURST, GAP, LATENCY,
    RING_RELEASE, SLOT_FREE, STORE_READY, SPECIAL_LATENCY,
    STRIP_FETCH_MIN, EMPTY_STRIP_READY, FETCHED_STRIPS, LANDING_STRIPS, STORE_STRIPS, LOOKBACK,
    COPIES, FIRST_OUTPUT, LAG, DELAY, GROUPS, SEGMENTS, LANDING, LANDING_LAST,
    PIECE, EVEN_PERIOD,
) = range(31)  # fmt: skip
"""The places of a kernel's numbers, including the constants of the contract.

`BEATS` are the cycles of a broadcast without cuts, and `STORE` the cycles of the store engine, on a
whole strip, and `LANDING` those from the end of its broadcast to its first use; `BEATS_LAST`,
`STORE_LAST` and `LANDING_LAST` are those on the last strip. `PIECE` is explained in
`sim.timing.scalar`. In an even stretch (`sim.timing.scalar_periods`), requests repeat after
`EVEN_PERIOD` strips; it is 0 if even stretches are not worth while.
"""

(
    ADDRESS, BYTES, CAPACITY, TOTAL, UNIT, BLOCK, RUN, CUT, CUT_LANES, HELD, LEVELS,
    WAITS, STRIP_WORDS, WORD_ELEMENTS, CYCLE, CYCLE_ELEMENTS, EVENS, GROWTH, EVEN_FETCH,
    EVEN_GROWTH, FILL, FREE, UNTIL, WORDS, COST, LAST, CUTS, FETCHED, FREED, PHASE, HASH, ARRIVAL,
    FIRST_LEVEL,
) = range(33)  # fmt: skip
"""The places of a stream's numbers; from `FIRST_LEVEL` on, the repeats and data of each level.

`CUT` is 0 if no beat is ever cut. `WAITS` is 1 if the stream may have to wait for room in its ring,
else 0. A bus word holds `WORD_ELEMENTS`. In a cycle of `CYCLE` points, `CYCLE_ELEMENTS` are used
for the first time: in a unit, or only in the first pass over a block of the innermost level. This
goes on for up to `EVENS` elements, from a multiple of `EVENS` on: a run, or such a block.
`STRIP_WORDS` are the bus words of a strip in such a stretch, or 0 if these are not the same number
of whole words in each strip.

In a period of the span of the whole walk, `GROWTH` elements are fetched; in a period of an even
stretch, `EVEN_GROWTH`, and none if `EVEN_FETCH` is 0.

The numbers from `FILL` on change. `FILL` and `FREE` are the elements fetched and released so far;
`FREE` stays 0 in a stream that never waits. The next strips up to `UNTIL` make the same requests:
`WORDS` at a cost of `COST` cycles, `LAST` of them up to the last beat; `CUTS`; elements `FETCHED`
and `FREED`. If `PHASE` is not -1, it is the place of the first word in a burst. It moves from strip
to strip, and decides the cost. `HASH` is a hash of the requests without `PHASE`. `ARRIVAL` is the
time from f0 to the arrival of a strip's data.
"""

LENGTH, LEAD, COMPLETE, GROUP, BACK = range(5)
"""The places of a phase's numbers: see `sim.timing.body.PhaseTime`."""

F1, LANE, SPECIAL, STORED = range(4)
"""The places of the engines' ends: of fetch, of both ports' last work, and of the last store."""

(
    FETCH_BUSY, BROADCAST_BUSY, STORE_BUSY, ALL_WORDS, ALL_CUTS,
    DATA_STALL, INPUT_STALL, OUTPUT_STALL, STORED_FIRST, EVALUATED,
    RESULTS,
) = range(11)  # fmt: skip
"""The places of a result's numbers; `EVALUATED` counts the strips that were evaluated."""
SUMS = OUTPUT_STALL + 1
"""The number of sums, which come first in a result and grow by the same amount in each repetition.
"""

HISTORY = 16
"""Steps that a history of times holds, modulo this power of two; more than any step looks back."""
E, S1, FIRST_READY = range(3)
"""The order of the histories: after `ready` of each group comes b1 of each stream, then the
elements that each stream has released.
"""

STEP, STATE, BEHIND, USED_STATES, USED_MOVES, HITS, AWAKE, REST, PROGRESS = range(9)
"""The places of the numbers that tell how far a walk is.

`STATE` is the number of the engines' state in the memory of states, or `UNKNOWN`. If `BEHIND` is 1,
the histories are not up to date, and the state is known. The memory holds `USED_STATES` and
`USED_MOVES`, and `HITS` counts moves that were found in it. It is used from the step `AWAKE` on,
after a rest of `REST`.
"""
CHECK, SPAN_END, PERIOD, SAVED_AT, SAVED_STORED, DISTANCE, SPAN = range(7)
"""The places of the numbers of a span, in which requests repeat after every `PERIOD` strips.

At the step `CHECK`, the state of the engines is compared with the one at the step `SAVED_AT`, when
the end of the last store was `SAVED_STORED`; `DISTANCE` is for `sim.timing.scalar_periods`.
"""
WHOLE, EVEN = range(2)
"""The places of the spans: of the whole walk, and of the even stretch at hand."""
UNKNOWN = -1
"""Stands for a state that has no number, and for a step that never comes."""

MOVE_STORED, NEXT, FROM, MOVE_STRIPS, FIRST_REQUEST = range(SUMS, SUMS + 5)
"""The places of a move's numbers: see `sim.timing.scalar_memo`.

The growth of the sums of a result comes first, then the growth of the last store's end and the
state after the move. The other numbers identify the move: the state before, the number of strips,
and the requests of each stream.
"""
REQUESTS = PHASE + 1 - WORDS
"""Numbers of a stream's requests in a move: those from `WORDS` to `PHASE`."""
