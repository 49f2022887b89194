"""The larger and the smaller of two numbers, with the signs of zero that IEEE 754-2019 requires.

A NaN result may be any NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.semantics.formats import SIGN
from sim.semantics.lanes import I32Array
from sim.semantics.one_or_many import F32Array

FEW = 2048
"""Number of elements below which `np.clip` costs more time than it saves."""


def larger(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return `np.maximum` of two arrays.

    With a single number, `np.maximum` compares one element at a time, but `np.clip` many at a time.
    """
    for one, many in ((a, b), (b, a)):
        if one.size == 1 and many.size >= FEW:
            return np.clip(many, one, _ends(many.dtype)[1])
    return np.asarray(np.maximum(a, b))


def smaller(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return `np.minimum` of two arrays, as `larger` does."""
    for one, many in ((a, b), (b, a)):
        if one.size == 1 and many.size >= FEW:
            return np.clip(many, _ends(many.dtype)[0], one)
    return np.asarray(np.minimum(a, b))


def maximum(a: F32Array, b: F32Array) -> F32Array:
    """Return the larger; +0 is above -0."""
    above = larger(a, b)
    if _is_plus_zero(a) or _is_plus_zero(b):  # the bound of a ReLU
        above += np.float32(0)  # turns -0 into +0
    elif not (_is_bound(a) or _is_bound(b) or _has_no(SIGN, above.view(np.int32))):
        _settle_zeros(above, a, b, np.bitwise_and)
    return above


def minimum(a: F32Array, b: F32Array) -> F32Array:
    """Return the smaller; -0 is below +0."""
    below = smaller(a, b)
    if not (_is_bound(a) or _is_bound(b) or _has_no(0, below.view(np.uint32))):
        _settle_zeros(below, a, b, np.bitwise_or)
    return below


def _ends(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Return the least and the greatest number of a type."""
    if dtype.kind == "f":
        return dtype.type(-np.inf), dtype.type(np.inf)
    info = np.iinfo(dtype)
    return dtype.type(info.min), dtype.type(info.max)


def _is_bound(x: F32Array) -> bool:
    """Whether this is a single nonzero number; then no zero of the other operand equals it."""
    return x.size == 1 and bool(x.item())


def _is_plus_zero(x: F32Array) -> bool:
    """Whether this is the single number +0."""
    return x.size == 1 and not x.view(np.int32).item()


def _has_no(least: Any, bits: NDArray[Any]) -> bool:
    """Whether all bit patterns are above `least`; no pattern is below `least`."""
    return bool(bits.size) and np.minimum.reduce(bits, axis=None) != least


def _settle_zeros(
    chosen: F32Array, a: F32Array, b: F32Array, signs: Callable[..., I32Array]
) -> None:
    """Choose the right zero for a maximum or minimum.

    Equal operands have equal bits unless they are the two zeros, so `signs` (and, or) of the bits
    gives the operand itself or the zero wanted. Nothing has to be done if no two operands differ in
    the sign bit alone, as the two zeros do.
    """
    bits = a.view(np.int32), b.view(np.int32)
    if np.equal(np.bitwise_xor(*bits), SIGN).any():
        np.copyto(chosen.view(np.int32), signs(*bits), where=np.equal(a, b))
