"""What `hwc info --facts` prints: what is proven about every size of a package."""

from __future__ import annotations

from collections.abc import Iterator

from hwc.cli.table import aligned
from hwc.package import Package
from hwc.shapes import SymbolTable
from hwc.shapes.ranges import ANY
from hwc.shapes.steps import Dim


def describe_facts(package: Package) -> Iterator[str]:
    """Yield a line for each symbol: where it comes from, and what every call fulfils."""
    symbols = package.shape_program.sizes
    table = package.shape_program.table()
    yield f"facts: {len(symbols)} sizes"
    yield from aligned(
        [[f"  {name}", _origins(package, name), _known(table, name, symbols)] for name in symbols]
    )


def _origins(package: Package, name: str) -> str:
    """Return the dimensions that a symbol is the size of, or the operation that gives it."""
    places = [
        f"%{package.inputs[step.argument].name}.{step.dimension}"
        for step in package.shape_program.steps
        if isinstance(step, Dim) and step.result == name
    ]
    if places:
        return ", ".join(places)
    made = next(step for step in package.shape_program.steps if name in step.symbols)
    return str(made)


def _known(table: SymbolTable, name: str, symbols: tuple[str, ...]) -> str:
    root = table.resolve(name)
    if root != name:
        return f"equal to {root}"
    range_ = table.range_of(name)
    others = [other for other in symbols if table.resolve(other) == other != name]
    known = [f"1 or {other}" for other in others if table.fits(name, other)]
    return ", ".join([str(range_)] * (range_ != ANY or not known) + known)
