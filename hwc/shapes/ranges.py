"""Ranges of sizes: the proven limits of a symbol's value."""

from __future__ import annotations

from dataclasses import dataclass

import isa


@dataclass(frozen=True)
class Range:
    """The sizes from `low` to `high`, both included."""

    low: int
    high: int

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"

    def meet(self, other: Range) -> Range | None:
        """Return the sizes that are in both ranges, None if there are none."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Range(low, high) if low <= high else None

    def contains(self, size: int) -> bool:
        """Whether `size` lies in the range."""
        return self.low <= size <= self.high

    @property
    def excludes_one(self) -> bool:
        """Whether no size in the range is 1, so that the dimension never yields to another."""
        return not self.contains(1)


ANY = Range(0, isa.load().limits.size_limit - 1)
"""Every size a dimension can have."""
