"""What the engines have done before: states, and moves from one state to another.

A state is all that the coming times depend on besides the requests of the coming strips, relative
to the end of the last store and to the elements fetched. A move takes the engines from a state
through some strips with certain requests. The same requests in the same state always take the same
cycles and lead to the same state, so each move is evaluated only once.

Rows are found by hashing: `slots` has numbers of rows, or -1 where a place is free.
"""

from __future__ import annotations

from sim.timing.places import (
    AWAKE,
    BEHIND,
    BURST,
    F1,
    FETCHED,
    FETCHED_STRIPS,
    FILL,
    FIRST_READY,
    FIRST_REQUEST,
    FREE,
    FREED,
    FROM,
    GROUPS,
    HASH,
    HISTORY,
    HITS,
    LANE,
    LOOKBACK,
    MOVE_STORED,
    MOVE_STRIPS,
    NEXT,
    PHASE,
    REST,
    SEGMENTS,
    SPECIAL,
    STATE,
    STEP,
    STORED,
    SUMS,
    UNKNOWN,
    USED_MOVES,
    USED_STATES,
    WAITS,
    WORDS,
    Numbers,
    Table,
)

HASHING, HASHED = 1_000_003, 0xFFFF_FFFF
"""A factor of hashes, and their bits."""
FIRST_TIME = 3
"""The place in a state of the first time of a history; the ends of three engines come first."""


def read_state(
    kernel: Numbers, streams: Table, history: Table, ends: Numbers, step: int, state: Numbers
) -> None:
    """Read the state of the engines before a step."""
    stored, count = ends[STORED], len(streams)
    # A port that has nothing to issue, or a fetch engine without streams, does not count.
    state[0] = ends[F1] - stored if count else 0
    state[1] = ends[LANE] - stored if kernel[SEGMENTS] else 0
    state[2] = ends[SPECIAL] - stored if kernel[GROUPS] else 0
    at, first_b1 = FIRST_TIME, FIRST_READY + kernel[GROUPS]
    for number in range(first_b1 + count):
        times = history[number]
        for back in range(1, _depth(kernel, number < first_b1)):
            state[at] = times[(step - back) & (HISTORY - 1)] - stored
            at += 1
    for i in range(count):
        if streams[i][WAITS]:
            free = history[first_b1 + count + i]
            for back in range(1, _depth(kernel, False)):
                state[at] = free[(step - back) & (HISTORY - 1)] - streams[i][FILL]
                at += 1


def write_state(
    kernel: Numbers, streams: Table, history: Table, ends: Numbers, step: int, state: Numbers
) -> None:
    """Bring the engines into a state before a step; the inverse of `read_state`."""
    stored, count = ends[STORED], len(streams)
    ends[F1] = state[0] + stored if count else 0
    ends[LANE] = state[1] + stored if kernel[SEGMENTS] else ends[LANE]
    ends[SPECIAL] = state[2] + stored if kernel[GROUPS] else ends[SPECIAL]
    at, first_b1 = FIRST_TIME, FIRST_READY + kernel[GROUPS]
    for number in range(first_b1 + count):
        times = history[number]
        for back in range(1, _depth(kernel, number < first_b1)):
            times[(step - back) & (HISTORY - 1)] = state[at] + stored
            at += 1
    for i in range(count):
        if streams[i][WAITS]:
            free = history[first_b1 + count + i]
            for back in range(1, _depth(kernel, False)):
                free[(step - back) & (HISTORY - 1)] = state[at] + streams[i][FILL]
                at += 1


def _depth(kernel: Numbers, pipe: bool) -> int:
    """One more than the steps that a history of a pipe, or of a broadcast unit, is looked back."""
    return 1 + (kernel[LOOKBACK] if pipe else kernel[FETCHED_STRIPS])


def catch_up(
    kernel: Numbers,
    streams: Table,
    history: Table,
    ends: Numbers,
    states: Table,
    progress: Numbers,
) -> None:
    """Bring the histories up to date."""
    if progress[BEHIND]:
        state = states[progress[STATE]]
        write_state(kernel, streams, history, ends, progress[STEP], state)
        progress[BEHIND] = 0


