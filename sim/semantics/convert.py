"""Golden semantics of the conversions (`isa/insns/convert.yaml`).

To float: rounded once, to nearest even. To integer: rounded to nearest even, saturated to the
type's range, NaN gives 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.semantics.formats import FloatFormat, floats
from sim.semantics.lanes import I32Array


def to_float(format_: FloatFormat, a: I32Array) -> I32Array:
    """Round a signed integer to a float format."""
    return format_.round(a).view(np.int32)


def to_integer(bits: int, a: I32Array) -> I32Array:
    """Round a float to a signed integer of `bits` bits, saturating; NaN gives 0.

    float64 holds every lane's float and every limit exactly.
    """
    limit = float(2 ** (bits - 1))
    whole = np.rint(floats(a).astype(np.float64))
    clipped = np.clip(whole, -limit, limit - 1.0)
    return np.where(np.isnan(whole), 0.0, clipped).astype(np.int32)


TYPED: dict[str, Callable[..., I32Array]] = {"to_float": to_float, "to_integer": to_integer}
"""Operations that take first the format of a float or the bits of an integer."""
