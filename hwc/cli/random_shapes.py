"""Random shapes that a package accepts, many of their sizes 1."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul

import numpy as np

from hwc.errors import DispatchError, UserError
from hwc.package import Package
from isa.target import Target

MAX_POINTS = 1 << 14
"""Points of random shapes, at most; some 80,000 cycles a second are simulated of the hardware for
the target tiny, fewer of larger ones."""

TRIES = 500


def random_shapes(
    package: Package,
    target: Target,
    rng: np.random.Generator,
    points: int = MAX_POINTS,
    sizes: Sequence[int] = (),
) -> list[tuple[int, ...]]:
    """Draw sizes for every argument that the shape program accepts, many of them 1.

    The iteration space has at most `points` points where static sizes allow it. `sizes` are those
    to choose from; without any, ones around the target's lanes and strips, and the package's own.

    Raises:
        UserError: none was found.
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
        f"--random-shapes: error: found no shapes that fit in {TRIES} tries; give them with --input"
    )


def _draw_static(package: Package, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Sizes of which each stands in the package, or is a product of some: what reshapes ask for."""
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
    """Sizes that broadcast with each other, dimension by dimension from the innermost."""
    wide: dict[int, int] = {}
    for tensor in package.inputs:
        for place, size in enumerate(reversed(tensor.shape)):
            if isinstance(size, int) and size != 1:
                wide[place] = size
    room = points
    for place in range(max((len(t.shape) for t in package.inputs), default=0)):
        if place not in wide:
            wide[place] = int(rng.choice([s for s in sizes if s <= room] or [1]))
        room = max(1, room // max(1, wide[place]))
    ones = rng.choice((0.0, 0.2, 0.5))
    drawn: dict[str, int] = {}
    shapes: list[tuple[int, ...]] = []
    for tensor in package.inputs:
        shape: list[int] = []
        for place, size in zip(range(len(tensor.shape) - 1, -1, -1), tensor.shape, strict=True):
            if isinstance(size, str):
                shape.append(drawn.setdefault(size, 1 if rng.random() < ones else wide[place]))
            else:
                shape.append(size)
        shapes.append(tuple(shape))
    return shapes
