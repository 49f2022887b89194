"""An ONNX model as a graph: nodes in order, constants, and what is known about types and sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import isa
from hwc.errors import SourceError
from hwc.models.graph import Graph, Size, Value
from hwc.onnx.constants import constant_of
from hwc.onnx.folding import fold_constants
from hwc.onnx.normalize import normalize, outside, place_of
from hwc.onnx.types import TYPES
from hwc.shapes.steps.text import is_name

if TYPE_CHECKING:
    import onnx

Array = NDArray[Any]


@dataclass(frozen=True)
class GraphNode:
    """A node: `inputs` are the names of the values that it reads, '' for an omitted input.

    `outside` are the names that its subgraphs read from the graph around the node.
    """

    proto: onnx.NodeProto
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    outside: tuple[str, ...] = ()

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of everything that the node reads, without duplicates."""
        return tuple(dict.fromkeys(name for name in (*self.inputs, *self.outside) if name))

    @property
    def operator(self) -> str:
        """The operator, with its domain unless the domain is ONNX's own."""
        domain = self.proto.domain
        return f"{domain}.{self.proto.op_type}" if domain else self.proto.op_type

    @property
    def operation(self) -> str:
        """The operator, as `operator`."""
        return self.operator

    @property
    def origin(self) -> str:
        """The model's own name for the operator if `operator` is another: never."""
        return ""

    def place_in(self, model: str) -> str:
        """Return the model's file, and the name of the node or else of its first result."""
        return place_of(self.proto, model)


def attributes(node: onnx.NodeProto) -> dict[str, Any]:
    """Return the attributes of a node by name."""
    import onnx  # noqa: PLC0415 - an optional package

    return {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}


@dataclass
class OnnxGraph(Graph[GraphNode]):
    """An ONNX model: `constants` are its weights."""

    constants: dict[str, onnx.TensorProto]
    model: onnx.ModelProto
    version: int
    _arrays: dict[str, Array] = field(default_factory=dict)

    def array(self, name: str) -> Array | None:
        """Return the elements of a constant; None for any other value.

        Raises:
            SourceError: the constant is damaged.
        """
        import onnx  # noqa: PLC0415 - an optional package

        if name not in self.constants:
            return None
        if name not in self._arrays:
            try:
                self._arrays[name] = np.asarray(onnx.numpy_helper.to_array(self.constants[name]))
            except (TypeError, ValueError, KeyError) as error:
                raise SourceError(
                    f"{self.name}: error: damaged ONNX model: constant '{name}': {_short(error)}"
                ) from error
        return self._arrays[name]

    def type_of(self, name: str) -> str | None:
        """Return the element type of a value; None if a package cannot hold it."""
        if name in self.constants:
            return TYPES.get(self.constants[name].data_type)
        return super().type_of(name)

    def constant_value(self, name: str) -> Value | None:
        """Return the type and the sizes of a constant; None if a package cannot hold it."""
        type_ = self.type_of(name)
        if name not in self.constants or type_ is None:
            return None
        return Value(type_, tuple(self.constants[name].dims))

    def other_type(self, name: str) -> str:
        """Return ONNX's name for the type of an argument or a result."""
        import onnx  # noqa: PLC0415 - an optional package

        if name in self.constants:
            return onnx.TensorProto.DataType.Name(self.constants[name].data_type)
        for value in (*self.model.graph.input, *self.model.graph.output):
            if value.name == name:
                kind = value.type.WhichOneof("value") or "tensor_type"
                if kind != "tensor_type":
                    return str(kind).removesuffix("_type")
                return onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type)
        return "UNDEFINED"

    def rank(self, name: str) -> int | None:
        """Return the rank of a value; None if it is unknown."""
        if name in self.constants:
            return len(self.constants[name].dims)
        return super().rank(name)


