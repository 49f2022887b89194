"""Choices that need no sizes of a call: they are decided when the package is built."""

from __future__ import annotations

from dataclasses import replace

from hwc.package import Choice, Item, MachineStep, Package
from hwc.plans.choose import Decision
from isa.target import Target


def decide(package: Package) -> Package:
    """Return the package without the choices whose kernels read no symbol.

    The kernels of the alternatives that lost are removed, and the buffers that only they used.
    """
    if not package.choices:
        return package
    target = Target.from_dict(dict(package.target), where=package.source_name)
    steps = tuple(_decided(step, target) for step in package.steps)
    if steps == package.steps:
        return package
    used = {name for step in steps for kernel in step.kernels for name in kernel.buffers}
    buffers = tuple(b for b in package.buffers if b.kind != "intermediate" or b.name in used)
    return replace(package, steps=steps, buffers=buffers)


def _decided(step: MachineStep, target: Target) -> MachineStep:
    items: list[Item] = []
    for item in step.items:
        decision = Decision.of(step, item) if isinstance(item, Choice) else None
        if decision is None or decision.symbols:
            items.append(item)
        else:
            assert isinstance(item, Choice)
            items += item.alternatives[decision.best({}, target)].kernels
    return _without_unused(step, items)


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
