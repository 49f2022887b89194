"""Checks at compile time that ONNX Runtime can compute the parts for the host."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from hwc.errors import SourceError
from hwc.models.graph import Value
from hwc.onnx.graph import GraphNode, OnnxGraph
from hwc.package.onnx_errors import Refusal, refusal
from hwc.package.onnx_types import ONNX_TYPES

_OWN = frozenset({"", "ai.onnx"})
"""Domains of ONNX's own operators, which ONNX's checker has already checked."""


def check_known(node: GraphNode, model: str) -> None:
    """Check that ONNX Runtime knows a node's operator; `model` is the name of the model's file.

    Nothing is checked if ONNX Runtime is not installed: loading the package reports that.

    Raises:
        SourceError: ONNX Runtime does not know the operator.
    """
    domain, operator = node.proto.domain, node.proto.op_type
    known = _known()
    if domain in _OWN or known is None or (domain, operator) in known:
        return
    others = any(other == domain for other, _ in known)
    rest = "but others" if others else "nor any"
    raise SourceError(
        f"{node.place_in(model)}: error: onnxruntime does not know the operator {node.operator}, "
        f"{rest} of the domain {domain}"
    )


def part_refusal(model: bytes, weights: Mapping[str, NDArray[Any]]) -> Refusal | None:
    """Return why ONNX Runtime does not take a part of a model; None if it does.

    ONNX Runtime may know an operator but support it only for other types. Nothing is checked if
    ONNX Runtime is not installed.
    """
    if _known() is None:
        return None
    runtime: Any = importlib.import_module("onnxruntime")
    sessions: Any = importlib.import_module("onnxruntime.capi.onnxruntime_inference_collection")
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # errors are raised as well
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    if weights:
        values = [runtime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
        options.add_external_initializers([*weights], values)
    try:
        sessions.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the classes of its errors are private
        return refusal(error)
    return None


def inferred_results(graph: OnnxGraph) -> dict[str, Value]:
    """Return what ONNX Runtime infers of results whose rank is not known.

    ONNX does not know the operators of other domains. ONNX Runtime returns no sizes for a scalar
    and for an unknown rank; both stay unknown, as does everything if it is not installed.
    """
    missing = [name for name in graph.outputs if graph.rank(name) is None]
    if not missing or _known() is None:
        return {}
    runtime: Any = importlib.import_module("onnxruntime")
    sessions: Any = importlib.import_module("onnxruntime.capi.onnxruntime_inference_collection")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = sessions.InferenceSession(
            graph.model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception:  # noqa: BLE001 - the parts are checked later
        return {}
    types = {f"tensor({type_.name})": own for own, type_ in ONNX_TYPES.items()}
    return {
        each.name: Value(types[each.type], (None,) * len(each.shape))
        for each in session.get_outputs()
        if each.name in missing and each.type in types and each.shape
    }


@functools.cache
def _known() -> frozenset[tuple[str, str]] | None:
    """Return the domain and name of every operator; None if ONNX Runtime is not installed."""
    try:
        state = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    except ImportError:
        return None
    schemas = state.get_all_operator_schema()
    return frozenset((schema.domain, schema.name) for schema in schemas)
