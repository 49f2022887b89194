"""Long lists of numbers in constants, read at once: xDSL takes 20 s for a million, this one less.

It reads only what it is sure to read as xDSL does, and leaves everything else, errors included, to
xDSL's parser.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

_LIST = re.compile(r"<\s*(\[[-0-9.eE,\[\]\struefals]*\])\s*>")
_NOT_MLIR = re.compile(r"(?<![.\d])\d+[eE]|(?<![eE])-\s*0(?!\.)|-\s")
"""What JSON reads otherwise than MLIR does, or what needs a look: `1e5`, `-0`."""

SHORT = 64
"""Characters of a list that xDSL's parser reads as fast."""


def find_list(text: str, start: int) -> re.Match[str] | None:
    """Return the match of a long list in angle brackets; group 1 is the list with its brackets."""
    match = _LIST.match(text, start)
    return match if match and len(match[1]) > SHORT and not _NOT_MLIR.search(match[1]) else None


def read_list(text: str, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Return the elements of a list, nested as the list is; None if xDSL's parser should read it.

    Integers may be signed or not, as in MLIR: 255 is an i8, with the bits of -1. Floats are rounded
    to nearest, ties to even, and may not become infinite.
    """
    is_float, is_boolean = dtype.kind == "f", dtype.kind == "b"
    if ("true" in text or "false" in text) != is_boolean:
        return None
    try:
        values = np.array(
            json.loads(text, parse_int=_refuse)
            if is_float
            else json.loads(text, parse_float=_refuse)
        )
    except (ValueError, RecursionError):  # not JSON, or a ragged list
        return None
    if is_boolean:
        return values if values.dtype == np.bool_ else None
    if is_float:
        with np.errstate(over="ignore"):
            elements = values.astype(dtype)
        return elements if values.dtype == np.float64 and np.isfinite(elements).all() else None
    bits = 8 * dtype.itemsize
    if values.dtype != np.int64 or not values.size:
        return None
    fits = bits == np.iinfo(np.int64).bits or (
        values.min() >= -(1 << (bits - 1)) and values.max() < 1 << bits
    )
    return values.astype(dtype) if fits else None


def _refuse(number: str) -> NoReturn:
    raise ValueError(number)
