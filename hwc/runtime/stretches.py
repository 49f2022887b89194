"""What a call needs to know about the stretches of a package: their results and operators."""

from __future__ import annotations

from collections.abc import Sequence

from hwc.package import HostStep, Package, Stretch
from hwc.package.link import chosen_kernels


def needed_later(package: Package, stretches: Sequence[Stretch]) -> list[frozenset[str]]:
    """Return for each stretch the buffers that later steps or the caller need."""
    needed = {name for tensor in package.outputs for name, _ in tensor.parts}
    found: list[frozenset[str]] = []
    for stretch in reversed(stretches):
        found.append(frozenset(needed))
        for step in stretch.steps:
            tensors = step.inputs if isinstance(step, HostStep) else ()
            needed.update(tensor.buffer for tensor in tensors)
            needed = needed.union(*(kernel.buffers for kernel in step.kernels))
    return found[::-1]


def operators_of(stretch: Stretch) -> str:
    """Return which operators the steps of a stretch have."""
    return "; ".join(
        step.source
        if isinstance(step, HostStep)
        else ", ".join(k.source for k in chosen_kernels(step, [0] * len(step.choices)))
        for step in stretch.steps
    )
