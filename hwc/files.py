"""Reads and writes the files that users name."""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from hwc.errors import SourceError, UserError

_LOG = logging.getLogger("hwc.files")
_TO_TOSA = "export it as TOSA in MLIR text, for example with"
_COMPILED = "`hwc compile FILE` compiles it"
_TFLITE = rb".{4}TFL3"


_FIELDS = {1: 0, 2: 2, 3: 2, 4: 2, 5: 0, 6: 2, 7: 2, 8: 2, 14: 2, 20: 2, 25: 2, 26: 2}
"""The fields of onnx.ModelProto by number: 0 is an integer, 2 has a length."""

_IR_VERSION, _GRAPH = 1, 7


def _is_onnx(content: bytes) -> bool:
    """Whether bytes begin as an ONNX model: fields in any order, up to the graph, and a version.

    The end may be cut off. No text has a field 1: its tag is a control character.
    """
    place = 0
    seen: set[int] = set()
    while place < len(content) and not {_IR_VERSION, _GRAPH} <= seen:
        tag, place = _varint(content, place)
        number, kind = tag >> 3, tag & 7
        if _FIELDS.get(number) != kind:
            return False
        size, place = _varint(content, place)
        place += size if kind else 0
        seen.add(number)
    return _IR_VERSION in seen or (_GRAPH in seen and place == len(content))


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """Return the integer at a place of a protobuf, and the place after it."""
    value = shift = 0
    for byte in content[place : place + 10]:
        value |= (byte & 0x7F) << shift
        shift += 7
        place += 1
        if byte < 0x80:  # noqa: PLR2004 - the last byte
            break
    return value, place


Recognizer: TypeAlias = Callable[[bytes], object]
"""Returns something true for bytes of one kind of file."""


def _begins(pattern: bytes) -> Recognizer:
    return re.compile(pattern, re.DOTALL).match


_is_tflite = _begins(_TFLITE)

_PROGRAMS: tuple[tuple[Recognizer, str, str], ...] = (
    (_begins(rb"ML\xefR"), "MLIR bytecode", _COMPILED),
    (_begins(rb".{2}\x00\x00TOSA"), "a TOSA flatbuffer", _COMPILED),
    (_is_tflite, "a TFLite model", _COMPILED),
    (_is_onnx, "an ONNX model", _COMPILED),
)
"""Programs that are not text: how to recognise one, what it is, and what the user should do."""

_OTHER_KINDS: tuple[tuple[Recognizer, str, str], ...] = (
    (
        _begins(rb"PK\x03\x04"),
        "a package or another archive",
        "`hwc run FILE` runs a package, and `hwc info FILE` shows it",
    ),
    (_begins(rb"\x93NUMPY"), "a NumPy array", "arrays are the arguments of `hwc run`"),
    (_begins(rb"\xff\xfe|\xfe\xff"), "text in UTF-16", "save it as UTF-8"),
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
    return isinstance(content, bytes) and _is_onnx(content)


def is_tflite(content: str | bytes) -> bool:
    """Whether a program is a TFLite model."""
    return isinstance(content, bytes) and bool(_is_tflite(content))


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
    if any(recognize(content) for recognize, _, _ in _PROGRAMS):
        return content
    return decode_source(content, name, "a program (MLIR, TOSA or ONNX)")


def decode_source(content: bytes, name: str, expected: str = "text") -> str:
    """Decode the bytes of the source called `name`, and drop a byte order mark.

    `expected` is for the error message: what the file should have been.

    Raises:
        SourceError: the bytes are another kind of file, or are not UTF-8.
    """
    for recognize, kind, advice in (*_PROGRAMS, *_OTHER_KINDS):
        if recognize(content):
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
