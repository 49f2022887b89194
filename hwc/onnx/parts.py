"""A part of an ONNX graph as a separate model for an engine on the host."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
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
    taken = {node.proto.name for node in nodes}
    for node in nodes:
        proto = named(node.proto, taken)
        part.graph.node.extend(safe_nodes(graph, node, proto, part.graph))
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


def named(node: onnx.NodeProto, taken: Collection[str]) -> onnx.NodeProto:
    """Return a node with the name that messages give it: ONNX Runtime's errors have this name.

    ONNX Runtime accepts each name once; `taken` are those of other nodes.
    """
    import onnx  # noqa: PLC0415 - an optional package

    name = next((name for name in node.output if name), "")
    if node.name or name in taken:
        return node
    made = onnx.NodeProto()
    made.CopyFrom(node)
    made.name = name
    return made


def safe_nodes(
    graph: OnnxGraph, node: GraphNode, proto: onnx.NodeProto, part: onnx.GraphProto
) -> Sequence[onnx.NodeProto]:
    """Return nodes that compute a node, `proto`, and end no process; `part` gets new constants.

    ONNX Runtime divides integers with the processor's instruction, which ends the process if the
    least integer is divided by -1. Divided by -1, a number is negated instead, which wraps around.
    """
    import onnx  # noqa: PLC0415 - an optional package

    types = {"i32": onnx.TensorProto.INT32, "i64": onnx.TensorProto.INT64}
    type_ = types.get(graph.type_of(node.inputs[0]) or "") if node.operator == "Div" else None
    if type_ is None or graph.version < _WHERE:
        return [proto]
    (dividend, divisor), (result,) = node.inputs, node.outputs
    known = graph.array(divisor)
    if known is not None and (known != -1).all():
        return [proto]

    def add(operator: str, inputs: Sequence[str], output: str, name: str = "") -> str:
        made.append(onnx.helper.make_node(operator, inputs, [output], name))
        return output

    made: list[onnx.NodeProto] = []
    one, minus = f"{result}.one", f"{result}.minus_one"
    for constant, value in ((one, 1), (minus, -1)):
        part.initializer.append(onnx.helper.make_tensor(constant, type_, (), [value]))
    negates = add("Equal", [divisor, minus], f"{result}.negates")
    safe = add("Where", [negates, one, divisor], f"{result}.divisor")
    quotient = add("Div", [dividend, safe], f"{result}.quotient", proto.name)
    negative = add("Neg", [dividend], f"{result}.negative")
    add("Where", [negates, negative, quotient], result)
    return made


_WHERE = 9
"""The opset version that has the operator Where."""


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
