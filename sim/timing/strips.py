"""What each strip asks of the engines, for ranges of strips at a time.

docs/timing.md, sections "Fetch" and "Broadcast", defines every quantity here by its name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isa.target import Target
from sim.kernel import Kernel
from sim.streams import I64Array, Pattern


@dataclass(frozen=True)
class StreamStrips:
    """An input stream's quantities in strips `first`, `first` + 1, ...; one array element each.

    `fill`: elements fetched when the strip's requests are made. `free`: elements released when its
    broadcast ends. `words`: bus words requested. `cost`: request cycles. `last`: request cycles up
    to the last beat of the last burst, itself included. `broadcast`: beats, cuts included. `cuts`:
    the cuts among them.
    """

    fill: I64Array
    free: I64Array
    words: I64Array
    cost: I64Array
    last: I64Array
    broadcast: I64Array
    cuts: I64Array


def stream_strips(
    target: Target, pattern: Pattern, address: int, first: int, count: int
) -> StreamStrips:
    """Compute the quantities of strips `first` to `first + count - 1` of a stream at `address`."""
    points = pattern.points
    begin = np.arange(first, first + count + 1, dtype=np.int64) * target.vlen
    np.minimum(begin, points, out=begin)
    # fill is needed one strip earlier too: what a strip requests is the difference.
    fill = _fill(target, pattern, address, begin - 1)
    if first == 0:
        fill[0] = 0
    free = pattern.released(np.minimum(begin[1:], points - 1))
    if begin[-1] == points:
        free[-1] = pattern.fetched_elements
    words, cost, last = _requests(target, pattern, address, fill[:-1], fill[1:])
    cuts = _cuts(pattern.cut_points, target.lanes, begin)
    beats = -(-(begin[1:] - begin[:-1]) // target.lanes)
    return StreamStrips(fill[1:], free, words, cost, last, beats + cuts, cuts)


def store_strips(target: Target, kernel: Kernel, first: int, count: int) -> I64Array:
    """Cycles of the store engine for each of the strips `first` to `first + count - 1`."""
    begin = np.arange(first, first + count + 1, dtype=np.int64) * kernel.vlen
    points = np.diff(np.minimum(begin, kernel.points))
    cycles = np.zeros(count, dtype=np.int64)
    for stream in kernel.outputs:
        step = min(kernel.lanes, target.axi_bytes // stream.type.bytes)
        cycles += -(-points // step)
        if first + count == kernel.strips:
            # A flush writes the bus word that the last step left unfilled.
            cycles[-1] += (stream.address + stream.nbytes) % target.axi_bytes != 0
    return cycles


def burst_cycles(target: Target, address: int, nbytes: int) -> tuple[int, int]:
    """Request cycles for contiguous bytes, and those up to the last beat of the last burst."""
    bus, most = target.axi_bytes, target.burst_beats
    word, end = address // bus, -(-(address + nbytes) // bus)
    cost = last = 0
    while word < end:
        beats = min(end, (word // most + 1) * most) - word
        last = cost + beats
        cost += max(beats, target.burst_gap)
        word += beats
    return cost, last


def _fill(target: Target, pattern: Pattern, address: int, point: I64Array) -> I64Array:
    """Elements fetched for the points up to `point`: whole bus words, within the run."""
    needed = pattern.needed(np.maximum(point, 0))
    run, place = _place(pattern, needed - 1)
    size = pattern.element_bytes
    base = address + pattern.run_start(run) * size
    word_end = ((base + place * size) // target.axi_bytes + 1) * target.axi_bytes
    run_elements = pattern.run_elements
    return run * run_elements + np.minimum((word_end - base) // size, run_elements)


def _place(pattern: Pattern, element: I64Array) -> tuple[I64Array, I64Array]:
    """Split element numbers in fetch order into the run and the place in it."""
    if pattern.run_elements == pattern.fetched_elements:
        return np.zeros_like(element), element
    run = element // pattern.run_elements
    return run, element - run * pattern.run_elements


def _requests(
    target: Target, pattern: Pattern, address: int, before: I64Array, after: I64Array
) -> tuple[I64Array, I64Array, I64Array]:
    """Bus words, request cycles, and cycles to the last beat, to fetch elements before..after-1.

    They are in one run, or in the end of one and the start of the next.
    """
    run, place = _place(pattern, after - 1)
    run_start = after - 1 - place
    tail = _segment(target, pattern, address, run, np.maximum(before, run_start), after, run_start)
    if pattern.run_elements == pattern.fetched_elements:
        return tail
    old_run, old_place = _place(pattern, np.minimum(before, run_start))
    old_start = np.minimum(before, run_start) - old_place
    head = _segment(target, pattern, address, old_run, old_start + old_place, run_start, old_start)
    words, cost, last = head[0] + tail[0], head[1] + tail[1], head[1] + tail[2]
    return words, cost, last


def _segment(
    target: Target,
    pattern: Pattern,
    address: int,
    run: I64Array,
    before: I64Array,
    after: I64Array,
    run_start: I64Array,
) -> tuple[I64Array, I64Array, I64Array]:
    """Bus words, request cycles and cycles to the last beat for elements of one run; 0 if none."""
    size, bus, most = pattern.element_bytes, target.axi_bytes, target.burst_beats
    base = address + (pattern.run_start(run) - run_start) * size
    some = after > before
    word = (base + before * size) // bus
    end = np.where(some, -(-(base + after * size) // bus), word)
    words = end - word
    bursts = np.where(some, (end - 1) // most - word // most + 1, 0)
    last_beats = end - np.maximum(word, (end - 1) // most * most)
    first_beats = np.minimum(end, (word // most + 1) * most) - word
    gap = target.burst_gap
    one = np.maximum(words, gap)
    several = np.maximum(first_beats, gap) + (bursts - 2) * max(most, gap)
    cost = np.where(bursts > 1, several + np.maximum(last_beats, gap), np.where(some, one, 0))
    last = np.where(bursts > 1, several + last_beats, words)
    return words, cost, last


def _cuts(block: int, lanes: int, begin: I64Array) -> I64Array:
    """Count multiples of `block` inside each strip, the last end excluded, that split a beat."""
    if block == 0:
        return np.zeros(len(begin) - 1, dtype=np.int64)
    every = int(np.lcm(block, lanes))
    inside, first = begin[1:] - 1, begin[:-1]
    return inside // block - first // block - (inside // every - first // every)
