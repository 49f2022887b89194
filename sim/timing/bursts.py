"""The burst rule: bus words and request cycles of contiguous bytes.

docs/timing.md, section "Memory model", states the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isa.target import Target
from sim.streams import I64Array

Segment = tuple[I64Array, I64Array]
"""Contiguous bytes, for one strip after another: first address and end (exclusive).

If both are equal, the strip has no bytes in this segment.
"""


@dataclass(frozen=True)
class Requests:
    """The cost of a strip's read requests; one array element for each strip.

    `words`: bus words. `cost`: request cycles. `last`: request cycles up to and including the last
    beat of the last burst.
    """

    words: I64Array
    cost: I64Array
    last: I64Array


def requests(target: Target, segments: Sequence[Segment]) -> Requests:
    """Request one or more segments in turn; words of different segments share no burst."""
    first, *others = (_request(target, begin, end) for begin, end in segments)
    for segment in others:
        last = np.where(segment.words > 0, first.cost + segment.last, first.last)
        first = Requests(first.words + segment.words, first.cost + segment.cost, last)
    return first


def cost_is_words(first_word: int, words: int, burst: int, gap: int) -> bool:
    """Whether requests of `words` words, one after the other, cost a cycle for each of their words.

    The first request begins at `first_word`; `burst` and `gap` are those of a target. Where a burst
    ends within a request, both parts must be at least `gap` words long.
    """
    most = min(words, burst)
    if burst % most or words % most or most < gap:  # parts of several lengths, or short requests
        return False
    part = -first_word % most
    return part == 0 or min(part, most - part) >= gap


def _request(target: Target, begin: I64Array, end: I64Array) -> Requests:
    """Request the words that hold the bytes `begin` to `end` - 1; nothing if there are none."""
    bus, most, gap = target.axi_bytes, target.burst_beats, target.burst_gap
    some = end > begin
    first_word = begin // bus
    end_word = np.where(some, -(-end // bus), first_word)
    # Bursts end before every multiple of `most`: the first and the last may be shorter.
    first_end = (first_word // most + 1) * most
    last_begin = (end_word - 1) // most * most
    several = some & (first_end < end_word)
    whole_bursts = (last_begin - first_end) // most
    before_last = np.where(
        several, np.maximum(first_end - first_word, gap) + whole_bursts * max(most, gap), 0
    )
    last_beats = end_word - np.maximum(first_word, last_begin)
    cost = np.where(some, before_last + np.maximum(last_beats, gap), 0)
    return Requests(end_word - first_word, cost, np.where(some, before_last + last_beats, 0))
