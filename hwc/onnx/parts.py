"""A part of an ONNX graph as a model of its own, for an engine on the host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from hwc.onnx.graph import Graph, GraphNode


def part_model(
    graph: Graph, nodes: Sequence[GraphNode], inputs: Sequence[str], outputs: Sequence[str]
) -> bytes:
    """Return the bytes of a model that computes `outputs` of `inputs` by these nodes.

    The bytes are the same whenever the model is.
    """
    import onnx  # noqa: PLC0415 - an optional package

    part = onnx.ModelProto()
    part.ir_version = graph.model.ir_version
    part.opset_import.extend(graph.model.opset_import)
    part.graph.name = graph.model.graph.name or "part"
    part.graph.node.extend(node.proto for node in nodes)
    read = {name for node in nodes for name in node.reads}
    weights = (tensor for name, tensor in graph.constants.items() if name in read)
    part.graph.initializer.extend(weights)
    for name in inputs:
        value = part.graph.input.add()
        value.name = name
        _describe(graph, name, value)
    for name in outputs:
        value = part.graph.output.add()
        value.name = name
        _describe(graph, name, value, with_sizes=False)
    return part.SerializeToString(deterministic=True)


def _describe(graph: Graph, name: str, value: object, with_sizes: bool = True) -> None:
    """Write the type of a tensor, and its sizes as far as they are numbers."""
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


def summary(operators: Iterable[str]) -> str:
    """Return which operators there are, and how many of each: `2 Conv, Relu`."""
    counts = Counter(operators)
    return ", ".join(f"{n} {name}" if n > 1 else name for name, n in counts.items())
