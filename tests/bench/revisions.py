"""Another revision beside this checkout, for benches that compare the two in one run."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]


@contextlib.contextmanager
def worktree(revision: str, folder: Path) -> Iterator[Path]:
    """Check a revision out into a new folder, which is removed at the end."""
    git = ["git", "-C", str(CHECKOUT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), revision], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def environment(checkout: Path) -> dict[str, str]:
    """Return the environment in which Python imports from a checkout."""
    return {**os.environ, "PYTHONPATH": str(checkout)}


def disassembly(program: Any) -> str:
    """Return what `hwc disasm` of the revision on `PYTHONPATH` shows of a compiled program."""
    from hwc.cli.main import main as command_line  # noqa: PLC0415 - the one of the revision

    text = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(text):
        path = Path(folder) / "program.hwx"
        program.save(path)
        assert command_line(["disasm", str(path)]) == 0, "what was just saved can be read"
    return text.getvalue()
