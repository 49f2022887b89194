"""Special values through every element-wise ONNX operator: the machine and two judges.

The judges are ONNX's reference evaluator and ONNX Runtime without optimisations. A judge that does
not take a case has no say.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import defs, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import hwc
from hwc.onnx.operators import RULES, VIEWS

JUDGES = ("reference", "onnxruntime")

DTYPES = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i32": np.dtype(np.int32),
    "i16": np.dtype(np.int16),
    "i8": np.dtype(np.int8),
    "i1": np.dtype(np.bool_),
}
ATTRIBUTES: dict[str, list[dict[str, Any]]] = {
    "Celu": [{"alpha": 2.0}],
    "Elu": [{"alpha": 0.5}],
    "Gelu": [{"approximate": "tanh"}],
    "HardSigmoid": [{"alpha": 0.5, "beta": 0.25}],
    "IsInf": [{"detect_negative": 0}, {"detect_positive": 0}],
    "LeakyRelu": [{"alpha": -1.0}],
    "Mod": [{"fmod": 1}],
    "Selu": [{"alpha": 1.0, "gamma": 2.0}],
    "Shrink": [{"lambd": 0.0, "bias": 1.0}],
    "Swish": [{"alpha": 2.0}],
    "ThresholdedRelu": [{"alpha": 0.0}],
}
"""Attributes to give, besides leaving all of them out."""

OWN = ("BatchNormalization", "Cast", "CastLike", "Dropout", "QuantizeLinear", "DequantizeLinear")
"""Operators with tests of their own: the form of their operands differs."""

OPERATORS = sorted(
    name for name in RULES.keys() - set(VIEWS) - set(OWN) if not name.startswith("com.")
)
ULPS = {
    **dict.fromkeys(("Cos", "Erf", "Exp", "Log", "Pow", "Sin", "Tan", "Tanh", "Sigmoid"), 4),
    **dict.fromkeys(("Celu", "Elu", "Gelu", "HardSigmoid", "HardSwish", "Mean", "Mish"), 4),
    **dict.fromkeys(("Selu", "Softplus", "Softsign", "Swish"), 4),
}
"""Distances allowed: functions, and sequences that each judge rounds in its own places. Else 0."""

_CANCELS = "exp(x) - 1 is computed as such, and cancels; here expm1 is used"
_ROUNDED = "rounds after each step, and 1 + f(x) cancels; here all steps are in f32"
_ZEROS = "either 0 or -0 of the two, by their order; here 0 is more than -0"
EXPLAINED = {
    **{(name, judge): _CANCELS for name in ("Celu", "Elu", "Selu") for judge in JUDGES},
    **{(name, "reference"): _ROUNDED for name in ("Gelu", "Mish", "Softplus", "Swish")},
    ("Gelu", "onnxruntime"): "approximates in other steps; 1 + f(x) cancels",
    ("Swish", "onnxruntime"): "approximates the sigmoid, with a larger error",
    ("Tanh", "onnxruntime"): "approximates by a quotient, with a larger error near 0",
    ("Div", "reference"): "an integer divided by 0: undefined in ONNX; here -1",
    ("Mod", "reference"): "an integer modulo 0: not defined by ONNX; here the first operand",
    ("PRelu", "reference"): "computes 0 times the slope where x is 0; ONNX defines x for x >= 0",
    ("PRelu", "onnxruntime"): "f16: 0 for x times 0 where x < 0; here -0, as in its f32",
    ("LeakyRelu", "reference"): "0 times alpha where x is 0, f16 rounds alpha; ONNX defines x >= 0",
    ("Sign", "reference"): "bf16: -0 for -0, in f32 and f16 it is 0; here 0",
    ("Sign", "onnxruntime"): "f16: 0 for a NaN, in f32 it is a NaN; here a NaN",
    **{
        ("Relu", judge): "-0 for -0 in some types; ONNX defines max(0, x); here 0"
        for judge in JUDGES
    },
    **{(name, judge): _ZEROS for name in ("Max", "Min") for judge in JUDGES},
    ("Sum", "reference"): "begins with 0, so that the sum of -0 and -0 is 0; here -0",
    ("Where", "onnxruntime"): "adds the two operands, one of them masked: -0 becomes 0",
}
"""Why a judge differs, by operator and judge; the document or the accuracy of hwc decides."""

FIRST_VERSION = 7
"""Neither judge has most of the operators of older versions."""


class Case(NamedTuple):
    """One node: `constant` says whether its last operand is a constant."""

    operator: str
    version: int
    type: str
    attributes: dict[str, Any]
    operands: tuple[Any, ...]
    constant: bool = False


class Differences(NamedTuple):
    """How many elements were compared, and the first operands of each difference, by judge."""

    compared: int
    found: dict[str, list[str]]


def specials(type_: str) -> Any:
    """Return signed zeros, 1, halves, subnormals, the largest numbers, infinities and NaN."""
    dtype = DTYPES[type_]
    if type_ == "i1":
        return np.array([False, True])
    if dtype.kind == "i":
        limits = np.iinfo(dtype)
        return np.array([0, 1, -1, 2, -2, 3, -3, limits.max, limits.min, limits.min + 1], dtype)
    limits = ml_dtypes.finfo(dtype)
    positive = [0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, float("inf"), float(limits.max)]
    positive += [float(limits.smallest_normal), float(limits.smallest_subnormal)]
    with np.errstate(over="ignore"):
        return np.array([*positive, *(-each for each in positive), float("nan")]).astype(dtype)


def cases(operator: str) -> Iterator[Case]:
    """Yield the cases of an operator: versions, types, attributes, sizes and constant operands."""
    schemas = [
        s for s in defs.get_all_schemas_with_history() if (s.name, s.domain) == (operator, "")
    ]
    versions = {max(s.since_version, FIRST_VERSION) for s in schemas}
    for version in sorted(versions):
        schema = defs.get_schema(operator, version, "")
        count = 3 if operator in {"Where", "Clip"} else min(2, max(1, len(schema.inputs)))
        if len(schema.inputs) == 1 and schema.max_input > 1:  # any number of operands
            count = 2
        if operator == "Clip" and version < 11:
            count = 1
        for type_ in RULES[operator].types if operator != "Where" else ("f32", "i8", "f16"):
            for attributes in ({}, *ATTRIBUTES.get(operator, [])):
                if operator == "Mod" and not attributes and type_ in ("f32", "f16", "bf16"):
                    continue
                yield from _sized(Case(operator, version, type_, attributes, ()), count)


def _sized(case: Case, count: int) -> Iterator[Case]:
    values = specials(case.type)
    if case.operator == "Where":
        pairs = np.array(list(product(values, values))).astype(values.dtype)
        condition = np.arange(len(pairs)) % 2 == 0
        operands: tuple[Any, ...] = (condition, pairs[:, 0].copy(), pairs[:, 1].copy())
    elif case.operator == "Clip" and count > 1:
        operands = (values, np.array(-2, values.dtype), np.array(2, values.dtype))
    elif count == 1:
        operands = (values,)
    else:
        operands = (np.repeat(values, len(values)), np.tile(values, len(values)))
    yield case._replace(operands=operands)
    yield case._replace(operands=tuple(each[:0] if each.ndim else each for each in operands))
    yield case._replace(operands=tuple(each[-1:] if each.ndim else each for each in operands))
    if count > 1:
        yield case._replace(operands=operands, constant=True)


def build(case: Case) -> bytes | None:
    """Return the model of a case; None if ONNX does not allow its types."""
    names = [f"x{number}" for number in range(len(case.operands))]
    types = [helper.np_dtype_to_tensor_dtype(each.dtype) for each in case.operands]
    node = helper.make_node(case.operator, names, ["y"], **case.attributes)
    inputs = [
        helper.make_tensor_value_info(name, type_, ["n"] * each.ndim)
        for name, type_, each in zip(names, types, case.operands, strict=True)
    ]
    weights = []
    if case.constant:
        inputs.pop()
        weights = [numpy_helper.from_array(case.operands[-1], names[-1])]
    output = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph([node], "net", inputs, [output], weights)
    opset = [helper.make_opsetid("", case.version)]
    made = helper.make_model(graph, opset_imports=opset, ir_version=10)
    try:
        made = onnx.shape_inference.infer_shapes(made, check_type=True, strict_mode=True)
        onnx.checker.check_model(made)
    except Exception:  # noqa: BLE001 - a version without the type
        return None
    return made.SerializeToString()


def judge(name: str, content: bytes, feeds: dict[str, Any]) -> Any:
    """Return a judge's result; None if it does not take the model."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if name == "reference":
                return np.asarray(ReferenceEvaluator(content).run(None, feeds)[0])
            if any(each.dtype == DTYPES["bf16"] for each in feeds.values()):
                return None  # its Python interface has no such arrays
            options = onnxruntime.SessionOptions()
            level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.graph_optimization_level, options.log_severity_level = level, 4
            return onnxruntime.InferenceSession(content, options).run(None, feeds)[0]
    except Exception:  # noqa: BLE001 - it has no implementation
        return None


