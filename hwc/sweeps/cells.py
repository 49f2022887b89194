"""The cells of a target: from synthesis, or an estimate from the targets that were synthesised.

`configs/cells.json`, which `make synth` writes, has the cells of some twenty targets. Any other
target has the cells of the nearest of them, plus or minus what it has more or less: the difference
of two weighted sums of terms, fitted to the synthesised targets by least squares of the relative
errors. The terms are the parts of the machine that grow: each lane, each lane of the
special functions, each input stream and its network that selects elements for lanes, and each
output stream with a row of bytes to turn. docs/sweeps.md says how good the fit is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from math import log2
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isa.target import CONFIGS, Target

FILE = CONFIGS / "cells.json"
SYNTHESIS = "synthesis"
ESTIMATE = "estimate"

Known: TypeAlias = "tuple[tuple[Target, int], ...]"
"""Targets and their cells."""

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
    return estimate(target, synthesised()), ESTIMATE


def estimate(target: Target, known: Known) -> int:
    """Return the cells of a target, estimated from those of known targets.

    Only the difference from the nearest known target is estimated, so that a target with more of
    something than a known one has more cells, too.
    """
    nearest, count = min(known, key=lambda row: _distance(row[0], target))
    return count + round(float((_terms(target) - _terms(nearest)) @ fit(known)))


@cache
def synthesised() -> Known:
    """Return the targets that were synthesised, and the cells of each."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))["targets"]
    return tuple(
        (Target.from_dict({"name": "synthesised", **row["target"]}), row["cells"]) for row in rows
    )


@cache
def fit(known: Known) -> NDArray[Any]:
    """Return the cells of one unit of each term, with the least squared relative errors."""
    relative = np.array([_terms(target) / count for target, count in known])
    return np.linalg.lstsq(relative, np.ones(len(known)), rcond=None)[0]


def _terms(target: Target) -> NDArray[Any]:
    return np.array([term(target) for term in TERMS.values()], dtype=float)


def _distance(a: Target, b: Target) -> float:
    """Return by how many factors of two, in all, the sizes of two targets differ."""
    pairs = zip(_key(a.to_dict()), _key(b.to_dict()), strict=True)
    return sum(abs(log2(one / other)) for one, other in pairs)


def _key(keys: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(value for key, value in sorted(keys.items()) if key != "name")
