"""The content of one source file; positions in a text are lines and columns."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from hwc.frontend import bytecode

QUOTED_CHARACTERS = 120
"""The number of characters quoted around an error; constants make very long lines."""


class Location(NamedTuple):
    """A line and a column of a source file; both count from 1, columns in characters."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Place(NamedTuple):
    """A part of a source file without lines; `part` names the part, '' is the whole file.

    `operator` is the file's name for the operator there, if messages do not know it.
    """

    file: str
    part: str = ""
    operator: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.part}" if self.part else self.file


class Source:
    """The name and the content of a file, or of a piece of a file.

    `content` is text, or the bytes of MLIR bytecode or of a TOSA flatbuffer. `first_line` is the
    line of the file where the text begins.
    """

    def __init__(self, name: str, content: str | bytes, first_line: int = 1) -> None:
        self.name = name
        self.content = content
        self.first_line = first_line

    @property
    def flatbuffer(self) -> bytes | None:
        """The bytes, if they are a flatbuffer."""
        if isinstance(self.content, str) or self.content.startswith(bytecode.MAGIC):
            return None
        return self.content

    @cached_property
    def text(self) -> str:
        """The text; '' for a flatbuffer.

        Raises:
            SourceError: the source is bytecode that cannot be read.
        """
        if isinstance(self.content, str):
            return self.content
        if self.content.startswith(bytecode.MAGIC):
            return bytecode.text_of_bytecode(self.content, self.name)
        return ""

    @property
    def digest(self) -> str:
        """The SHA-256 of the text in hexadecimal."""
        return sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def _line_starts(self) -> array[int]:
        starts = array("q", [0])
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        return starts

    def locate(self, position: int) -> Location:
        """Return the line and the column of the character at `position` of the text."""
        line = bisect_right(self._line_starts, position) - 1
        column = position - self._line_starts[line] + 1
        return Location(self.name, line + self.first_line, column)

    def place(self, position: int) -> Location | Place:
        """Return where the operation at `position` of the text is, for messages."""
        return self.locate(position)

    def quote(self, location: Location | Place) -> str:
        """Return the line at `location` and a caret under the column; '' if not in this source."""
        if isinstance(location, Place):
            return ""
        index = location.line - self.first_line
        if location.file != self.name or not 0 <= index < len(self._line_starts):
            return ""
        start = self._line_starts[index]
        end = self.text.find("\n", start)
        line = self.text[start : end if end >= 0 else len(self.text)].rstrip().replace("\t", " ")
        column = min(location.column - 1, len(line))
        if len(line) > QUOTED_CHARACTERS:
            cut = max(0, min(column - QUOTED_CHARACTERS // 2, len(line) - QUOTED_CHARACTERS))
            tail = "..." if cut + QUOTED_CHARACTERS < len(line) else ""
            head = "..." if cut else ""
            line = head + line[cut : cut + QUOTED_CHARACTERS] + tail
            column = column - cut + len(head)
        return f"{line}\n{' ' * column}^"
