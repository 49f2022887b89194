"""The recurrence of `contract` in plain numbers, one step after another.

Steps, phases and delays are those of `contract`: a strip begins in one step, and may end in a later
one.
"""

from __future__ import annotations

from sim.timing.contract import NEVER
from sim.timing.places import (
    ALL_CUTS,
    ALL_WORDS,
    ARRIVAL,
    BACK,
    BEATS,
    BEATS_LAST,
    BROADCAST_BUSY,
    BURST,
    CAPACITY,
    COMPLETE,
    COPIES,
    COST,
    CUTS,
    DATA_STALL,
    DELAY,
    EMPTY_STRIP_READY,
    EVALUATED,
    F1,
    FETCH_BUSY,
    FETCHED,
    FETCHED_STRIPS,
    FILL,
    FIRST_OUTPUT,
    FIRST_READY,
    FREE,
    FREED,
    GROUP,
    GROUPS,
    HISTORY,
    INPUT_STALL,
    LAG,
    LANDING,
    LANDING_LAST,
    LANDING_STRIPS,
    LANE,
    LAST,
    LATENCY,
    LEAD,
    LENGTH,
    OUTPUT_STALL,
    PHASE,
    RING_RELEASE,
    S1,
    SLOT_FREE,
    SPECIAL,
    SPECIAL_LATENCY,
    STORE,
    STORE_BUSY,
    STORE_LAST,
    STORE_READY,
    STORE_STRIPS,
    STORED,
    STORED_FIRST,
    STRIP_FETCH_MIN,
    STRIPS,
    WAITS,
    WORDS,
    E,
    Numbers,
    Table,
)
from sim.timing.scalar_streams import burst_cost


