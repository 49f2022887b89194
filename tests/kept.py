"""What a long run has found out, kept so that an interrupted one goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from hwc.errors import UserError

CACHES = "__pycache__"


def digest(root: Path, paths: Iterable[Path]) -> str:
    """Return a hash of files below `root`, and of all those in folders, with their names.

    What is only read by people does not count: pages in Markdown.
    """
    files: set[Path] = set()
    for path in paths:
        files.update(path.rglob("*") if path.is_dir() else [path])
    found = hashlib.sha256()
    for path in sorted(files):
        if path.is_file() and path.suffix != ".md" and CACHES not in path.parts:
            content = path.read_bytes()
            found.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
            found.update(content)
    return found.hexdigest()


class Kept:
    """Findings by their keys, in a file of lines below `folder` that belongs to one `state`.

    A finding is whatever JSON can say. A line that was cut off counts as not there.
    """

    def __init__(self, folder: Path, state: str) -> None:
        """Read what was kept.

        Raises:
            UserError: the folder cannot be made or read.
        """
        self._path = folder / f"{state[:32]}.jsonl"
        self._lock = Lock()
        self._found: dict[str, Any] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        except OSError as error:
            raise UserError(f"{folder}: error: cannot keep results: {error.strerror}") from error
        self._whole = not text or text.endswith("\n")
        for line in text.split("\n"):
            with suppress(json.JSONDecodeError):
                key, value = json.loads(line)
                self._found[key] = value

    def find(self, key: str) -> Any | None:
        """Return what is kept; None if nothing is."""
        return self._found.get(key)

    def keep(self, key: str, value: Any) -> None:
        """Keep a finding, on the disk as well."""
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write("" if self._whole else "\n")
            file.write(json.dumps([key, value]) + "\n")
            self._whole = True
            self._found[key] = value
