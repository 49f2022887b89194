"""Random shapes that a package accepts; many of the sizes are 1."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul

import numpy as np

from hwc.errors import DispatchError, UserError
from hwc.package import Package
from hwc.shapes.ranges import Range
from isa.target import Target

MAX_POINTS = 1 << 14
"""The maximum number of points of an iteration space: Verilator simulates about 80,000 cycles per
second for the target tiny, and fewer for larger targets."""

TRIES = 500
FEW = 4
"""The number of sizes of a range to try if no usual size lies in the range."""


def random_shapes(
    package: Package,
    target: Target,
    rng: np.random.Generator,
    points: int = MAX_POINTS,
    sizes: Sequence[int] = (),
) -> list[tuple[int, ...]]:
    """Draw sizes for every argument that the shape program accepts, many of them 1.

    The iteration space has at most `points` points if the static sizes allow that. Sizes are drawn
    from `sizes`. Without `sizes`, they are drawn from sizes near the number of lanes and the strip
    length of the target, and from the static sizes of the package.

    Raises:
        UserError: no shapes were found.
    """
    lanes, vlen = target.lanes, target.vlen
    usual = (1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes + 3, 17, vlen - 1, vlen, vlen + 1)
    for number in range(TRIES):
        if number % 2 and not sizes:
            shapes = _draw_static(package, rng)
        else:
            shapes = _draw(package, tuple(sizes) or usual, rng, points)
        try:
            package.shape_program.evaluate(package.inputs, shapes)
        except DispatchError:
            continue
        return shapes
    raise UserError(
        f"--random-shapes: error: none of {TRIES} random shapes fits the program; use --input"
    )


def _draw_static(package: Package, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Draw static sizes of the package and their products: reshapes need such sizes."""
    found = {1}
    for tensor in (*package.inputs, *package.outputs):
        known = [d for d in tensor.shape if isinstance(d, int)]
        found.update(known, accumulate(known, mul), accumulate(reversed(known), mul))
    drawn: dict[str, int] = {}
    return [
        tuple(
            drawn.setdefault(d, int(rng.choice(sorted(found)))) if isinstance(d, str) else d
            for d in tensor.shape
        )
        for tensor in package.inputs
    ]


def _draw(
    package: Package, sizes: Sequence[int], rng: np.random.Generator, points: int
) -> list[tuple[int, ...]]:
    """Draw sizes that broadcast with each other; dimensions count from the innermost."""
    table = package.shape_program.table()
    ranges: dict[int, list[Range]] = {}
    wide: dict[int, int] = {}
    for tensor in package.inputs:
        for dimension, size in enumerate(reversed(tensor.shape)):
            if isinstance(size, str):
                ranges.setdefault(dimension, []).append(table.range_of(size))
            elif size != 1:
                wide[dimension] = size
    room = points
    for dimension in range(max((len(t.shape) for t in package.inputs), default=0)):
        if dimension not in wide:
            usable = [s for s in sizes if s <= room and _suits(s, ranges.get(dimension, []))]
            usable = usable or _proven(ranges.get(dimension, []))
            wide[dimension] = int(rng.choice(usable or [1]))
        room = max(1, room // max(1, wide[dimension]))
    ones = rng.choice((0.0, 0.2, 0.5))
    drawn: dict[str, int] = {}
    shapes: list[tuple[int, ...]] = []
    for tensor in package.inputs:
        shape: list[int] = []
        for dimension, size in zip(reversed(range(len(tensor.shape))), tensor.shape, strict=True):
            if isinstance(size, str):
                root, value = table.resolve(size), wide[dimension]
                known = table.range_of(root)
                if known.contains(1) and (rng.random() < ones or not known.contains(value)):
                    value = 1
                shape.append(root if isinstance(root, int) else drawn.setdefault(root, value))
            else:
                shape.append(size)
        shapes.append(tuple(shape))
    return shapes


def _suits(size: int, ranges: Sequence[Range]) -> bool:
    """Whether a dimension may have `size`; `ranges` are the ranges of the sizes that meet there."""
    return all(range_.contains(size) or range_.contains(1) for range_ in ranges)


def _proven(ranges: Sequence[Range]) -> list[int]:
    """Return the smallest sizes that the facts allow for a dimension."""
    found: set[int] = set()
    for known in ranges:
        found.update(known.values or (known.low + known.modulus * i for i in range(FEW)))
    return sorted(size for size in found if _suits(size, ranges) and size <= MAX_POINTS)
