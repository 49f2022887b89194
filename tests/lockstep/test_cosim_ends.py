"""How `hwc cosim` ends if it cannot compare, or is interrupted: the summary and the exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hwc.cli.main import main
from hwc.errors import MachineError
from hwc.runtime import lockstep, recorder
from hwc.runtime.rtl import RtlDevice
from isa.dispatch import Outcome
from isa.target import load_target
from rtl_models.simulation.build import build
from rtl_models.simulation.errors import KilledError
from rtl_models.simulation.session import Session
from rtl_models.tb.tools import need_tools
from sim.machine import Machine

RUNS = ("--random-shapes", "4")


@pytest.fixture
def scripted(monkeypatch, tmp_path):
    """Hardware that does what a list says, once for each dispatch; then it is as the simulator.

    `None` is right, `"wrong"` a wrong counter; an exception is raised.
    """
    script: list[BaseException | str | None] = []

    class Scripted(RtlDevice):
        def run(self, memory, job, *, trace=None, cycles=0):
            now = script.pop(0) if script else None
            if isinstance(now, BaseException):
                raise now
            records = []
            outcome = Machine(self._target).run(memory, job, trace=records)
            counters = {**outcome.counters}
            counters["cycles"] += now == "wrong"
            return Outcome(outcome.status, outcome.fault, counters)

    monkeypatch.setattr(lockstep, "RtlDevice", Scripted)
    monkeypatch.setattr(recorder, "RtlDevice", Scripted)
    # The scripted hardware shows no strips.
    monkeypatch.setattr(lockstep, "first_difference", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    return script


KILLED = KilledError("error: the process that simulates the hardware was ended by SIGKILL")
FULL = OSError(28, "No space left on device", "/full/x")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KILLED, "the process that simulates the hardware was ended by SIGKILL"),
        (FULL, "No space left on device: /full/x"),
        (MemoryError(), "the host has not enough memory"),
    ],
)
def test_what_could_not_be_compared_is_not_a_difference(scripted, package, capsys, error, reason):
    scripted += [None, error]
    assert main(["cosim", package("add", "tiny"), *RUNS]) == 3
    out, err = capsys.readouterr()
    assert re.fullmatch(
        r"3 dispatches, \d+ cycles compared on target tiny: no difference\n"
        r"1 run not compared to the end: see the errors\n",
        out,
    )
    assert re.fullmatch(
        rf"error: run 1 \(shapes [\dx, ]+\): dispatch 0 not compared: {reason}\n", err
    )


def test_a_difference_counts_more(scripted, package, capsys):
    """The exit code is that of a difference; both are counted on their own."""
    scripted += [KILLED, "wrong", recorder.Recorded(), KILLED]
    assert main(["cosim", package("add", "tiny"), *RUNS]) == 1
    out, err = capsys.readouterr()
    first, second = out.splitlines()
    assert first.startswith("2 dispatches, ")
    assert first.endswith("compared on target tiny: 1 difference")
    assert second == "2 runs not compared to the end: see the errors"
    assert "run 1 (shapes " in err
    assert ": dispatch 0: counter cycles: simulator " in err


def test_an_interrupt_prints_the_summary(scripted, package, capsys):
    scripted += [None, None, KeyboardInterrupt()]
    assert main(["cosim", package("add", "tiny"), *RUNS]) == 130
    out, err = capsys.readouterr()
    assert err == ""
    first, second = out.splitlines()
    assert first.startswith("2 dispatches, ")
    assert first.endswith(": no difference")
    assert second == "interrupted after 2 of 4 runs"


def test_an_interrupt_after_a_difference_loses_nothing(scripted, package, tmp_path, capsys):
    scripted += ["wrong", recorder.Recorded(), KeyboardInterrupt()]
    assert main(["cosim", package("add", "tiny"), *RUNS]) == 130
    out, err = capsys.readouterr()
    assert "1 difference\ninterrupted after 1 of 4 runs\n" in out
    assert "kept in add_tiny.cosim: simulator.txt, hardware.txt of" in err
    assert (tmp_path / "add_tiny.cosim" / "input1.npy").exists()


def test_an_error_in_a_later_run_prints_the_summary_too(scripted, package, capsys):
    scripted += [None, MachineError("machine fault")]
    assert main(["cosim", package("add", "tiny"), *RUNS]) == 1
    out, err = capsys.readouterr()
    assert err == "hwc: error: machine fault\n"
    assert out.startswith("1 dispatch, ")
    scripted += [MachineError("machine fault")]
    assert main(["cosim", package("add", "tiny"), *RUNS]) == 1
    assert capsys.readouterr() == ("", "hwc: error: machine fault\n")


def test_a_bench_that_is_killed(package, monkeypatch, tmp_path, capsys):
    """The hardware itself, whose process is killed in every run but the last."""
    need_tools()
    monkeypatch.chdir(tmp_path)
    wait, runs = Session.wait, []

    def killed(self, *arguments):
        if len(runs) < 3:
            self._process.kill()
        return wait(self, *arguments)

    run = RtlDevice.run

    def counted(self, *arguments, **options):
        runs.append(1)
        return run(self, *arguments, **options)

    monkeypatch.setattr(Session, "wait", killed)
    monkeypatch.setattr(RtlDevice, "run", counted)
    assert main(["cosim", package("add", "tiny"), "--random-shapes", "3"]) == 3
    out, err = capsys.readouterr()
    assert out.startswith("1 dispatch, ")
    assert out.endswith(": no difference\n2 runs not compared to the end: see the errors\n")
    assert err.count("was ended by SIGKILL") == 2
    assert not (tmp_path / "add_tiny.cosim").exists()


def children(pid: int) -> list[str]:
    """The commands of a process's children."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [Path(f"/proc/{child}/cmdline").read_text() for child in found]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_to_the_whole_group(package, tmp_path, number, code):
    """As a terminal sends Ctrl-C, while the hardware is at work."""
    need_tools()
    build(load_target("tiny"))  # the command would say on standard error that it builds
    command = [sys.executable, "-m", "hwc", "cosim", package("chain", "tiny")]
    with subprocess.Popen(
        [*command, "--random-shapes", "100000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        start_new_session=True,
        # A run of tests in the background ignores Ctrl-C, and its children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as process:
        try:
            end = time.monotonic() + 120
            while process.poll() is None and not any("machine" in c for c in children(process.pid)):
                assert time.monotonic() < end
                time.sleep(0.05)
            time.sleep(0.5)
            os.killpg(process.pid, number)
            out, err = process.communicate(timeout=60)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, err) == (code, "")
    assert re.fullmatch(
        r"\d+ dispatch(es)?, \d+ cycles? compared on target tiny: no difference\n"
        r"interrupted after \d+ of 100000 runs\n",
        out,
    )


def test_benchmark_on_the_hardware(package, capsys):
    need_tools()
    options = ["--device", "rtl", "--calls", "2", "--warm-up", "1", "--json"]
    inputs = ["--input", "random:5x1", "--input", "random:1x7"]
    assert main(["benchmark", package("add", "tiny"), *inputs, *options]) == 0
    on_hardware = json.loads(capsys.readouterr().out)
    assert main(["benchmark", package("add", "tiny"), *inputs, "--calls", "2", "--json"]) == 0
    assert on_hardware["cycles"] == json.loads(capsys.readouterr().out)["cycles"]
    assert (on_hardware["device"], on_hardware["calls"]) == ("rtl", 2)
    assert on_hardware["phases"]["device"]["share"] > 0.5
