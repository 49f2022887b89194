"""Errors with a location in the source: `file:line:col: error: ...`, the quoted line, and advice.

The parser sets the location attribute of every operation, and every pass preserves it. A pass
raises `error_at(op, ...)`; the caller that has the text adds the quoted line (`quoting`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hwc.errors import SourceError
from hwc.frontend.source import Location, Place, Source

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import Operation

_SHOWN = 80
_LONG_WORD = re.compile(rf"\S{{{2 * _SHOWN},}}")
"""A word that is too long to show in full."""


_OPERATION = re.compile(r"'(?:tosa|tfl)\.\w+'")


class LocatedError(SourceError):
    """An error at one location: what is wrong, and what to do about it.

    `location` is None if the program was built in memory and has no text.
    """

    def __init__(self, location: Location | Place | None, message: str, advice: str = "") -> None:
        message = _worded(message, location)
        super().__init__(message)
        self.location = location
        self.message = message
        self.advice = advice
        self.quote = ""

    @property
    def errors(self) -> tuple[LocatedError, ...]:
        """The errors to report: this error, or the errors that it combines."""
        return (self,)

    @property
    def headline(self) -> str:
        """The line with the location and the message."""
        where = f"{self.location}: " if self.location else ""
        return _visible(f"{where}error: {shortened(self.message)}")

    def __str__(self) -> str:
        lines = [self.headline]
        if self.quote:
            lines += map(_visible, self.quote.split("\n"))
        return "\n".join([*lines, *_help([self])])


class CombinedError(LocatedError):
    """Errors that are reported together, one line each."""

    def __init__(self, errors: Sequence[LocatedError]) -> None:
        first = errors[0]
        super().__init__(first.location, first.message, first.advice)
        self._errors = tuple(errors)

    @property
    def errors(self) -> tuple[LocatedError, ...]:
        """The combined errors."""
        return self._errors

    def __str__(self) -> str:
        return "\n".join([*(error.headline for error in self.errors), *_help(self.errors)])


def _worded(message: str, location: Location | Place | None) -> str:
    """Return a message with the file's own name for the operator that the message names first."""
    operator = location.operator if isinstance(location, Place) else ""
    found = _OPERATION.search(message) if operator else None
    return message if found is None else message.replace(found[0], f"'{operator}'")


def _help(errors: Iterable[LocatedError]) -> list[str]:
    """Return a line for each piece of advice; advice shared by several errors appears once."""
    advices = dict.fromkeys(error.advice for error in errors if error.advice)
    return [_visible(f"help: {shortened(advice)}") for advice in advices]


def shortened(text: str) -> str:
    """Return `text` with long words cut, such as names and numbers from a source."""
    return _LONG_WORD.sub(lambda word: f"{word[0][:_SHOWN]}...", text)


def _visible(line: str) -> str:
    """Return a line with `?` for each terminal control character, so that carets stay aligned.

    A source may have such characters in names and comments.
    """
    return "".join(c if c.isprintable() else "?" for c in line)


def location_of(attribute: LocationAttr) -> Location | Place | None:
    """Return the location in an xDSL attribute, or None if the location is unknown."""
    from xdsl.dialects.builtin import (  # noqa: PLC0415  (keeps this module light)
        FileLineColLoc,
        NameLoc,
    )

    if isinstance(attribute, NameLoc):
        inner = attribute.location
        operator = inner.desc.data if isinstance(inner, NameLoc) else ""
        return Place(attribute.desc.data, operator=operator)
    if not isinstance(attribute, FileLineColLoc):
        return None
    return Location(attribute.filename.data, attribute.line.data, attribute.column.data)


def name_location(place: Place) -> LocationAttr:
    """Return the attribute of which `location_of` makes a place again."""
    from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr  # noqa: PLC0415 - as above

    inner = NameLoc(StringAttr(place.operator), NoneAttr()) if place.operator else NoneAttr()
    return NameLoc(StringAttr(str(place)), inner)


def error_at(op: Operation, message: str, advice: str = "") -> LocatedError:
    """Return an error at the location of `op`."""
    return LocatedError(location_of(op.location), message, advice)


@contextmanager
def quoting(source: Source) -> Iterator[None]:
    """Add the quoted line to every located error that leaves the block."""
    try:
        yield
    except LocatedError as error:
        if error.location and not error.quote:
            error.quote = source.quote(error.location)
        raise
