"""Reads and writes the texts and bytes of commands: files or the standard streams."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from hwc import package as hwx
from hwc.errors import UserError
from hwc.files import (
    decode_program,
    decode_source,
    read_source,
    readable_name,
    write_bytes,
    write_text,
)

STANDARD = "-"
"""The name of standard input and standard output."""


def read(file: str) -> tuple[str, str | bytes]:
    """Return the name and the content of a source file, for `Source`.

    Raises:
        UserError: the file cannot be read or is not a source.
    """
    if file == STANDARD:
        return STANDARD, decode_program(_standard_input(), STANDARD)
    return readable_name(file), read_source(file)


def read_text(file: str) -> tuple[str, str]:
    """Return the name and the text of a file that is not a program.

    Raises:
        UserError: the file cannot be read or is not text.
    """
    name = file if file == STANDARD else readable_name(file)
    return name, decode_source(read_bytes(file), name)


def read_bytes(file: str) -> bytes:
    """Return the content of a file.

    Raises:
        UserError: the file cannot be read.
    """
    if file == STANDARD:
        return _standard_input()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        name = readable_name(file)
        raise UserError(f"{name}: error: cannot read: {error.strerror or error}") from error


def read_package(file: str) -> hwx.Package:
    """Return the package in a file.

    Raises:
        UserError: the file cannot be read or is not a package.
    """
    if file == STANDARD:
        return hwx.from_bytes(_standard_input(), STANDARD)
    return hwx.load(file)


def write(output: str, content: str | bytes) -> None:
    """Write a text or bytes.

    Raises:
        UserError: the file cannot be written.
    """
    if isinstance(content, str):
        if output == STANDARD:
            sys.stdout.write(content)
        else:
            write_text(output, content)
    elif output == STANDARD:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
    else:
        try:
            write_bytes(output, content)
        except OSError as error:
            raise UserError(f"{output}: error: cannot write: {error.strerror or error}") from error


def write_package(output: str, package: hwx.Package) -> None:
    """Write a package.

    Raises:
        UserError: the file cannot be written.
    """
    if output == STANDARD:
        write(STANDARD, hwx.to_bytes(package))
    else:
        hwx.save(package, output)


Files: TypeAlias = Mapping[str, str | Iterable[str] | None]
"""The files of a command: the name of an argument, and the file or files that it names."""


def check_files(inputs: Files, outputs: Files) -> None:
    """Refuse to overwrite an input, to write a file twice, and to use a standard stream twice.

    Raises:
        UserError: two names refer to the same file, or `-` is given twice.
    """
    for stream, uses in (("input", inputs), ("output", outputs)):
        named = [what for what, file in _each(uses) if file == STANDARD]
        if len(named) > 1:
            raise UserError(
                f"{STANDARD}: error: standard {stream} is given {len(named)} times "
                f"({', '.join(named)}), expected once at most; name files for the others"
            )
    known = {_identity(file, is_input=True): what for what, file in _each(inputs)}
    for what, file in _each(outputs):
        identity = _identity(file, is_input=False)
        if identity is not None and identity in known:
            raise UserError(
                f"{readable_name(file)}: error: {what} would overwrite {known[identity]}; write to "
                "another file"
            )
        known[identity] = what


def _each(files: Files) -> Iterator[tuple[str, str]]:
    for what, named in files.items():
        for file in [named] if isinstance(named, str) else named or ():
            yield what, file


def _identity(file: str, is_input: bool) -> object:
    """Return an identity that all names of a file share; None if it is not a regular file."""
    try:
        if file != STANDARD:
            status = os.stat(file)
        elif is_input and sys.stdin is not None:
            status = os.fstat(sys.stdin.fileno())
        else:
            return None
    except (OSError, ValueError):  # no such file, or a standard input without a descriptor
        return None if file == STANDARD else os.path.realpath(file)
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise UserError(f"{STANDARD}: error: standard input is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UserError(f"{STANDARD}: error: cannot read: {error.strerror or error}") from error