def find_state(
    kernel: Numbers,
    streams: Table,
    history: Table,
    ends: Numbers,
    states: Table,
    slots: Numbers,
    progress: Numbers,
) -> None:
    """Find the number of the engines' state, or give it one; the memory must not be full."""
    state = states[progress[USED_STATES]]
    read_state(kernel, streams, history, ends, progress[STEP], state)
    hashed = 0
    for time in state:
        hashed = (hashed * HASHING + time) & HASHED
    slot = _slot(states, slots, state, hashed, 0)
    if slots[slot] < 0:
        slots[slot] = progress[USED_STATES]
        progress[USED_STATES] += 1
    progress[STATE] = slots[slot]


def hash_requests(stream: Numbers) -> None:
    """Hash the requests of a stream's next strips for `find_move`."""
    hashed = stream[WORDS]
    for place in range(WORDS + 1, PHASE):
        hashed = (hashed * HASHING + stream[place]) & HASHED
    stream[HASH] = hashed


def find_move(streams: Table, moves: Table, slots: Numbers, progress: Numbers, strips: int) -> int:
    """The place in `slots` of the move through the next strips; the memory must not be full.

    A move that is not in memory gets its first numbers.
    """
    move = moves[progress[USED_MOVES]]
    move[FROM], move[MOVE_STRIPS] = progress[STATE], strips
    at, hashed = FIRST_REQUEST, progress[STATE] * HASHING + strips
    for i in range(len(streams)):
        stream = streams[i]
        hashed = (hashed * HASHING + stream[HASH]) & HASHED
        hashed = (hashed * HASHING + stream[PHASE]) & HASHED
        for place in range(WORDS, PHASE + 1):
            move[at] = stream[place]
            at += 1
    return _slot(moves, slots, move, hashed, FROM)


def take_move(
    kernel: Numbers,
    streams: Table,
    ends: Numbers,
    move: Numbers,
    times: int,
    progress: Numbers,
    result: Numbers,
) -> None:
    """Take a move that leads back to its state some times, or any move once."""
    strips = times * move[MOVE_STRIPS]
    for i in range(len(streams)):
        stream = streams[i]
        stream[FILL] += strips * stream[FETCHED]
        stream[FREE] += strips * stream[FREED]
        if stream[PHASE] >= 0:
            stream[PHASE] = (stream[PHASE] + strips * stream[WORDS]) % kernel[BURST]
    for n in range(SUMS):
        result[n] += times * move[n]
    ends[STORED] += times * move[MOVE_STORED]
    progress[STATE] = move[NEXT]
    progress[BEHIND] = 1
    progress[STEP] += strips


def begin_move(ends: Numbers, move: Numbers, result: Numbers) -> None:
    """Note the end of the last store and the sums before a move is evaluated."""
    move[MOVE_STORED] = ends[STORED]
    for n in range(SUMS):
        move[n] = result[n]


def end_move(ends: Numbers, move: Numbers, progress: Numbers, result: Numbers) -> None:
    """Note what a move has changed, after it was evaluated and its last state was found."""
    move[NEXT] = progress[STATE]
    move[MOVE_STORED] = ends[STORED] - move[MOVE_STORED]
    for n in range(SUMS):
        move[n] = result[n] - move[n]


def forget(state_slots: Numbers, move_slots: Numbers, progress: Numbers) -> None:
    """Empty the memory. Rest the longer the less it helped: it costs as much as some strips."""
    for n in range(len(state_slots)):
        state_slots[n] = -1
    for n in range(len(move_slots)):
        move_slots[n] = -1
    helped = progress[HITS] > progress[USED_MOVES]
    progress[REST] = 0 if helped else 2 * progress[REST] + progress[USED_MOVES]
    progress[AWAKE] = progress[STEP] + progress[REST]
    progress[STATE] = UNKNOWN
    progress[USED_STATES] = progress[USED_MOVES] = progress[HITS] = 0


def same(one: Numbers, other: Numbers, first: int) -> bool:
    """Whether two rows have the same numbers from a place on."""
    for n in range(first, len(one)):  # noqa: SIM110 - numba knows no generators
        if one[n] != other[n]:
            return False
    return True


def _slot(rows: Table, slots: Numbers, row: Numbers, hashed: int, first: int) -> int:
    """The place in `slots` of the row with the same numbers from `first` on, or a free one."""
    at = (hashed ^ hashed >> 15) & (len(slots) - 1)
    while slots[at] >= 0 and not same(rows[slots[at]], row, first):
        at = (at + 1) & (len(slots) - 1)
    return at
