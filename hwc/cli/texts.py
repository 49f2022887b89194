"""Texts and bytes that commands read and write: files, or the standard streams."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from hwc import package as hwx
from hwc.errors import UserError
from hwc.files import decode_source, read_source, readable_name, write_bytes, write_text

STANDARD = "-"
"""The name of standard input and standard output."""


def read(file: str) -> tuple[str, str]:
    """Return the name and the text of a source file.

    Raises:
        UserError: the file cannot be read or is not UTF-8.
    """
    if file == STANDARD:
        return STANDARD, decode_source(_standard_input(), STANDARD)
    return readable_name(file), read_source(file)


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
        raise UserError(f"{file}: error: cannot read: {error.strerror or error}") from error


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


def check_standard(
    inputs: Mapping[str, str | Iterable[str]], outputs: Mapping[str, str | Iterable[str]]
) -> None:
    """Refuse a command that would read standard input, or write standard output, twice.

    Both map what people call an argument to the files that it names.

    Raises:
        UserError: `-` is given twice.
    """
    for stream, uses in (("input", inputs), ("output", outputs)):
        named = [
            what
            for what, files in uses.items()
            for file in ([files] if isinstance(files, str) else files)
            if file == STANDARD
        ]
        if len(named) > 1:
            raise UserError(
                f"{STANDARD}: error: standard {stream} is given {len(named)} times "
                f"({', '.join(named)}), expected once at most; name files for the others"
            )


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise UserError(f"{STANDARD}: error: standard input is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise UserError(f"{STANDARD}: error: cannot read: {error.strerror or error}") from error
