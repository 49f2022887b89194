"""Compare an output with the expected one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Tolerance:
    """How far an element of a floating-point output may be from the expected one.

    It may be within `ulp` units in the last place, or within `atol + rtol * abs(expected)`. If all
    are 0, the bits must be the same. Any NaN equals any NaN.
    """

    ulp: int = 0
    rtol: float = 0.0
    atol: float = 0.0


def difference(actual: Array, expected: Array, tolerance: Tolerance) -> str | None:
    """Return the differences in words, with the first element that differs; None if none does."""
    if actual.dtype != expected.dtype.newbyteorder("="):
        return f"got dtype {actual.dtype}, expected {expected.dtype}"
    if actual.shape != expected.shape:
        return f"got shape {actual.shape}, expected {expected.shape}"
    expected = expected.astype(actual.dtype)
    different = np.asarray(~_same(actual, expected, tolerance))
    count = int(np.count_nonzero(different))
    if not count:
        return None
    first = tuple(int(i) for i in np.argwhere(different)[0])
    got, wanted = actual[first], expected[first]
    apart = ""
    if actual.dtype.kind == "f" and np.isfinite(got) and np.isfinite(wanted):
        apart = f", {int(ulp_distance(got, wanted))} ulp apart"
    at = f" at {list(first)}" if first else ""
    return (
        f"{count} of {actual.size} elements differ; the first{at}: "
        f"got {got}, expected {wanted}{apart}"
    )


def ulp_distance(a: Array, b: Array) -> Array:
    """Return how many values of a's format lie between a and b, plus one if they differ (int64).

    Both have the same format, of 32 bits at most. -0 and +0 are one apart; the result means nothing
    for NaN.
    """
    lanes = [np.asarray(x).view(f"i{np.asarray(x).itemsize}").astype(np.int64) for x in (a, b)]
    magnitude = (1 << 8 * np.asarray(a).itemsize - 1) - 1
    ordered = [np.where(x < 0, -(x & magnitude) - 1, x) for x in lanes]
    return np.abs(ordered[0] - ordered[1])


def _same(actual: Array, expected: Array, tolerance: Tolerance) -> Array:
    if actual.dtype.kind != "f":
        return actual == expected
    nan = np.isnan(actual), np.isnan(expected)
    same = (ulp_distance(actual, expected) <= tolerance.ulp) & ~nan[0] & ~nan[1]
    if tolerance.rtol or tolerance.atol:
        wide = actual.astype(np.float64), expected.astype(np.float64)
        with np.errstate(invalid="ignore"):
            near = np.abs(wide[0] - wide[1]) <= tolerance.atol + tolerance.rtol * np.abs(wide[1])
        same |= near & np.isfinite(wide[0]) & np.isfinite(wide[1])
    return same | (nan[0] & nan[1])