def play(case: Case) -> Differences | None:
    """Run a case on the machine; None if it is not one for the machine.

    Two results agree if both are NaN, or differ by at most `ULPS` and not in the sign of 0.
    """
    content, ulps = build(case), ULPS.get(case.operator, 0)
    if content is None:
        return None
    try:
        program = hwc.compile(content)
    except hwc.UserError:
        return None  # neither the machine nor ONNX Runtime has the types
    if any(step.kind != "machine" for step in program.package.steps):
        return None
    given = case.operands[: -1 if case.constant else None]
    feeds = {f"x{number}": each for number, each in enumerate(given)}
    (got,) = program(*given).outputs
    compared, found = 0, dict[str, list[str]]()
    for name in JUDGES:
        wanted = judge(name, content, feeds)
        if wanted is None:
            continue
        compared += max(1, wanted.size)
        if got.shape != wanted.shape or got.dtype.itemsize != wanted.dtype.itemsize:
            found[name] = [f"{got.dtype}{got.shape}, not {wanted.dtype}{wanted.shape}"]
            continue
        own = got.view(wanted.dtype)
        for place in np.flatnonzero(~_agree(own, wanted, ulps)):
            of = ", ".join(str(each[place] if each.ndim else each) for each in case.operands)
            text = f"({of}): {own[place]}, not {wanted[place]}"
            found.setdefault(name, []).append(text)
    return Differences(compared, found)


