"""How every command handles user errors, signals, and a standard output that is full or closed."""

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
"""What stops a command as Ctrl-C does."""


class Terminated(KeyboardInterrupt):
    """A signal other than Ctrl-C's wants the command to end; its number is the argument."""


class _OutputError(OSError):
    """Standard output cannot be written."""


def guarded(program: str, work: Callable[[], int]) -> int:
    """Return the exit code of `work`, or print an error and return 1.

    `program` begins the messages that name no file. A command that a signal ends leaves nothing
    running and no temporary file; its exit code is 128 plus the signal's number.
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
        # Python would complain about it again when it exits.
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
    """Let signals raise `Terminated`, unless the caller has arranged something else for them."""
    earlier: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():  # Python allows it nowhere else
        for number in _STOPPING:
            if signal.getsignal(number) == signal.SIG_DFL:
                earlier[number] = signal.signal(number, _stop)
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # one is enough: what follows cleans up
    raise Terminated(number)


@contextmanager
def _replaced(output: TextIO) -> Iterator[None]:
    """Let what is printed take the place of progress, and raise `_OutputError` if it cannot be."""
    earlier = sys.stdout
    sys.stdout = cast("TextIO", _Output(output))
    try:
        yield
    finally:
        sys.stdout = earlier


class _Output:
    """Standard output, or its buffer, whose errors are told from the errors of other files."""

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
        """Write what is still to be written."""
        with _told_apart():
            self._stream.flush()


@contextmanager
def _told_apart() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _OutputError(error.errno, error.strerror) from error


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
