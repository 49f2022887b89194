"""What all groups of instructions share: the lane type and the one NaN.

A lane is 32 bits, held as int32. Float instructions read the same bits as IEEE 754 binary32; any
result that is not a number is the one canonical NaN.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

I32Array = NDArray[np.int32]
F32Array = NDArray[np.float32]

CANONICAL_NAN = 0x7FC00000
"""The quiet NaN with a clear sign and an empty payload: every NaN a float instruction returns."""


def floats(lanes: I32Array) -> F32Array:
    """Read lanes as float32 without moving a bit."""
    return lanes.view(np.float32)


def canonical(result: F32Array) -> I32Array:
    """Give the lanes of a freshly computed float result, every NaN made canonical.

    The result is changed in place. Its minimum is a NaN exactly when some element is: one pass in
    the common case, with no temporary.
    """
    result = np.asarray(result)
    lanes = result.view(np.int32)
    if result.size and np.isnan(result.min()):
        np.putmask(lanes, np.isnan(result), CANONICAL_NAN)
    return lanes
