"""`hwc cosim` and `hwc run --device rtl` on compiled programs."""

from __future__ import annotations

import io
import re
import shlex

import numpy as np
import pytest
from lockstep.support import INPUTS, PROGRAMS, TARGETS, is_waveform

import hwc
from hwc.cli.cosim import AFTER
from hwc.cli.main import main
from hwc.cli.random_shapes import random_shapes
from hwc.runtime import lockstep, recorder
from hwc.runtime.rtl import RtlDevice
from isa.dispatch import Fault, Outcome
from rtl_models.simulation.build import BuildError
from rtl_models.simulation.session import Session, StripEvent
from rtl_models.tb.tools import need_tools
from sim.machine import Machine


@pytest.mark.parametrize("target", TARGETS)
def test_a_program_with_random_shapes(package, target, capsys):
    need_tools()
    assert main(["cosim", package("chain", target), "--random-shapes", "6"]) == 0
    assert "no difference" in capsys.readouterr().out


def test_run_on_the_hardware(package, capsys):
    need_tools()
    path = package("add", "tiny")
    shapes = ["--input", "random:5x1", "--input", "random:1x7"]
    assert main(["run", path, *shapes]) == 0
    on_simulator, kernels = capsys.readouterr().out.split("\n\nkernel ")
    assert "tosa.add" in kernels
    assert main(["run", path, *shapes, "--device", "rtl"]) == 0
    # The hardware has one set of counters, and does not tell kernels apart.
    assert capsys.readouterr().out.rstrip("\n") == on_simulator


def test_a_difference_of_the_hardware(package, tmp_path, monkeypatch, capsys):
    """The hardware itself, in a folder with a blank; only the comparison of memory is wrong."""
    need_tools()
    monkeypatch.setattr(lockstep, "compare_memory", lambda *_: iter(["1 byte of memory"]))
    folder = tmp_path / "a b"
    folder.mkdir()
    monkeypatch.chdir(folder)
    path = package("add", "tiny")
    assert main(["cosim", path, *INPUTS]) == 1
    out, error = capsys.readouterr()
    lines = [line for line in error.splitlines() if not line.startswith(("building", "built"))]
    assert lines == [
        "error: run 0 (shapes 2x2, 1x2): dispatch 0: 1 byte of memory",
        "kept in add_tiny.cosim: simulator.txt, hardware.txt, waves.vcd of the first run with "
        "a difference; to repeat it:",
        f"  hwc cosim {shlex.quote(path)} --input @add_tiny.cosim/input0.npy "
        "--input @add_tiny.cosim/input1.npy",
    ]
    assert out.startswith("1 dispatch, ")
    assert out.endswith("compared on target tiny: 1 difference\n")
    kept = folder / "add_tiny.cosim"
    assert is_waveform(kept / "waves.vcd")
    trace = (kept / "hardware.txt").read_text()
    assert " strip 0 store" in trace
    assert trace == (kept / "simulator.txt").read_text()


def test_hardware_that_dies_leaves_its_trace(package, tmp_path, monkeypatch, capsys):
    """As an assertion would end it: with `%Fatal`, after some cycles."""
    need_tools()
    wait = Session.wait

    def dies(self, cycles):
        assert not wait(self, 400)
        self._ask("nonsense")

    monkeypatch.setattr(Session, "wait", dies)
    monkeypatch.chdir(tmp_path)
    arguments = ["--input", "random:8x64", "--input", "random:1x64"]
    assert main(["cosim", package("add", "tiny"), *arguments, "--waves", "x.vcd"]) == 1
    first, second, *others = capsys.readouterr().err.splitlines()
    assert "dispatch 0: the first strip that differs: kernel 0" in first
    assert first.endswith("in hardware none")
    assert re.search(
        r"dispatch 0: the hardware for target tiny stopped by itself: .*unknown command: nonsense "
        r"\(the simulator takes \d+ cycles\)$",
        second,
    )
    assert others[0].startswith("kept in ")
    kept = tmp_path / "add_tiny.cosim"
    trace = (kept / "hardware.txt").read_text().splitlines()[1:]
    expected = (kept / "simulator.txt").read_text().splitlines()[1:]
    assert 0 < len(trace) < len(expected)
    assert set(trace) <= set(expected)
    assert is_waveform(tmp_path / "x.vcd")
    assert not (kept / "waves.vcd").exists()  # --waves names another file


def test_a_long_run_tells_how_far_it_is(package, capsys, told):
    need_tools()
    arguments = ["--input", "random:1x200x256", *3 * ("--input", "random:1x1x1")]
    assert main(["cosim", package("chain", "tiny"), *arguments]) == 0
    cycles = int(re.search(r", (\d+) cycles", capsys.readouterr().out)[1])
    assert cycles > 1 << 16
    inner = ("simulating the hardware", 1 << 16, cycles, "cycles")
    assert [("comparing", 0, 1, "runs"), inner] in told
    assert told[-2:] == [[("comparing", 1, 1, "runs")], []]


