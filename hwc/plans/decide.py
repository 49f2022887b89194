"""Removes the alternatives that no call would select, given the possible sizes.

A choice whose kernels read no symbol keeps one alternative. If facts in the source limit the sizes
of a choice to few values, the choice is decided for each of these values. If the sizes of a choice
all follow from one size, such as rows times 768 and rows, the choice is decided for a series of
doubling values. Between two of these values, a call may then run a plan that is not the best one,
but every plan gives the same results.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import prod

from hwc.package import Choice, Item, MachineStep, Package
from hwc.plans.choose import Decision
from hwc.shapes import Size, SymbolTable
from hwc.shapes.ranges import Range
from isa.load import load
from isa.target import Target

MOST_CASES = 256
"""The maximum number of combinations of sizes to try; a choice with more is kept as it is."""

FIRST_SIZES = 16
"""A series begins with this many consecutive sizes; the best plan mostly changes among them."""


def decide(package: Package) -> Package:
    """Return the package without the alternatives that are not selected for any possible sizes.

    The kernels that only these alternatives run are removed too, and the buffers that only these
    kernels use. A choice that remains keeps its first alternative, because it fits every call.
    """
    if not package.choices:
        return package
    target = Target.from_dict(dict(package.target), where=package.source_name)
    table = package.shape_program.table()
    steps = tuple(
        _decided(step, table, target) if isinstance(step, MachineStep) else step
        for step in package.steps
    )
    if steps == package.steps:
        return package
    used = {name for step in steps for kernel in step.kernels for name in kernel.buffers}
    buffers = tuple(b for b in package.buffers if b.kind != "intermediate" or b.name in used)
    return replace(package, steps=steps, buffers=buffers)


def _decided(step: MachineStep, table: SymbolTable, target: Target) -> MachineStep:
    items: list[Item] = []
    for item in step.items:
        if not isinstance(item, Choice):
            items.append(item)
            continue
        decision = Decision.of(step, item)
        cases = _cases(decision, table)
        if cases is None:
            items.append(item)
            continue
        best = (decision.best(symbols, target) for symbols in cases)
        taken = {number for number in best if number is not None} or {0}
        if len(taken) == 1:
            items += item.alternatives[taken.pop()].kernels
        else:
            kept = sorted(taken | {0})
            items.append(Choice(tuple(item.alternatives[number] for number in kept)))
    return _without_unused(step, items)


def _cases(decision: Decision, table: SymbolTable) -> list[dict[str, int]] | None:
    """Return the combinations of sizes that the kernels may meet; None if there are too many.

    If one size has many possible values, only a series of its values is combined with the others.
    """
    made_of = {name: table.leaves(name) for name in decision.symbols}
    leaves = sorted({n for sizes in made_of.values() for n in sizes if isinstance(n, str)})
    ranges = [table.range_of(leaf) for leaf in leaves]
    many = sum(_count(range_) > MOST_CASES for range_ in ranges)
    values_of = [_series(r) if _count(r) > MOST_CASES else list(_values(r)) for r in ranges]
    if many > 1 or prod(map(len, values_of)) > MOST_CASES:
        return None
    found: list[dict[str, int]] = []
    for values in product(*values_of):
        known = dict(zip(leaves, values, strict=True))
        sizes = {name: _broadcast(sizes, known) for name, sizes in made_of.items()}
        if all(size is not None for size in sizes.values()):
            found.append({name: size for name, size in sizes.items() if size is not None})
    return found


def _broadcast(sizes: frozenset[Size], known: dict[str, int]) -> int | None:
    """Return the size that `sizes` broadcast to; None if they do not broadcast."""
    values = {known[n] if isinstance(n, str) else n for n in sizes} - {1}
    return None if len(values) > 1 else next(iter(values), 1)


def _count(range_: Range) -> int:
    """Return an upper bound for the number of sizes in a range."""
    if range_.values is not None:
        return len(range_.values)
    return (range_.high - range_.low) // range_.modulus + 1


def _values(range_: Range) -> Iterator[int]:
    """Yield the sizes of a range."""
    if range_.values is not None:
        yield from sorted(range_.values)
    else:
        sizes = range(range_.low, range_.high + 1, range_.modulus)
        yield from (size for size in sizes if range_.contains(size))


def _series(range_: Range) -> list[int]:
    """Return the first sizes of a range from 1 on, then doubling sizes, and the last size."""
    steps = (*range(FIRST_SIZES), *(FIRST_SIZES << i for i in range(load().limits.size_bits)))
    start = range_.low if range_.low else range_.modulus
    sizes = (*(start + range_.modulus * step for step in steps), range_.high)
    return sorted({size for size in sizes if range_.contains(size)})


def _without_unused(step: MachineStep, items: list[Item]) -> MachineStep:
    """Return the step with these items, and only the kernels that they name."""
    used = sorted(MachineStep(step.kernels, tuple(items)).used)
    number = {old: new for new, old in enumerate(used)}

    def renumbered(item: Item) -> Item:
        if not isinstance(item, Choice):
            return number[item]
        return Choice(
            tuple(
                replace(a, kernels=tuple(number[k] for k in a.kernels)) for a in item.alternatives
            )
        )

    kernels = tuple(step.kernels[old] for old in used)
    return MachineStep(kernels, tuple(renumbered(item) for item in items))
