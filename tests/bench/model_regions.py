"""How long ONNX Runtime takes for those regions of a model that run on the machine.

ONNX models are cut as `hwc compile` cuts them, and their regions get the values that the model
gives them. Regions of TFLite models are written as ONNX graphs, operator by operator, and get
random values of their own sizes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnxruntime
from bench.tflite_regions import compute, dtype_of, tflite_graph
from onnx import helper, numpy_helper

from hwc.compiler import portable_text
from hwc.models.cutting import GraphPart, cut_graph
from hwc.onnx.compile import OnnxFront, graph_of
from hwc.package import HostStep, Tensor
from hwc.runtime.engines import ReadyPart, open_parts
from hwc.tosa.compile import TosaFront
from hwc.tosa.graph import TosaGraph, TosaNode

RUNS = 3
"""How often all regions of a model are run."""
Arrays = Mapping[str, np.ndarray]
OPERATORS = {
    "add": "Add",
    "cast": "Cast",
    "clamp": "Clip",
    "greater_equal": "GreaterOrEqual",
    "identity": "Identity",
    "mul": "Mul",
    "reshape": "Reshape",
    "select": "Where",
    "sigmoid": "Sigmoid",
}
"""ONNX's name of TOSA's operators, of those that MediaPipe's models have on the machine."""


def timed_elsewhere(path: Path) -> Callable[[Arrays], float]:
    """Return what runs a model's regions in ONNX Runtime for some arguments of the model.

    It returns seconds: the sum over all regions.
    """
    return _of_onnx(path) if path.suffix == ".onnx" else _of_tflite(path)


def _of_onnx(path: Path) -> Callable[[Arrays], float]:
    graph = graph_of(path.read_bytes(), path.name)
    front = OnnxFront(graph)
    parts = _regions(graph, front)
    constants = bytearray()

    def place(data: bytes) -> int:
        constants.extend(bytes(-len(constants) % 64))
        constants.extend(data)
        return len(constants) - len(data)

    models = [front.part(part.nodes, part.inputs, part.outputs, place) for part in parts]
    ready = [
        _opened(made.model, part.outputs, path.name, made.weights, bytes(constants))
        for part, made in zip(parts, models, strict=True)
    ]
    whole = onnx.load(path)
    crossing = dict.fromkeys(name for part in parts for name in part.inputs)
    del whole.graph.output[:]
    inner = [name for name in crossing if name not in graph.inputs]
    whole.graph.output.extend(onnx.ValueInfoProto(name=name) for name in inner)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        whole.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )

    def run(feeds: Arrays) -> float:
        values = {**feeds, **dict(zip(inner, session.run(inner, dict(feeds)), strict=True))}
        return _fastest(ready, [{name: values[name] for name in part.inputs} for part in parts])

    return run


def _of_tflite(path: Path) -> Callable[[Arrays], float]:
    graph = tflite_graph(path)
    parts = _regions(graph, TosaFront(graph, portable_text))
    ready = [
        _opened(_in_onnx(graph, part).SerializeToString(), part.outputs, path.name)
        for part in parts
    ]
    rng = np.random.default_rng(0)
    values = [
        {name: _random(graph, name, rng) for name in part.inputs if name not in graph.constants}
        for part in parts
    ]
    return lambda _: _fastest(ready, values)


def _regions(graph: Any, front: Any) -> list[GraphPart]:
    wanted = [front.refusal(number) is None for number in range(len(graph.nodes))]
    return [part for part in cut_graph(graph, front, wanted) if part.on_machine]


def _opened(
    model: bytes,
    outputs: Sequence[str],
    where: str,
    weights: Any = (),
    constants: bytes = b"",
) -> ReadyPart:
    tensors = tuple(Tensor(name, "f32", (), "") for name in outputs)
    step = HostStep("onnxruntime", model, (), tensors, "", weights)
    return open_parts([step], constants, where)[0]


def _fastest(ready: Sequence[ReadyPart], values: Sequence[Arrays]) -> float:
    """Run all regions in turn, several times, as a model does; each counts with its best time."""
    times = np.empty((RUNS, len(ready)))
    for run in range(RUNS):
        for number, (part, given) in enumerate(zip(ready, values, strict=True)):
            start = time.perf_counter()
            part.run(given)
            times[run, number] = time.perf_counter() - start
    return float(times.min(axis=0).sum())


def _random(graph: TosaGraph, name: str, rng: np.random.Generator) -> np.ndarray:
    type_ = cast("Any", graph.types[name])
    return rng.uniform(-3, 3, type_.get_shape()).astype(dtype_of(type_))


def _in_onnx(graph: TosaGraph, part: GraphPart) -> onnx.ModelProto:
    """Return a region as an ONNX model."""
    weights: dict[str, np.ndarray] = {}
    made = [_node_in_onnx(graph, graph.nodes[number], weights) for number in part.nodes]
    read = {name for node in made for name in node.input}
    inputs = [_described(graph, name) for name in part.inputs if name in read - set(weights)]
    outputs = [_described(graph, name) for name in part.outputs]
    held = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    return helper.make_model(
        helper.make_graph(made, "region", inputs, outputs, held),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )


def _node_in_onnx(
    graph: TosaGraph, node: TosaNode, weights: dict[str, np.ndarray]
) -> onnx.NodeProto:
    operands = list(node.inputs)
    if node.operator == "mul":
        del operands[2:]  # the shift, which is 0 for f32
    for name in operands:
        if name in graph.constants and name not in weights:
            values: dict[str, np.ndarray] = {}
            compute(graph, graph.constants[name], values)
            weights[name] = values[name]
    attributes: dict[str, Any] = {}
    if node.operator == "clamp":
        for bound in ("min_val", "max_val"):
            operands.append(f"{node.outputs[0]}.{bound}")
            value = cast("Any", node.op.arguments[bound]).value.data
            weights[operands[-1]] = np.array(value, dtype_of(graph.types[node.outputs[0]]))
    if node.operator == "cast":
        dtype = dtype_of(graph.types[node.outputs[0]])
        attributes["to"] = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return helper.make_node(OPERATORS[node.operator], operands, node.outputs, **attributes)


def _described(graph: TosaGraph, name: str) -> onnx.ValueInfoProto:
    type_ = cast("Any", graph.types[name])
    dtype = helper.np_dtype_to_tensor_dtype(np.dtype(dtype_of(type_)))
    return helper.make_tensor_value_info(name, dtype, type_.get_shape())
