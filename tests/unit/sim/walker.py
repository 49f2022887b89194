"""Streams walked point by point with an odometer: what the timing model computes by division.

Nothing here is shared with `sim.streams` or `sim.timing.strips`: dimensions are taken as they are
(not coalesced), and every element's first and last use is found by visiting every point.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from isa.target import Target
from sim.kernel import Kernel, Stream


@dataclass(frozen=True)
class Request:
    """A read burst: number of its first bus word, and bus words."""

    word: int
    beats: int


@dataclass(frozen=True)
class StripWalk:
    """One strip of one stream: bytes entering and leaving its ring, its bursts, its beats."""

    reserve: int
    release: int
    bursts: tuple[Request, ...]
    beats: int
    cuts: int


def _groups(sizes: tuple[int, ...], iteration: tuple[int, ...], element_bytes: int, ring: int):
    """Find the dimensions that matter: where what is held repeats, and where runs break.

    Returns four counts of leading dimensions: those outside of the run, those outside of the
    repetition that is held (the unit is one place of them), those outside of the innermost
    repetition of more than one element (or None), and whether something is held.
    """
    rank = len(iteration)
    repeated = [s == 1 and n > 1 for s, n in zip(sizes, iteration, strict=True)]
    data = [s > 1 for s in sizes]
    inner = rank
    while inner and not data[inner - 1]:
        inner -= 1  # dimensions from `inner` on repeat one element
    held = inner
    for dim in range(rank):
        if repeated[dim] and prod(sizes[dim:]) > 1 and prod(sizes[dim:]) * element_bytes <= ring:
            held = dim  # the outermost repetition whose elements fit
            break
    outside_unit = held
    while outside_unit and not data[outside_unit - 1] and held != inner:
        outside_unit -= 1
    outside_run = outside_unit
    while outside_run and not repeated[outside_run - 1]:
        outside_run -= 1
    block = inner
    while block and not repeated[block - 1]:
        block -= 1
    while block and not data[block - 1]:
        block -= 1
    return outside_run, outside_unit, block, held != inner


def walk(target: Target, kernel: Kernel, stream: Stream) -> list[StripWalk]:
    """Walk one input stream over all points of a kernel."""
    iteration = kernel.iteration
    rank = len(iteration)
    sizes = (1,) * (rank - len(stream.sizes)) + stream.sizes
    strides = [prod(sizes[d + 1 :]) if sizes[d] > 1 else 0 for d in range(rank)]
    size = stream.type.bytes
    outside_run, outside_unit, outside_block, holds = _groups(
        sizes, iteration, size, target.ring_bytes
    )
    vlen, lanes, bus = target.vlen, target.lanes, target.axi_bytes

    order: list[int] = []  # element in memory, in the order of fetching
    runs: list[int] = []  # the run that each belongs to
    last_use: list[int] = []
    needed: list[int] = []  # per point, elements fetched up to it
    cut_points: set[int] = set()
    place: dict[int, int] = {}  # elements of the current unit, by their memory place
    unit = run = block = None
    run_number = -1
    for point, index in enumerate(np.ndindex(*iteration)):
        if index[:outside_run] != run:
            run, run_number = index[:outside_run], run_number + 1
        element = sum(i * s for i, s in zip(index, strides, strict=True))
        this_unit = index[:outside_unit] if holds else (run_number, element)
        if this_unit != unit:
            unit, place = this_unit, {}
        if holds and index[:outside_block] != block:
            block = index[:outside_block]
            if point % lanes:
                cut_points.add(point)
        if element not in place:
            place[element] = len(order)
            order.append(element)
            runs.append(run_number)
            last_use.append(point)
        last_use[place[element]] = point
        needed.append(max(place[element] + 1, needed[-1] if needed else 0))
    assert all(b >= a for a, b in zip(last_use, last_use[1:], strict=False)), "released in order"

    strips: list[StripWalk] = []
    fetched = released = 0
    word_of = [(stream.address + e * size) // bus for e in order]
    for first in range(0, len(needed), vlen):
        last = min(first + vlen, len(needed)) - 1
        new: list[list[int]] = []  # bus words of each run, one after another
        before = fetched
        while fetched < needed[last]:
            # One more bus word: all elements of it in this run come along.
            word, in_run = word_of[fetched], runs[fetched]
            if new and in_run == runs[fetched - 1] and new[-1][-1] + 1 == word:
                new[-1].append(word)
            else:
                new.append([word])
            while fetched < len(order) and (word_of[fetched], runs[fetched]) == (word, in_run):
                fetched += 1
        bursts: list[Request] = []
        for words in new:
            start = words[0]
            for number in range(words[0], words[-1] + 1):
                if (number + 1) % target.burst_beats == 0 or number == words[-1]:
                    bursts.append(Request(start, number + 1 - start))
                    start = number + 1
        old = released
        while released < len(order) and last_use[released] <= last:
            released += 1
        beats = cuts = 0
        for point in range(first, last + 1):
            beats += point % lanes == 0 or point in cut_points
            cuts += point in cut_points
        entering, leaving = (fetched - before) * size, (released - old) * size
        strips.append(StripWalk(entering, leaving, tuple(bursts), beats, cuts))
    return strips
