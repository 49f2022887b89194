"""TFLite models, which the package tosa-converter-for-tflite turns into TOSA."""

from __future__ import annotations

import tempfile
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from hwc.errors import SourceError
from hwc.frontend.source import Source
from hwc.frontend.sparse_weights import with_dense_weights


def tosa_of_tflite(source: Source) -> Source:
    """Return the program of a TFLite model as MLIR text.

    Raises:
        SourceError: the package is missing, or does not convert the model.
    """
    assert isinstance(source.content, bytes)
    try:
        converter: Any = import_module("tosa_converter_for_tflite")
    except ImportError as error:
        raise SourceError(
            f"{source.name}: error: reading a TFLite model needs tosa-converter-for-tflite: "
            "pip install 'hwc[tflite]'"
        ) from error
    text = BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.tflite"  # it reads files alone
        file.write_bytes(source.content)
        try:
            converter.tflite_flatbuffer_to_tosa_mlir(
                str(file), text, output_format=converter.TosaConverterOutputFormat.Text
            )
        except Exception as error:  # the classes of its errors are its own
            reason = " ".join(str(error).split()) or type(error).__name__
            raise SourceError(
                f"{source.name}: error: cannot convert the TFLite model to TOSA: {reason}"
            ) from error
    return Source(source.name, with_dense_weights(text.getvalue().decode(), source.name))
