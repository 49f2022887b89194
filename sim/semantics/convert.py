"""Golden semantics of the conversions (`isa/insns/convert.yaml`).

To a float, from an integer or a wider float: rounded once, to nearest even. To an integer: rounded
to nearest even, saturated to the range of the type or of unsigned lanes; NaN gives 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sim.semantics.formats import FloatFormat, canonical, floats
from sim.semantics.lanes import I32Array


def to_float(format_: FloatFormat, a: I32Array) -> I32Array:
    """Round a signed integer to a float format."""
    return format_.round(a).view(np.int32)


def from_unsigned(format_: FloatFormat, a: I32Array) -> I32Array:
    """Round an unsigned integer to a float format; float64 holds the integer exactly."""
    return format_.round(a.view(np.uint32).astype(np.float64)).view(np.int32)


def to_narrower(format_: FloatFormat, a: I32Array) -> I32Array:
    """Round a float to a narrower format."""
    return canonical(format_.round(floats(a)))


def to_integer(bits: int, a: I32Array) -> I32Array:
    """Round a float to a signed integer of `bits` bits, saturating; NaN gives 0.

    float64 holds every lane's float and every limit exactly.
    """
    limit = float(2 ** (bits - 1))
    return _nearest(a, -limit, limit - 1.0).astype(np.int32)


def to_unsigned(bits: int, a: I32Array) -> I32Array:
    """Round a float to an unsigned integer of `bits` bits, saturating; NaN gives 0."""
    return _nearest(a, 0.0, 2.0**bits - 1.0).astype(np.uint32).view(np.int32)


def _nearest(a: I32Array, low: float, high: float) -> NDArray[np.float64]:
    whole = np.rint(floats(a).astype(np.float64))
    return np.where(np.isnan(whole), 0.0, np.clip(whole, low, high))


TYPED: dict[str, Callable[..., I32Array]] = {
    "to_float": to_float,
    "from_u32": from_unsigned,
    "to_narrower": to_narrower,
    "to_integer": to_integer,
    "to_u32": to_unsigned,
}
"""Operations whose first argument is the format of a float or the number of bits of an integer."""
