"""Compares an output with the expected output, block by block."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwc.cli.table import aligned

Array = NDArray[Any]

Numbers = Callable[[Array], Array]

BLOCK = 1 << 16
"""Elements compared at a time, so that memory use does not grow with the size of the arrays."""


@dataclass(frozen=True)
class Tolerance:
    """How far an element of a floating-point output may be from the expected element.

    An element has to be within `ulp` units in the last place, or within
    `atol + rtol * abs(expected)`. If all three are 0, the bits have to be the same. Any NaN equals
    any NaN.
    """

    ulp: int = 0
    rtol: float = 0.0
    atol: float = 0.0


@dataclass(frozen=True)
class Unlike:
    """Two arrays whose elements cannot be compared."""

    reason: str

    def __str__(self) -> str:
        return self.reason

    def to_json(self) -> dict[str, Any]:
        """Return the keys of the JSON output."""
        return {"text": str(self)}


@dataclass(frozen=True)
class Element:
    """An element that differs: its index in each dimension, and both values.

    `absolute` is the distance between the values: exact for integers, computed in float64 for
    floats, infinite if one value is infinite. `ulp` is `ulp_distance`, for floats only. Both are
    None for booleans, and if one value is NaN.
    """

    position: tuple[int, ...]
    got: Any
    expected: Any
    absolute: float | None
    ulp: int | None

    def __str__(self) -> str:
        at = f"at {list(self.position)}: " if self.position else ""
        apart = "" if self.absolute is None else f", {_short(self.absolute)} apart"
        if self.ulp is not None:
            apart += f", {self.ulp} ulp"
        return f"{at}got {self.got!s}, expected {self.expected!s}{apart}"

    def to_json(self) -> dict[str, Any]:
        """Return the keys of the JSON output; NaN and infinities, absent in JSON, are strings."""
        return {
            "position": list(self.position),
            "got": json_number(self.got.item()),
            "expected": json_number(self.expected.item()),
            "absolute": json_number(self.absolute),
            "ulp": self.ulp,
        }


@dataclass(frozen=True)
class Difference:
    """The differences between two arrays of the same shape and type.

    `different` counts the elements outside the tolerance; `nan` counts the ones among them where
    one value is NaN. `first` is the first such element in row-major order. `largest` and
    `largest_ulp` are the first elements with the largest distance; None if no element has a
    distance.
    """

    elements: int
    different: int
    nan: int
    first: Element
    largest: Element | None
    largest_ulp: Element | None

    def __str__(self) -> str:
        differ = "differs" if self.different == 1 else "differ"
        rows = [["  first", str(self.first)]]
        if self.largest is not None:
            rows.append(["  largest", str(self.largest)])
        if self.largest_ulp is not None:
            rows.append(["  largest in ulp", str(self.largest_ulp)])
        if self.nan:
            rows.append(["  one value NaN", f"{self.nan} of {self.different}"])
        return "\n".join([f"{self.different} of {self.elements} elements {differ}", *aligned(rows)])

    def to_json(self) -> dict[str, Any]:
        """Return the keys of the JSON output."""
        largest = (self.largest, self.largest_ulp)
        return {
            "text": str(self),
            "elements": self.elements,
            "different": self.different,
            "one_nan": self.nan,
            "first": self.first.to_json(),
            **{
                key: None if element is None else element.to_json()
                for key, element in zip(("largest", "largest_ulp"), largest, strict=True)
            },
        }


def difference(
    actual: Array, expected: Array, tolerance: Tolerance, numbers: Numbers = np.asarray
) -> Unlike | Difference | None:
    """Return the differences; None if there are none.

    `numbers` reads elements of a type that NumPy does not have.

    -0 and +0 differ, by one ulp. The arrays may be mapped files and may have any layout and byte
    order; the comparison itself needs memory for only a few blocks.
    """
    if actual.dtype.newbyteorder("=") != expected.dtype.newbyteorder("="):
        return Unlike(f"got dtype {actual.dtype}, expected {expected.dtype}")
    if actual.shape != expected.shape:
        return Unlike(f"got shape {actual.shape}, expected {expected.shape}")
    tally = _Tally(actual.shape, numbers)
    begin = 0
    for got, wanted in _blocks(actual, expected):
        tally.add(begin, got, wanted, tolerance)
        begin += len(got)
    return tally.difference()


def ulp_distance(a: Array, b: Array) -> Array:
    """Return how many values of a's format lie between a and b, plus one if they differ (int64).

    Both have the same format of at most 32 bits. -0 and +0 are one apart, and so are infinity and
    the largest finite number. The result is meaningless for NaN.
    """
    lanes = [np.asarray(x).view(f"i{np.asarray(x).itemsize}").astype(np.int64) for x in (a, b)]
    magnitude = (1 << 8 * np.asarray(a).itemsize - 1) - 1
    ordered = [np.where(x < 0, -(x & magnitude) - 1, x) for x in lanes]
    return np.abs(ordered[0] - ordered[1])


def json_number(value: Any) -> Any:
    """Return a number for JSON; NaN and infinities become strings because JSON lacks them."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


