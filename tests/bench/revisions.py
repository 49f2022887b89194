"""Another revision beside this checkout, for benches that compare the two in one run."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

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
