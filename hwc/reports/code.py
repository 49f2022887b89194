"""The instructions of a kernel beside the lines of the source that they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hwc.errors import UserError
from hwc.files import read_source
from hwc.frontend.source import Source
from hwc.package import BufferRef, Kernel, Package
from hwc.package.listing import listed
from isa.encode import decode
from isa.operands import operand_text

LONGEST_LINE = 200
"""Maximum characters of a source line that a page shows, around the operation."""


class Row(NamedTuple):
    """A word of a kernel: its instruction, what it names, and its source line, or None."""

    number: int
    text: str
    remark: str
    line: int | None


class Stream(NamedTuple):
    """A stream of a kernel, such as `s0`, and the buffer that it reads or writes."""

    name: str
    buffer: str
    written: bool


@dataclass(frozen=True)
class SourceText:
    """The lines of a program, or the reason why they are missing; the other one is empty."""

    name: str
    lines: Sequence[str] = ()
    missing: str = ""

    def line(self, number: int, column: int = 1) -> str:
        """Return a line, counted from 1, cut to the text near the column; '' if unknown."""
        if not 0 < number <= len(self.lines):
            return ""
        text = self.lines[number - 1].strip()
        if len(text) <= LONGEST_LINE:
            return text
        first = max(0, min(column - 1 - LONGEST_LINE // 4, len(text) - LONGEST_LINE))
        cut = text[first : first + LONGEST_LINE]
        tail = "…" if first + LONGEST_LINE < len(text) else ""
        return f"{'…' if first else ''}{cut}{tail}"


def rows(kernel: Kernel) -> Iterator[Row]:
    """Yield the words of a kernel in order."""
    lines = {line.word: line.line for line in kernel.lines}
    for number, (text, remark) in enumerate(listed(kernel.words, kernel.parameters)):
        yield Row(number, text, remark, lines.get(number))


def streams(kernel: Kernel) -> Iterator[Stream]:
    """Yield the streams of a kernel in order."""
    for word in kernel.words:
        decoded = decode(word)
        if decoded.name != "base":
            continue
        parameter = kernel.parameters[decoded.fields["param"]]
        name = operand_text(decoded.fields["stream"])
        assert isinstance(parameter, BufferRef), "the check of the package admits nothing else"
        yield Stream(name, parameter.name, name.startswith("o"))


def source_text(package: Package, source: Source | None, file: str | None) -> SourceText:
    """Return the text that a package was compiled from.

    The text comes from `source`, if the package was compiled in this process, or from `file`, or
    else from the file that the package names, if it is unchanged.

    Raises:
        UserError: `file` cannot be read, or is not the text that the package was compiled from.
    """
    name = package.source_name
    if not package.source_digest:
        reason = f"{name} has no lines: only a program in MLIR text or bytecode has"
        if file is not None:
            raise UserError(f"{file}: error: the package names no lines of its source: {reason}")
        return SourceText(name, missing=reason)
    if source is None:
        if file is None and name == "-":
            return SourceText(name, missing="the program had no file when it was compiled")
        if file is None and not Path(name).is_file():
            return SourceText(name, missing=f"there is no file {name} here")
        try:
            source = Source(file or name, read_source(file or name))
        except UserError:
            if file is not None:
                raise
            return SourceText(name, missing=f"{name} is not the source any more")
    if source.flatbuffer is not None or source.digest != package.source_digest:
        if file is not None:
            raise UserError(
                f"{file}: error: the package was compiled from another text, called {name}: give "
                "that text, or compile this one"
            )
        return SourceText(name, missing=f"{name} has changed since it was compiled")
    return SourceText(name, source.text.split("\n"))
