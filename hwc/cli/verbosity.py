"""`--verbose` and `--quiet` of every command: what the log of hwc shows on standard error.

    --quiet    errors only
    (neither)  also long work: the phases of a hardware build, progress
    --verbose  also what was done: passes with their times, files, plans

Standard output is the same in all three cases.
"""

from __future__ import annotations

import argparse
import logging
import sys
from typing import TextIO

from hwc.cli.progress import Display
from isa.progress import ignore, observe

LOG = logging.getLogger("hwc")


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
    """Show the log of hwc and progress, according to the options."""
    end_progress()
    for handler in list(LOG.handlers):
        if isinstance(handler, _Handler):
            LOG.removeHandler(handler)
    level = logging.ERROR if args.quiet else logging.DEBUG if args.verbose else logging.INFO
    LOG.setLevel(level)
    if sys.stderr is not None:
        LOG.addHandler(_Handler(sys.stderr, with_progress=not args.quiet))


def clear_progress() -> None:
    """Remove progress from the terminal before something else is printed."""
    for handler in LOG.handlers:
        if isinstance(handler, _Handler):
            handler.clear()


def end_progress() -> None:
    """Stop showing progress at the end of a command."""
    for handler in LOG.handlers:
        if isinstance(handler, _Handler):
            handler.end()


class _Handler(logging.StreamHandler[TextIO]):
    """Writes lines to standard error; a line replaces the progress bar."""

    def __init__(self, stream: TextIO, *, with_progress: bool) -> None:
        super().__init__(stream)
        self._display = Display(stream) if with_progress else None
        if self._display is not None:
            observe(self._display)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        self.clear()
        super().emit(record)

    def clear(self) -> None:
        """Remove the bar."""
        if self._display is not None:
            self._display.clear()

    def end(self) -> None:
        """Stop showing progress."""
        if self._display is not None:
            self._display.clear()
            ignore(self._display)
            self._display = None
