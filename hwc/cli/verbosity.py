"""`--verbose` and `--quiet` of every command: what the log of hwc shows on standard error.

    --quiet    errors only
               and what takes long: phases of a build of the hardware; on a terminal, progress
    --verbose  and what was done: passes with their times, files, plans

Standard output is the same in all three. Loggers whose names end in `.progress` are for terminals.
"""

from __future__ import annotations

import argparse
import logging
import sys
from typing import TextIO

LOG = logging.getLogger("hwc")
_PROGRESS = ".progress"
_CLEAR = "\r\033[K"
"""Ends a bar that shows progress, which the line of the log replaces."""


def add_verbosity(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "-v", "--verbose", action="store_true", help="say on standard error what is done"
    )
    group.add_argument(
        "-q", "--quiet", action="store_true", help="say nothing on standard error but errors"
    )


def start_log(args: argparse.Namespace) -> None:
    """Show the log of hwc as the options say."""
    for handler in list(LOG.handlers):
        if isinstance(handler, _Handler):
            LOG.removeHandler(handler)
    level = logging.ERROR if args.quiet else logging.DEBUG if args.verbose else logging.INFO
    LOG.setLevel(level)
    if sys.stderr is not None:
        LOG.addHandler(_Handler(sys.stderr))


def clear_progress() -> None:
    """Remove progress from the terminal, before something else is printed."""
    for handler in LOG.handlers:
        if isinstance(handler, _Handler):
            handler.clear()


def is_quiet() -> bool:
    """Whether bars that show progress are not wanted."""
    return not LOG.isEnabledFor(logging.INFO)


class _Handler(logging.StreamHandler[TextIO]):
    """Writes lines to standard error; what is written next replaces a line of progress."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._open = False  # a line of progress, without an end
        self._terminal = stream.isatty()
        self.setFormatter(logging.Formatter(f"{_CLEAR if self._terminal else ''}%(message)s"))

    def filter(self, record: logging.LogRecord) -> bool:
        """Leave out progress unless a person watches it."""
        wanted = self._terminal or not record.name.endswith(_PROGRESS)
        return wanted and bool(super().filter(record))

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        self._open = record.name.endswith(_PROGRESS)
        self.terminator = "" if self._open else "\n"
        super().emit(record)

    def clear(self) -> None:
        """Remove a line of progress."""
        if self._open:
            self._open = False
            self.stream.write(_CLEAR)
            self.flush()
