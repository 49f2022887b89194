"""Golden semantics of the transcendental instructions (`isa/insns/special.yaml`).

All of them use integer arithmetic: significands, tables of cubics, and at the end one rounding to
the format of the instruction's type (`stages` has the steps, `tables` the tables, `special_chain`
and `special_direct` the functions, `formats` the unpacking and the rounding).
The error is at most 1 ulp for every finite argument; `docs/accuracy.md` has the measured errors.
Subnormal operands and results get no special treatment.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sim.compiled import compiled
from sim.semantics import special_chain, special_direct
from sim.semantics.formats import FloatFormat, canonical, in_chunks
from sim.semantics.lanes import I32Array
from sim.semantics.one_or_many import FOR_ONE, F64Array

EXACT: dict[str, Callable[..., F64Array]] = {
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
"""Every function before its one rounding: float64 holds the result exactly."""

LOADING, CALL = 1 << 23, 2048
"""Points computed before numba is loaded, and what a call counts in addition to its points.

Computing `LOADING` points without numba takes about as long as loading numba.
"""

_one: Callable[..., Any] = float
"""Placeholder for the function that `_each` and `_each_pair` are compiled with."""


def _each(x: I32Array, out: F64Array) -> None:
    for i in range(out.size):
        out[i] = _one(x[i])


def _each_pair(x: I32Array, y: I32Array, out: F64Array) -> None:
    for i in range(out.size):
        out[i] = _one(x[i], y[i])


class Special:
    """A transcendental function, compiled (`sim.compiled`) once that pays off.

    The compiled function takes one lane at a time, without arrays between the stages.
    """

    points = 0
    """Points that all functions have computed without numba."""

    def __init__(self, function: Callable[..., F64Array]) -> None:
        self._function = function
        self._loop: Callable[..., None] | None = None

    def __call__(self, format_: FloatFormat, *x: I32Array) -> I32Array:
        """Compute the function on one-dimensional lanes, rounded to a format."""
        if self._loop is None:
            Special.points += x[0].size + CALL
            if Special.points > LOADING:
                self.load()
        if self._loop is None:
            return canonical(format_.round(self._function(*x)))
        exact = np.empty(x[0].size)
        # numba compiles once more for arrays that have gaps or cannot be written.
        self._loop(*(np.require(lanes, requirements=["C", "W"]) for lanes in x), exact)
        return canonical(format_.round(exact))

    def load(self) -> bool:
        """Compile the function, or load it from the cache; return whether that is possible here."""
        loop = _each_pair if self._function is special_chain.pow_ else _each
        try:
            self._loop = compiled(loop, {"_one": self._function}, FOR_ONE)
        except ImportError:  # try again only after the same amount of work
            Special.points = 0
        return self._loop is not None


_SPECIALS = {name: Special(function) for name, function in EXACT.items()}

TYPED: dict[str, Callable[..., I32Array]] = {
    name: partial(in_chunks, special) for name, special in _SPECIALS.items()
}
"""Operations whose first argument is the format of their type."""


def load_all() -> bool:
    """Compile or load every function now; return whether that is possible here."""
    return all(special.load() for special in _SPECIALS.values())
