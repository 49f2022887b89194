"""Counts the words of machine code that a kernel needs, before it is emitted."""

from __future__ import annotations


def kernel_words(streams: int, dimensions: int, instructions: int) -> int:
    """Return the number of words; `dimensions` counts the dimensions of all streams.

    A stream takes a word for its base and one per dimension; the strip loop takes `loop` and `end`.
    """
    return streams + dimensions + 2 + instructions
