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
from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.source import Source
from hwc.frontend.sparse_weights import with_dense_weights
from hwc.frontend.tflite_crash import crashing
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
    program, done = _converted(source.content)
    if done.returncode:
        raise _refusal(source, names, done)
    return ConvertedText(with_dense_weights(program, source.name), names, source.name)


def _converted(content: bytes) -> tuple[str, subprocess.CompletedProcess[str]]:
    """Return what the converter writes for a model, and how its process ended."""
    with tempfile.TemporaryDirectory() as folder:
        model, text = Path(folder) / "model.tflite", Path(folder) / "model.mlir"
        model.write_bytes(content)
        done = subprocess.run(
            [sys.executable, tflite_converter.__file__, str(model), str(text)],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        return "" if done.returncode else text.read_text(encoding="utf-8"), done


def _refusal(source: Source, names: Names, done: subprocess.CompletedProcess[str]) -> SourceError:
    """Return the error for a model that the converter does not convert."""
    assert isinstance(source.content, bytes)
    if (refusal := names.refusal(done.stderr)) is not None:
        return refusal
    if done.returncode < 0:
        number = crashing(
            source.content, names.model, lambda content: _converted(content)[1].returncode < 0
        )
        if number is not None:
            place, how = names.first_graph[number], _ended(done.returncode)
            return LocatedError(
                place,
                f"cannot convert this operator to TOSA: {how}",
                "the operator may be damaged, or of a form that the converter does not know: "
                "write the file again, or express the operator with others",
            )
    reason = done.stdout.strip() or _ended(done.returncode)
    return SourceError(f"{source.name}: error: cannot convert the TFLite model to TOSA: {reason}")


def _ended(code: int) -> str:
    """Return what happened to a converter that ended with `code` and wrote no reason."""
    if code > 0:
        return f"its converter ended with code {code}"
    return f"its converter crashed ({signal.strsignal(-code) or f'signal {-code}'})"
