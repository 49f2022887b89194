"""Cases of ONNX operators whose operands have another form than equal types and shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
from e2e.support.onnx_edge_values import (
    DTYPES,
    FLOATS,
    MICROSOFT,
    NUMBERS,
    Case,
    pairs,
    specials,
    versions,
)
from onnx import TensorProto

from hwc.onnx.operators import RULES


def _values_to_cast(source: str, target: str) -> Any:
    """Return special values, halves, and numbers around the limits of both types."""
    values = [*specials(source).astype(np.float64), 0.25, -0.75, 3.5, 127.5, 128.5, 255.5, 65504.0]
    if DTYPES[target].kind == "i":
        limits = np.iinfo(DTYPES[target])
        values += [n + d for n in (limits.min, limits.max) for d in (-1.5, -1, -0.5, 0, 0.5, 1)]
    elif DTYPES[target].kind != "b":
        limits = ml_dtypes.finfo(DTYPES[target])
        values += [s * float(limits.max) * f for s in (1, -1) for f in (0.97, 1, 1.02, 1.04, 1.1)]
    if DTYPES[source].kind == "i":
        own = np.iinfo(DTYPES[source])
        values = [np.clip(int(n), own.min, own.max) for n in values if np.isfinite(n)]
        return np.array(list(dict.fromkeys(values)), np.int64).astype(DTYPES[source])
    with np.errstate(over="ignore"):
        return np.array(values).astype(DTYPES[source])


def cast(operator: str, version: int) -> Iterator[Case]:
    for source, target in product(RULES[operator].types, repeat=2):
        x = _values_to_cast(source, target)
        bytes_ = target.startswith("f8") and version >= 19  # noqa: PLR2004 - since then
        for more in ({}, *([{"saturate": 0}] if bytes_ else [])):
            if operator == "CastLike":
                like = np.zeros(1, DTYPES[target])
                yield Case(operator, version, (x, like), (target, 1), more, seen=(x,))
            else:
                number: int | str = NUMBERS[target]
                if version < 6:  # noqa: PLR2004 - the type was a word
                    number = TensorProto.DataType.Name(NUMBERS[target])
                yield Case(operator, version, (x,), (target, 1), {"to": number, **more})


def dropout(operator: str, version: int) -> Iterator[Case]:
    for type_ in RULES[operator].types:
        x = specials(type_)
        if version >= 12:  # noqa: PLR2004 - since then the ratio is an input
            ratio = np.array(0.25, np.float32)
            for rest in ((), (ratio,), (ratio, np.array(False))):
                yield Case(operator, version, (x, *rest), (type_, 1), seen=(x,))
            continue
        mode = {"is_test": 1} if version < 7 else {}  # noqa: PLR2004 - since then only inference
        for ratio in ({}, {"ratio": 0.25}):
            yield Case(operator, version, (x,), (type_, 1), {**mode, **ratio})


def batch(operator: str, version: int) -> Iterator[Case]:
    """Yield special values in every channel; scale, bias, mean and variance differ by channel."""
    for type_, epsilon in product(FLOATS, ({}, {"epsilon": 0.5})):
        dtype = DTYPES[type_]
        inf, nan, top = np.inf, np.nan, float(ml_dtypes.finfo(dtype).max)
        rows = [
            (1, 0, 0, 1), (2, 1, 0.5, 4), (-1, 0.25, -3, 0), (0, -0.0, 1, 1), (1, 0, 0, inf),
            (1, 0, 0, nan), (inf, 0, 0, 1), (1, inf, 0, 1), (1, 0, inf, 1), (nan, 0, 0, 1),
            (1, 0, 0, -1), (top, 0, 0, 1), (1, 0, top, 1), (0.5, 3, 1, 1e-6),
        ]  # fmt: skip
        parameters = tuple(np.array(column).astype(dtype) for column in zip(*rows, strict=True))
        x = np.repeat(specials(type_)[:, None], len(rows), 1)
        mode = {"is_test": 1} if version < 7 else {}  # noqa: PLR2004 - since then by default
        mode |= {"consumed_inputs": [0, 0, 0, 1, 1]} if version < 6 else {}  # noqa: PLR2004
        newest = version == versions(operator)[-1]
        for given in (x, x[:, :, None], x[:0], x[:1])[: None if newest else 1]:
            column = (-1,) + (1,) * (given.ndim - 2)
            seen = (given, *(each.reshape(column) for each in parameters))
            attributes = {**mode, **epsilon}
            yield Case(
                operator, version, (given, *parameters), (type_, given.ndim), attributes, seen=seen
            )


def _scales(type_: str) -> Any:
    limits = ml_dtypes.finfo(DTYPES[type_])
    with np.errstate(over="ignore"):
        values = [1, 0.5, 0.1, 3, float(limits.max), float(limits.smallest_subnormal)]
        return np.array([*values, 0, -1, np.inf, np.nan]).astype(DTYPES[type_])


def _linear(
    operator: str, version: int, x: Any, scales: Any, zeros: Any, result: str, **attributes: Any
) -> Iterator[Case]:
    """Yield every form of scale and zero point; older versions have fewer.

    A scale has rank 0 or 1, or one element for each channel: there, each scale is used.
    """
    newest = version == versions(operator)[-1] and not operator.startswith(MICROSOFT)
    singles = [*zip(scales, zeros, strict=True)][2 : 4 if newest else 3]
    for number, (scale, zero) in enumerate(singles):
        for one in (np.array(scale), np.array([scale]))[: 1 if number else 2]:
            point = None if zero is None else np.full(one.shape, zero)
            operands = (x, one) if point is None else (x, one, point)
            yield Case(operator, version, operands, (result, 1), attributes)
    if version < 13:  # noqa: PLR2004 - the axis is newer
        return
    own = np.repeat(x[None, :], len(scales), 0)
    forms = ((0, own), (1, own.T.copy()), (-1, own.T.copy()), (1, own.T[:, :, None].copy()))
    for axis, given in forms[: None if newest else 2]:
        column = (-1,) + (1,) * (given.ndim - 1 - axis % given.ndim)
        operands = (given, scales) if zeros[0] is None else (given, scales, np.array(zeros))
        seen = (given, *(each.reshape(column) for each in operands[1:]))
        shape = (result, given.ndim)
        yield Case(operator, version, operands, shape, {**attributes, "axis": axis}, seen=seen)


def _points(type_: str, count: int) -> list[Any]:
    limits = np.iinfo(DTYPES[type_])
    values = [0, limits.max, limits.min, 1, 7]
    return [DTYPES[type_].type(values[n % len(values)]) for n in range(count)]


_BYTES = ("i8", "ui8", "i16", "ui16")


def quantize(operator: str, version: int) -> Iterator[Case]:
    for source, target in product(RULES[operator].types, _BYTES):
        scales = _scales("f32" if source == "i32" else source)
        limits = np.iinfo(DTYPES[target])
        near = [n + d for n in (limits.min, limits.max) for d in (-1, -0.5, 0, 0.5, 1)]
        x = specials(source)
        if source in FLOATS:
            with np.errstate(over="ignore"):
                x = np.array([*x.astype(np.float64), *near, 0.25, 3.5, 4.5, -5.5]).astype(x.dtype)
        zeros = _points(target, len(scales))
        yield from _linear(operator, version, x, scales, zeros, target)
        left_out = [None] * len(scales)
        if target == "ui8":
            yield from _linear(operator, version, x, scales, left_out, target)
        elif version >= 21 and not operator.startswith(MICROSOFT):  # noqa: PLR2004 - as above
            number = {"output_dtype": NUMBERS[target]}
            yield from _linear(operator, version, x, scales, left_out, target, **number)


def dequantize(operator: str, version: int) -> Iterator[Case]:
    for source, target in product(RULES[operator].types, FLOATS):
        if target != "f32" and version < 19:  # noqa: PLR2004 - scales were f32
            continue
        scales, x = _scales(target), specials(source)
        x = np.unique(np.concatenate([x, np.arange(100, 120).astype(x.dtype)]))
        points = _points(source, len(scales))
        if source == "i32":
            points = [np.int32(0)] * len(scales)  # no other zero point is allowed
        for zeros in (points, [None] * len(scales)):
            yield from _linear(operator, version, x, scales, zeros, target)


_PARAMETERS = (
    (0.05, 3, 0.02, -2, 0.1, 5), (1.0, 0, 1.0, 0, 1.0, 0), (0.5, 127, 0.25, -128, 0.5, 0),
    (1e-3, 1, 7.0, -1, 0.013, 127), (1e-38, 0, 1.0, 0, 1.0, 0), (3.4e38, 0, 3.4e38, 0, 1.0, -128),
)  # fmt: skip
"""Scales and zero points of two operands and a result."""


def _parameters(type_: str) -> Iterator[tuple[Any, ...]]:
    dtype = DTYPES[type_]
    for row in _PARAMETERS:
        scales = [np.array(each, np.float32) for each in row[::2]]
        points = [np.array(each + 128 * (type_ == "ui8")).astype(dtype) for each in row[1::2]]
        yield tuple(each for pair in zip(scales, points, strict=True) for each in pair)


def qlinear(operator: str, version: int) -> Iterator[Case]:
    for type_ in ("i8", "ui8"):
        some = np.arange(-128, 128, 5).astype(DTYPES[type_])
        a, b = pairs(some)
        every = np.arange(-128, 128).astype(DTYPES[type_])
        for sa, za, sb, zb, sc, zc in _parameters(type_):
            if operator.endswith("Where"):
                condition = np.arange(len(a)) % 2 == 0
                operands: tuple[Any, ...] = (condition, a, sa, za, b, sb, zb, sc, zc)
                attributes: Iterable[dict[str, Any]] = ({},)
            elif operator.endswith(("Add", "Mul")):
                operands, attributes = (a, sa, za, b, sb, zb, sc, zc), ({},)
            else:
                operands, attributes = (every, sa, za, sc, zc), ({},)
                if operator.endswith("LeakyRelu"):
                    attributes = ({}, {"alpha": 0.3})
            for each in attributes:
                yield Case(operator, version, operands, (type_, 1), each)


def _view_forms(operator: str, version: int, x: Any) -> Iterator[tuple[Any, ...]]:
    """Yield an operand of rank 3 or 4, the other operands, the attributes and the new rank."""
    negative = (-1,) if version >= 11 else ()  # noqa: PLR2004 - axes from the end are newer
    if operator in {"Identity", "Flatten"}:
        rank = 3 if operator == "Identity" else 2
        yield x, (), {}, rank
        yield x[:, :0], (), {}, rank
    if operator == "Flatten":
        for axis in (0, 2, 3, *negative):
            yield x, (), {"axis": axis}, 2
    if operator == "Reshape":
        for shape in ([2, 12], [24], [0, -1], [-1, 3, 2]):
            if version < 5:  # noqa: PLR2004 - the shape was an attribute
                yield x, (), {"shape": shape}, len(shape)
            else:
                yield x, (np.array(shape),), {}, len(shape)
    if operator in {"Squeeze", "Unsqueeze"}:
        of, rank = (x[..., None], 3) if operator == "Squeeze" else (x, 4)
        for axis in (0, 3, *negative):
            if version < 13:  # noqa: PLR2004 - the axes were an attribute
                yield of, (), {"axes": [axis]}, rank
            else:
                yield of, (np.array([axis]),), {}, rank


def view(operator: str, version: int) -> Iterator[Case]:
    """Yield every form of an operator that computes nothing."""
    for type_ in RULES[operator].types:
        if type_.startswith("f8"):
            continue  # no operator beside it computes with these
        x = np.resize(specials(type_), 24).reshape(1, 4, 6)
        for given, rest, attributes, rank in _view_forms(operator, version, x):
            numbers = frozenset(range(1, 1 + len(rest)))
            yield Case(operator, version, (given, *rest), (type_, rank), attributes, numbers)
