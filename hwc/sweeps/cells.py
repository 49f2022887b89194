"""The cells of a target: from synthesis, or an estimate from the targets that were synthesised.

`configs/cells.json`, which `make synth` writes, has the cells of some twenty targets. The cells of
another target are a sum of terms, whose weights are fitted to those by least squares of relative
errors. The terms are the parts of the machine that grow: each lane, each group of special
functions, each input stream and its network that selects elements for lanes, and each output stream
with a row of bytes to turn. docs/sweeps.md says how well that fits.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.target import CONFIGS, Target

FILE = CONFIGS / "cells.json"
SYNTHESIS = "synthesis"
ESTIMATE = "estimate"

TERMS: dict[str, Callable[[Target], float]] = {
    "machine": lambda t: 1,
    "lane": lambda t: t.lanes,
    "special functions": lambda t: t.special_rate,
    "input stream": lambda t: t.input_streams,
    "lane select": lambda t: t.input_streams * t.lanes * log2(t.lanes),
    "output row": lambda t: t.output_streams * t.row_bytes,
}
"""What the cells of a target are a weighted sum of."""


def cells(target: Target) -> tuple[int, str]:
    """Return the cells of a target, and whether they are from `SYNTHESIS` or an `ESTIMATE`."""
    key = _key(target.to_dict())
    for known, count in synthesised():
        if _key(known.to_dict()) == key:
            return count, SYNTHESIS
    return estimate(target, weights()), ESTIMATE


def estimate(target: Target, fitted: NDArray[Any]) -> int:
    """Return the sum of terms with these weights."""
    return round(float(_terms(target) @ fitted))


@cache
def synthesised() -> tuple[tuple[Target, int], ...]:
    """Return the targets that were synthesised, and the cells of each."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))["targets"]
    return tuple(
        (Target.from_dict({"name": "synthesised", **row["target"]}), row["cells"]) for row in rows
    )


@cache
def weights() -> NDArray[Any]:
    """Return the cells of one unit of each term."""
    return fit(synthesised())


def fit(known: tuple[tuple[Target, int], ...]) -> NDArray[Any]:
    """Return the weights for which the relative errors of known targets are least."""
    relative = np.array([_terms(target) / count for target, count in known])
    return np.linalg.lstsq(relative, np.ones(len(known)), rcond=None)[0]


def _terms(target: Target) -> NDArray[Any]:
    return np.array([term(target) for term in TERMS.values()], dtype=float)


def _key(keys: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(value for key, value in sorted(keys.items()) if key != "name")