def read_graph(content: bytes, name: str) -> OnnxGraph:
    """Return the graph of the model in the file `name`.

    Raises:
        SourceError: the package onnx is missing, or the model is damaged or not supported.
    """
    try:
        import onnx  # noqa: PLC0415 - an optional package
        import onnx.inliner  # noqa: PLC0415 - as above
    except ImportError as error:
        raise SourceError(
            f"{name}: error: reading an ONNX model needs onnx: pip install 'hwc[onnx]'"
        ) from error
    try:
        model = onnx.load_model_from_string(content)
    except Exception as error:  # protobuf has several classes of errors
        raise SourceError(f"{name}: error: damaged ONNX model: {_short(error)}") from error
    if not _is_text(model):
        raise SourceError(f"{name}: error: damaged ONNX model: a name is not UTF-8")
    if any(tensor.data_location == tensor.EXTERNAL for tensor in _tensors(model.graph)):
        raise SourceError(
            f"{name}: error: the weights of the model are in another file\n"
            "help: save the model with its weights in one file, "
            "`onnx.save(onnx.load(FILE), OTHER_FILE)`"
        )
    for tensor in _tensors(model.graph):
        if _is_cut_off(onnx, tensor):
            raise SourceError(
                f"{name}: error: damaged ONNX model: constant '{tensor.name}' does not have as "
                "many bytes as its type and its sizes say"
            )
    normalize(onnx, model, name)
    _check(onnx, model, name)
    try:
        if model.functions:
            model = onnx.inliner.inline_local_functions(model)
        model = fold_constants(onnx, model)
        declared = [*model.graph.value_info, *model.graph.output]
        inferred = _inferred(onnx, model)
    except Exception as error:  # the checker and the inference have their own classes of errors
        raise SourceError(f"{name}: error: not a valid ONNX model: {_short(error)}") from error
    return _graph(onnx, name, model, declared, inferred)


def _check(onnx: Any, model: onnx.ModelProto, name: str) -> None:
    """Check a model with ONNX's checker.

    The checker needs the type and the rank of each result; both follow from the operators.

    Raises:
        SourceError: the checker refuses the model, at a node if it refuses one node.
    """
    given = [(value, value.type.tensor_type) for value in model.graph.output]
    bare = [v for v, t in given if v.type.WhichOneof("value") is None or _lacks_shape(v, t)]
    types = [value.type.SerializeToString() for value in bare]
    try:
        for value in bare:
            tensor = value.type.tensor_type
            tensor.elem_type = tensor.elem_type or onnx.TensorProto.FLOAT
            tensor.shape.SetInParent()
        onnx.checker.check_model(model)
    except Exception as error:  # the checker has its own classes of errors
        place = _place_of_error(onnx, model, name)
        raise SourceError(f"{place}: error: not a valid ONNX model: {_short(error)}") from error
    finally:
        for value, type_ in zip(bare, types, strict=True):
            value.type.ParseFromString(type_)


def _lacks_shape(value: onnx.ValueInfoProto, tensor: onnx.TypeProto.Tensor) -> bool:
    is_tensor = value.type.HasField("tensor_type")
    return is_tensor and not (tensor.elem_type and tensor.HasField("shape"))


def _place_of_error(onnx: Any, model: onnx.ModelProto, name: str) -> str:
    """Return the place of the first node that the checker refuses, or else the file."""
    context = onnx.checker.C.CheckerContext()
    context.ir_version = model.ir_version
    context.opset_imports = {each.domain: each.version for each in model.opset_import}
    for node in model.graph.node:
        try:
            onnx.checker.check_node(node, context)
        except Exception:  # noqa: BLE001 - as above
            return place_of(node, name)
    return name


