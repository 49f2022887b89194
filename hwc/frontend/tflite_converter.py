"""Converts a TFLite model in a separate process: `python tflite_converter.py MODEL TEXT`.

The converter writes its messages about a model directly to standard error, bypassing Python, and a
damaged model may crash the process. This script imports nothing from hwc, so that it starts fast.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

PACKAGE = "tosa_converter_for_tflite"


def main(model: str, text: str) -> int:
    """Write a model as MLIR text; if this is not possible, print the reason and return 1."""
    try:
        converter: Any = import_module(PACKAGE)
        with Path(text).open("wb") as file:
            form = converter.TosaConverterOutputFormat.Text
            names = converter.TosaConverterDebugInfo.Enable  # the tensors, as locations
            converter.tflite_flatbuffer_to_tosa_mlir(
                model, file, output_format=form, debug_info=names
            )
    except Exception as error:  # noqa: BLE001 - the classes of its errors are its own
        sys.stdout.write(" ".join(str(error).split()) or type(error).__name__)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
