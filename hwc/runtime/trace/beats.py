"""When the words of strips are on the bus, and how many bytes they have, for the simulator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from isa.target import Target
from sim.kernel import Kernel
from sim.streams import I64Array
from sim.timing.bursts import Segment, requests
from sim.timing.strips import InputStrips, strip_ends

Beats: TypeAlias = tuple[I64Array, I64Array]
"""Cycles, and the bytes of streams in the bus word of each cycle."""


def read_beats(target: Target, streams: Sequence[InputStrips], starts: I64Array) -> Iterator[Beats]:
    """Yield the words that strips read, one stream at a time; the fetches start at `starts`."""
    offset = np.zeros(len(starts), dtype=np.int64)
    for stream in streams:
        for segment in stream.segments:
            yield _segment_beats(target, segment, starts + offset)
            offset = offset + requests(target, [segment]).cost


def _segment_beats(target: Target, segment: Segment, starts: I64Array) -> Beats:
    """Return the words of a segment of each strip, requested from `starts` on."""
    bus, most, gap = target.axi_bytes, target.burst_beats, target.burst_gap
    strips = np.flatnonzero(segment[1] > segment[0])
    begin, end = segment[0][strips], segment[1][strips]
    first, end_word = begin // bus, -(-end // bus)
    strip, burst = _expanded((end_word - 1) // most - first // most + 1)
    aligned = (first[strip] // most + burst) * most
    burst_first = np.maximum(first[strip], aligned)
    burst_end = np.minimum(aligned + most, end_word[strip])
    # The first burst may be shorter than those between it and the last.
    first_cost = np.maximum((first // most + 1) * most - first, gap)[strip]
    requested = np.where(burst > 0, first_cost + (burst - 1) * max(most, gap), 0)
    at, beat = _expanded(burst_end - burst_first)
    word = burst_first[at] + beat
    own = strip[at]
    times = starts[strips[own]] + requested[at] + target.memory_latency + beat
    return times, np.minimum(end[own], (word + 1) * bus) - np.maximum(begin[own], word * bus)


def write_beats(target: Target, kernel: Kernel, first: int, starts: I64Array) -> Iterator[Beats]:
    """Yield the words that the strips from `first` on fill; the stores start at `starts`."""
    bus, strips = target.axi_bytes, len(starts)
    ends = strip_ends(kernel.points, kernel.vlen, first, strips)
    points = ends[1:] - ends[:-1]
    for stream in kernel.outputs:
        size, address = stream.type.bytes, stream.extent[0]
        step = min(kernel.lanes, bus // size)
        steps = -(-points // step)
        strip, number = _expanded(steps)
        before = address + size * (ends[strip] + number * step)
        after = address + size * np.minimum(ends[strip] + (number + 1) * step, ends[strip + 1])
        full = after // bus > before // bus
        word = before[full] // bus * bus
        yield (starts[strip] + number)[full], word + bus - np.maximum(word, address)
        starts = starts + steps
        end = stream.extent[1]
        if first + strips == kernel.strips and end % bus:
            yield starts[-1:], np.array([end - max(end // bus * bus, address)])
            starts = np.concatenate((starts[:-1], starts[-1:] + 1))


def _expanded(counts: I64Array) -> tuple[I64Array, I64Array]:
    """Return for every counted thing the index of its count, and its number within that count."""
    index = np.repeat(np.arange(len(counts)), counts)
    return index, np.arange(len(index)) - np.repeat(np.cumsum(counts) - counts, counts)