def _agree(got: Any, wanted: Any, ulps: int) -> Any:
    if wanted.dtype.kind in "bi":
        return got == wanted
    with np.errstate(invalid="ignore", over="ignore"):
        both_nan = np.isnan(got) & np.isnan(wanted)
        zeros = (got == 0) & (wanted == 0)
    near = np.abs(_ordered(got) - _ordered(wanted)) <= ulps
    return both_nan | (near & ~(zeros & (np.signbit(got) != np.signbit(wanted))))


def _ordered(values: Any) -> Any:
    """Return whole numbers in the order of floats, 1 apart for neighbours, -0 before 0."""
    bits = values.view(f"i{values.dtype.itemsize}").astype(np.int64)
    return np.where(bits < 0, -1 - (bits & ((1 << (8 * values.dtype.itemsize - 1)) - 1)), bits)


def differences(operator: str) -> tuple[int, dict[str, list[str]]]:
    """Return how many elements of an operator were compared, and all differences by judge."""
    compared, found = 0, dict[str, list[str]]()
    for case in cases(operator):
        played = play(case)
        if played is not None:
            compared += played.compared
            for name, texts in played.found.items():
                found.setdefault(name, []).extend(
                    f"opset {case.version}, {case.type} {text}" for text in texts
                )
    return compared, found
