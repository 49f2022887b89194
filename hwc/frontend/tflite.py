"""Converts TFLite models to TOSA with the package tosa-converter-for-tflite."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection
from importlib.util import find_spec
from pathlib import Path

from hwc.errors import SourceError
from hwc.frontend import tflite_converter
from hwc.frontend.source import Source
from hwc.frontend.sparse_weights import with_dense_weights
from hwc.frontend.tflite_names import ConvertedText, Names


def tosa_of_tflite(source: Source, custom: Collection[str] | None = None) -> Source:
    """Return the program of a TFLite model as MLIR text, with places in the model's file.

    `custom` has the names of the custom operators that are known; None allows all. The converter
    runs in a process of its own, because a model may crash it.

    Raises:
        SourceError: the package is missing, or does not convert the model.
        LocatedError: an operator is damaged, or neither the converter nor hwc knows it.
    """
    assert isinstance(source.content, bytes)
    if find_spec(tflite_converter.PACKAGE) is None:
        raise SourceError(
            f"{source.name}: error: reading a TFLite model needs tosa-converter-for-tflite: "
            "pip install 'hwc[tflite]'"
        )
    names = Names(source.content, source.name)
    if custom is not None:
        names.refuse_custom(custom)
    with tempfile.TemporaryDirectory() as folder:
        model, text = Path(folder) / "model.tflite", Path(folder) / "model.mlir"
        model.write_bytes(source.content)
        done = subprocess.run(
            [sys.executable, tflite_converter.__file__, str(model), str(text)],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        if done.returncode:
            if (refusal := names.refusal(done.stderr)) is not None:
                raise refusal
            reason = done.stdout.strip() or _ended(done.returncode)
            raise SourceError(
                f"{source.name}: error: cannot convert the TFLite model to TOSA: {reason}"
            )
        program = text.read_text(encoding="utf-8")
    return ConvertedText(with_dense_weights(program, source.name), names, source.name)


def _ended(code: int) -> str:
    """Return what happened to a converter that ended with `code` and wrote no reason."""
    if code > 0:
        return f"its converter ended with code {code}"
    return f"its converter crashed ({signal.strsignal(-code) or f'signal {-code}'})"
