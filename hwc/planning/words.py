"""How many words of machine code a kernel needs, before it is emitted."""

from __future__ import annotations


def kernel_words(streams: int, dimensions: int, instructions: int) -> int:
    """Return the words of a kernel; `dimensions` counts the dimensions of all its streams.

    A stream takes a word for its base and one per dimension, the strip loop `loop` and `end`.
    """
    return streams + dimensions + 2 + instructions
