"""Golden semantics of the transcendental instructions (`isa/insns/special.yaml`).

All of them are integer arithmetic: significands, tables of cubics and one rounding at the end
(`stages` has the steps, `tables` the tables, `special_chain` and `special_direct` the functions).
The error is at most 1 ulp for every finite argument; `docs/accuracy.md` has the measured figures.
Subnormal numbers are taken and given like all others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from sim.semantics import special_chain, special_direct
from sim.semantics.lanes import I32Array

_CHUNK = 16384
"""Points worked on at a time: the temporaries of one chunk stay in a core's cache."""


def _unary(function: Callable[[I32Array], I32Array], a: I32Array) -> I32Array:
    """Apply a function of one-dimensional lanes to lanes of any shape."""
    flat = a.reshape(-1)
    result = np.empty(flat.size, np.int32)
    for start in range(0, flat.size, _CHUNK):
        stop = start + _CHUNK
        result[start:stop] = function(flat[start:stop])
    return result.reshape(a.shape)


def _binary(
    function: Callable[[I32Array, I32Array], I32Array], a: I32Array, b: I32Array
) -> I32Array:
    """Apply a function of two one-dimensional lanes to lanes of broadcasting shapes."""
    wide_a, wide_b = np.broadcast_arrays(a, b)
    flat_a, flat_b = wide_a.reshape(-1), wide_b.reshape(-1)
    result = np.empty(flat_a.size, np.int32)
    for start in range(0, flat_a.size, _CHUNK):
        stop = start + _CHUNK
        result[start:stop] = function(flat_a[start:stop], flat_b[start:stop])
    return result.reshape(wide_a.shape)


INSTRUCTIONS: dict[str, Callable[..., I32Array]] = {
    "exp.f32": partial(_unary, special_chain.exp),
    "log.f32": partial(_unary, special_chain.log),
    "sin.f32": partial(_unary, special_direct.sin),
    "cos.f32": partial(_unary, special_direct.cos),
    "tanh.f32": partial(_unary, special_chain.tanh),
    "sigmoid.f32": partial(_unary, special_chain.sigmoid),
    "erf.f32": partial(_unary, special_direct.erf),
    "rsqrt.f32": partial(_unary, special_direct.rsqrt),
    "recip.f32": partial(_unary, special_direct.recip),
    "pow.f32": partial(_binary, special_chain.pow_),
}
