"""Products of sizes, for numbers of elements and for strides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

Size: TypeAlias = int | str
"""A static size, or the name of a symbol."""


@dataclass(frozen=True)
class Product:
    """A factor times symbols, such as 4·s0·s1; `symbols` is sorted and may have duplicates.

    Two products are equal if they have the same value for all values of their symbols.
    """

    factor: int = 1
    symbols: tuple[str, ...] = ()

    @staticmethod
    def of(sizes: Iterable[Size]) -> Product:
        """Return the product of `sizes`; 1 if there are none."""
        factor = 1
        symbols: list[str] = []
        for size in sizes:
            if isinstance(size, str):
                symbols.append(size)
            else:
                factor *= size
        return Product(factor, tuple(sorted(symbols))) if factor else ZERO

    def __mul__(self, other: Product) -> Product:
        return Product.of((self.factor, *self.symbols, other.factor, *other.symbols))

    def divides(self, other: Product) -> bool:
        """Whether `other` is a multiple of this product, judged by the names of the symbols."""
        if not self.factor:
            return not other.factor
        missing = Counter(self.symbols) - Counter(other.symbols)
        return not missing and other.factor % self.factor == 0


ZERO = Product(0)
ONE = Product(1)
"""The stride of adjacent elements."""
