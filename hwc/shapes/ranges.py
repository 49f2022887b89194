"""Ranges of sizes: what is proven about the value of a symbol."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import gcd

import isa

MAX_VALUES = 64
"""The maximum number of sizes in a set; a larger set is kept as limits, modulus and remainder."""


@dataclass(frozen=True)
class Range:
    """The sizes from `low` to `high`, both included, that are `remainder` modulo `modulus`.

    Sizes in `excluded` are not in the range. If `values` is given, only these sizes are. In every
    range that `meet`, `join` and `of` return, `low` and `high` themselves are possible.
    """

    low: int
    high: int
    modulus: int = 1
    remainder: int = 0
    excluded: frozenset[int] = frozenset()
    values: frozenset[int] | None = None

    @staticmethod
    def of(values: Collection[int]) -> Range:
        """Return the range of exactly these sizes; if there are many, it may have more sizes."""
        low, high = min(values), max(values)
        modulus = gcd(*(value - low for value in values)) or 1
        chosen = frozenset(values) if 1 < len(set(values)) <= MAX_VALUES else None
        return Range(low, high, modulus, low % modulus, values=chosen)

    @staticmethod
    def multiple(modulus: int, remainder: int = 0) -> Range:
        """Return the range of all sizes that are `remainder` modulo `modulus`."""
        high = ANY.high - (ANY.high - remainder) % modulus
        return Range(remainder, high, modulus, remainder)

    @staticmethod
    def without(value: int) -> Range:
        """Return the range of all sizes but one."""
        if value in {ANY.low, ANY.high}:
            return Range(ANY.low + (value == ANY.low), ANY.high - (value == ANY.high))
        return Range(ANY.low, ANY.high, excluded=frozenset((value,)))

    def __str__(self) -> str:
        if self.low == self.high:
            return str(self.low)
        if self.values is not None:
            return f"{{{', '.join(map(str, sorted(self.values)))}}}"
        if self.high + self.modulus <= ANY.high:
            text = f"{self.low} to {self.high}"
        else:
            text = f"{self.low} or more" if self.low >= self.modulus else ""
        if self.modulus > 1 and self.remainder:
            text += f"{', ' if text else ''}{self.remainder} modulo {self.modulus}"
        elif self.modulus > 1:
            text += f"{', ' if text else ''}a multiple of {self.modulus}"
        if self.excluded:
            text += f"{', ' if text else ''}not {', '.join(map(str, sorted(self.excluded)))}"
        return text or f"{self.low} or more"

    def meet(self, other: Range) -> Range | None:
        """Return the sizes that are in both ranges, None if there are none."""
        if self in (other, ANY):
            return other
        if other == ANY:
            return self
        for first, second in ((self, other), (other, self)):
            if first.values is not None:
                common = [value for value in first.values if second.contains(value)]
                return Range.of(common) if common else None
        congruence = _both(self.modulus, self.remainder, other.modulus, other.remainder)
        if congruence is None:
            return None
        modulus, remainder = congruence
        excluded = self.excluded | other.excluded
        low, high = max(self.low, other.low), min(self.high, other.high)
        low += (remainder - low) % modulus
        high -= (high - remainder) % modulus
        while low <= high and low in excluded:
            low += modulus
        while low <= high and high in excluded:
            high -= modulus
        if low > high:
            return None
        inside = (x for x in excluded if low < x < high and x % modulus == remainder)
        return Range(low, high, modulus, remainder, frozenset(inside))

    def join(self, other: Range) -> Range:
        """Return a range with all sizes of both ranges; it may have more sizes."""
        first, second = self._few(), other._few()
        if first is not None and second is not None:
            return Range.of(first | second)
        modulus = gcd(self.modulus, other.modulus, self.remainder - other.remainder)
        # A single number has modulus 0: every modulus fits it.
        if first is not None and len(first) == 1:
            modulus = gcd(other.modulus, other.remainder - self.low)
        elif second is not None and len(second) == 1:
            modulus = gcd(self.modulus, self.remainder - other.low)
        low, high = min(self.low, other.low), max(self.high, other.high)
        excluded = frozenset(
            x
            for x in (*self.excluded, *other.excluded, 1)
            if low < x < high
            and x % modulus == low % modulus
            and not (self.contains(x) or other.contains(x))
        )
        return Range(low, high, modulus, low % modulus, excluded)

    def times(self, other: Range) -> Range:
        """Return a range with all products of a size of each range; they may exceed every size."""
        first, second = self._few(), other._few()
        if first is not None and second is not None and len(first) * len(second) <= MAX_VALUES:
            return Range.of({a * b for a in first for b in second})
        modulus = self._common_factor() * other._common_factor()
        return Range(self.low * other.low, self.high * other.high, modulus)

    def divided(self, divisor: int) -> Range | None:
        """Return the sizes that, times `divisor`, are in this range; None if there are none."""
        few = self._few()
        if few is not None:
            quotients = [value // divisor for value in few if value % divisor == 0]
            return Range.of(quotients).meet(ANY) if quotients else None
        common = self._common_factor()
        low, high = -(-self.low // divisor), self.high // divisor
        whole = Range.multiple(common // gcd(common, divisor)) if common <= ANY.high else ANY
        return whole.meet(Range(low, high)) if low <= high else None

    def _common_factor(self) -> int:
        """Return a number that divides every size of the range."""
        return 1 if self.remainder else self.modulus

    def _few(self) -> frozenset[int] | None:
        return frozenset((self.low,)) if self.low == self.high else self.values

    def contains(self, size: int) -> bool:
        """Whether `size` lies in the range."""
        if self.values is not None:
            return size in self.values
        within = self.low <= size <= self.high and size % self.modulus == self.remainder
        return within and size not in self.excluded

    def at_least(self, size: int) -> int | None:
        """Return the smallest size in the range that is at least `size`; None if there is none."""
        if self.values is not None:
            return min((value for value in self.values if value >= size), default=None)
        size = max(size, self.low)
        size += (self.remainder - size) % self.modulus
        while size in self.excluded:
            size += self.modulus
        return size if size <= self.high else None

    def within(self, sizes: Iterable[int]) -> bool:
        """Whether the range has only sizes from `sizes`."""
        few = self._few()
        return few is not None and few <= frozenset(sizes)

    @property
    def excludes_one(self) -> bool:
        """Whether 1 is not in the range, so that the dimension never yields to another."""
        return not self.contains(1)


def _both(m: int, r: int, n: int, s: int) -> tuple[int, int] | None:
    """Return the modulus and the remainder of the numbers that are both r mod m and s mod n."""
    common = gcd(m, n)
    if (r - s) % common:
        return None
    modulus = m // common * n
    # r + m·k = s mod n, so k = (s − r) / common · (m / common)⁻¹ mod (n / common)
    k = (s - r) // common * pow(m // common, -1, n // common) if n > common else 0
    return modulus, (r + m * k) % modulus


ANY = Range(0, isa.load().limits.size_limit - 1)
"""Every size a dimension can have."""
