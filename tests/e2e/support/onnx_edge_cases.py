"""Cases with special values for every element-wise ONNX operator.

Every operator of `RULES` has cases, every version of its definition, and every type: with operands
as inputs and as constants, and in the newest version also with sizes that are known, 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from e2e.support import onnx_edge_forms as forms
from e2e.support.onnx_edge_values import FLOATS, MICROSOFT, Case, pairs, specials, versions
from onnx import defs

from hwc.onnx.operators import RULES

ATTRIBUTES: Mapping[str, list[dict[str, Any]]] = {
    "Celu": [{"alpha": 2.0}],
    "Elu": [{"alpha": 0.5}],
    "Gelu": [{"approximate": "tanh"}],
    "HardSigmoid": [{"alpha": 0.5, "beta": 0.25}],
    "IsInf": [{"detect_negative": 0}, {"detect_positive": 0}],
    "LeakyRelu": [{"alpha": -1.0}],
    "Mod": [{"fmod": 1}],
    "Selu": [{"alpha": 1.0, "gamma": 2.0}],
    "Shrink": [{"lambd": 0.0, "bias": 1.0}],
    "Swish": [{"alpha": 2.0}],
    "ThresholdedRelu": [{"alpha": 0.0}],
}
"""Attributes to give, besides leaving all of them out."""
BOOLEANS = ("And", "Or", "Xor", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
"""Operators with two operands whose results are truth values."""


def cases(operator: str) -> Iterator[Case]:
    """Yield the cases of an operator."""
    of = _OWN.get(operator, _generic)
    *_, newest = versions(operator)
    for version in versions(operator):
        for case in of(operator, version):
            yield case
            numbers = [number for number, each in enumerate(case.operands) if each is not None]
            if len(numbers) > 1:
                yield case._replace(constants=frozenset(numbers[1:]))
            if version == newest:
                yield from _more(case, numbers)


def _more(case: Case, numbers: list[int]) -> Iterator[Case]:
    """Yield a case with sizes that the model knows, sizes of 0 and 1, and one constant alone.

    `numbers` are the numbers of the operands.
    """
    if len(numbers) > 2:  # noqa: PLR2004 - else all operands but the first are the last one
        yield case._replace(constants=frozenset(numbers[-1:]))
    yield case._replace(is_static=True)
    first = case.operands[0]
    if first.ndim == 1 and not case.seen:
        for part in (slice(0), slice(-1, None)):
            cut = tuple(
                each[part] if each is not None and each.shape == first.shape else each
                for each in case.operands
            )
            yield case._replace(operands=cut)


def _generic(operator: str, version: int) -> Iterator[Case]:
    """Yield cases whose operands have one type and one shape."""
    schema = defs.get_schema(operator, version, "")
    count = min(2, max(1, len(schema.inputs)))
    if len(schema.inputs) == 1 and schema.max_input > 1:  # any number of operands
        count = 2
    old = {"broadcast", "axis"} <= schema.attributes.keys()
    given = [*ATTRIBUTES.get(operator, []), *([{"broadcast": 1, "axis": 0}] if old else [])]
    for type_, attributes in product(RULES[operator].types, ({}, *given)):
        if operator == "Mod" and not attributes and type_ in FLOATS:
            continue
        result = "i1" if operator in (*BOOLEANS, "IsInf", "IsNaN", "Not") else type_
        operands = pairs(specials(type_)) if count > 1 else (specials(type_),)
        yield Case(operator, version, operands, (result, 1), attributes)


def _where(operator: str, version: int) -> Iterator[Case]:
    for type_ in ("f32", "f16", "bf16", "i32", "i16", "i8", "ui8", "ui16", "i1"):
        a, b = pairs(specials(type_))
        yield Case(operator, version, (np.arange(len(a)) % 2 == 0, a, b), (type_, 1))


def _clip(operator: str, version: int) -> Iterator[Case]:
    for type_ in RULES[operator].types:
        x = specials(type_)
        low, high = np.array(-2, x.dtype), np.array(2, x.dtype)
        if version < 11:  # noqa: PLR2004 - since then the bounds are inputs
            for attributes in ({}, {"min": -2.0}, {"max": 2.0}, {"min": 2.0, "max": -2.0}):
                yield Case(operator, version, (x,), (type_, 1), attributes)
            continue
        for bounds in ((low, high), (low,), (None, high), (high, low), ()):
            yield Case(operator, version, (x, *bounds), (type_, 1))


_OWN: Mapping[str, Callable[[str, int], Iterator[Case]]] = {
    **dict.fromkeys(("Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"), forms.view),
    "BatchNormalization": forms.batch,
    "Cast": forms.cast,
    "CastLike": forms.cast,
    "Clip": _clip,
    "DequantizeLinear": forms.dequantize,
    "Dropout": forms.dropout,
    "QuantizeLinear": forms.quantize,
    "Where": _where,
    f"{MICROSOFT}DequantizeLinear": forms.dequantize,
    f"{MICROSOFT}QuantizeLinear": forms.quantize,
    **dict.fromkeys(
        (each for each in RULES if each.startswith(f"{MICROSOFT}QLinear")), forms.qlinear
    ),
}
"""Operators whose operands have another form than equal types and shapes."""
OPERATORS = tuple(sorted(RULES))
