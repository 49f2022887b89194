"""Sparse weights of TFLite models, which the converter to TOSA leaves to `tfl.densify`.

A `tfl.pseudo_sparse_const` holds the elements that are not zero. For each dimension, in traversal
order, it holds either the size (DENSE) or the indices that exist under each element of the previous
dimension (SPARSE_CSR: the indices from one segment to the next). This is the format of
`SparsityParameters` in TFLite's schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwc.errors import SourceError

_CONSTANT = re.compile(
    r'^ *(?P<name>%\w+) = "tfl\.pseudo_sparse_const"\(\) <\{compressed_data = '
    r"dense<(?P<data>[^>]*)> : tensor<(?P<count>\d+)x(?P<type>\w+)>, "
    r"s_param = #tfl\.sparsity_parameter<traversal_order = \[(?P<order>[\d, ]*)\], "
    r"block_map = \[(?P<blocks>[\d, ]*)\], dim_metadata = (?P<dimensions>.*)>, "
    r"value = dense<[^>]*> : tensor<(?P<shape>(?:\d+x)+)\w+>\}>.*\n",
    re.MULTILINE,
)
_DIMENSION = re.compile(
    r"<format = +(?P<format>\w+), dense_size = (?P<size>\d+), "
    r"segments = \[(?P<segments>[\d, ]*)\], indices = \[(?P<indices>[\d, ]*)\]>"
)
_DENSIFY = re.compile(r'= "tfl\.densify"\((%\w+)\) : \(.*\) -> (tensor<\S+>)')
_TYPES: Mapping[str, type[np.generic]] = {"f16": np.float16, "f32": np.float32, "i8": np.int8}


@dataclass(frozen=True)
class _Dimension:
    is_dense: bool
    size: int
    segments: Sequence[int]
    indices: Sequence[int]


def with_dense_weights(text: str, name: str) -> str:
    """Return the program with `tosa.const` in place of sparse weights.

    `name` is the file of the model.

    Raises:
        SourceError: weights have a sparse format that no known model uses.
    """
    found: dict[str, str] = {}

    def constant(match: re.Match[str]) -> str:
        try:
            elements = _dense(match)
        except (KeyError, ValueError, IndexError) as error:
            raise SourceError(
                f"{name}: error: sparse weights of an unknown form: {match['type']}, blocks "
                f"[{match['blocks']}]: {error}"
            ) from error
        data = elements.astype(elements.dtype.newbyteorder("<")).tobytes()
        found[match["name"]] = f'dense<"0x{data.hex().upper()}">'
        return ""

    def densify(match: re.Match[str]) -> str:
        if match[1] not in found:
            return match[0]
        return f'= "tosa.const"() <{{values = {found[match[1]]} : {match[2]}}}> : () -> {match[2]}'

    return _DENSIFY.sub(densify, _CONSTANT.sub(constant, text))


def _dense(match: re.Match[str]) -> NDArray[Any]:
    """Return all elements of a constant."""
    if match["blocks"]:
        raise ValueError("blocks are not known")
    dtype = np.dtype(_TYPES[match["type"]])
    data = match["data"]
    if data.startswith('"0x'):
        values = np.frombuffer(bytes.fromhex(data[3:-1]), dtype.newbyteorder("<"))
    else:
        values = np.array([float(word) for word in data.strip("[]").split(",")]).astype(dtype)
    if values.size == 1:
        values = np.repeat(values, int(match["count"]))
    shape = [int(size) for size in match["shape"].split("x")[:-1]]
    order = _numbers(match["order"])
    dimensions = [
        _Dimension(
            each["format"] == "DENSE",
            int(each["size"]),
            _numbers(each["segments"]),
            _numbers(each["indices"]),
        )
        for each in _DIMENSION.finditer(match["dimensions"])
    ]
    if sorted(order) != [*range(len(shape))] or len(dimensions) != len(shape):
        raise ValueError(f"{len(dimensions)} dimensions for the shape {shape}")
    elements = np.zeros(shape, dtype)
    for value, walked in zip(values, _walk(dimensions), strict=True):
        place = [0] * len(shape)
        for dimension, index in zip(order, walked, strict=True):
            place[dimension] = index
        elements[tuple(place)] = value
    return elements


def _walk(dimensions: Sequence[_Dimension]) -> Iterable[tuple[int, ...]]:
    """Return the indices of all stored elements, in storage order."""
    found: list[tuple[int, ...]] = [()]
    for dimension in dimensions:
        below: list[tuple[int, ...]] = []
        for number, prefix in enumerate(found):
            indices: Iterable[int] = range(dimension.size)
            if not dimension.is_dense:
                first, last = dimension.segments[number], dimension.segments[number + 1]
                indices = dimension.indices[first:last]
            below += [(*prefix, index) for index in indices]
        found = below
    return found


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",") if word.strip()]
