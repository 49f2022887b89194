"""Gives a model the form that ONNX's checker and shape inference take, where it has one meaning.

ONNX Runtime loads more files than ONNX's checker accepts. Each difference is either removed here,
without a change of meaning, or refused with the name of the node or the value.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hwc.errors import SourceError
from hwc.shapes.steps.text import is_name

if TYPE_CHECKING:
    import onnx

_PLACEHOLDERS = frozenset(
    ("any", "dyn", "dynamic", "nan", "none", "null", "undefined", "unk", "unknown")
)
"""Strings, in lower case, that exporters write instead of the name of a size."""

_LARGEST = 1 << 31
"""In bytes: the largest message of protobuf, and so the largest tensor of a file."""


_CONSTANTS = 4
"""The IR version since which initializers need not be inputs."""


def normalize(onnx: Any, model: onnx.ModelProto, file: str) -> None:
    """Change a model in place; `file` is its name for messages.

    Raises:
        SourceError: a node or a value has no meaning, or more than one.
    """
    _set_version(onnx, model, file)
    model.graph.name = model.graph.name or "main"
    bodies = [model.graph, *model.functions]
    for inner in (graph for body in bodies for node in body.node for graph in _subgraphs(node)):
        inner.name = inner.name or "body"
    for function in model.functions:
        function.domain = _domain(function.domain)
        _unify_domains(function.opset_import, f"{file}: function {function.name}")
    for node in (node for body in bodies for node in _all_nodes(body.node)):
        node.domain = _domain(node.domain)
        _give_one_value(onnx, node, file)
    _unify_domains(model.opset_import, file)
    _check_opset(onnx, model, file)
    _import_domains(onnx, model)
    for graph in (model.graph, *(g for body in bodies for n in body.node for g in _subgraphs(n))):
        _make_dense(onnx, graph, file)
        _drop_duplicates(onnx, graph, file)
    for body in bodies:
        _sort(body, file)
    _describe_inputs(model.graph, file)
    _check_reads(model.graph, file)


def place_of(node: onnx.NodeProto, file: str) -> str:
    """Return the file, and the name of a node or else of its first result."""
    return f"{file}: node {node.name or next((name for name in node.output if name), '?')}"


def outside(node: onnx.NodeProto) -> Iterator[str]:
    """Yield the names that a node's subgraphs read from the graph around the node."""
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            own = {tensor.name for tensor in graph.initializer}
            own.update(value.name for value in graph.input)
            for inner in graph.node:
                for name in (*inner.input, *outside(inner)):
                    if name and name not in own:
                        yield name
                own.update(inner.output)
            yield from (value.name for value in graph.output if value.name not in own)


def _subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """Yield the graphs in a node, with those in them."""
    for attribute in node.attribute:
        graphs = [attribute.g] if attribute.HasField("g") else []
        for graph in (*graphs, *attribute.graphs):
            yield graph
            for inner in graph.node:
                yield from _subgraphs(inner)


