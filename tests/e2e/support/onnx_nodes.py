"""ONNX's own tests of its element-wise operators, and what becomes of one here."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx.backend.test.case.node import collect_testcases

import hwc
from hwc.compiler import compile_package
from hwc.errors import PackageError, SourceError
from hwc.frontend.source import Source
from hwc.onnx.operators import RULES, VIEWS
from isa.target import load_target

OPERATORS = sorted(
    RULES.keys() - set(VIEWS)
    | {"Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitShift", "Cosh", "Sinh"}
)
"""The operators that compute something, point by point: views are tested beside one of them."""

TARGET = load_target("accel")
OWN_TYPES = (
    *("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"),
    *("float8_e8m0fnu", "int2", "int4", "uint2", "uint4"),
)
"""Types of ml_dtypes."""

MACHINE, HOST, REFUSED = "machine", "host", "refused"


class Outcome(NamedTuple):
    """Where a test ran, or that it was refused; `reason` says why it is not for the machine."""

    where: str
    reason: str = ""


@cache
def cases(others: bool = False) -> dict[str, list[Any]]:
    """Return the tests of single nodes by operator: `OPERATORS`, or all `others`."""
    found: dict[str, list[Any]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in collect_testcases(None):
            nodes = case.model.graph.node
            if len(nodes) == 1 and not nodes[0].domain:
                if (nodes[0].op_type in OPERATORS) == others:
                    continue
                found.setdefault(nodes[0].op_type, []).append(case)
    return found


def dynamic(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model without sizes."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for value in (*made.graph.input, *made.graph.output):
        for number, size in enumerate(value.type.tensor_type.shape.dim):
            size.dim_param = f"{value.name}_{number}"
    return made


def play(case: Any, model: onnx.ModelProto) -> Outcome:
    """Compile a test in one form, and compare its results.

    Raises:
        AssertionError: a result is not the one that the test expects.
    """
    try:
        made = compile_package(Source("m.onnx", model.SerializeToString()), TARGET)
    except SourceError as error:
        return Outcome(REFUSED, str(error).splitlines()[0].partition("error: ")[2])
    assert made.report is not None
    outcome = Outcome(MACHINE)
    if not made.report.on_machine:
        ((_, reason),) = made.report.on_host
        outcome = Outcome(HOST, reason)
    try:
        program = hwc.Program(made.package)
    except PackageError as error:
        return Outcome(REFUSED, str(error).splitlines()[0].partition("error: ")[2])
    for given, expected in case.data_sets:
        result = program(*map(array_of, given))
        for got, wanted in zip(result.outputs, map(array_of, expected), strict=True):
            _compare(case, got, wanted)
    return outcome


def _compare(case: Any, got: np.ndarray, wanted: np.ndarray) -> None:
    """Check a result; elements of types that NumPy lacks are compared as numbers."""
    if wanted.dtype.name in OWN_TYPES:
        assert got.dtype.itemsize == wanted.dtype.itemsize
        as_numbers = np.int8 if got.dtype.kind in "iu" else np.float32
        own = got if got.dtype.kind in "iu" else got.view(wanted.dtype)
        got, wanted = own.astype(as_numbers), wanted.astype(as_numbers)
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_allclose(got, wanted, case.rtol, case.atol, err_msg=case.name)


def array_of(value: Any) -> np.ndarray:
    """Return a value of a test, which may be written as ONNX writes a tensor."""
    is_tensor = isinstance(value, onnx.TensorProto)
    return onnx.numpy_helper.to_array(value) if is_tensor else np.asarray(value)
