"""Judging a result of an official test: the official verdict, and how near the bound it came.

The reference model computes in fp64, and its library says whether a result is allowed. The library
does not say how far off a result is, so `bounds` has its formulas; section "Precision" of the
specification gives them for each operator. A test compares the two.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from checker.verifier import VerifierLibrary
from jsonschema.validators import validator_for
from schemavalidation import schemavalidation
from tosa_conformance.official import Case, ConformanceError, tool

MEASURED = frozenset({"EXACT", "ULP", "PRECOMPUTED", "ABS_ERROR", "RESCALE_INEXACT"})
"""Modes whose bound is known here. In other modes, such as sums, the library alone judges."""
REFERENCE = "reference"
"""The folder in a test's folder with what the reference model computes."""


class Verdict(NamedTuple):
    """Whether the results are right, the largest error in units of its bound, and what is wrong."""

    right: bool
    error: float
    message: str


class Format(NamedTuple):
    """A floating-point type: bits of the fraction, smallest exponent, largest finite number.

    One that is not `infinite` has NaN for what is larger.
    """

    fraction: int
    exponent: int
    largest: float
    infinite: bool = True


FORMATS = {
    "FP32": Format(23, -126, float(np.finfo(np.float32).max)),
    "FP16": Format(10, -14, 65504.0),
    "BF16": Format(7, -126, (2 - 2.0**-7) * 2.0**127),
    "FP8E4M3": Format(3, -6, 448.0, infinite=False),
    "FP8E5M2": Format(2, -14, 57344.0),
}


SMALL = {
    "BF16": ml_dtypes.bfloat16,
    "FP8E4M3": ml_dtypes.float8_e4m3fn,
    "FP8E5M2": ml_dtypes.float8_e5m2,
}
"""The types that NumPy lacks."""


def judge(case: Case, outputs: Sequence[np.ndarray]) -> Verdict:
    """Judge the results of a positive test.

    Raises:
        ConformanceError: the reference model fails.
    """
    description = case.description
    names = description["ofm_name"]
    if len(outputs) != len(names):
        return Verdict(False, 0.0, f"got {len(outputs)} results, expected {len(names)}")
    compliance = description["meta"]["compliance"]
    verdicts = [
        _judge_one(case, name, file, compliance, output)
        for name, file, output in zip(names, description["ofm_file"], outputs, strict=True)
    ]
    error = max(verdict.error for verdict in verdicts)
    wrong = [verdict.message for verdict in verdicts if not verdict.right]
    return Verdict(not wrong, error, "; ".join(wrong))


def _judge_one(
    case: Case, name: str, file: str, compliance: dict[str, Any], output: np.ndarray
) -> Verdict:
    _run_reference(case)
    folder = case.folder / REFERENCE
    reference = np.load(folder / file)
    limits = folder / f"bounds_{file}"
    limit = np.load(limits) if limits.exists() else None
    if output.shape != reference.shape:
        return Verdict(False, 0.0, f"{name}: got shape {output.shape}, expected {reference.shape}")
    expected = _dtype(compliance["tensors"][name]["data_type"], reference.dtype)
    if output.dtype != expected and output.dtype.kind != "V":
        return Verdict(False, 0.0, f"{name}: got {output.dtype}, expected {expected}")
    output = np.require(output.view(expected), requirements="C")
    right = library().verify_data(name, compliance, output, reference, limit)
    error = largest_error(output, reference, limit, compliance["tensors"][name])
    return Verdict(right, error, "" if right else f"{name}: {error:.3g} of the bound")


def _dtype(name: str, computed: np.dtype) -> np.dtype:
    """Return NumPy's type of a result; the reference model computes floats in fp64."""
    floats = {"FP32": "float32", "FP16": "float16", "BF16": "V2", "FP8E4M3": "V1", "FP8E5M2": "u1"}
    return np.dtype(floats[name]) if name in floats else computed


def _run_reference(case: Case) -> None:
    """Compute the results of a test in fp64, unless an earlier run did."""
    done = case.folder / REFERENCE
    if done.is_dir():
        return
    part = case.folder / f"{REFERENCE}.{os.getpid()}"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    command = [str(tool("tosa_reference_model")), "--operator_fbs", str(tool("tosa.fbs"))]
    command += ["--tosa_level", "EIGHTK", "--precise_mode=1"]
    command += ["--test_desc", str(case.folder / "desc.json"), "--output_dir", str(part)]
    ran = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if ran.returncode:
        last = (ran.stderr + ran.stdout).strip()[-1000:]
        raise ConformanceError(f"the reference model fails for {case.folder}:\n{last}")
    part.rename(done)


