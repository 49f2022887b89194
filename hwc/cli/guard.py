"""Handles user errors, signals, and a full or closed standard output, for every command."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TextIO, cast

from hwc.cli.verbosity import clear_progress, end_progress
from hwc.errors import UserError, diagnostic

_STDOUT = 1
_STOPPING = (signal.SIGTERM, signal.SIGHUP)
"""The signals that stop a command like Ctrl-C."""


class Terminated(KeyboardInterrupt):
    """A signal other than Ctrl-C's asks the command to end; the argument is the signal's number."""


class _OutputError(OSError):
    """Standard output cannot be written."""


def guarded(program: str, work: Callable[[], int]) -> int:
    """Return the exit code of `work`, or print an error and return 1.

    Messages that name no file begin with `program`. If a signal ends a command, the command leaves
    no process running and no temporary file, and its exit code is 128 plus the signal's number.
    """
    output = _standard_output()
    _write_every_character()
    try:
        with _signals_stop(), _replaced(output):
            try:
                return work()
            except UserError as error:
                clear_progress()
                print(diagnostic(error, program), file=sys.stderr)
                return 1
            finally:
                end_progress()
                sys.stdout.flush()
    except _OutputError as error:
        # Otherwise Python would report the error again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        if error.errno != errno.EPIPE:
            reason = f"cannot write to standard output: {error.strerror}"
            print(f"{program}: error: {reason}", file=sys.stderr)
        return 1
    except OSError as error:
        where = program if error.filename is None else os.fsdecode(error.filename)
        print(f"{where}: error: {error.strerror or error}", file=sys.stderr)
        return 1
    except Terminated as stopped:
        return 128 + stopped.args[0]
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


@contextmanager
def _signals_stop() -> Iterator[None]:
    """Make signals raise `Terminated`, unless the caller has installed handlers of its own."""
    earlier: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():  # other threads may set no handlers
        for number in _STOPPING:
            if signal.getsignal(number) == signal.SIG_DFL:
                earlier[number] = signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second signal must not interrupt the cleanup
    raise Terminated(number)


@contextmanager
def _replaced(output: TextIO) -> Iterator[None]:
    """Clear progress before anything is printed; raise `_OutputError` if printing fails."""
    earlier = sys.stdout
    sys.stdout = cast("TextIO", _Output(output))
    try:
        yield
    finally:
        sys.stdout = earlier


class _Output:
    """Standard output, or its buffer, whose errors can be told from the errors of other files."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def buffer(self) -> Any:
        """The buffer, for bytes."""
        return _Output(self._stream.buffer)

    def write(self, data: Any) -> Any:
        """Write text or bytes."""
        clear_progress()
        with _told_apart():
            return self._stream.write(data)

    def writelines(self, parts: Any) -> None:
        """Write several texts or bytes."""
        clear_progress()
        with _told_apart():
            self._stream.writelines(parts)

    def flush(self) -> None:
        """Flush the stream."""
        with _told_apart():
            self._stream.flush()


@contextmanager
def _told_apart() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _OutputError(error.errno, error.strerror) from error


def _write_every_character() -> None:
    """Escape characters that a standard stream cannot encode, as Python does for standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _standard_output() -> TextIO:
    """Return standard output; if there is none, return a file that cannot be written.

    Without such a file, all output would be lost silently, and the next file opened would become
    standard output.
    """
    if sys.stdout is None:
        null = os.open(os.devnull, os.O_RDONLY)
        if null != _STDOUT:
            os.dup2(null, _STDOUT)
            os.close(null)
        sys.stdout = os.fdopen(_STDOUT, "w", encoding="utf-8", closefd=False)
    return sys.stdout
