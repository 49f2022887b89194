"""Compiles every element-wise region of MediaPipe's models, and compares it with NumPy.

    PYTHONPATH=.:tests python tests/bench/tflite_regions.py [--write] [MODEL.tflite ...]

Regions are cut as `hwc compile` cuts them. Each runs with its own sizes, and with a batch that only
the call knows: bits have to be NumPy's, those of `sigmoid` within one unit in the last place.
`--write` writes the page docs/reports/tflite_regions.md. Exit code 1 if one is refused or wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseIntOrFPElementsAttr, FloatAttr, TensorType
from xdsl.ir import Attribute

import hwc
from hwc import pipeline
from hwc.compiler import portable_text
from hwc.files import write_text
from hwc.frontend.source import Source
from hwc.frontend.tflite import tosa_of_tflite
from hwc.models.cutting import cut_graph
from hwc.tosa.compile import TosaFront
from hwc.tosa.graph import TosaGraph, TosaNode, read_graph
from hwc.tosa.text import function_text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reports" / "tflite_regions.md"
PREFACE = """\
Written by `PYTHONPATH=.:tests python tests/bench/tflite_regions.py --write`: every element-wise
region of the models that mediapipe 0.10.14 brings, cut as `hwc compile` cuts them, compiled for
`accel`, run on the simulator and compared with NumPy: with the model's sizes, and with a batch that
only the call knows, which is 2. Bits are equal; those of regions with `sigmoid` are within one unit
in the last place. The converter gives {constant} more element-wise operators, each a region alone:
the conversion of weights from f16. Their operands are constants, so they are folded into the part
that reads them, and neither the machine nor the host computes them in a call. Each is
compiled as a program of its own as well: {equal} of them have NumPy's bits."""
Array = np.ndarray
BATCH = 2
ULPS = {"sigmoid": 1}
"""Units in the last place that a region with such an operator may be off."""
DTYPES = {"f16": np.float16, "f32": np.float32, "i1": np.bool_, "i32": np.int32, "i8": np.int8}


def _clamp(op: Any, x: Array) -> Array:
    low, high = (
        cast("FloatAttr", op.arguments[name]).value.data for name in ("min_val", "max_val")
    )
    return np.minimum(np.maximum(x, x.dtype.type(low)), x.dtype.type(high))


def _sigmoid(_: Any, x: Array) -> Array:
    return (1 / (1 + np.exp(-x.astype(np.float64)))).astype(x.dtype)


def _reshape(op: Any, x: Array, shape: Array) -> Array:
    return x.reshape([int(size) for size in shape])


COMPUTE: Mapping[str, Callable[..., Array]] = {
    "add": lambda _, a, b: a + b,
    "cast": lambda op, a: a.astype(dtype_of(op.results[0].type)),
    "clamp": _clamp,
    "greater_equal": lambda _, a, b: a >= b,
    "identity": lambda _, a: a,
    "mul": lambda _, a, b, *shift: a * b,
    "reshape": _reshape,
    "select": lambda _, c, a, b: np.where(c, a, b),
    "sigmoid": _sigmoid,
}


def main() -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("models", nargs="*", type=Path, help="default: all that mediapipe brings")
    args = parser.parse_args()
    lines: list[str] = []
    folded: list[str] = []
    lines += [
        "| model | operators | regions | equal, static | equal, dynamic batch |",
        "|---" * 5 + "|",
    ]
    total = [0, 0, 0, 0]
    for path in args.models or _models():
        print(f"{path.stem} ...", file=sys.stderr, flush=True)
        graph = tflite_graph(path, batch=False)
        folded += (_problem(graph, [node], [], node.outputs, 1) for node in _folded(graph))
        static = _checked(graph, 1)
        dynamic = _checked(tflite_graph(path, batch=True), BATCH)
        equal = [sum(problem == "" for _, problem in found) for found in (static, dynamic)]
        row = [sum(count for count, _ in static), len(static), *equal]
        total = [a + b for a, b in zip(total, row, strict=True)]
        lines.append(f"| {' | '.join(map(str, (path.stem, *row)))} |")
        problems = {problem for _, problem in (*static, *dynamic)}.union(folded)
        for problem in sorted(problems - {""}):
            print(f"{path.stem}: {problem}", file=sys.stderr)
    lines.append(f"| all | {' | '.join(map(str, total))} |")
    right = folded.count("")
    preface = PREFACE.format(constant=len(folded), equal=right).splitlines()
    text = "\n".join(["# Regions of TFLite models", "", *preface, "", *lines, ""])
    if args.write:
        write_text(PAGE, text)
    print(text if not args.write else f"see {PAGE}")
    return int(total[1] != total[2] or total[1] != total[3] or right != len(folded))


def _models() -> Iterator[Path]:
    found = find_spec("mediapipe")
    if found is None or found.origin is None:
        raise SystemExit("error: mediapipe is missing: pip install --no-deps mediapipe==0.10.14")
    yield from sorted(Path(found.origin).parent.rglob("*.tflite"))


