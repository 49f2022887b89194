"""What every command does about errors of files, signals, and reports of long work."""

from __future__ import annotations

import argparse
import errno
import io
import logging
import os
import re
import signal
import sys

import pytest

from hwc.cli.guard import Terminated, guarded
from hwc.cli.progress import CLEAR
from hwc.cli.verbosity import start_log
from hwc.errors import UserError
from isa import progress

REPORT = logging.getLogger("hwc.hardware")


def raising(error: BaseException):
    def work() -> int:
        print("begun")
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "hwc: error: No space left on device"),
        (
            PermissionError(errno.EACCES, "Permission denied", "/x/y"),
            "/x/y: error: Permission denied",
        ),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), "hwc: error: Broken pipe"),
        (OSError("no number"), "hwc: error: no number"),
    ],
)
def test_an_error_of_a_file_is_not_taken_for_one_of_standard_output(capsys, error, text):
    assert guarded("hwc", raising(error)) == 1
    assert capsys.readouterr() == ("begun\n", f"{text}\n")


class Full(io.StringIO):
    """A standard output on a disk that is full."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def fileno(self) -> int:
        return os.open(os.devnull, os.O_WRONLY)

    def write(self, text: str) -> int:
        raise OSError(self._number, os.strerror(self._number))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (errno.ENOSPC, "hwc: error: cannot write to standard output: No space left on device\n"),
        (errno.EPIPE, ""),
    ],
)
def test_a_standard_output_that_cannot_be_written(capsys, monkeypatch, number, text):
    monkeypatch.setattr(sys, "stdout", Full(number))
    assert guarded("hwc", raising(AssertionError("not reached"))) == 1
    assert capsys.readouterr().err == text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_stop_as_ctrl_c_does(number):
    cleaned: list[str] = []

    def work() -> int:
        try:
            os.kill(os.getpid(), number)
            signal.pause()
        except KeyboardInterrupt as error:
            assert isinstance(error, Terminated)
            os.kill(os.getpid(), number)  # once more, while it cleans up
            cleaned.append("all")
            raise
        return 0

    before = signal.signal(number, signal.SIG_DFL)  # `nohup` may have it ignored
    try:
        assert guarded("hwc", work) == 128 + number
        assert cleaned == ["all"]
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_ctrl_c():
    assert guarded("hwc", raising(KeyboardInterrupt())) == 130


def test_a_signal_that_is_ignored_stays_ignored():
    """As `nohup` arranges it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert guarded("hwc", lambda: os.kill(os.getpid(), signal.SIGHUP) or 0) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


def reporting() -> int:
    start_log(argparse.Namespace(verbose=False, quiet=False))
    REPORT.info("phase %d", 1)
    with progress.Task("compiling", 3, "files") as compiling:
        compiling.advance()
        compiling.advance()
        REPORT.info("phase 2")
        compiling.advance()
        print("result")
    return 0


def test_reports_without_a_terminal_are_lines(capsys, tasks_at_once):
    assert guarded("hwc", reporting) == 0
    assert capsys.readouterr() == ("result\n", "phase 1\nphase 2\n")


def test_progress_on_a_terminal_is_replaced(capsys, monkeypatch, tasks_at_once):
    """By lines of the log, by what is printed, and by the end of the task."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert guarded("hwc", reporting) == 0
    out, err = capsys.readouterr()
    assert out == "result\n"
    parts = [re.sub(r"(compiling:) .* (./3 files) .*", r"\1 \2", p) for p in err.split(CLEAR)]
    expected = ["phase 1\n", "compiling: 1/3 files", "compiling: 2/3 files", "phase 2\n"]
    assert parts == [*expected, "compiling: 3/3 files", ""]


def test_nothing_is_shown_after_a_command(capsys, tasks_at_once):
    assert guarded("hwc", reporting) == 0
    assert not progress.is_observed()


def test_an_error_replaces_progress(capsys, monkeypatch, tasks_at_once):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)

    def work() -> int:
        start_log(argparse.Namespace(verbose=False, quiet=False))
        with progress.Task("compiling", 3, "files") as compiling:
            compiling.advance()
            raise UserError("a.mlir:1:1: error: no")

    assert guarded("hwc", work) == 1
    first, bar, rest = capsys.readouterr().err.split(CLEAR)
    assert first == "" and bar.startswith("compiling:  33%|")
    assert rest == "a.mlir:1:1: error: no\n"
