"""Tests in the form of the official ones, and players that go wrong on purpose."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from tosa_conformance.official import read
from tosa_conformance.play import Outcome, Played, Way
from unit.frontend.flatbuffers import graph, operator, tensor, write

TYPES = {"FP32": np.float32, "INT32": np.int32, "FP16": np.float16}


def example(  # noqa: PLR0917 - what a test consists of
    folder: Path,
    name: str,
    values: np.ndarray,
    compliance: dict[str, Any],
    rule: str = "",
    types: tuple[str, str] | None = None,
) -> Path:
    """Write a test of an operator with one operand.

    `types` are those of operand and result, if NumPy's type of the values does not say them.
    """
    folder.mkdir(parents=True)
    same = next((name for name, dtype in TYPES.items() if values.dtype == dtype), "")
    type_, of_result = types or (same, same)
    shape = list(values.shape)
    tensors = [tensor("x", type_, shape), tensor("y", of_result, shape)]
    program = graph([operator(name, ["x"], ["y"])], tensors, ["x"], ["y"])
    (folder / "test.tosa").write_bytes(write(program))
    _save(folder / "x.npy", values)
    result = {"data_type": of_result, "shape": shape, **compliance}
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
        "test_details": {"operator": name.upper(), **({"ERRORIF": rule} if rule else {})},
    }
    (folder / "desc.json").write_text(json.dumps(description), encoding="utf-8")
    return folder


def _save(path: Path, values: np.ndarray) -> None:
    """Save it as the generator does, which gives types that NumPy lacks a byte order, too."""
    kind = values.dtype.str.replace("|V", "<V")
    header = {"descr": kind, "fortran_order": False, "shape": values.shape}
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        file.write(values.tobytes())


def play_or_die(folder: Path, way: Way) -> Played:
    """Take the process down for one test; the others pass."""
    if folder.name == "deadly":
        os._exit(7)
    return Played(read(folder), Outcome(way.target), None)


def play_as_named(folder: Path, way: Way) -> Played:
    """Return the verdict that the folder is called, and the time as the cycles."""
    return Played(read(folder), Outcome(folder.name, cycles=time.monotonic_ns()), None)
