"""The cells of a target: from synthesis, or an estimate from the targets that were synthesised.

`configs/cells.json`, which `make synth` writes, has the cells of some twenty targets. The estimate
for any other target is a weighted sum of terms, fitted to those targets by least squares of the
relative errors. The terms are the parts of the machine that grow: each lane, each lane of the
special functions, each input stream and its network that selects elements for lanes, and each
output stream with a row of bytes to turn. docs/sweeps.md says how good the fit is.
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
"""The terms whose weighted sum estimates the cells of a target."""


def cells(target: Target) -> tuple[int, str]:
    """Return the cells of a target, and their origin: `SYNTHESIS` or `ESTIMATE`."""
    key = _key(target.to_dict())
    for known, count in synthesised():
        if _key(known.to_dict()) == key:
            return count, SYNTHESIS
    return estimate(target, weights()), ESTIMATE


def estimate(target: Target, fitted: NDArray[Any]) -> int:
    """Return the cells of a target as the sum of the terms with weights `fitted`."""
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
    """Return the weights that minimise the squared relative errors for the known targets."""
    relative = np.array([_terms(target) / count for target, count in known])
    return np.linalg.lstsq(relative, np.ones(len(known)), rcond=None)[0]


def _terms(target: Target) -> NDArray[Any]:
    return np.array([term(target) for term in TERMS.values()], dtype=float)


def _key(keys: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(value for key, value in sorted(keys.items()) if key != "name")
