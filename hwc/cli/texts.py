"""Texts that commands read and write: files, or the standard streams."""

from __future__ import annotations

import sys

from hwc.files import decode_source, read_source, write_text

STANDARD = "-"
"""The name of standard input and standard output."""


def read(file: str) -> tuple[str, str]:
    """Return the name and the text of a source file.

    Raises:
        SourceError: the file cannot be read or is not UTF-8.
    """
    if file == STANDARD:
        return STANDARD, decode_source(sys.stdin.buffer.read(), STANDARD)
    return file, read_source(file)


def write(output: str, text: str) -> None:
    """Write a text.

    Raises:
        UserError: the file cannot be written.
    """
    if output == STANDARD:
        sys.stdout.write(text)
    else:
        write_text(output, text)
