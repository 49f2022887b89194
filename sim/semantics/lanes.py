"""The lane: 32 bits, held as int32. The instruction decides what the bits of a lane mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isa.model import LANE_BITS

__all__ = ["LANE_BITS", "I32Array", "sign_extended"]

I32Array = NDArray[np.int32]
"""Lanes."""


def sign_extended(lanes: I32Array, bits: int) -> I32Array:
    """Return the low bits of every lane as a signed number; the lanes themselves if `bits` is 32.

    The shift to the left drops the bits above, the shift to the right repeats the sign.
    """
    above = LANE_BITS - bits
    if above == 0:
        return lanes
    result: I32Array = np.asarray(np.left_shift(lanes, above))
    result >>= above
    return result
