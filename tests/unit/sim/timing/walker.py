"""Streams walked point by point with an odometer: what the timing model computes by division.

Nothing here is shared with `sim.streams` or `sim.timing`: dimensions are taken as they are (not
merged), an element is its address, and its first and last use are found by visiting every point.
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


def point_addresses(iteration: tuple[int, ...], stream: Stream) -> list[int]:
    """The address of a stream's element at each point, in the order of the walk."""
    strides = _padded(stream.strides, iteration)
    return [
        stream.address + stream.type.bytes * sum(i * s for i, s in zip(index, strides, strict=True))
        for index in np.ndindex(*iteration)
    ]


def _padded(strides: tuple[int, ...], iteration: tuple[int, ...]) -> tuple[int, ...]:
    return (0,) * (len(iteration) - len(strides)) + strides


@dataclass(frozen=True)
class Nest:
    """Counts of leading dimensions that tell where the walk enters something new.

    `run`: those outside of a run; `unit`: those outside of the repetition that is held; `block`:
    those outside of the innermost repetition of more than one element. `holds` tells whether
    anything is held.
    """

    run: int
    unit: int
    block: int
    holds: bool


def _nest(strides: tuple[int, ...], iteration: tuple[int, ...], element_bytes: int, ring: int):
    """Find the dimensions that matter: where a held block repeats, and where runs break."""
    rank = len(iteration)
    repeated = [s == 0 and n > 1 for s, n in zip(strides, iteration, strict=True)]
    data = [s != 0 for s in strides]
    inside = [
        prod(n for n, d in zip(iteration[k:], data[k:], strict=True) if d) for k in range(rank)
    ]
    inner = rank
    while inner and not data[inner - 1]:
        inner -= 1  # dimensions from `inner` on repeat one element
    held = inner
    for dim in range(rank):
        if repeated[dim] and inside[dim] > 1 and inside[dim] * element_bytes <= ring:
            held = dim  # the outermost repetition whose elements fit
            break
    unit = held
    while unit and not data[unit - 1] and held != inner:
        unit -= 1
    run = unit
    while run and not repeated[run - 1]:
        run -= 1
    block = inner
    while block and not repeated[block - 1]:
        block -= 1
    while block and not data[block - 1]:
        block -= 1
    return Nest(run, unit, block, held != inner)


def walk(target: Target, kernel: Kernel, stream: Stream) -> list[StripWalk]:
    """Walk one input stream over all points of a kernel."""
    iteration = kernel.iteration
    size = stream.type.bytes
    nest = _nest(_padded(stream.strides, iteration), iteration, size, target.ring_bytes)
    vlen, lanes, bus = kernel.vlen, kernel.lanes, target.axi_bytes

    order: list[int] = []  # addresses of elements in the order of fetching
    runs: list[int] = []  # the run that each belongs to
    last_use: list[int] = []
    needed: list[int] = []  # per point, elements fetched up to it
    cut_points: set[int] = set()
    fetched_as: dict[int, int] = {}  # elements of the current unit: address to index in `order`
    unit = run = block = None
    run_number = -1
    indices = np.ndindex(*iteration)
    for point, address in enumerate(point_addresses(iteration, stream)):
        index = next(indices)
        if index[: nest.run] != run:
            run, run_number = index[: nest.run], run_number + 1
        this_unit = index[: nest.unit] if nest.holds else (run_number, address)
        if this_unit != unit:
            unit, fetched_as = this_unit, {}
        if nest.holds and index[: nest.block] != block:
            block = index[: nest.block]
            if point % lanes:
                cut_points.add(point)
        if address not in fetched_as:
            fetched_as[address] = len(order)
            order.append(address)
            runs.append(run_number)
            last_use.append(point)
        last_use[fetched_as[address]] = point
        needed.append(max(fetched_as[address] + 1, needed[-1] if needed else 0))
    assert all(b >= a for a, b in zip(last_use, last_use[1:], strict=False)), "released in order"

    strips: list[StripWalk] = []
    fetched = released = 0
    word_of = [address // bus for address in order]
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
