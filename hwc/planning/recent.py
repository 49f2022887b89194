"""Answers to the last questions, in memory that does not grow with the program."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(dict[K, V]):
    """A dictionary of at most `most` entries; a new entry takes the place of the oldest.

    Equal parts of a program, such as the layers of a model, follow each other closely, so older
    answers are rarely asked for.
    """

    def __init__(self, most: int = 1024) -> None:
        """Begin without entries."""
        super().__init__()
        self.most = most

    def __setitem__(self, key: K, value: V) -> None:
        """Note an answer."""
        if len(self) >= self.most and key not in self:
            del self[next(iter(self))]
        super().__setitem__(key, value)
