"""Golden semantics: one NumPy function per vector instruction.

This is the definition of the instruction set's arithmetic. The functional simulator calls it, and
the RTL is compared with it bit for bit. Every function is pure, takes and returns int32 lanes (a
float is its bits) of any shapes that NumPy broadcasts together, and gives the same bits on every
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from sim.semantics import convert, floating, integer, special
from sim.semantics.lanes import I32Array

__all__ = ["INSTRUCTIONS", "I32Array", "execute"]

INSTRUCTIONS: Mapping[str, Callable[..., I32Array]] = MappingProxyType(
    {
        **integer.INSTRUCTIONS,
        **floating.INSTRUCTIONS,
        **convert.INSTRUCTIONS,
        **special.INSTRUCTIONS,
    }
)
"""Every vector instruction by its name in `isa/insns/`."""


def execute(name: str, operands: Sequence[I32Array]) -> I32Array:
    """Execute one instruction on arrays of lanes and return the lanes of its result.

    Operands come in the order a, b, c of the instruction, as int32 arrays whose shapes broadcast
    together (views with stride 0, 0-d and empty arrays included); they are never changed. The
    result is a new array of the broadcast shape. KeyError for a name that is no instruction.
    """
    function = INSTRUCTIONS[name]
    with np.errstate(all="ignore"):
        return np.asarray(function(*operands))
