"""Checks the indices that a step on the host reads, before its engine reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwc.errors import DispatchError
from hwc.package import Indices
from hwc.shapes.steps import Evaluation


def check_indices(rule: Indices, array: NDArray[Any], sizes: Evaluation) -> None:
    """Check the elements of a tensor against a rule, with the sizes of the call.

    Raises:
        DispatchError: names the operation, the first wrong index and its place, and the size.
    """
    size = sizes.value(rule.size)
    if rule.column is not None:
        array = array[..., rule.column : rule.column + 1]
    low = -size if rule.from_end else 0
    wrong = (array < low) | (array >= size)
    if wrong.any():
        place = np.unravel_index(int(wrong.argmax()), array.shape)
        index = array[place]
        if rule.column is not None:
            place = (*place[:-1], rule.column)
        raise DispatchError(
            f"{_head(rule)}index {index} at {_shown(place)} of %{rule.tensor} is outside of "
            f"size {sizes.describe(rule.size)}, expected {low} to {size - 1}"
            if size
            else f"{_head(rule)}index {index} at {_shown(place)} of %{rule.tensor}, "
            f"but there is nothing to index: size {sizes.describe(rule.size)}"
        )
    if rule.distinct and array.size:
        rows = np.sort(array, axis=-1)
        twice = rows[..., 1:] == rows[..., :-1]
        if twice.any():
            row = np.unravel_index(int(twice.argmax()), twice.shape)
            raise DispatchError(
                f"{_head(rule)}index {rows[row]} is twice in row {_shown(row[:-1])} of "
                f"%{rule.tensor}, and each element is written at most once"
            )


def _head(rule: Indices) -> str:
    return f"{rule.origin}: " if rule.origin else ""


def _shown(place: tuple[Any, ...]) -> str:
    return f"[{', '.join(str(int(each)) for each in place)}]"