def _inferred(onnx: Any, model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with inferred shapes, ignoring those it declares for computed tensors.

    A model may declare wrong shapes, and nothing would notice.
    """
    bare = type(model)()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    for output in bare.graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    outputs = {output.name: output for output in bare.graph.output}
    while True:
        inferred = onnx.shape_inference.infer_shapes(bare, data_prop=True)
        known = {value.name for value in bare.graph.value_info}
        found = [v for v in _ranks_of_reshapes(onnx, inferred.graph) if v.name not in known]
        if not found:
            return inferred
        # These ranks may let the inference find more.
        bare.graph.value_info.extend(found)
        for value in found:
            if value.name in outputs:
                outputs[value.name].CopyFrom(value)


def _ranks_of_reshapes(onnx: Any, graph: onnx.GraphProto) -> Iterator[onnx.ValueInfoProto]:
    """Yield results of Reshape whose rank the inference missed: the rank is the number of sizes.

    ONNX itself infers the rank from opset 18 on.
    """
    values = (*graph.value_info, *graph.input, *graph.output)
    types = {value.name: value.type.tensor_type for value in values}
    for node in graph.node:
        if node.op_type != "Reshape" or node.domain or len(node.input) != 2:
            continue
        reshaped, sizes, result = map(types.get, (*node.input, node.output[0]))
        if result is not None and result.HasField("shape"):
            continue
        if reshaped is not None and sizes is not None and len(sizes.shape.dim) == 1:
            rank = sizes.shape.dim[0].dim_value
            if 0 < rank <= isa.load().limits.rank_max:
                yield onnx.helper.make_tensor_value_info(
                    node.output[0], reshaped.elem_type, [None] * rank
                )


def _tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    yield from graph.initializer
    yield from _sparse(graph.sparse_initializer)
    for node in graph.node:
        for attribute in node.attribute:
            yield from (t for t in (attribute.t, *attribute.tensors) if t.data_type)
            yield from _sparse((attribute.sparse_tensor, *attribute.sparse_tensors))
            for inner in (attribute.g, *attribute.graphs):
                yield from _tensors(inner)


def _sparse(tensors: Iterable[onnx.SparseTensorProto]) -> Iterator[onnx.TensorProto]:
    for tensor in tensors:
        yield from (part for part in (tensor.values, tensor.indices) if part.data_type)


def _is_cut_off(onnx: Any, tensor: onnx.TensorProto) -> bool:
    """Whether a tensor's byte count is wrong, so that shape inference would read past its end."""
    if not tensor.HasField("raw_data") or tensor.data_type not in TYPES:
        return any(size < 0 for size in tensor.dims)
    itemsize = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
    expected = prod(tensor.dims) * itemsize
    return any(size < 0 for size in tensor.dims) or expected != len(tensor.raw_data)


def _is_text(message: Any) -> bool:
    """Whether all strings are UTF-8; protobuf returns any other string as bytes."""
    for kind, value in message.ListFields():
        if kind.type not in {kind.TYPE_STRING, kind.TYPE_MESSAGE}:
            continue
        several = isinstance(value, Iterable) and not isinstance(value, str | bytes)
        for one in value if several else [value]:
            if isinstance(one, bytes) or not (isinstance(one, str) or _is_text(one)):
                return False
    return True


def _short(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2]) or type(error).__name__


def _graph(
    onnx: Any,
    name: str,
    model: onnx.ModelProto,
    declared: Iterable[onnx.ValueInfoProto],
    inferred: onnx.ModelProto,
) -> OnnxGraph:
    graph = model.graph
    constants = {tensor.name: tensor for tensor in graph.initializer}
    nodes: list[GraphNode] = []
    for proto in graph.node:
        constant = constant_of(onnx, proto)
        if constant is not None:
            constants[proto.output[0]] = constant
            continue
        outside_names = tuple(dict.fromkeys(outside(proto)))
        nodes.append(GraphNode(proto, tuple(proto.input), tuple(proto.output), outside_names))
    inputs = [value for value in graph.input if value.name not in constants]
    names = {
        size.dim_param
        for value in inputs
        for size in value.type.tensor_type.shape.dim
        if is_name(size.dim_param)
    }
    values: dict[str, Value] = {}
    for value in declared:
        known = _value(value, set())
        if known is not None:  # the rank may be right; the sizes are learned at run time
            sizes = None if known.sizes is None else (None,) * len(known.sizes)
            values[value.name] = Value(known.type, sizes)
    for value in (*inferred.graph.value_info, *inferred.graph.output, *inputs):
        known = _value(value, names)
        if known is not None and (known.sizes is not None or value.name not in values):
            values[value.name] = known
    version = next((o.version for o in model.opset_import if not o.domain), 1)
    outputs = [value.name for value in graph.output]
    return OnnxGraph(
        name=name,
        entry=graph.name or "main",
        nodes=nodes,
        inputs=[value.name for value in inputs],
        outputs=outputs,
        constants=constants,
        values=values,
        model=model,
        version=version,
    )


def _value(value: onnx.ValueInfoProto, names: set[str]) -> Value | None:
    """Return what a model says about a tensor; None if a package cannot hold the tensor."""
    tensor = value.type.tensor_type
    type_ = TYPES.get(tensor.elem_type)
    if type_ is None:
        return None
    if not tensor.HasField("shape"):
        return Value(type_, None)
    sizes: list[Size] = []
    for size in tensor.shape.dim:
        if size.HasField("dim_value") and size.dim_value > 0:
            sizes.append(size.dim_value)
        else:
            sizes.append(size.dim_param if size.dim_param in names else None)
    return Value(type_, tuple(sizes))
