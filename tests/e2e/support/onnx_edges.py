"""Special values through every element-wise ONNX operator: the machine and two judges.

The judges are ONNX's reference evaluator and ONNX Runtime without optimisations. A judge that does
not take a case has no say.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
from e2e.support.onnx_edge_cases import cases
from e2e.support.onnx_edge_reasons import Difference, ordered, reason_for
from e2e.support.onnx_edge_values import DTYPES, NUMBERS, Case
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import hwc
from hwc.onnx.operators import VIEWS

JUDGES = ("reference", "onnxruntime")
ULPS = {
    **dict.fromkeys(("Cos", "Erf", "Exp", "Log", "Pow", "Sin", "Tan", "Tanh", "Sigmoid"), 4),
    **dict.fromkeys(("Celu", "Elu", "Gelu", "HardSigmoid", "HardSwish", "Mean", "Mish"), 4),
    **dict.fromkeys(("Selu", "Softplus", "Softsign", "Swish"), 4),
}
"""Distances allowed: functions, and sequences that each judge rounds in its own places. Else 0."""
INFERRED = 7
"""The opset version since which ONNX infers the type of every result."""


class Played(NamedTuple):
    """How many elements of a case were compared, and the differences."""

    compared: int
    found: list[Difference]


def build(case: Case) -> bytes | None:
    """Return the model of a case; None if ONNX does not allow its types.

    A view alone is not for the machine: it reads the result of another operator.
    """
    names = ["" if each is None else f"x{n}" for n, each in enumerate(case.operands)]
    domain = "com.microsoft" if case.name != case.operator else ""
    nodes, read = [], [*names]
    inputs, weights = [], []
    for number, (name, each) in enumerate(zip(names, case.operands, strict=True)):
        if each is None:
            continue
        if number in case.constants:
            weights.append(numpy_helper.from_array(each, name))
            continue
        sizes = each.shape if case.is_static else [f"n{size}" for size in each.shape]
        type_ = helper.np_dtype_to_tensor_dtype(each.dtype)
        inputs.append(helper.make_tensor_value_info(name, type_, sizes))
    if case.operator in VIEWS:
        before, extra = _neighbour(case)
        nodes.append(helper.make_node(before, [*extra, *["x0"] * (1 + len(extra))], ["before"]))
        inputs += [helper.make_tensor_value_info(name, onnx.TensorProto.BOOL, []) for name in extra]
        read[0] = "before"
    nodes.append(helper.make_node(case.name, read, ["y"], domain=domain, **case.attributes))
    output = helper.make_empty_tensor_value_info("y")
    if case.version < INFERRED or domain:
        type_, rank = case.result
        sizes = [None] * rank
        output = helper.make_tensor_value_info("y", NUMBERS[type_], sizes)
    graph = helper.make_graph(nodes, "net", inputs, [output], weights)
    opsets = [helper.make_opsetid("", case.version), helper.make_opsetid("com.microsoft", 1)]
    made = helper.make_model(graph, opset_imports=opsets[: 2 if domain else 1], ir_version=10)
    try:
        made = onnx.shape_inference.infer_shapes(made, check_type=True, strict_mode=True)
        onnx.checker.check_model(made)
    except Exception:  # noqa: BLE001 - a version without the type
        return None
    return made.SerializeToString()


def _neighbour(case: Case) -> tuple[str, list[str]]:
    """Return an operator for the operand of a view, and the names of its conditions."""
    kind = case.operands[0].dtype.kind
    return ("Not", []) if kind == "b" else ("Where", ["c"]) if kind == "u" else ("Neg", [])


def feeds_of(case: Case) -> dict[str, Any]:
    """Return the arguments of the model of a case, by name."""
    feeds = {
        f"x{number}": each
        for number, each in enumerate(case.operands)
        if each is not None and number not in case.constants
    }
    if case.operator in VIEWS:
        feeds |= {name: np.array(True) for name in _neighbour(case)[1]}
    return feeds


def judge(name: str, content: bytes, feeds: dict[str, Any]) -> Any:
    """Return a judge's result; None if it does not take the model."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if name == "reference":
                return np.asarray(ReferenceEvaluator(content).run(None, feeds)[0])
            if any(each.dtype.char == "V" or each.dtype.kind == "V" for each in feeds.values()):
                return None  # its Python interface has no such arrays
            options = onnxruntime.SessionOptions()
            level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.graph_optimization_level, options.log_severity_level = level, 4
            return onnxruntime.InferenceSession(content, options).run(None, feeds)[0]
    except Exception:  # noqa: BLE001 - it has no implementation
        return None


def play(case: Case) -> Played | None:
    """Run a case on the machine; None if it is not one for the machine.

    Two results agree if both are NaN, or differ by at most `ULPS` and not in the sign of 0.
    """
    content = build(case)
    if content is None:
        return None
    try:
        program = hwc.compile(content)
    except hwc.UserError:
        return None  # neither the machine nor ONNX Runtime has the types
    if any(step.kind != "machine" for step in program.package.steps):
        return None
    feeds = feeds_of(case)
    (got,) = program(*feeds.values()).outputs
    played = Played(0, [])
    for name in JUDGES:
        wanted = judge(name, content, feeds)
        if wanted is not None:
            compared = played.compared + max(1, wanted.size)
            played = Played(compared, [*played.found, *_differences(case, name, got, wanted)])
    return played


def _differences(case: Case, name: str, got: Any, wanted: Any) -> list[Difference]:
    dtype = DTYPES[case.result[0]]
    if case.result[0].startswith("f8") and wanted.dtype == np.uint8:
        wanted = wanted.view(dtype)  # as ONNX Runtime returns such floats
    if got.shape != wanted.shape or wanted.dtype != dtype:
        text = f"{got.dtype}{got.shape}, not {wanted.dtype}{wanted.shape}"
        return [Difference(case, name, (), None, None, text)]
    own = got.view(dtype)
    apart = np.flatnonzero(~agree(own, wanted, ULPS.get(case.operator, 0)))
    if not apart.size:
        return []
    seen = [each for each in case.seen or case.operands if each is not None]
    columns = [np.broadcast_to(each, got.shape).reshape(-1) for each in seen]
    found: list[Difference] = []
    for place in apart:
        operands = tuple(column[place] for column in columns)
        pair = own.reshape(-1)[place], wanted.reshape(-1)[place]
        text = f"({', '.join(map(str, operands))}): {pair[0]}, not {pair[1]}"
        found.append(Difference(case, name, operands, *pair, text))
    return found


def agree(got: Any, wanted: Any, ulps: int) -> Any:
    """Say which elements agree."""
    if wanted.dtype.kind in "biu":
        return got == wanted
    with np.errstate(invalid="ignore", over="ignore"):
        both_nan = np.isnan(got) & np.isnan(wanted)
        zeros = (got == 0) & (wanted == 0)
    near = np.abs(ordered(got) - ordered(wanted)) <= ulps
    return both_nan | (near & ~(zeros & (np.signbit(got) != np.signbit(wanted))))


Found = dict[tuple[str, str | None], list[Difference]]
"""Differences by judge and reason; None if nothing explains them."""


def differences(operator: str) -> tuple[int, Found]:
    """Return how many elements of an operator were compared, and all differences."""
    compared, found = 0, Found()
    for case in cases(operator):
        played = play(case)
        if played is None:
            continue
        compared += played.compared
        for each in played.found:
            found.setdefault((each.judge, reason_for(each)), []).append(each)
    return compared, found
