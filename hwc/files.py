"""Reading and writing the files that users name."""

from __future__ import annotations

import os
from pathlib import Path

from hwc.errors import SourceError, UserError


def read_source(path: str | os.PathLike[str]) -> str:
    """Return a source file's text.

    Raises:
        SourceError: the file cannot be read or is not UTF-8.
    """
    try:
        return decode_source(Path(path).read_bytes(), os.fspath(path))
    except OSError as error:
        raise SourceError(f"{path}: error: cannot read: {error.strerror or error}") from error


def decode_source(content: bytes, name: str) -> str:
    """Return the text that the bytes of the source called `name` hold.

    Raises:
        SourceError: they are not UTF-8.
    """
    try:
        return content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceError(f"{name}:{line}: error: not UTF-8 text: {error.reason}") from error


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file of text.

    Raises:
        UserError: the file cannot be written.
    """
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: error: cannot write: {error.strerror or error}") from error
