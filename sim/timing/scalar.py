"""The walk of a kernel in plain numbers: without arrays of strips.

This is the recurrence of `contract` and the requests of `packed_walk`, written a second time for
two cases where those modules are slow: a kernel of few strips, for which NumPy's calls cost more
than the work, and a long walk, for which numba compiles this module and those that it calls. numba
takes numbers and arrays only, so every quantity has a place in an array (`places`). Without numba,
the arrays are lists, and Python runs the same function. `tests/unit/sim/timing/test_scalar.py`
compares this module with the other two.

Most strips need no evaluation, for three reasons, each of them exact:

- In a row of strips with the same requests, the requests are worked out once (`scalar_streams`).
- The engines are often in a state in which they were before, and meet the same requests as before.
  Then they do what they did before (`scalar_memo`). A long row of strips is cut into pieces of
  `PIECE` strips, after which all requests are in the same place in a burst again. Once a piece
  leads from a state to the same state, so do all pieces that follow.
- When the state equals the state at an earlier strip, and the requests of the walks repeat until
  the end of their span, the strips up to there take the same cycles again and again. This is found
  with Brent's cycle detection.
"""

from __future__ import annotations

from sim.timing.places import (
    AWAKE,
    CHECK,
    DELAY,
    EVEN,
    EVEN_PERIOD,
    HISTORY,
    HITS,
    NEXT,
    PIECE,
    SPAN_END,
    STATE,
    STEP,
    STRIPS,
    UNKNOWN,
    UNTIL,
    USED_MOVES,
    USED_STATES,
    WHOLE,
    Numbers,
    Table,
)
from sim.timing.scalar_engines import advance
from sim.timing.scalar_memo import (
    begin_move,
    catch_up,
    end_move,
    find_move,
    find_state,
    forget,
    hash_requests,
    take_move,
)
from sim.timing.scalar_periods import begin_stretch, check_period
from sim.timing.scalar_streams import prepare


def walk(
    kernel: Numbers,
    streams: Table,
    whole: Table,
    part: Table,
    history: Table,
    ends: Numbers,
    spans: Table,
    saved: Table,
    states: Table,
    state_slots: Numbers,
    moves: Table,
    move_slots: Numbers,
    progress: Numbers,
    result: Numbers,
) -> None:
    """Take a kernel from its first strip to its last; `ends` and `result` are the result.

    `whole` and `part` are the phases of the body on a whole strip and on the last strip. `history`,
    `ends` and `spans` are those before the first strip. `progress` and `result` are 0. The other
    arguments are memory: `saved` for `scalar_periods`, and `states` to `move_slots` for
    `scalar_memo`. Without states, nothing is remembered.
    """
    last, steps = kernel[STRIPS] - 1, kernel[STRIPS] + kernel[DELAY]
    # In the first steps, the engines look back on strips that do not exist.
    progress[STATE], progress[AWAKE] = UNKNOWN, HISTORY
    while progress[STEP] < steps:
        step = progress[STEP]
        if kernel[EVEN_PERIOD] and HISTORY <= step < last and step >= spans[EVEN][SPAN_END]:
            begin_stretch(kernel, streams, spans, step)
        if step in (spans[WHOLE][CHECK], spans[EVEN][CHECK]):
            number = WHOLE if step == spans[WHOLE][CHECK] else EVEN
            catch_up(kernel, streams, history, ends, states, progress)
            check_period(kernel, streams, history, ends, spans, number, saved, progress, result)
            continue
        alike = _alike(kernel, streams, step, len(states) > 0)
        for span in spans:
            if span[CHECK] > step:
                alike = min(alike, span[CHECK] - step)
        remembers = len(states) > 0 and progress[AWAKE] <= step < last
        count, slot = alike, 0
        if remembers:
            if progress[USED_STATES] + 1 >= len(states) or progress[USED_MOVES] >= len(moves):
                catch_up(kernel, streams, history, ends, states, progress)
                forget(state_slots, move_slots, progress)
                continue
            if progress[STATE] == UNKNOWN:
                find_state(kernel, streams, history, ends, states, state_slots, progress)
            count = alike if alike < 2 * kernel[PIECE] else kernel[PIECE]
            slot = find_move(streams, moves, move_slots, progress, count)
            if move_slots[slot] >= 0:
                move = moves[move_slots[slot]]
                again = move[NEXT] == progress[STATE]
                progress[HITS] += 1
                turns = alike // count if again else 1
                take_move(kernel, streams, ends, move, turns, progress, result)
                continue
            begin_move(ends, moves[progress[USED_MOVES]], result)
        elif len(states) and step < progress[AWAKE]:
            count = min(alike, progress[AWAKE] - step)
        catch_up(kernel, streams, history, ends, states, progress)
        advance(kernel, streams, whole, part, history, ends, result, step, step + count)
        progress[STEP] += count
        progress[STATE] = UNKNOWN
        if remembers:
            find_state(kernel, streams, history, ends, states, state_slots, progress)
            end_move(ends, moves[progress[USED_MOVES]], progress, result)
            move_slots[slot] = progress[USED_MOVES]
            progress[USED_MOVES] += 1


def _alike(kernel: Numbers, streams: Table, step: int, hashes: bool) -> int:
    """The number of strips that make the same requests as the one that begins in a step.

    `hashes` says whether hashes of the requests are needed. After the last strip, no strip begins.
    """
    if step >= kernel[STRIPS]:
        return kernel[STRIPS] + kernel[DELAY] - step
    until = kernel[STRIPS] if step == kernel[STRIPS] - 1 else kernel[STRIPS] - 1
    for i in range(len(streams)):
        if streams[i][UNTIL] <= step:
            prepare(kernel, streams[i], step)
            if hashes:
                hash_requests(streams[i])
        until = min(until, streams[i][UNTIL])
    return until - step
