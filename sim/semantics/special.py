"""Golden semantics of the transcendental instructions (`isa/insns/special.yaml`).

All of them are integer arithmetic: significands, tables of cubics and one rounding to the format of
the instruction's type at the end (`stages` has the steps, `tables` the tables, `special_chain` and
`special_direct` the functions, `formats` the unpacking and the rounding).
The error is at most 1 ulp for every finite argument; `docs/accuracy.md` has the measured figures.
Subnormal numbers are operands and results like all others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from sim.semantics import special_chain, special_direct
from sim.semantics.formats import FloatFormat
from sim.semantics.lanes import I32Array

_CHUNK = 16384
"""Points worked on at a time: the temporaries of one chunk stay in a core's cache."""


def _in_chunks(
    function: Callable[..., I32Array], format_: FloatFormat, a: I32Array, *rest: I32Array
) -> I32Array:
    """Apply a function of one-dimensional lanes to lanes of broadcasting shapes."""
    wide = np.broadcast_arrays(a, *rest)
    flat = [operand.reshape(-1) for operand in wide]
    result = np.empty(flat[0].size, np.int32)
    for start in range(0, result.size, _CHUNK):
        stop = start + _CHUNK
        result[start:stop] = function(format_, *(operand[start:stop] for operand in flat))
    return result.reshape(wide[0].shape)


_OPERATIONS: dict[str, Callable[..., I32Array]] = {
    "exp": special_chain.exp,
    "log": special_chain.log,
    "sin": special_direct.sin,
    "cos": special_direct.cos,
    "tanh": special_chain.tanh,
    "sigmoid": special_chain.sigmoid,
    "erf": special_direct.erf,
    "rsqrt": special_direct.rsqrt,
    "recip": special_direct.recip,
    "pow": special_chain.pow_,
}


TYPED: dict[str, Callable[..., I32Array]] = {
    name: partial(_in_chunks, function) for name, function in _OPERATIONS.items()
}
"""Operations that take first the format of their type."""
