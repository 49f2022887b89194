"""Constant folding: computes ONNX operators with constant operands at compile time.

Operators that the machine computes are left to the regions, whose constants fold with the machine's
own semantics. ONNX's reference in NumPy computes the others: operators that move elements, and
element-wise operators on types that the machine lacks, such as f64 and i64. Both kinds give the
same bits on every computer.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hwc.onnx.constants import constant_of
from hwc.onnx.types import COMPUTED, TYPES

if TYPE_CHECKING:
    import onnx

_MOVES = frozenset(
    (
        "Concat",
        "ConstantOfShape",
        "Expand",
        "Flatten",
        "Gather",
        "GatherElements",
        "Identity",
        "Range",
        "Reshape",
        "Shape",
        "Size",
        "Slice",
        "Squeeze",
        "Tile",
        "Transpose",
        "Unsqueeze",
    )
)
"""Operators whose results are existing elements, or indices."""

_POINTS = frozenset(
    (
        "Abs",
        "Add",
        "And",
        "BitwiseAnd",
        "BitwiseNot",
        "BitwiseOr",
        "BitwiseXor",
        "Cast",
        "CastLike",
        "Equal",
        "Greater",
        "GreaterOrEqual",
        "Less",
        "LessOrEqual",
        "Mul",
        "Neg",
        "Not",
        "Or",
        "Sub",
        "Where",
        "Xor",
    )
)
"""Element-wise operators that are exact or round once."""

_KINDS = "?iuf"
"""The dtype kinds that NumPy itself computes with."""

GROWTH = 1 << 16
"""In bytes. A result larger than this and larger than its operands is left to the engine."""

Array = NDArray[Any]


def fold_constants(onnx: Any, model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with its operators on constants replaced by their results."""
    known = _Constants(onnx, model.graph)
    kept: list[onnx.NodeProto] = []
    made: list[onnx.TensorProto] = []
    for node in model.graph.node:
        results = _results(onnx, model, node, known)
        if results is None:
            kept.append(node)
            continue
        known.arrays.update(results)
        made += [onnx.numpy_helper.from_array(array, name) for name, array in results.items()]
    if not made:
        return model
    folded = type(model)()
    folded.CopyFrom(model)
    del folded.graph.node[:]
    folded.graph.node.extend(kept)
    folded.graph.initializer.extend(made)
    return folded


class _Constants:
    """The constants of a graph: tensors that become arrays on first use."""

    def __init__(self, onnx: Any, graph: onnx.GraphProto) -> None:
        self.arrays: dict[str, Array] = {}
        self._onnx = onnx
        self._tensors = {tensor.name: tensor for tensor in graph.initializer}
        for node in graph.node:
            constant = constant_of(onnx, node)
            if constant is not None:
                self._tensors[node.output[0]] = constant

    def __contains__(self, name: str) -> bool:
        return name in self.arrays or (
            name in self._tensors and self._tensors[name].data_type in TYPES
        )

    def __getitem__(self, name: str) -> Array:
        if name not in self.arrays:
            self.arrays[name] = self._onnx.numpy_helper.to_array(self._tensors[name])
        return self.arrays[name]


def _results(
    onnx: Any, model: onnx.ModelProto, node: onnx.NodeProto, known: _Constants
) -> dict[str, Array] | None:
    """Return the results of a node by name; None if the node is not folded."""
    names = [name for name in node.input if name]
    if node.domain or not names or node.op_type not in _MOVES | _POINTS:
        return None
    if not all(name in known for name in names):
        return None
    operands = {name: known[name] for name in names}
    made = _computed(onnx, model, node, operands)
    if made is None:
        return None
    arrays = (*operands.values(), *made.values())
    if any(array.dtype.kind not in _KINDS for array in arrays):
        return None
    if node.op_type in _POINTS and all(_is_machines(onnx, array) for array in arrays):
        return None
    if node.op_type in ("Cast", "CastLike") and not _fits(arrays[0], arrays[-1].dtype):
        return None
    sizes = [sum(array.nbytes for array in each.values()) for each in (operands, made)]
    return made if sizes[1] <= max(sizes[0], GROWTH) else None


def _computed(
    onnx: Any, model: onnx.ModelProto, node: onnx.NodeProto, operands: Mapping[str, Array]
) -> dict[str, Array] | None:
    """Return what ONNX's reference computes; None if it fails."""
    from onnx import reference  # noqa: PLC0415 - an optional package

    helper = onnx.helper
    inputs = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in operands.items()
    ]
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output]
    part = helper.make_model(
        helper.make_graph([node], "part", inputs, outputs), opset_imports=model.opset_import
    )
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            made = reference.ReferenceEvaluator(part).run(None, dict(operands))
    except Exception:  # noqa: BLE001 - the engine will report what is wrong
        return None
    if not all(isinstance(each, np.ndarray | np.generic) for each in made):
        return None
    return {name: np.asarray(array) for name, array in zip(node.output, made, strict=True)}


def _is_machines(onnx: Any, array: Array) -> bool:
    number = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    return TYPES.get(number) in COMPUTED


def _fits(array: Array, dtype: np.dtype[Any]) -> bool:
    """Whether numbers fit in an integer type; others are left for the engine to convert."""
    if array.dtype.kind != "f" or dtype.kind not in "iu":
        return True
    limits = np.iinfo(dtype)
    return bool(((array > limits.min - 1.0) & (array < limits.max + 1.0)).all())
