"""Cycles of a dispatch outside of its kernels: docs/timing.md, section "A dispatch"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from isa.load import load
from isa.target import Target
from sim.kernel import Stream
from sim.timing.bursts import Segment, requests


def load_cycles(target: Target, images: Sequence[tuple[int, int]]) -> int:
    """Cycles from start until program and packet are in the machine.

    `images` are the address and the number of words of each image, in the order of their fetch.
    """
    # Bursts depend only on the address modulo the longest burst, and any address is allowed here.
    burst_bytes = target.burst_beats * target.axi_bytes
    return _load_cycles(target, tuple((address % burst_bytes, n) for address, n in images))


@lru_cache(maxsize=1024)
def _load_cycles(target: Target, images: Sequence[tuple[int, int]]) -> int:
    word_bytes = load().word_bits // 8
    segments: list[Segment] = []
    for address, words in images:
        begin = np.array(address)
        segments.append((begin, begin + words * word_bytes))
    last = int(requests(target, segments).last)
    return last + target.memory_latency + load().timing.load


def word_cycles(words: int) -> int:
    """Cycles to execute configuration words or `halt`."""
    return words * load().timing.word


def setup_cycles(
    target: Target, decoded: int, inputs: Sequence[Stream], outputs: Sequence[Stream]
) -> int:
    """Cycles of `loop`: `decoded` words of the body, and the streams' shapes at the same time."""
    constants = load().timing
    body = decoded * constants.word
    return constants.setup_start + max(body, shape_cycles(target, inputs, outputs))


def shape_cycles(target: Target, inputs: Sequence[Stream], outputs: Sequence[Stream]) -> int:
    """Cycles until the shapes of a kernel are set up."""
    rank = 1
    for stream in (*inputs, *outputs):
        rank = max(rank, len(stream.sizes))
    return _shape_cycles(target, len(inputs), len(outputs), rank)


@lru_cache(maxsize=1024)
def _shape_cycles(target: Target, inputs: int, outputs: int, rank: int) -> int:
    constants = load().timing
    streams = inputs + outputs
    dimension = max(constants.setup_dimension, streams + 1)
    digits = inputs + target.vlen.bit_length() - 1 if inputs else 0
    # An output is compared with every stream before it.
    pairs = sum(inputs + number + 1 for number in range(outputs))
    return constants.setup_shapes + rank * dimension + max(digits, streams + pairs)