def test_a_folder_that_is_missing(package, capsys):
    assert main(["cosim", package("add", "tiny"), "--waves", "no/such/x.fst"]) == 1
    assert "there is no folder" in capsys.readouterr().err


def test_without_a_compiler(package, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HWC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    inputs = ["--input", "random:5x1", "--input", "random:1x7"]
    assert main(["cosim", package("add", "tiny"), *inputs]) == 1
    error = capsys.readouterr().err
    assert "apt install g++" in error
    assert "apt install perl" in error
    assert "Traceback" not in error


class Wrong(RtlDevice):
    """Hardware that counts one cycle more, sees a fault, writes a byte, and shows no strips."""

    def run(self, memory, job, *, trace=None, cycles=0):
        expected = Machine(self._target).run(memory, job)
        memory.view(memory.base, 1)[:] ^= 1
        counters = {**expected.counters, "cycles": expected.counters["cycles"] + 1}
        if trace is not None:
            trace.append(StripEvent("fetch", 0, 0, 0, 0, 7, 7))
        if self._waves is not None:
            self._waves.write_text(f"until {cycles}")
        return Outcome("fault", Fault("overlap", 3, 40), counters)


@pytest.fixture
def wrong(monkeypatch, tmp_path):
    monkeypatch.setattr(lockstep, "RtlDevice", Wrong)
    monkeypatch.setattr(recorder, "RtlDevice", Wrong)
    monkeypatch.chdir(tmp_path)


def test_dispatches_are_numbered_within_a_run(wrong, package, capsys):
    assert main(["cosim", package("add", "tiny"), "--random-shapes", "3", "--seed", "1"]) == 1
    lines = capsys.readouterr().err.splitlines()
    runs = [re.match(r"error: run (\d) \(shapes .*\): dispatch (\d): ", line) for line in lines]
    assert {match.groups() for match in runs if match} == {("0", "0"), ("1", "0"), ("2", "0")}


def test_differences_are_shown_and_kept(wrong, package, tmp_path, capsys):
    path = package("add", "tiny")
    assert main(["cosim", path, *INPUTS]) == 1
    out, error = capsys.readouterr()
    first, *others = error.splitlines()
    assert first.startswith("error: run 0 (shapes 2x2, 1x2): dispatch 0: the first strip that")
    assert "kernel 0, strip 0, fetch" in first
    for text in ("counter cycles", "overlap at word 3, stream o0", "status", "1 byte of memory"):
        assert text in error
    assert "differences" in out
    kept = tmp_path / "add_tiny.cosim"
    assert sorted(p.name for p in kept.iterdir()) == [
        *("hardware.txt", "input0.npy", "input1.npy", "simulator.txt", "waves.vcd"),
    ]
    begin = int(re.search(r"simulator \((\d+),", first)[1])
    assert (kept / "waves.vcd").read_text() == f"until {begin + AFTER}"
    assert " strip 0 store" in (kept / "simulator.txt").read_text()
    assert (kept / "hardware.txt").read_text().splitlines()[1].split() == [
        *("7", "7", "kernel", "0", "strip", "0", "fetch"),
    ]
    assert "kept in add_tiny.cosim: simulator.txt, hardware.txt, waves.vcd" in others[-2]
    again = shlex.split(others[-1])
    assert again[:3] == ["hwc", "cosim", path]
    assert main(again[1:]) == 1
    assert capsys.readouterr().err.splitlines()[0] == first


def test_text_is_compiled_and_the_command_that_repeats_it_compiles_too(
    wrong, tmp_path, capsys, monkeypatch
):
    text = str(PROGRAMS / "add.mlir")
    assert main(["cosim", text, *INPUTS, "-t", "tiny", "--assume", "a.0 > 1"]) == 1
    out, error = capsys.readouterr()
    assert "on target tiny" in out
    again = shlex.split(error.splitlines()[-1])
    assert again[:7] == ["hwc", "cosim", text, "--target", "tiny", "--assume", "a.0 > 1"]
    assert main(again[1:]) == 1
    assert capsys.readouterr().err.splitlines()[0] == error.splitlines()[0]
    content = io.BytesIO((PROGRAMS / "add.mlir").read_bytes())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(content))
    assert main(["cosim", "-", *INPUTS, "-t", "tiny"]) == 1
    assert (tmp_path / "hwc.cosim" / "waves.vcd").is_file()


