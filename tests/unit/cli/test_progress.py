"""Progress of long work: a bar on a terminal, lines in a log, nothing with --quiet."""

import io
import os
import pty
import subprocess
import sys

import pytest

from hwc.cli import progress as display
from hwc.cli.progress import CLEAR, LINES, Display, bar, line
from isa.progress import Task

PROGRAM = """func.func @main(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.abs %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""
COMMAND = """
import sys
from isa import progress
from hwc.cli.main import main
progress.FIRST = progress.PERIOD = 0.0
sys.exit(main(sys.argv[1:]))
"""
"""The command `hwc`, whose work is all long."""


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def task(name, done, of, unit, began=0.0):
    made = Task(name, of, unit)
    made.done, made.began = done, began
    return made


def test_a_bar():
    compiling = task("compiling", 3, 12, "files", began=100)
    assert bar([compiling], 110.0, 60) == (
        "compiling:  25%|" + "█" * 4 + "▌" + " " * 13 + "| 3/12 files [00:10<00:30]"
    )
    assert bar([compiling], 110.0, 60, "ascii").startswith("compiling:  25%|####5")
    points = task("simulating", 450_000_000, 1_000_000_000, "points")
    assert bar([points], 3700.0, 79).endswith("| 450M/1.00G points [1:01:40<1:15:22]")
    assert bar([task("reading", 0, 3, "files")], 4.0, 70).endswith("| 0/3 files [00:04<?]")


def test_a_count_of_nobody_knows_how_many():
    assert bar([task("simulating", 65_536, None, "cycles")], 65.0, 79) == (
        "simulating: 65.5k cycles [01:05]"
    )


def test_the_innermost_task_is_a_detail():
    outer = task("comparing", 3, 20, "runs")
    inner = task("simulating", 450, 1000, "points")
    assert bar([outer, inner], 9.0, 79).endswith("3/20 runs [00:09<00:51, simulating 45 %]")
    inner = task("simulating", 65_536, None, "cycles")
    assert bar([outer, inner], 9.0, 79).endswith(", simulating 65,536 cycles]")


def test_a_line_of_a_log():
    points = task("simulating", 450_000_000, 1_000_000_000, "points", began=60.0)
    assert line([points], 96.0) == (
        "simulating: 450,000,000 of 1,000,000,000 points in 00:36, about 00:44 left"
    )
    inner = task("simulating", 5, 10, "points")
    assert line([task("comparing", 0, 20, "runs"), inner], 96.0) == (
        "comparing: 0 of 20 runs in 01:36 (simulating 50 %)"
    )
    assert line([task("simulating", 65_536, None, "cycles")], 5.0) == (
        "simulating: 65,536 cycles in 00:05"
    )


def test_a_log_gets_a_line_now_and_then(monkeypatch):
    now = 0.0
    monkeypatch.setattr(display, "monotonic", lambda: now)
    log = io.StringIO()
    show = Display(log)
    for second in range(101):
        now = float(second)
        show([task("comparing", second, 100, "runs")])
    show([])
    show.clear()
    assert LINES == 30
    assert log.getvalue().splitlines() == [
        "comparing: 30 of 100 runs in 00:30, about 01:10 left",
        "comparing: 60 of 100 runs in 01:00, about 00:40 left",
        "comparing: 90 of 100 runs in 01:30, about 00:10 left",
    ]
    now = 129.0
    show([task("comparing", 1, 100, "runs", began=100.0)])
    assert len(log.getvalue().splitlines()) == 3


def test_a_single_unit_is_not_shown():
    terminal = Terminal()
    show = Display(terminal)
    show([task("running", 0, 1, "steps")])
    assert terminal.getvalue() == ""
    show([task("running", 0, 1, "steps"), task("simulating", 1, 2, "points")])
    assert terminal.getvalue().startswith(f"{CLEAR}simulating:  50%|")
    show([task("running", 1, 1, "steps")])
    assert terminal.getvalue().count(CLEAR) == 2 and terminal.getvalue().endswith(CLEAR)
    show.clear()
    assert terminal.getvalue().count(CLEAR) == 2


@pytest.fixture
def command(tmp_path):
    (tmp_path / "abs.mlir").write_text(PROGRAM)
    command = [sys.executable, "-c", COMMAND, "run", str(tmp_path / "abs.mlir")]
    return [*command, "--input", "random:300x500"]  # more than a piece of the simulator


def on_a_terminal(command):
    """Run a command with standard error on a terminal; return both outputs."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 1 << 16):
            shown += part
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(ours)
    out, _ = process.communicate()
    assert process.returncode == 0
    return out.decode(), shown.decode()


def test_a_command_on_a_terminal(command):
    out, shown = on_a_terminal(command)
    assert out.startswith("result 0: 300x500xf32\n")
    first, *bars, last = shown.split(CLEAR)
    assert first == last == ""
    assert bars and all(text.startswith("simulating: ") for text in bars)
    assert "/150k points [" in bars[-1]
    assert on_a_terminal([*command, "--quiet"]) == (out, "")


def test_a_command_in_a_pipe(command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("result 0: 300x500xf32\n")
    assert done.stderr == ""
