"""The lane: 32 bits, held as int32. What a lane means is its instruction's business."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LANE_BITS = 32
"""Bits of a lane."""

I32Array = NDArray[np.int32]
"""Lanes."""
