"""The burst rule: bus words and request cycles of contiguous bytes.

docs/timing.md, section "Memory model", states it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isa.target import Target
from sim.streams import I64Array

Segment = tuple[I64Array, I64Array]
"""Contiguous bytes, for one strip after another: first address and end (exclusive).

Where both are equal a strip has no bytes in this segment.
"""


@dataclass(frozen=True)
class Requests:
    """What a strip's read requests take; one array element for each strip.

    `words`: bus words. `cost`: request cycles. `last`: request cycles up to the last beat of the
    last burst, that beat included.
    """

    words: I64Array
    cost: I64Array
    last: I64Array


def requests(target: Target, segments: Sequence[Segment]) -> Requests:
    """Request all segments, one after another; words of different segments share no burst."""
    bus, most, gap = target.axi_bytes, target.burst_beats, target.burst_gap
    words = cost = last = np.zeros_like(segments[0][0])
    for begin, end in segments:
        first_word = begin // bus
        end_word = np.where(end > begin, -(-end // bus), first_word)
        count = end_word - first_word
        # Bursts end before every multiple of `most`: the first and the last may be shorter.
        bursts = np.where(count > 0, (end_word - 1) // most - first_word // most + 1, 0)
        first_beats = np.minimum(end_word, (first_word // most + 1) * most) - first_word
        last_beats = end_word - np.maximum(first_word, (end_word - 1) // most * most)
        others = np.maximum(first_beats, gap) + (bursts - 2) * max(most, gap)
        before_last = cost + np.where(bursts > 1, others, 0)
        words = words + count
        last = np.where(count > 0, before_last + last_beats, last)
        cost = np.where(count > 0, before_last + np.maximum(last_beats, gap), cost)
    return Requests(words, cost, last)
