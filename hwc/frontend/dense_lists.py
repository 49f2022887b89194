"""A fast reader for long lists of numbers in constants; xDSL takes 20 s for a million numbers.

This reader accepts a list only if it is sure to read the list as xDSL does. Everything else,
including errors, is left to xDSL's parser.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyFloat, IntegerType, PackableType
from xdsl.ir import Attribute

from hwc.frontend.stored_elements import booleans

_LIST = re.compile(r"<\s*(\[[-+\w.,\[\]\s]*\])\s*>", re.ASCII)
_ELEMENT = re.compile(r"[^\s,\[\]]+")
_INTEGER = re.compile(r"-?[1-9]\d*|0|0x[0-9A-Fa-f]+")
_DECIMAL = re.compile(r"-?\d+\.\d*(?:[eE][-+]?\d+)?")
_BITS = re.compile(r"0x[0-9A-Fa-f]+")
_TRUTHS = ({"true": True, "false": False}, {"1": True, "0": False})
"""The two spellings of i1; all elements of a list have the same one."""

SHORT = 64
"""Up to this many characters, xDSL's parser is as fast."""


def find_list(text: str, start: int) -> re.Match[str] | None:
    """Match a long list in angle brackets; group 1 is the list with its square brackets."""
    match = _LIST.match(text, start)
    return match if match and len(match[1]) > SHORT else None


def read_list(text: str, type_: Attribute, shape: Sequence[int]) -> bytes | None:
    """Return the elements of a list as xDSL holds them; None if xDSL's parser should read the list.

    Integers may be signed or unsigned, as in MLIR: 255 is an i8, with the bits of -1. Floats are
    rounded to nearest, ties to even, and may not become infinite. A hexadecimal number is the bits
    of a float.
    """
    elements = _ELEMENT.findall(text)
    try:
        nested = np.array(json.loads(_ELEMENT.sub("0", text)))
    except (ValueError, RecursionError):  # not a list of lists, or the list is ragged
        return None
    if nested.shape != tuple(shape) or not elements:
        return None
    if type_ == IntegerType(1):
        return _read_booleans(elements)
    if isinstance(type_, IntegerType):
        return _read_integers(elements, type_)
    return _read_floats(elements, type_) if isinstance(type_, AnyFloat) else None


def _read_booleans(elements: list[str]) -> bytes | None:
    named = next((truths for truths in _TRUTHS if elements[0] in truths), {})
    values = [named.get(element) for element in elements]
    return None if None in values else booleans(np.array(values))


def _read_integers(elements: list[str], type_: IntegerType) -> bytes | None:
    bits = type_.width.data
    if bits > 64 or not all(map(_INTEGER.fullmatch, elements)):
        return None
    values = np.array([int(element, 0) for element in elements])
    if values.dtype != np.int64:  # a number has more bits
        return None
    fits = bits == 64 or (values.min() >= -(1 << (bits - 1)) and values.max() < 1 << bits)
    wrapped = values << (64 - bits) >> (64 - bits)
    return wrapped.astype(np.dtype(type_.format)).tobytes() if fits else None


def _read_floats(elements: list[str], type_: Any) -> bytes | None:
    size = type_.compile_time_size
    patterns = {i: e for i, e in enumerate(elements) if _BITS.fullmatch(e)}
    if any(len(pattern) > 2 + 2 * size for pattern in patterns.values()):
        return None
    decimals = ["0.0" if i in patterns else e for i, e in enumerate(elements)]
    if not isinstance(type_, PackableType) or not all(map(_DECIMAL.fullmatch, decimals)):
        return None
    try:
        data = bytearray(type_.pack([float(number) for number in decimals]))
    except (ArithmeticError, ValueError, struct.error):  # a number is too large
        return None
    for i, pattern in patterns.items():
        data[i * size : (i + 1) * size] = int(pattern, 16).to_bytes(size, "little")
    return bytes(data)
