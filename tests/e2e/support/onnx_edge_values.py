"""Special values, and one case of an element-wise ONNX operator."""

from __future__ import annotations

from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from onnx import TensorProto, defs

DTYPES = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i32": np.dtype(np.int32),
    "i16": np.dtype(np.int16),
    "i8": np.dtype(np.int8),
    "ui16": np.dtype(np.uint16),
    "ui8": np.dtype(np.uint8),
    "i1": np.dtype(np.bool_),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
}
NUMBERS = {
    "f32": TensorProto.FLOAT,
    "f16": TensorProto.FLOAT16,
    "bf16": TensorProto.BFLOAT16,
    "i32": TensorProto.INT32,
    "i16": TensorProto.INT16,
    "i8": TensorProto.INT8,
    "ui16": TensorProto.UINT16,
    "ui8": TensorProto.UINT8,
    "i1": TensorProto.BOOL,
    "f8E4M3FN": TensorProto.FLOAT8E4M3FN,
    "f8E5M2": TensorProto.FLOAT8E5M2,
}
FLOATS = ("f32", "f16", "bf16")
MICROSOFT = "com.microsoft."


class Case(NamedTuple):
    """One node: an operator of an opset version, and its operands, None for one that is left out.

    `constants` are the numbers of the operands that are constants, `result` the type and the rank
    of the result. If `is_static`, the model knows all sizes. `seen` are the operands as the
    elements of the result read them, for messages and reasons, if they differ from the operands.
    """

    operator: str
    version: int
    operands: tuple[Any, ...]
    result: tuple[str, int]
    attributes: dict[str, Any] = {}
    constants: frozenset[int] = frozenset()
    is_static: bool = False
    seen: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """The operator without its domain."""
        return self.operator.removeprefix(MICROSOFT)


def specials(type_: str) -> Any:
    """Return signed zeros, 1, halves, subnormals, the largest numbers, infinities and NaN."""
    dtype = DTYPES[type_]
    if type_ == "i1":
        return np.array([False, True])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = [0, 1, -1, 2, -2, 3, -3, limits.max, limits.min, limits.min + 1]
        return np.array(
            list(dict.fromkeys(n % (limits.max - limits.min + 1) for n in values))
        ).astype(dtype)
    limits = ml_dtypes.finfo(dtype)
    positive = [0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, float("inf"), float(limits.max)]
    positive += [float(limits.smallest_normal), float(limits.smallest_subnormal)]
    with np.errstate(over="ignore"):
        return np.array([*positive, *(-each for each in positive), float("nan")]).astype(dtype)


def versions(operator: str) -> list[int]:
    """Return the versions in which the definition differs, and 7: the oldest of ONNX Runtime."""
    if operator.startswith(MICROSOFT):
        return [21]
    found = defs.get_all_schemas_with_history()
    since = {each.since_version for each in found if (each.name, each.domain) == (operator, "")}
    return sorted(since | ({7} if min(since) < 7 else set()))  # noqa: PLR2004 - as above


def pairs(values: Any) -> tuple[Any, Any]:
    """Return two operands that pair each value with each."""
    return np.repeat(values, len(values)), np.tile(values, len(values))
