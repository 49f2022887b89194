"""Say what files contain with Magika, its model on hwc.

    python identify_files.py [FILE ...]

Without arguments it looks at some snippets of its own. Magika computes many files in one call: the
number of files is a free size of the model.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from magika import Magika

from hwc.onnx import InferenceSession

SNIPPETS = {
    "loop": b"import sys\n\nfor line in sys.stdin:\n    print(line.strip().lower())\n",
    "page": b"<!DOCTYPE html>\n<html><head><title>hwc</title></head>\n"
    b"<body><p>hello</p></body></html>\n",
    "module": b"module counter(input logic clk_i, output logic [7:0] count_o);\n"
    b"  always_ff @(posedge clk_i) count_o <= count_o + 1'b1;\nendmodule\n",
    "settings": b"[build-system]\nrequires = ['setuptools']\n\n[project]\nname = 'hwc'\n",
    "table": b"name,cycles,bytes\nadd,442,3072\ntanh,650,2048\nexp,650,2048\nmul,442,3072\n" * 4,
}


def identifier(session: Callable[..., Any] = InferenceSession) -> Magika:
    """Return Magika, with `session` in the place of ONNX Runtime's InferenceSession."""
    with patch("onnxruntime.InferenceSession", session):
        return Magika()


def identify(magika: Magika, files: Iterable[Path]) -> list[tuple[str, float]]:
    """Return what each file contains, and how likely that is, from one call of the model."""
    found = magika.identify_paths([*files])
    return [(str(each.output.label), each.score) for each in found]


def main(paths: Iterable[str]) -> None:
    """Print what each file contains."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(path) for path in paths]
        if not files:
            for name, content in SNIPPETS.items():
                files.append(Path(folder) / name)
                files[-1].write_bytes(content)
        magika = identifier()
        for file, (label, score) in zip(files, identify(magika, files), strict=True):
            print(f"{file.name:12} {label:12} {score:.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])
