"""Elements of small tensors of integers that follow from sizes: how ONNX models compute shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from math import prod
from typing import Any

import numpy as np

from hwc.models.sizes import KnownElements, Sizes
from hwc.onnx.host_rules.use import Use
from hwc.shapes import Size

LARGEST = 64
"""The largest number of elements that are followed."""

_I64 = "i64"


def elements_of(
    operator: str, use: Use, types: Sequence[str | None], sizes: Sizes
) -> KnownElements:
    """Return a function that finds the elements of a node's first result, once.

    `types` are the element types of the inputs, `sizes` the sizes of the result. Steps are written
    only if a rule asks for the elements: most integers are data.
    """
    found: list[Sizes | None] = []

    def elements() -> Sizes | None:
        if not found:
            found.append(_elements(operator, use, types, sizes))
        return found[0]

    return elements


def _elements(operator: str, use: Use, types: Sequence[str | None], sizes: Sizes) -> Sizes | None:
    rule = _RULES.get(operator)
    shape = [size for size in sizes if isinstance(size, int)]
    if rule is None or len(shape) < len(sizes) or prod(shape) > LARGEST:
        return None
    if operator in _ARITHMETIC and any(type_ != _I64 for type_ in types):
        return None
    made = rule(use, shape)
    return made if made is None or len(made) == prod(shape) else None


Elements = Callable[[Use, Sequence[int]], "Sizes | None"]


def _shape(use: Use, _: Sequence[int]) -> Sizes | None:
    sizes = use.given(0)
    return sizes[use.integer("start", 0) : use.integer("end", len(sizes))]


def _same(use: Use, _: Sequence[int]) -> Sizes | None:
    return use.values(0)


def _widened(use: Use, _: Sequence[int]) -> Sizes | None:
    import onnx  # noqa: PLC0415 - an optional package

    return use.values(0) if use.integer("to", 0) == onnx.TensorProto.INT64 else None


def _moved(move: Callable[[Use, Any], Any]) -> Elements:
    """Return the rule of an operator that moves elements as `move` moves those of an array."""

    def moved(use: Use, _: Sequence[int]) -> Sizes | None:
        shape = _static(use, 0)
        values = use.values(0)
        if shape is None or values is None:
            return None
        array = np.empty(len(values), dtype=object)
        array[:] = values
        try:
            made = move(use, array.reshape(shape))
        except (IndexError, TypeError, ValueError):  # the rule of the operator says what is wrong
            return None
        return None if made is None else tuple(np.asarray(made, dtype=object).reshape(-1))

    return moved


def _gathered(use: Use, array: Any) -> Any:
    places = use.static(1)
    shape = _static(use, 1)
    if places is None or shape is None:
        return None
    return np.take(array, np.reshape(places, shape).astype(np.int64), axis=use.integer("axis", 0))


def _sliced(use: Use, array: Any) -> Any:
    parts = [use.static(n) if use.optional(n) is not None else None for n in range(1, 5)]
    starts, ends, axes, steps = (*parts, *[None] * (4 - len(parts)))
    if starts is None or ends is None or array.ndim != 1 or len(starts) != 1:
        return None
    if axes not in (None, [0], [-1]):
        return None
    return array[starts[0] : ends[0] : 1 if steps is None else steps[0]]


def _concatenated(use: Use, _: Sequence[int]) -> Sizes | None:
    parts = [use.values(number) for number in range(len(use.inputs))]
    if any(part is None for part in parts) or len(use.given(0)) != 1:
        return None
    return tuple(value for part in parts for value in part or ())


def _static(use: Use, number: int) -> tuple[int, ...] | None:
    shape = tuple(size for size in use.given(number) if isinstance(size, int))
    return shape if len(shape) == len(use.given(number)) else None


def _by_step(kind: str) -> Elements:
    """Return the rule of an operator that is a kind of step for each element."""

    def computed(use: Use, shape: Sequence[int]) -> Sizes | None:
        columns: list[Sizes] = []
        for number in range(len(use.inputs)):
            own = _static(use, number)
            values = use.values(number)
            if own is None or values is None:
                return None
            if kind == "divsi" and number and not _are_positive(values):
                return None
            array = np.empty(len(values), dtype=object)
            array[:] = values
            columns.append(tuple(np.broadcast_to(array.reshape(own), shape).reshape(-1)))
        return tuple(_folded(use, kind, each) for each in zip(*columns, strict=True))

    return computed


def _are_positive(values: Sizes) -> bool:
    return all(isinstance(value, int) and value > 0 for value in values)


def _folded(use: Use, kind: str, values: Sequence[Size]) -> Size:
    if kind == "select":
        return values[1] if values[1] == values[2] else use.write.compute(kind, *values)
    result = values[0]
    for value in values[1:]:
        result = use.write.compute(kind, result, value)
    return result


def _filled(use: Use, shape: Sequence[int]) -> Sizes | None:
    import onnx  # noqa: PLC0415 - an optional package

    value = use.attributes.get("value")
    if value is None:
        return None  # floats
    array = onnx.numpy_helper.to_array(value)
    return tuple(repeat(int(array.reshape(-1)[0]), prod(shape)))


def _multiplied(use: Use, shape: Sequence[int]) -> Sizes | None:
    values = use.values(0)
    return None if values is None or prod(shape) != 1 else (use.write.product(values),)


_ARITHMETIC: Mapping[str, Elements] = {
    "Add": _by_step("addi"),
    "Div": _by_step("divsi"),
    "Max": _by_step("maxsi"),
    "Min": _by_step("minsi"),
    "Mul": _by_step("muli"),
    "ReduceProd": _multiplied,
    "Sub": _by_step("subi"),
}
"""Operators that are followed on i64 alone, where steps compute the same numbers."""

_RULES: Mapping[str, Elements] = {
    **_ARITHMETIC,
    "Cast": _widened,
    "Concat": _concatenated,
    "ConstantOfShape": _filled,
    "Equal": _by_step("eq"),
    "Gather": _moved(_gathered),
    "Identity": _same,
    "Reshape": _same,
    "Shape": _shape,
    "Size": lambda use, _: (use.write.product(use.given(0)),),
    "Slice": _moved(_sliced),
    "Squeeze": _same,
    "Unsqueeze": _same,
    "Where": _by_step("select"),
}
