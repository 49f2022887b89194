"""Converts TFLite models to TOSA with the package tosa-converter-for-tflite."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from hwc.errors import SourceError
from hwc.frontend import tflite_converter
from hwc.frontend.source import Source
from hwc.frontend.sparse_weights import with_dense_weights


def tosa_of_tflite(source: Source) -> Source:
    """Return the program of a TFLite model as MLIR text.

    Raises:
        SourceError: the package is missing, or does not convert the model.
    """
    assert isinstance(source.content, bytes)
    if find_spec(tflite_converter.PACKAGE) is None:
        raise SourceError(
            f"{source.name}: error: reading a TFLite model needs tosa-converter-for-tflite: "
            "pip install 'hwc[tflite]'"
        )
    with tempfile.TemporaryDirectory() as folder:
        model, text = Path(folder) / "model.tflite", Path(folder) / "model.mlir"
        model.write_bytes(source.content)
        done = subprocess.run(
            [sys.executable, tflite_converter.__file__, str(model), str(text)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if done.returncode:
            reason = done.stdout.strip() or f"its converter ended with code {done.returncode}"
            raise SourceError(
                f"{source.name}: error: cannot convert the TFLite model to TOSA: {reason}"
            )
        program = text.read_text(encoding="utf-8")
    return Source(source.name, with_dense_weights(program, source.name))