def _all_nodes(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    for node in nodes:
        yield node
        for graph in _subgraphs(node):
            yield from graph.node


def _set_version(onnx: Any, model: onnx.ModelProto, file: str) -> None:
    """Read a model of a newer IR version as of the newest that the package onnx knows.

    Versions add fields. A model without a field that onnx does not know means the same in both. An
    old model may have constants that it does not list as inputs, as newer models have.
    """
    inputs = {value.name for value in model.graph.input}
    if 0 < model.ir_version < _CONSTANTS and not all(
        tensor.name in inputs for tensor in model.graph.initializer
    ):
        model.ir_version = _CONSTANTS
    if model.ir_version <= onnx.IR_VERSION:
        return
    if number := _unknown_field(model):
        raise SourceError(
            f"{file}: error: the model has IR version {model.ir_version} and a field (number "
            f"{number}) that onnx {onnx.__version__} does not know\n"
            f"help: save the model with IR version {onnx.IR_VERSION}, or install a newer onnx"
        )
    model.ir_version = onnx.IR_VERSION


def _unknown_field(message: Any) -> int:
    """Return the number of a field that the package onnx does not know; 0 if there is none."""
    from google.protobuf.unknown_fields import UnknownFieldSet  # noqa: PLC0415 - beside onnx

    unknown: Any = UnknownFieldSet(message)
    if len(unknown):
        return int(unknown[0].field_number)
    for kind, value in message.ListFields():
        if kind.type == kind.TYPE_MESSAGE:
            parts = [value] if hasattr(value, "ListFields") else value
            if number := next((n for n in map(_unknown_field, parts) if n), 0):
                return number
    return 0


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def _unify_domains(imports: Any, place: str) -> None:
    """Spell ONNX's own domain as '', and drop a domain that is imported twice."""
    versions: dict[str, int] = {}
    for each in [*imports]:
        each.domain = _domain(each.domain)
        if versions.setdefault(each.domain, each.version) != each.version:
            raise SourceError(
                f"{place}: error: the model imports the domain '{each.domain or 'ai.onnx'}' in the "
                f"versions {versions[each.domain]} and {each.version}\nhelp: import one of them"
            )
        if each.domain in versions and [e.domain for e in imports].count(each.domain) > 1:
            imports.remove(each)


def _check_opset(onnx: Any, model: onnx.ModelProto, file: str) -> None:
    newest = onnx.defs.onnx_opset_version()
    for each in model.opset_import:
        if not each.domain and each.version > newest:
            raise SourceError(
                f"{file}: error: the model imports version {each.version} of ONNX's operators; "
                f"onnx {onnx.__version__} knows them up to {newest}"
            )


def _import_domains(onnx: Any, model: onnx.ModelProto) -> None:
    """Import domains of nodes that the model does not import, as ONNX Runtime does.

    ONNX's own domain is not among them: its operators differ from version to version.
    """
    known = {each.domain for each in model.opset_import}
    for node in _all_nodes(model.graph.node):
        if node.domain and node.domain not in known:
            known.add(node.domain)
            versions = [s.since_version for s in _schemas(onnx, node.domain)]
            model.opset_import.add(domain=node.domain, version=max(versions, default=1))


def _schemas(onnx: Any, domain: str) -> list[Any]:
    return [schema for schema in onnx.defs.get_all_schemas() if schema.domain == domain]


def _give_one_value(onnx: Any, node: onnx.NodeProto, file: str) -> None:
    """Check that a Constant has one attribute, and make a sparse value dense."""
    if node.op_type != "Constant" or node.domain:
        return
    place = place_of(node, file)
    if len(node.attribute) != 1:
        names = ", ".join(attribute.name for attribute in node.attribute)
        raise SourceError(
            f"{place}: error: Constant has {names or 'no attribute'}, expected one value\n"
            "help: give it one of value, value_float, value_floats, value_int, value_ints, "
            "value_string, value_strings and sparse_value"
        )
    (attribute,) = node.attribute
    if attribute.name == "sparse_value" and attribute.type == attribute.SPARSE_TENSOR:
        tensor = _dense(onnx, attribute.sparse_tensor, f"{place}: error: its sparse value")
        attribute.CopyFrom(onnx.helper.make_attribute("value", tensor))


def _make_dense(onnx: Any, graph: onnx.GraphProto, file: str) -> None:
    """Make the sparse initializers of a graph dense; each has the name of its values."""
    for sparse in graph.sparse_initializer:
        name = sparse.values.name
        tensor = _dense(onnx, sparse, f"{file}: error: the sparse initializer '{name}'")
        tensor.name = name
        graph.initializer.append(tensor)
    graph.ClearField("sparse_initializer")


def _dense(onnx: Any, sparse: onnx.SparseTensorProto, subject: str) -> onnx.TensorProto:
    """Return a sparse tensor with its zeros; `subject` begins a message."""
    sizes = tuple(sparse.dims)
    try:
        values = np.asarray(onnx.numpy_helper.to_array(sparse.values))
        linear = _linear(onnx, sparse, sizes)
    except (TypeError, ValueError, KeyError) as error:
        raise SourceError(f"{subject} is damaged: {error}") from error
    if values.dtype.kind == "O":
        raise SourceError(f"{subject} has strings, expected numbers")
    if any(size < 0 for size in sizes) or prod(sizes) * values.itemsize >= _LARGEST:
        raise SourceError(
            f"{subject} has sizes {'x'.join(map(str, sizes))}; with its zeros, a tensor of a file "
            "has less than 2 GiB"
        )
    if values.shape != linear.shape:
        raise SourceError(
            f"{subject} has values of the shape {values.shape} and indices of {linear.shape}, "
            "expected one index for each value"
        )
    if len(np.unique(linear)) < len(linear):
        raise SourceError(f"{subject} has two values at one index")
    dense = np.zeros(prod(sizes), values.dtype)
    dense[linear] = values
    made: onnx.TensorProto = onnx.numpy_helper.from_array(dense.reshape(sizes))
    return made


def _linear(onnx: Any, sparse: onnx.SparseTensorProto, sizes: tuple[int, ...]) -> NDArray[Any]:
    """Return the index of each value in the flat tensor.

    Raises:
        ValueError: an index is outside of the tensor.
    """
    if not prod(sparse.values.dims):
        return np.zeros(0, np.int64)
    indices = np.asarray(onnx.numpy_helper.to_array(sparse.indices))
    if indices.ndim == 2 and indices.shape[1] == len(sizes):  # noqa: PLR2004
        return np.asarray(np.ravel_multi_index(tuple(indices.T), sizes))
    if indices.ndim != 1:
        raise ValueError(f"indices of the shape {indices.shape} for rank {len(sizes)}")
    if ((indices < 0) | (indices >= prod(sizes))).any():
        raise ValueError(f"an index is not below {prod(sizes)}")
    return indices


def _drop_duplicates(onnx: Any, graph: onnx.GraphProto, file: str) -> None:
    """Drop an initializer that repeats an earlier one."""
    found: dict[str, onnx.TensorProto] = {}
    repeated: list[int] = []
    for number, tensor in enumerate(graph.initializer):
        first = found.setdefault(tensor.name, tensor)
        if first is not tensor:
            if not _are_equal(onnx, first, tensor):
                raise SourceError(
                    f"{file}: error: the model has two initializers '{tensor.name}' with different "
                    "contents\nhelp: give each its own name"
                )
            repeated.append(number)
    for number in reversed(repeated):
        del graph.initializer[number]


def _are_equal(onnx: Any, left: onnx.TensorProto, right: onnx.TensorProto) -> bool:
    if (left.data_type, *left.dims) != (right.data_type, *right.dims):
        return False
    try:
        arrays = [onnx.numpy_helper.to_array(tensor) for tensor in (left, right)]
    except (TypeError, ValueError, KeyError):
        return left == right
    return arrays[0].tolist() == arrays[1].tolist() or arrays[0].tobytes() == arrays[1].tobytes()


def _sort(body: Any, file: str) -> None:
    """Put the nodes of a graph or function in an order in which each follows what it reads."""
    for node in body.node:
        for attribute in node.attribute:
            for graph in ([attribute.g] if attribute.HasField("g") else []) + [*attribute.graphs]:
                _sort(graph, file)
    maker = {name: n for n, node in enumerate(body.node) for name in node.output if name}
    reads = [
        {maker[name] for name in (*node.input, *outside(node)) if name in maker}
        for node in body.node
    ]
    if all(other < number for number, others in enumerate(reads) for other in others):
        return
    readers: list[list[int]] = [[] for _ in reads]
    for number, others in enumerate(reads):
        for other in others:
            readers[other].append(number)
    missing = [len(others) for others in reads]
    ready = [number for number, count in enumerate(missing) if not count]
    order: list[int] = []
    while ready:
        order.append(heapq.heappop(ready))
        for reader in readers[order[-1]]:
            missing[reader] -= 1
            if not missing[reader]:
                heapq.heappush(ready, reader)
    if len(order) < len(reads):
        node = body.node[_in_circle(reads, set(range(len(reads))) - set(order))]
        raise SourceError(
            f"{place_of(node, file)}: error: {node.op_type} reads its own result, directly or "
            "through other nodes"
        )
    nodes = [*body.node]
    body.ClearField("node")
    body.node.extend(nodes[number] for number in order)


def _in_circle(reads: list[set[int]], left: set[int]) -> int:
    """Return a node that depends on itself, given those without an order."""
    number, seen = min(left), set[int]()
    while number not in seen:
        seen.add(number)
        number = min(reads[number] & left)
    return number


def _describe_inputs(graph: onnx.GraphProto, file: str) -> None:
    """Check that inputs have a type and a rank; names of sizes that name nothing are removed."""
    constants = {tensor.name: tensor for tensor in graph.initializer}
    for value in graph.input:
        tensor = value.type.tensor_type
        constant = constants.get(value.name)
        if constant is not None and not (tensor.elem_type and tensor.HasField("shape")):
            tensor.elem_type = constant.data_type
            tensor.shape.SetInParent()
            for size in constant.dims:
                tensor.shape.dim.add(dim_value=size)
        if value.type.WhichOneof("value") is None:
            raise SourceError(f"{file}: error: argument '{value.name}' has no type")
        if value.type.HasField("tensor_type") and not tensor.HasField("shape"):
            raise SourceError(f"{file}: error: argument '{value.name}' has an unknown rank")
        for size in tensor.shape.dim if value.type.HasField("tensor_type") else ():
            name = size.dim_param
            if name and (not is_name(name) or name.lower() in _PLACEHOLDERS):
                size.ClearField("dim_param")


def _check_reads(graph: onnx.GraphProto, file: str) -> None:
    """Check that something computes each name that a node reads."""
    known = {each.name for each in (*graph.input, *graph.initializer)}
    known.update(name for node in graph.node for name in node.output)
    for node in graph.node:
        for name in (*node.input, *outside(node)):
            if name and name not in known:
                raise SourceError(
                    f"{place_of(node, file)}: error: {node.op_type} reads '{name}', which is not "
                    "an argument, a constant or the result of a node"
                )