class _Tally:
    """Collects differences, block by block."""

    def __init__(self, shape: Sequence[int], numbers: Numbers) -> None:
        self._shape = tuple(shape)
        self._numbers = numbers
        self._different = 0
        self._nan = 0
        self._first: Element | None = None
        self._largest: Element | None = None
        self._largest_ulp: Element | None = None

    def add(self, begin: int, got: Array, wanted: Array, tolerance: Tolerance) -> None:
        """Add a block of elements; its first element has the number `begin`."""
        floats = self._numbers(got[:0]).dtype.kind == "f"
        if floats:
            found = np.flatnonzero(_bits(got) != _bits(wanted))
        else:
            found = np.flatnonzero(got != wanted)
        ulp = ulp_distance(got[found], wanted[found]) if floats else None
        got, wanted = (self._numbers(x[found]) for x in (got, wanted))
        if floats:
            differ = ~(np.isnan(got) & np.isnan(wanted))
            assert ulp is not None
            found, got, wanted, ulp = (x[differ] for x in (found, got, wanted, ulp))
        absolute = _distances(got, wanted)
        if floats and tolerance != Tolerance():
            assert absolute is not None and ulp is not None
            outside = ~_near(wanted, absolute, ulp, tolerance)
            found, got, wanted = found[outside], got[outside], wanted[outside]
            absolute, ulp = absolute[outside], ulp[outside]
        if not len(found):
            return
        one_nan = np.isnan(got) | np.isnan(wanted) if floats else np.zeros(len(got), np.bool_)

        def element(k: int) -> Element:
            apart = not one_nan[k]
            return Element(
                tuple(int(i) for i in np.unravel_index(begin + int(found[k]), self._shape)),
                got[k],
                wanted[k],
                absolute[k].item() if apart and absolute is not None else None,
                int(ulp[k]) if apart and ulp is not None else None,
            )

        self._different += len(found)
        self._nan += int(np.count_nonzero(one_nan))
        self._first = self._first or element(0)
        if absolute is not None:
            # A NaN has no distance: it is never the largest.
            at = element(int(np.where(one_nan, -1, absolute).argmax()))
            if _exceeds(at.absolute, self._largest and self._largest.absolute):
                self._largest = at
        if ulp is not None:
            at = element(int(np.where(one_nan, -1, ulp).argmax()))
            if _exceeds(at.ulp, self._largest_ulp and self._largest_ulp.ulp):
                self._largest_ulp = at

    def difference(self) -> Difference | None:
        """Return the differences of all blocks."""
        if self._first is None:
            return None
        return Difference(
            int(np.prod(self._shape, dtype=object)),
            self._different,
            self._nan,
            self._first,
            self._largest,
            self._largest_ulp,
        )


def _exceeds(value: float | None, largest: float | None) -> bool:
    return value is not None and (largest is None or value > largest)


def _blocks(a: Array, b: Array) -> Iterator[tuple[Array, ...]]:
    """Yield the elements of both arrays in row-major order, at most `BLOCK` at a time."""
    flags = ("external_loop", "buffered", "zerosize_ok")
    blocks = np.nditer(
        [a, b],
        flags,
        [["readonly"], ["readonly"]],
        [a.dtype.newbyteorder("=")] * 2,
        order="C",
        casting="equiv",
        buffersize=BLOCK,
    )
    yield from blocks


def _distances(got: Array, wanted: Array) -> Array | None:
    """Return the absolute distance of each pair of numbers."""
    if got.dtype.kind == "b":
        return None
    if got.dtype.kind != "f":
        return np.abs(got.astype(np.int64) - wanted.astype(np.int64))
    with np.errstate(invalid="ignore"):  # NaN
        return np.abs(got.astype(np.float64) - wanted.astype(np.float64))


def _near(wanted: Array, absolute: Array, ulp: Array, tolerance: Tolerance) -> Array:
    """Whether each pair of different floats is within the tolerance; a pair with a NaN never is.

    An infinity is only within a tolerance in ulp, which counts from the largest finite number.
    """
    with np.errstate(invalid="ignore"):  # 0 times infinity
        allowed = tolerance.atol + tolerance.rtol * np.abs(wanted.astype(np.float64))
    near = np.isfinite(absolute) & (absolute <= allowed)
    return near | (~np.isnan(absolute) & (ulp <= tolerance.ulp))


def _bits(floats: Array) -> Array:
    return floats.view(f"u{floats.itemsize}")


def _short(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
