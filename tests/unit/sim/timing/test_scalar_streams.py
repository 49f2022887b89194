"""The requests of `sim.timing.scalar_streams` are those of `packed_walk`, for each strip."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from kernels import TARGETS, kernels, simple

from sim.timing.body_plan import body_plan
from sim.timing.bursts import requests
from sim.timing.packed_walk import PackedWalk
from sim.timing.places import (
    BURST,
    COST,
    CUTS,
    FETCHED,
    FETCHED_STRIPS,
    FILL,
    FREE,
    FREED,
    LAST,
    PHASE,
    PIECE,
    STRIP_WORDS,
    UNTIL,
    WAITS,
    WORDS,
)
from sim.timing.scalar_inputs import PIECE_STRIPS, kernel_numbers, stream_numbers
from sim.timing.scalar_streams import burst_cost, prepare


def numbers_of(target, kernel):
    """The numbers of a kernel, and the walks and the numbers of its streams."""
    walks = [PackedWalk.of(target, kernel, stream) for stream in kernel.inputs]
    streams = [stream_numbers(walk, kernel.points, 0) for walk in walks]
    plan = body_plan(target, kernel.body, kernel.copies, (kernel.vlen, 1))
    return kernel_numbers(target, kernel, plan, streams), walks, streams


def requested(numbers, stream, strips):
    """The requests of each strip, worked out as seldom as possible; and how often that was."""
    rows, prepared = [], 0
    for strip in range(strips):
        if stream[UNTIL] <= strip:
            prepare(numbers, stream, strip)
            prepared += 1
        cost, last = stream[COST], stream[LAST]
        if stream[PHASE] >= 0:
            end_word = stream[PHASE] + stream[WORDS]
            cost, last = burst_cost(numbers, stream[PHASE], end_word)
            stream[PHASE] = end_word % numbers[BURST]
        stream[FILL] += stream[FETCHED]
        stream[FREE] += stream[FREED]
        rows.append([stream[FILL], stream[FREE], stream[WORDS], cost, last, stream[CUTS]])
    return np.array(rows), prepared


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(kernels(max_points=30_000))
def test_requests_of_each_strip(case):
    target, kernel = case
    numbers, walks, streams = numbers_of(target, kernel)
    for walk, stream in zip(walks, streams, strict=True):
        rows, _ = requested(numbers, stream, kernel.strips)
        strips = walk.strips(0, kernel.strips)
        reads = requests(target, strips.segments)
        free = strips.free if stream[WAITS] else np.zeros_like(strips.free)
        expected = [strips.fill, free, reads.words, reads.cost, reads.last, strips.cuts]
        assert rows.tolist() == np.stack(expected, axis=1).tolist()


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(kernels(max_points=30_000))
def test_a_stream_that_never_waits(case):
    """Its ring has room once the strip `fetched_strips` earlier was broadcast."""
    target, kernel = case
    numbers, walks, streams = numbers_of(target, kernel)
    back = numbers[FETCHED_STRIPS]
    for walk, stream in zip(walks, streams, strict=True):
        if not stream[WAITS]:
            strips = walk.strips(0, kernel.strips)
            free = np.concatenate((np.zeros(back, dtype=np.int64), strips.free))[: kernel.strips]
            assert (strips.fill - free <= walk.capacity).all()


@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(kernels(max_points=30_000))
def test_after_a_piece_whole_words_are_in_the_same_place_of_a_burst(case):
    numbers, _, streams = numbers_of(*case)
    for stream in streams:
        assert numbers[PIECE] * stream[STRIP_WORDS] % numbers[BURST] == 0
    assert numbers[PIECE] >= PIECE_STRIPS


@pytest.mark.parametrize(
    ("own", "most"),
    [
        ((3001, 1501), 3),  # one after another
        ((1, 1501), 3),  # held in the ring
        ((3001, 1), 2 * 3001 // 8 + 2),  # eight elements in a bus word
        ((1, 1), 3),
    ],
)
def test_requests_that_stay_alike_are_worked_out_once(own, most):
    target = TARGETS["accel"]
    kernel = simple(target, (3001, 1501), ("f32", 0x8000, (3001, 1501)), ("f32", 0x8000, own))
    numbers, _, streams = numbers_of(target, kernel)
    _, prepared = requested(numbers, streams[1], kernel.strips)
    assert prepared <= most + 6  # the first and the last strips