def tflite_graph(path: Path, batch: bool = False) -> TosaGraph:
    """Return the graph of a model; with `batch` a first size of 1 is known in a call alone."""
    source = tosa_of_tflite(Source(path.name, path.read_bytes()))
    graph = read_graph(pipeline.read_model(source), path.name)
    graph.drop_unused()
    if not batch:
        return graph
    for node in graph.nodes:
        if node.operator == "reshape":
            shape = graph.constants[node.inputs[1]].op
            values = cast("DenseIntOrFPElementsAttr", shape.arguments["values"])
            sizes = [int(size) for size in values.get_values()]
            if sizes[:1] == [1]:
                new = DenseIntOrFPElementsAttr.from_list(values.type, [-1, *sizes[1:]])
                shape.properties["values"] = new
    types = {
        name: type_ if name in graph.constants else _batched(type_)
        for name, type_ in graph.types.items()
    }
    return replace(graph, types=types)


def _folded(graph: TosaGraph) -> list[TosaNode]:
    """Return the element-wise operators that compute with constants alone."""
    nodes = {id(node): node for node in graph.constants.values()}.values()
    other = "const", "const_shape", "reshape", "identity"
    return [node for node in nodes if node.operator not in other]


def _batched(type_: Attribute) -> Attribute:
    if isinstance(type_, TensorType) and type_.get_shape()[:1] == (1,):
        return TensorType(type_.element_type, [DYNAMIC_INDEX, *type_.get_shape()[1:]])
    return type_


def _checked(graph: TosaGraph, batch: int) -> list[tuple[int, str]]:
    """Return for each region how many operators it has, and what is wrong, '' if nothing is."""
    front = TosaFront(graph, portable_text)
    wanted = [front.refusal(number) is None for number in range(len(graph.nodes))]
    parts = [part for part in cut_graph(graph, front, wanted) if part.on_machine]
    known: dict[str, str] = {}
    found: list[tuple[int, str]] = []
    for part in parts:
        nodes = [graph.nodes[number] for number in part.nodes]
        text, _ = function_text(graph, nodes, part.inputs, part.outputs)
        if text not in known:
            known[text] = _problem(graph, nodes, part.inputs, part.outputs, batch)
        found.append((len(nodes), known[text]))
    return found


def _problem(
    graph: TosaGraph,
    nodes: Sequence[TosaNode],
    inputs: Sequence[str],
    outputs: Sequence[str],
    batch: int,
) -> str:
    """Return what is wrong with operators that are a program, '' if nothing is."""
    text, _ = function_text(graph, nodes, inputs, outputs)
    rng = np.random.default_rng(0)
    values: dict[str, Array] = {}
    for name in inputs:
        type_ = cast("TensorType[Any]", graph.types[name])
        shape = [batch if size < 0 else size for size in type_.get_shape()]
        values[name] = (3 * rng.standard_normal(shape)).astype(dtype_of(type_))
    try:
        got = hwc.compile(text)(*(values[name] for name in inputs)).outputs
    except hwc.UserError as error:
        return str(error).splitlines()[0]
    for node in nodes:
        compute(graph, node, values)
    allowed = max(ULPS.get(node.operator, 0) for node in nodes)
    for array, name in zip(got, outputs, strict=True):
        if _apart(array, values[name]) > allowed:
            return f"{[node.operator for node in nodes]}: %{name} is wrong"
    return ""


def compute(graph: TosaGraph, node: TosaNode, values: dict[str, Array]) -> None:
    """Add to `values` what a node computes in NumPy, and the constants that it reads."""
    for name in node.inputs:
        if name not in values:
            compute(graph, graph.constants[name], values)
    if node.operator in ("const", "const_shape"):
        data = cast("DenseIntOrFPElementsAttr", node.op.arguments["values"])
        shape = data.get_shape()
        array = np.array(data.get_values()).astype(dtype_of(data.type, np.int64))
        values[node.outputs[0]] = (
            np.broadcast_to(array, shape) if array.size == 1 else (array.reshape(shape))
        )
        return
    operands = [values[name] for name in node.inputs]
    values[node.outputs[0]] = COMPUTE[node.operator](node.op, *operands)


def _apart(got: Array, expected: Array) -> int:
    """Return the largest difference in units in the last place; of whole numbers, 1 or 0."""
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return 1 << 32
    if got.dtype.kind != "f" or not got.size:
        return int(not np.array_equal(got, expected))
    bits = [array.view(np.int32).astype(np.int64) for array in (got, expected)]
    ordered = [np.where(b < 0, -(b & 0x7FFFFFFF), b) for b in bits]
    return int(np.abs(ordered[0] - ordered[1]).max())


def dtype_of(type_: Any, default: type[np.generic] = np.float32) -> type[np.generic]:
    """Return NumPy's type for the elements of a tensor type."""
    return DTYPES.get(str(type_.get_element_type()), default)


if __name__ == "__main__":
    sys.exit(main())
