"""How every command handles user errors, and a standard output that is full or closed."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import TextIO

from hwc.errors import UserError, diagnostic

_STDOUT = 1


def guarded(program: str, work: Callable[[], int]) -> int:
    """Return the exit code of `work`, or print an error and return 1.

    `program` begins the messages that have no file. A file that the user names has its own
    errors, so an OSError here means that standard output is full or closed.
    """
    output = _standard_output()
    _write_every_character()
    try:
        try:
            return work()
        except UserError as error:
            print(diagnostic(error, program), file=sys.stderr)
            return 1
        finally:
            output.flush()
    except OSError as error:
        # Python would complain about it again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        if not isinstance(error, BrokenPipeError):
            reason = f"cannot write to standard output: {error.strerror}"
            print(f"{program}: error: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _write_every_character() -> None:
    """Escape what the encoding of a standard stream lacks, as Python does for standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _standard_output() -> TextIO:
    """Return standard output; without one, return a file that cannot be written.

    Otherwise all output would be lost silently, and the next file that is opened would become
    standard output.
    """
    if sys.stdout is None:
        null = os.open(os.devnull, os.O_RDONLY)
        if null != _STDOUT:
            os.dup2(null, _STDOUT)
            os.close(null)
        sys.stdout = os.fdopen(_STDOUT, "w", encoding="utf-8", closefd=False)
    return sys.stdout
