"""The element types as tests need them: NumPy's type, width, which are integers, which floats."""

from __future__ import annotations

from typing import Any

import numpy as np

from isa.load import load

_TYPES = [t for t in load().types.values() if np.dtype(t.dtype).kind != "V"]

DTYPES: dict[str, type[Any]] = {t.name: np.dtype(t.dtype).type for t in _TYPES}
"""NumPy's scalar type of every element type that NumPy has; `e2e/test_narrow_floats.py` has the
others."""

INTEGERS = tuple(t.name for t in _TYPES if t.kind == "integer")

FLOATS = tuple(t.name for t in _TYPES if t.kind == "float")

WIDTHS = {name: load().types[name].bits for name in INTEGERS}
"""Bits of every integer type."""
