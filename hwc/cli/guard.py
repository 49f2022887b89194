"""What every command does about user errors and about a standard output that takes no more."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TextIO

from hwc.errors import UserError

_STDOUT = 1


def guarded(program: str, work: Callable[[], int]) -> int:
    """Return the exit code of `work`; 1 with a message on standard error if it fails.

    `program` is the name in messages about standard output, which is full or closed if writing to
    it fails: files that users name have errors of their own.
    """
    output = _standard_output()
    try:
        try:
            return work()
        except UserError as error:
            print(error, file=sys.stderr)
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


def _standard_output() -> TextIO:
    """Return standard output; a process started without it gets one that fails when written to.

    Otherwise what is printed would be lost silently, and the next file that is opened would become
    standard output.
    """
    if sys.stdout is None:
        null = os.open(os.devnull, os.O_RDONLY)
        if null != _STDOUT:
            os.dup2(null, _STDOUT)
            os.close(null)
        sys.stdout = os.fdopen(_STDOUT, "w", encoding="utf-8", closefd=False)
    return sys.stdout
