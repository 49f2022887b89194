"""Cycles of a dispatch outside of its kernels: docs/timing.md, section "A dispatch"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isa.load import load
from isa.target import Target
from sim.timing.bursts import Segment, requests


def load_cycles(target: Target, images: Sequence[tuple[int, int]]) -> int:
    """Cycles from start until program and packet are in the machine.

    `images` are the address and the number of words of each, in the order of their fetch.
    """
    word_bytes = load().word_bits // 8
    # Bursts depend on an address within the longest burst only, and any address is allowed here.
    burst_bytes = target.burst_beats * target.axi_bytes
    segments: list[Segment] = []
    for address, words in images:
        begin = np.array(address % burst_bytes)
        segments.append((begin, begin + words * word_bytes))
    last = int(requests(target, segments).last)
    return last + target.memory_latency + load().timing.load


def word_cycles(words: int) -> int:
    """Cycles to execute configuration words or `halt`."""
    return words * load().timing.word


def setup_cycles(decoded: int, streams: int) -> int:
    """Cycles of `loop`: the body's words are decoded, then the streams' shapes are set up."""
    constants = load().timing
    return decoded * constants.word + constants.setup_base + streams * constants.setup_per_stream