def test_only_the_first_run_is_kept(wrong, package, tmp_path, capsys):
    path = package("add", "tiny")
    keep = tmp_path / "elsewhere"
    options = ["--random-shapes", "3", "--keep", str(keep)]
    assert main(["cosim", path, *INPUTS, *options]) == 1
    error = capsys.readouterr().err
    assert "run 3" in error
    assert np.load(keep / "input1.npy").tolist() == [[2.0, 2.0]]
    assert "run 0" in error.splitlines()[0]


def test_what_an_earlier_run_left_is_replaced(wrong, package, tmp_path):
    keep = tmp_path / "keep"
    keep.mkdir()
    for name in ("input7.npy", "waves.vcd", "hardware.txt", "input.npy", "notes.txt"):
        (keep / name).write_text("old")
    assert main(["cosim", package("add", "tiny"), *INPUTS, "--keep", str(keep)]) == 1
    old = {path.name for path in keep.iterdir() if path.read_bytes() == b"old"}
    assert old == {"input.npy", "notes.txt"}
    assert not (keep / "input7.npy").exists()


def test_a_folder_that_cannot_be_made(wrong, package, capsys):
    assert main(["cosim", package("add", "tiny"), *INPUTS, "--keep", "/proc/none"]) == 1
    out, error = capsys.readouterr()
    assert "1 byte of memory" in error
    assert error.splitlines()[-1].startswith("--keep: error: cannot write to /proc/none: ")
    assert "differences" in out


def test_a_recording_that_is_not_there(wrong, package, tmp_path, monkeypatch, capsys):
    def run(self, memory, job):
        (tmp_path / "add_tiny.cosim" / "waves.vcd").touch()
        raise recorder.Recorded

    monkeypatch.setattr(recorder.Recorder, "run", run)
    assert main(["cosim", package("add", "tiny"), *INPUTS]) == 1
    error = capsys.readouterr().err
    assert "no waveform: the hardware wrote nothing to" in error
    assert "kept in add_tiny.cosim: simulator.txt, hardware.txt of" in error


def test_nothing_is_kept_without_a_difference(package, tmp_path, monkeypatch):
    need_tools()
    monkeypatch.chdir(tmp_path)
    path = package("add", "tiny")
    before = sorted(tmp_path.iterdir())
    assert main(["cosim", path, *INPUTS]) == 0
    assert sorted(tmp_path.iterdir()) == before


def test_a_run_that_cannot_be_recorded(wrong, package, tmp_path, monkeypatch, capsys):
    def run(self, memory, job):
        raise BuildError("error: no compiler")

    monkeypatch.setattr(recorder.Recorder, "run", run)
    assert main(["cosim", package("add", "tiny"), *INPUTS]) == 1
    error = capsys.readouterr().err
    assert "no waveform: error: no compiler" in error
    assert "kept in add_tiny.cosim: simulator.txt, hardware.txt of" in error


def test_progress_is_for_terminals(wrong, package, monkeypatch, capsys, tasks_at_once):
    command = ["cosim", package("add", "tiny"), "--random-shapes", "2"]
    assert main(command) == 1
    assert "comparing:" not in capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(command) == 1
    assert re.search(r"comparing: 100%\|.*\| 2/2 runs \[", capsys.readouterr().err)
    assert main([*command, "--quiet"]) == 1
    assert "comparing:" not in capsys.readouterr().err


def test_what_is_to_be_run(package, capsys):
    path = package("add", "tiny")
    for given in ((), INPUTS[:2]):
        assert main(["cosim", path, *given]) == 1
        error = capsys.readouterr().err
        assert error.startswith("hwc cosim: error: ")
        assert "use --input 2 times (%" in error
        assert error.endswith("), or --random-shapes N\n")
    with pytest.raises(SystemExit) as stopped:
        main(["cosim", path, "--random-shapes", "0"])
    assert stopped.value.code == 2
    assert "expected a whole number, 1 or more, got '0'" in capsys.readouterr().err


def test_a_device_that_is_not_there(package, capsys):
    assert main(["run", package("add", "tiny"), *INPUTS, "--device", "rlt"]) == 1
    error = capsys.readouterr().err
    assert error == "--device: error: no device 'rlt': known are rtl, simulator\n"


def test_a_file_where_the_folder_should_be(package, tmp_path, capsys):
    path = tmp_path / "f"
    path.touch()
    assert main(["cosim", package("add", "tiny"), *INPUTS, "--keep", str(path)]) == 1
    assert "is a file" in capsys.readouterr().err


def test_random_shapes_have_ones(package):
    """Sizes that could be 1 are so in some draws and not in others, each on its own."""
    program = hwc.compile(PROGRAMS / "add.mlir", "tiny")
    drawn = [
        random_shapes(program.package, program.target, np.random.default_rng(seed))
        for seed in range(60)
    ]
    ones = {tuple(n == 1 for shape in shapes for n in shape) for shapes in drawn}
    assert len(ones) > 8
    assert all(np.broadcast_shapes(*shapes) for shapes in drawn)
