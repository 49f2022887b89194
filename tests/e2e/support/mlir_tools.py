"""Upstream's mlir-opt and the official reference model of TOSA, which are Python packages."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from numpy.typing import NDArray


def find_tool(*parts: str) -> str | None:
    """Return the path of a program in one of the folders of installed packages, or None."""
    candidates = (Path(folder, *parts) for folder in sys.path)
    return next((str(path) for path in candidates if path.is_file()), None)


MLIR_OPT = find_tool("mlir", "bin", "mlir-opt")
TOSA_OPT = find_tool("bin", "tosa-opt") if find_spec("tosa_reference_model") else None


def run_tool(path: str | None, text: str, *flags: str) -> str:
    """Return the output of a tool for a text.

    Raises:
        ValueError: the tool refuses the text.
    """
    assert path is not None, "the tool is not installed"
    done = subprocess.run([path, *flags], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr[:2000])
    return done.stdout


def reference_model(text: str, arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Run a static program of TOSA 1.0 on the official reference model.

    Raises:
        ValueError: the model's tools refuse the program.
    """
    import tosa_reference_model  # noqa: PLC0415 - not every environment has it

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.tosa"
        run_tool(TOSA_OPT, text, f"--tosa-serialize=tosa-flatbuffer-filename={path}")
        outputs, status = tosa_reference_model.run(path.read_bytes(), list(arrays))
    if status != tosa_reference_model.GraphStatus.TOSA_VALID:
        raise ValueError(f"the reference model says {status}")
    return outputs