@cache
def library() -> VerifierLibrary:
    """Load the library that judges results."""
    schemavalidation.validate = _validate
    return VerifierLibrary(tool("libtosa_reference_verify_lib.so"))


def _validate(description: Any, schema: Any, *, registry: Any) -> None:
    """Check a description against a schema of tosa-tools.

    `jsonschema.validate` checks the schema as well, every time, which took 40 % of the time of a
    test.
    """
    validator_for(schema)(schema, registry=registry).validate(description)


def largest_error(
    output: np.ndarray, reference: np.ndarray, limit: np.ndarray | None, info: Mapping[str, Any]
) -> float:
    """Return the largest error of a result, 1 being the largest that is allowed.

    An exact result has 0, and a result that is not judged in one of the `MEASURED` modes has NaN.
    Where one side is not a finite number there is no distance: equal ones have 0, different ones
    infinity.
    """
    if info["mode"] not in MEASURED:
        return float("nan")
    form = FORMATS.get(info["data_type"])
    got, expected = output, reference
    if form is not None and expected.dtype.kind == "f":
        got = _widened(got, info["data_type"])
    if info["mode"] == "RESCALE_INEXACT" and limit is not None:
        # The reference and the limit are the least and the greatest integer that is allowed.
        least, greatest = (x.astype(np.float64) for x in (expected, limit))
        with np.errstate(all="ignore"):
            errors = np.abs(2 * got.astype(np.float64) - least - greatest) / (greatest - least)
        same = (got == expected) & (expected == limit)
        return float(np.max(np.where(same, 0.0, errors), initial=0))
    if form is None or info["mode"] == "EXACT":
        same = (got == expected) | ((got != got) & (expected != expected))  # noqa: PLR0124
        return 0.0 if bool(np.all(same)) else float("inf")
    with np.errstate(all="ignore"):
        allowed = bounds(expected, limit, info)
        errors = np.abs(got - expected) / allowed
        beyond = np.copysign(np.inf if form.infinite else np.nan, expected)
        rounded = np.where(np.abs(expected) > form.largest, beyond, expected)
        same = (got == expected) | (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    errors = np.where(same, 0.0, np.where(np.isnan(errors), np.inf, errors))
    return float(np.max(errors, initial=0.0))


def _widened(values: np.ndarray, name: str) -> np.ndarray:
    """Return floats of any type as float64."""
    if values.dtype.kind != "f":
        values = values.view(SMALL[name])
    return values.astype(np.float64)


def bounds(reference: np.ndarray, limit: np.ndarray | None, info: Mapping[str, Any]) -> np.ndarray:
    """Return the largest error that is allowed for each result.

    Args:
        reference: the results in fp64.
        limit: what the reference model computes for the bound; not in every mode.
        info: the entry of `desc.json` for this result.
    """
    form, mode = FORMATS[info["data_type"]], info["mode"]
    if mode == "ULP":
        exponents = np.maximum(np.frexp(reference)[1] - 1, form.exponent)
        return info["ulp_info"]["ulp"] * 2.0 ** (exponents - form.fraction)
    if mode == "PRECOMPUTED" and limit is not None:
        return limit
    if mode == "ABS_ERROR" and limit is not None:
        return _absolute(reference, limit, form, info.get("abs_error_info", {}))
    raise ConformanceError(f"results are judged in mode {mode}, which is not implemented")


def _absolute(
    reference: np.ndarray, limit: np.ndarray, form: Format, info: Mapping[str, Any]
) -> np.ndarray:
    fraction = 2.0 ** (-form.fraction / info.get("normal_divisor", 1))
    if info.get("bound_as_magnitude", False):  # sin and cos
        scale = np.abs(limit) * info.get("base_bound", 1.0)
        return np.maximum(fraction * scale, info.get("max_compare", 0.0))
    scale = limit + info.get("base_bound", 0.0)
    magnitude = np.maximum(np.abs(reference), 2.0**form.exponent)
    return fraction * np.maximum(magnitude, info.get("lower_bound", 0.0) / scale) * scale
