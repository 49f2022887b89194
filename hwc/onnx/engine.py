"""What ONNX Runtime can compute, as far as it says so before it sees a model."""

from __future__ import annotations

import functools
import importlib

from hwc.errors import SourceError
from hwc.onnx.graph import GraphNode

_OWN = frozenset({"", "ai.onnx"})
"""Domains of ONNX's own operators, which its checker has seen by now."""


def check_known(node: GraphNode, model: str) -> None:
    """Do nothing if the engine may know the operator of a node of the model in a file.

    Nothing is checked where ONNX Runtime is not installed: loading the package then says so.

    Raises:
        SourceError: it does not.
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


@functools.cache
def _known() -> frozenset[tuple[str, str]] | None:
    """Return domain and name of every operator, None if the engine is not installed."""
    try:
        state = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    except ImportError:
        return None
    schemas = state.get_all_operator_schema()
    return frozenset((schema.domain, schema.name) for schema in schemas)
