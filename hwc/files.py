"""Reads and writes the files that users name."""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hwc.errors import SourceError, UserError

_LOG = logging.getLogger("hwc.files")
_TO_TOSA = "export it as TOSA in MLIR text, for example with"
_COMPILED = "`hwc compile FILE` compiles it"
_ONNX = rb"\x08[\x01-\x20][\x12\x1a\x3a\x42]"
"""How an ONNX model begins: the IR version, then the name of its producer, or the graph."""

_TFLITE = rb".{4}TFL3"


def _kinds(*rows: tuple[bytes, str, str]) -> tuple[tuple[re.Pattern[bytes], str, str], ...]:
    """Return kinds of files: how such a file begins, what it is, and what the user should do."""
    return tuple((re.compile(begin, re.DOTALL), kind, advice) for begin, kind, advice in rows)


_PROGRAMS = _kinds(
    (rb"ML\xefR", "MLIR bytecode", _COMPILED),
    (rb".{2}\x00\x00TOSA", "a TOSA flatbuffer", _COMPILED),
    (_ONNX, "an ONNX model", _COMPILED),
    (_TFLITE, "a TFLite model", _COMPILED),
)
"""Programs that are not text."""

_OTHER_KINDS = _kinds(
    (
        rb"PK\x03\x04",
        "a package or another archive",
        "`hwc run FILE` runs a package, and `hwc info FILE` shows it",
    ),
    (rb"\x93NUMPY", "a NumPy array", "arrays are the arguments of `hwc run`"),
    (rb"\xff\xfe|\xfe\xff", "text in UTF-16", "save it as UTF-8"),
)
"""Files that users pass by mistake instead of a program."""


def readable_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file for messages and packages: valid text, whatever bytes it has.

    Python represents bytes that the locale cannot decode as lone surrogates, which are not valid
    in text. File names are UTF-8 almost everywhere.
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def is_onnx(content: str | bytes) -> bool:
    """Whether a program is an ONNX model."""
    return isinstance(content, bytes) and re.match(_ONNX, content, re.DOTALL) is not None


def is_tflite(content: str | bytes) -> bool:
    """Whether a program is a TFLite model."""
    return isinstance(content, bytes) and re.match(_TFLITE, content, re.DOTALL) is not None


def read_source(path: str | os.PathLike[str]) -> str | bytes:
    """Return the content of a source file, decoded by `decode_program`.

    Raises:
        SourceError: the file cannot be read, or is not a source.
    """
    try:
        return decode_program(Path(path).read_bytes(), readable_name(path))
    except OSError as error:
        name = readable_name(path)
        raise SourceError(f"{name}: error: cannot read: {error.strerror or error}") from error


def decode_program(content: bytes, name: str) -> str | bytes:
    """Decode a program with `decode_source`; bytecode and flatbuffers stay bytes.

    Raises:
        SourceError: the bytes are another kind of file, or are not UTF-8.
    """
    if any(pattern.match(content) for pattern, _, _ in _PROGRAMS):
        return content
    return decode_source(content, name, "a program (MLIR, TOSA or ONNX)")


def decode_source(content: bytes, name: str, expected: str = "text") -> str:
    """Decode the bytes of the source called `name`, and drop a byte order mark.

    `expected` is for the error message: what the file should have been.

    Raises:
        SourceError: the bytes are another kind of file, or are not UTF-8.
    """
    for pattern, kind, advice in (*_PROGRAMS, *_OTHER_KINDS):
        if pattern.match(content):
            raise SourceError(f"{name}: error: this is {kind}, expected {expected}\nhelp: {advice}")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SourceError(f"{name}:{line}: error: not UTF-8 text: {error.reason}") from error


def write_bytes(path: str | os.PathLike[str], *parts: bytes | memoryview) -> None:
    """Write a file completely or not at all; follow a symbolic link to its target.

    The file holds the parts, one after another. Devices and pipes are written directly.

    Raises:
        OSError: the file cannot be written; an existing file is unchanged.
    """
    named = Path(path)
    if named.exists() and not named.is_file() and not named.is_dir():
        with named.open("wb") as file:
            file.writelines(parts)
    else:
        _replace(Path(os.path.realpath(named)), parts)
    _LOG.debug("wrote %s, %d bytes", readable_name(path), sum(map(len, parts)))


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file completely or not at all.

    Raises:
        UserError: the file cannot be written.
    """
    try:
        write_bytes(path, text.encode("utf-8"))
    except OSError as error:
        raise UserError(f"{path}: error: cannot write: {error.strerror or error}") from error


def _replace(path: Path, parts: Sequence[bytes | memoryview]) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:  # an interrupt as well
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
