"""The folder of a sweep: its manifest, the finished rows, and the table.

    manifest.json    what the sweep is; another sweep in the same folder is refused
    chunks/          a file for each finished chunk, until the table is complete
    table.parquet    all rows in order
    index.html       the page of plots

Every file is written completely or not at all, so a sweep may be killed at any time.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hwc.errors import UserError
from hwc.files import write_bytes, write_text
from hwc.sweeps.job import Chunk, Job
from hwc.sweeps.table import join, rows_of, schema

if TYPE_CHECKING:
    from hwc.sweeps.page import Summary

MANIFEST = "manifest.json"
TABLE = "table.parquet"
PAGE = "index.html"
_CHUNKS = "chunks"
_LOCK = ".lock"

_PARTS = {
    "format": "hwc is another version",
    "hwc": "hwc is another version",
    "program": "the program is another",
    "targets": "the targets are others",
    "shapes": "the shapes are others",
    "chunk": "hwc is another version",
}
"""What the user is told differs, by the part of the manifest that does."""


class Folder:
    """The folder of one sweep, which one process at a time holds."""

    def __init__(self, path: Path, job: Job) -> None:
        self.path = path
        self.job = job

    @classmethod
    @contextmanager
    def open(cls, path: Path, job: Job) -> Iterator[Folder]:
        """Create the folder of a sweep, or resume the sweep in it.

        Raises:
            UserError: the folder holds another sweep or other files, or another process holds it.
        """
        try:
            names = {file.name for file in path.iterdir()} if path.is_dir() else set()
            if names - {_CHUNKS, _LOCK} and MANIFEST not in names:
                raise UserError(
                    f"{path}: error: the folder has files and is not of a sweep; give another"
                )
            (path / _CHUNKS).mkdir(parents=True, exist_ok=True)
            lock = (path / _LOCK).open("w")
        except OSError as error:
            raise UserError(f"{path}: error: cannot write: {error.strerror}") from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UserError(f"{path}: error: another process writes this sweep now") from None
            folder = cls(path, job)
            folder._check()
            yield folder

    def _check(self) -> None:
        """Write the manifest, or compare it with the existing one."""
        path = self.path / MANIFEST
        wanted = self.job.manifest()
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            write_text(path, json.dumps(wanted, indent=1) + "\n")
            return
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise UserError(f"{path}: error: damaged; remove {self.path}, or give another folder")
        for part, what in _PARTS.items():
            if found.get(part) != wanted[part]:
                raise UserError(
                    f"{path}: error: this folder holds another sweep: {what}; give another folder, "
                    f"or remove {self.path}"
                )

    @property
    def table(self) -> Path:
        """The table, which exists once all points are finished."""
        return self.path / TABLE

    @property
    def page(self) -> Path:
        """The page of plots."""
        return self.path / PAGE

    @property
    def complete(self) -> bool:
        """Whether the table exists."""
        return self.table.is_file()

    def left(self) -> list[Chunk]:
        """Return the chunks that are not finished.

        Raises:
            UserError: the table does not have the points of the sweep.
        """
        if self.complete:
            wanted, found = sum(map(len, self.job.chunks())), rows_of(self.table)
            if found != wanted:
                what = "cannot be read" if found is None else f"{found} rows instead of {wanted}"
                raise UserError(
                    f"{self.table}: error: damaged ({what}); remove it, and give the same command "
                    "again"
                )
            return []
        found = {path.name for path in self._chunks.glob("*.parquet")}
        return [chunk for chunk in self.job.chunks() if chunk.file not in found]

    def keep(self, chunk: Chunk, rows: bytes) -> None:
        """Store the rows of a chunk.

        Raises:
            UserError: the disk is full, or the folder is gone.
        """
        path = self._chunks / chunk.file
        try:
            write_bytes(path, rows)
        except OSError as error:
            raise UserError(f"{path}: error: cannot write: {error.strerror}") from error

    def finish(self) -> None:
        """Make the table from the chunks, and remove them."""
        if not self.complete:
            files = (self._chunks / chunk.file for chunk in self.job.chunks())
            try:
                with tempfile.NamedTemporaryFile(dir=self._chunks) as temporary:
                    join(files, schema(self.job), temporary.name)
                    # write_bytes copies once more, but gives the table a new file's permissions.
                    write_bytes(self.table, Path(temporary.name).read_bytes())
            except OSError as error:
                raise UserError(f"{self.table}: error: cannot write: {error.strerror}") from error
        shutil.rmtree(self._chunks, ignore_errors=True)

    def show(self) -> list[Summary]:
        """Write the page of plots of a finished sweep, and return the summary of each target.

        Raises:
            UserError: the page cannot be written.
        """
        from hwc.sweeps.page import Results  # noqa: PLC0415 - pandas is slow to import

        results = Results(self.job, self.table)
        write_text(self.page, results.page())
        return results.summaries()

    @property
    def _chunks(self) -> Path:
        return self.path / _CHUNKS