def advance(  # noqa: PLR0912, PLR0915 - one step, kept in one loop for speed
    kernel: Numbers,
    streams: Table,
    whole: Table,
    part: Table,
    history: Table,
    ends: Numbers,
    result: Numbers,
    begin: int,
    end: int,
) -> None:
    """Take the engines through the steps `begin` to `end` - 1.

    The strips that begin in these steps make the requests that the streams hold. `ends` and
    `history` are the times before and after.
    """
    count, phases, mask = len(streams), len(whole), HISTORY - 1
    strips, delay, lag, groups = kernel[STRIPS], kernel[DELAY], kernel[LAG], kernel[GROUPS]
    ring_release, fetched_strips = kernel[RING_RELEASE], kernel[FETCHED_STRIPS]
    first_output, first_b1 = kernel[FIRST_OUTPUT], FIRST_READY + groups
    first_free = first_b1 + count
    e, s1 = history[E], history[S1]
    f1, lane, special, stored = ends[F1], ends[LANE], ends[SPECIAL], ends[STORED]
    words = cuts = fetch_busy = broadcast_busy = data_stall = input_stall = output_stall = 0
    for step in range(begin, end):
        now = step & mask
        inputs = NEVER
        if step < strips:
            f0 = f1
            requested = 0
            for i in range(count):
                stream = streams[i]
                b1 = history[first_b1 + i]
                # F0(s) = max(F1(s-1), B1_i(s - fetched_strips) + ring_release for each stream i,
                #             B1_i(k) + ring_release for each stream i that needs room)
                if step >= fetched_strips:
                    f0 = max(f0, b1[(step - fetched_strips) & mask] + ring_release)
                stream[FILL] += stream[FETCHED]
                if stream[WAITS]:
                    missing = stream[FILL] - stream[CAPACITY]
                    free = history[first_free + i]
                    if missing > 0:
                        # A k before s - fetched_strips adds nothing to the term above.
                        back = fetched_strips
                        while free[(step - back) & mask] < missing:
                            back -= 1
                        if back < fetched_strips:
                            f0 = max(f0, b1[(step - back) & mask] + ring_release)
                    stream[FREE] += stream[FREED]
                    free[now] = stream[FREE]
                stream[ARRIVAL] = kernel[EMPTY_STRIP_READY]
                if stream[WORDS]:
                    cost, last = stream[COST], stream[LAST]
                    if stream[PHASE] >= 0:
                        end_word = stream[PHASE] + stream[WORDS]
                        cost, last = burst_cost(kernel, stream[PHASE], end_word)
                        stream[PHASE] = end_word % kernel[BURST]
                    stream[ARRIVAL] = requested + last + kernel[LATENCY]
                    requested += cost
                    words += stream[WORDS]
            fetch = max(requested, kernel[STRIP_FETCH_MIN]) if count else 0
            f1 = f0 + fetch
            fetch_busy += fetch
            landing_free = e[(step + delay - kernel[LANDING_STRIPS]) & mask] + kernel[SLOT_FREE]
            beats = kernel[BEATS_LAST] if step == strips - 1 else kernel[BEATS]
            for i in range(count):
                stream = streams[i]
                b1 = history[first_b1 + i]
                # B0_i(s) = max(B1_i(s-1), D_i(s), E(s - landing_strips) + slot_free)
                b0 = b1[(step - 1) & mask]
                if f0 + stream[ARRIVAL] > b0:
                    data_stall += f0 + stream[ARRIVAL] - b0
                    b0 = f0 + stream[ARRIVAL]
                broadcast = beats + stream[CUTS]
                landed = max(b0, landing_free) + broadcast
                b1[now] = landed
                inputs = max(inputs, landed)
                cuts += stream[CUTS]
                broadcast_busy += broadcast
            inputs += kernel[LANDING_LAST] if step == strips - 1 else kernel[LANDING]
            if not count and step == 0:
                inputs = lane + 1  # both ports are free at P

        x0 = back = 0
        for g in range(phases):
            strip = step - lag * g
            if strip < 0 or strip >= strips:
                if g < groups:
                    history[FIRST_READY + g][now] = NEVER
                continue
            phase = part[g] if strip == strips - 1 else whole[g]
            if g == 0:
                due = e[(step + delay - kernel[COPIES]) & mask]
            else:
                due = history[FIRST_READY + g - 1][(step - lag) & mask]
            slot = NEVER
            if g == first_output:
                slot = s1[(step + delay - lag * g - kernel[STORE_STRIPS]) & mask]
                slot += kernel[SLOT_FREE]
            if phase[LENGTH] == 0:  # a phase without a segment can only be the first
                # X0_0(s) = max(X1 before, inputs(s), E(s-D), slot(s))
                x0 = max(special, due, inputs, slot)
            else:
                # A0_g(s) = max(A1 before, inputs(s), E(s-D) or X0_(g-1)(s) + back_(g-1), slot(s))
                if g == 0 and inputs > lane:
                    input_stall += inputs - lane
                    lane = inputs
                lane = max(lane, due)
                if slot > lane:
                    output_stall += slot - lane
                    lane = slot
                # X0_g(s) = max(X1 before, A0_g(s) + lead_g)
                x0 = max(special, lane + phase[LEAD])
                lane += phase[LENGTH]
            if phase[GROUP]:
                special, back = x0 + phase[GROUP], phase[BACK]
                history[FIRST_READY + g][now] = x0 + back

        e[now] = s1[now] = NEVER
        if step >= delay:
            last_strip = step - delay == strips - 1
            phase = part[phases - 1] if last_strip else whole[phases - 1]
            store = kernel[STORE_LAST] if last_strip else kernel[STORE]
            # S0(s) = max(S1(s-1), W(s) + store_ready)
            done, s0 = lane, lane + phase[COMPLETE]
            if phase[GROUP]:
                done, s0 = max(done, x0 + back), max(s0, special + kernel[SPECIAL_LATENCY])
            stored = max(stored, s0 + kernel[STORE_READY]) + store
            e[now], s1[now] = done, stored
            result[STORE_BUSY] += store
            if step == delay:
                result[STORED_FIRST] = stored
    ends[F1], ends[LANE], ends[SPECIAL], ends[STORED] = f1, lane, special, stored
    result[FETCH_BUSY] += fetch_busy
    result[BROADCAST_BUSY] += broadcast_busy
    result[ALL_WORDS] += words
    result[ALL_CUTS] += cuts
    result[DATA_STALL] += data_stall
    result[INPUT_STALL] += input_stall
    result[OUTPUT_STALL] += output_stall
    result[EVALUATED] += end - begin
