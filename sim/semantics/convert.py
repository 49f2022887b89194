"""Golden semantics of the conversions (`isa/insns/convert.yaml`).

To float: rounded once, to nearest even. To integer: rounded to nearest even, saturated to the
type's range, NaN gives 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from sim.semantics.lanes import I32Array, floats


def i32_to_f32(a: I32Array) -> I32Array:
    """Round a signed integer to float32."""
    return a.astype(np.float32).view(np.int32)


def f32_to_int(bits: int, a: I32Array) -> I32Array:
    """Round a float32 to a signed integer of `bits` bits, saturating; NaN gives 0.

    float64 holds every float32 and every limit exactly.
    """
    limit = float(2 ** (bits - 1))
    whole = np.rint(floats(a).astype(np.float64))
    clipped = np.clip(whole, -limit, limit - 1.0)
    return np.where(np.isnan(whole), 0.0, clipped).astype(np.int32)


INSTRUCTIONS: dict[str, Callable[..., I32Array]] = {
    "i32_to_f32": i32_to_f32,
    "f32_to_i8": partial(f32_to_int, 8),
    "f32_to_i16": partial(f32_to_int, 16),
    "f32_to_i32": partial(f32_to_int, 32),
}
