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

from sim.semantics import special_chain, special_direct
from sim.semantics.formats import in_chunks
from sim.semantics.lanes import I32Array

_OPERATIONS: dict[str, Callable[..., I32Array]] = {
    "exp": special_chain.exp,
    "log": special_chain.log,
    "log2": special_chain.log2,
    "log10": special_chain.log10,
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
    name: partial(in_chunks, function) for name, function in _OPERATIONS.items()
}
"""Operations that take first the format of their type."""
