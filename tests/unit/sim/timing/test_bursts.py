"""The burst rule, against bursts listed one by one, and the fetch of program and packet."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernels import ALL_TARGETS

from isa.load import load
from sim.timing import load_cycles
from sim.timing.bursts import requests


def bursts(target, begin, end):
    """Beats of each burst for the bytes `begin` to `end` - 1."""
    words = (
        range(begin // target.axi_bytes, (end - 1) // target.axi_bytes + 1) if end > begin else ()
    )
    found: list[int] = []
    for word in words:
        if not found or word % target.burst_beats == 0:
            found.append(0)
        found[-1] += 1
    return found


@given(
    st.sampled_from(list(ALL_TARGETS.values())),
    st.lists(st.tuples(st.integers(0, 9000), st.integers(0, 9000)), min_size=1, max_size=3),
)
def test_segments_are_requested_in_turn(target, segments):
    one_by_one = [
        beats for first, size in segments for beats in bursts(target, first, first + size)
    ]
    arrays = [(np.array([first]), np.array([first + size])) for first, size in segments]
    asked = requests(target, arrays)
    costs = [max(beats, target.burst_gap) for beats in one_by_one]
    assert asked.words.tolist() == [sum(one_by_one)]
    assert asked.cost.tolist() == [sum(costs)]
    if one_by_one:
        assert asked.last.tolist() == [sum(costs[:-1]) + one_by_one[-1]]


@pytest.mark.parametrize("target", ALL_TARGETS.values(), ids=list(ALL_TARGETS))
def test_strips_are_independent_of_each_other(target):
    begin, end = np.array([0, 8, 64, 100, 100]), np.array([0, 40, 4096 * 3, 100, 101])
    together = requests(target, [(begin, end)])
    for strip in range(len(begin)):
        alone = requests(target, [(begin[strip : strip + 1], end[strip : strip + 1])])
        for name, values in vars(alone).items():
            assert values[0] == getattr(together, name)[strip], name


def test_program_and_packet_are_fetched_without_a_gap():
    target, constants = ALL_TARGETS["accel"], load().timing
    after = target.memory_latency + constants.load
    gap = target.burst_gap
    # 32 bytes of a bus word hold 4 words of a program.
    assert load_cycles(target, [(0x1000, 400), (0x8000, 3)]) == 100 + 1 + after
    assert load_cycles(target, [(0x1000, 4), (0x8000, 8)]) == gap + 2 + after
    assert load_cycles(target, [(0x1000, 400), (0x8000, 0)]) == 100 + after
    # Any address is allowed, and bursts end where a multiple of the longest begins.
    last = (1 << 64) - 64
    assert load_cycles(target, [(last, 16), (0x8000, 4)]) == max(2, gap) + max(2, gap) + 1 + after
