"""Tests in the form of the official ones, and players that go wrong on purpose."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from tosa_conformance.official import read
from tosa_conformance.play import Outcome, Played
from unit.frontend.flatbuffers import unary, write

TYPES = {"FP32": np.float32, "INT32": np.int32, "FP16": np.float16}


def example(
    folder: Path, operator: str, values: np.ndarray, compliance: dict[str, Any], rule: str = ""
) -> Path:
    """Write a test of an operator with one operand."""
    folder.mkdir(parents=True)
    type_ = next(name for name, dtype in TYPES.items() if values.dtype == dtype)
    shape = list(values.shape)
    (folder / "test.tosa").write_bytes(write(unary(operator, type_, shape)))
    np.save(folder / "x.npy", values)
    result = {"data_type": type_, "shape": shape, **compliance}
    description = {
        "tosa_file": "test.tosa",
        "ifm_name": ["x"],
        "ifm_file": ["x.npy"],
        "ofm_name": ["y"],
        "ofm_file": ["y.npy"],
        "expected_failure": bool(rule),
        "version": "1.2",
        "meta": {
            "compliance": {"tensors": {"y": result}, "version": "1.2"},
            "data_gen": {"tensors": {"x": {"data_type": type_, "shape": shape}}, "version": "1.2"},
        },
        "test_requirements": {
            "profiles_supported": ["tosa-pro-fp", "tosa-pro-int"],
            "bounds_file_required": compliance["mode"] == "ABS_ERROR",
        },
        "test_details": {"operator": operator.upper(), **({"ERRORIF": rule} if rule else {})},
    }
    (folder / "desc.json").write_text(json.dumps(description), encoding="utf-8")
    return folder


def play_or_die(folder: Path, target: str) -> Played:
    """Take the process down for one test; the others pass."""
    if folder.name == "deadly":
        os._exit(7)
    return Played(read(folder), Outcome(target), None)
