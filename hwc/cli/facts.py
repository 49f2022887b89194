"""The output of `hwc info --facts`: what is proven about every size of a package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hwc.cli.table import aligned
from hwc.package import Package
from hwc.shapes import Size
from hwc.shapes.ranges import ANY, Range
from hwc.shapes.steps import Dim


@dataclass(frozen=True)
class Fact:
    """What is true of a size in every call.

    `origin` says which dimensions have this size, or which operation computes it. `equal_to` is the
    symbol or number that the size always equals, None if there is none. `one_or` has the sizes that
    it equals unless it is 1.
    """

    size: str
    origin: str
    equal_to: Size | None
    range: Range
    one_or: tuple[str, ...]

    def __str__(self) -> str:
        if self.equal_to is not None:
            return f"equal to {self.equal_to}"
        known = [f"1 or {other}" for other in self.one_or]
        return ", ".join([str(self.range)] * (self.range != ANY or not known) + known)

    def to_json(self) -> dict[str, Any]:
        """Return the keys of the JSON output."""
        values = self.range.values
        return {
            "size": self.size,
            "origin": self.origin,
            "text": str(self),
            "equal_to": self.equal_to,
            "low": self.range.low,
            "high": self.range.high,
            "modulus": self.range.modulus,
            "remainder": self.range.remainder,
            "excluded": sorted(self.range.excluded),
            "values": None if values is None else sorted(values),
            "one_or": list(self.one_or),
        }


def facts(package: Package) -> list[Fact]:
    """Return what is proven about every size of a package, in the order of definition."""
    symbols = package.shape_program.sizes
    table = package.shape_program.table()
    found: list[Fact] = []
    for name in symbols:
        root = table.resolve(name)
        others = [s for s in symbols if table.resolve(s) == s != name and table.fits(name, s)]
        found.append(
            Fact(
                name,
                _origins(package, name),
                None if root == name else root,
                table.range_of(root),
                tuple(others) if root == name else (),
            )
        )
    return found


def describe_facts(package: Package) -> Iterator[str]:
    """Yield a line for each symbol: where it comes from, and what is true in every call."""
    found = facts(package)
    yield f"facts: {len(found)} sizes"
    yield from aligned([[f"  {fact.size}", fact.origin, str(fact)] for fact in found])


def _origins(package: Package, name: str) -> str:
    """Return the dimensions whose size a symbol is, or the operation that computes the symbol."""
    places = [
        f"%{package.inputs[step.argument].name}.{step.dimension}"
        for step in package.shape_program.steps
        if isinstance(step, Dim) and step.result == name
    ]
    if places:
        return ", ".join(places)
    made = next(step for step in package.shape_program.steps if name in step.symbols)
    return str(made)
