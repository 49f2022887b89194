"""A part of an ONNX graph as a separate model for an engine on the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hwc.onnx.graph import GraphNode, OnnxGraph
from hwc.package import Weight
from hwc.package.host_types import is_numpys

if TYPE_CHECKING:
    import onnx

LARGE = 1024
"""In bytes. Smaller constants stay in the part: an engine may need them to infer sizes."""


def part_model(
    graph: OnnxGraph,
    nodes: Sequence[GraphNode],
    inputs: Sequence[str],
    outputs: Sequence[str],
    place: Callable[[bytes], int],
) -> tuple[bytes, tuple[Weight, ...]]:
    """Return the bytes of a model that computes `outputs` from `inputs` with these nodes.

    Equal models give equal bytes. Constants of `LARGE` bytes or more are returned separately:
    `place` stores their bytes and returns the offset.
    """
    import onnx  # noqa: PLC0415 - an optional package

    part = onnx.ModelProto()
    part.ir_version = graph.model.ir_version
    part.opset_import.extend(graph.model.opset_import)
    part.graph.name = graph.model.graph.name or "part"
    part.graph.node.extend(node.proto for node in nodes)
    read = {name for node in nodes for name in node.reads}
    weights: list[Weight] = []
    for name, tensor in graph.constants.items():
        if name in read:
            weight = _weight(graph, name, place)
            if weight is None:
                part.graph.initializer.append(tensor)
            else:
                weights.append(weight)
                part.graph.initializer.append(_elsewhere(weight, tensor.data_type))
    for name in inputs:
        value = part.graph.input.add()
        value.name = name
        _describe(graph, name, value)
    for name in outputs:
        value = part.graph.output.add()
        value.name = name
        _describe(graph, name, value, with_sizes=False)
    return part.SerializeToString(deterministic=True), tuple(weights)


def _weight(graph: OnnxGraph, name: str, place: Callable[[bytes], int]) -> Weight | None:
    """Return a constant to store outside the part; None if it is small or not a NumPy type."""
    type_ = graph.type_of(name)
    array = graph.array(name) if type_ and is_numpys(type_) else None
    if type_ is None or array is None or array.nbytes < LARGE:
        return None
    stored = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    return Weight(name, type_, array.shape, place(stored.tobytes()))


def _elsewhere(weight: Weight, data_type: int) -> onnx.TensorProto:
    """Return a tensor whose elements are stored outside the part."""
    import onnx  # noqa: PLC0415 - an optional package

    tensor = onnx.TensorProto()
    tensor.name = weight.name
    tensor.data_type = data_type
    tensor.dims.extend(weight.shape)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    entries = {"location": "constants", "offset": weight.offset, "length": weight.nbytes}
    for key, value in entries.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = key, str(value)
    return tensor


def _describe(graph: OnnxGraph, name: str, value: object, with_sizes: bool = True) -> None:
    """Set the type of a tensor, and each size that is a number."""
    import onnx  # noqa: PLC0415 - an optional package

    from hwc.onnx.types import TYPES  # noqa: PLC0415 - beside onnx

    assert isinstance(value, onnx.ValueInfoProto)
    known = graph.values[name]
    tensor = value.type.tensor_type
    tensor.elem_type = next(number for number, type_ in TYPES.items() if type_ == known.type)
    if not with_sizes or known.sizes is None:
        return
    tensor.shape.SetInParent()
    for size in known.sizes:
        dimension = tensor.shape.dim.add()
        if isinstance(size, int):
            dimension.dim_value = size
