"""`hwc cosim` and `hwc run --device rtl` on compiled programs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from lockstep.support import TARGETS, need_tools

import hwc
from hwc.cli.cosim import AFTER
from hwc.cli.main import main
from hwc.cli.random_shapes import random_shapes
from hwc.runtime import rtl_device
from rtl_models import session
from rtl_models.build import BuildError
from rtl_models.session import Report, StripEvent
from sim.machine import Machine

PROGRAMS = Path(__file__).parents[1] / "e2e" / "programs"


@pytest.fixture
def package(tmp_path):
    def compiled(name: str, target: str) -> str:
        path = tmp_path / f"{name}_{target}.hwx"
        hwc.compile(PROGRAMS / f"{name}.mlir", target).save(path)
        return str(path)

    return compiled


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
    on_simulator = capsys.readouterr().out
    assert main(["run", path, *shapes, "--device", "rtl"]) == 0
    assert capsys.readouterr().out == on_simulator


def test_a_waveform(package, tmp_path):
    need_tools()
    waves = tmp_path / "x.vcd"
    inputs = ["--input", "random:5x1", "--input", "random:1x7"]
    assert main(["cosim", package("add", "tiny"), *inputs, "--waves", str(waves)]) == 0
    assert waves.stat().st_size > 1000


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
    assert "Traceback" not in error


class Wrong(rtl_device.RtlMachine):
    """Hardware that counts one cycle more, sees a fault, writes a byte, and shows no strips."""

    def execute(self, memory, job, trace=None, cycles=0):
        run = Machine(self._target).run(
            memory,
            job.program_address,
            job.program_words,
            job.packet_address,
            job.packet_words,
            window=job.window,
        )
        memory.view(memory.base, 1)[:] ^= 1
        counters = {**run.counters, "cycles": run.counters["cycles"] + 1}
        if trace is not None:
            trace.append(StripEvent("fetch", 0, 0, 0, 7, 7))
        if self._waves is not None:
            self._waves.write_text(f"until {cycles}")
        return Report("fault", False, ("overlap", 3, 40, 0), counters)


class WrongRecorder(rtl_device.Recorder):
    execute = Wrong.execute


@pytest.fixture
def wrong(monkeypatch, tmp_path):
    monkeypatch.setattr(rtl_device, "RtlMachine", Wrong)
    monkeypatch.setattr(rtl_device, "Recorder", WrongRecorder)
    monkeypatch.chdir(tmp_path)


INPUTS = ("--input", "2x2xf32=1", "--input", "1x2xf32=2")


def test_differences_are_shown_and_kept(wrong, package, tmp_path, capsys):
    path = package("add", "tiny")
    assert main(["cosim", path, *INPUTS]) == 1
    out, error = capsys.readouterr()
    first, *others = error.splitlines()
    assert first.startswith("error: run 0 (shapes 2x2, 1x2): dispatch 0: the first strip that")
    assert "kernel 0, strip 0, fetch" in first
    for text in ("counter cycles", "'overlap', 3, 40, 0", "status", "1 bytes of memory"):
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


def test_only_the_first_run_is_kept(wrong, package, tmp_path, capsys):
    path = package("add", "tiny")
    keep = tmp_path / "elsewhere"
    waves = tmp_path / "own.vcd"
    options = ["--random-shapes", "3", "--keep", str(keep), "--waves", str(waves)]
    assert main(["cosim", path, *INPUTS, *options]) == 1
    error = capsys.readouterr().err
    assert "run 3" in error
    assert np.load(keep / "input1.npy").tolist() == [[2.0, 2.0]]
    assert waves.exists()
    assert not (keep / "waves.vcd").exists()
    assert "run 0" in error.splitlines()[0]


def test_nothing_is_kept_without_a_difference(package, tmp_path, monkeypatch):
    need_tools()
    monkeypatch.chdir(tmp_path)
    path = package("add", "tiny")
    before = sorted(tmp_path.iterdir())
    assert main(["cosim", path, *INPUTS]) == 0
    assert sorted(tmp_path.iterdir()) == before


def test_a_run_that_cannot_be_recorded(wrong, package, tmp_path, monkeypatch, capsys):
    def execute(self, *arguments, **options):
        raise BuildError("error: no compiler")

    monkeypatch.setattr(WrongRecorder, "execute", execute)
    assert main(["cosim", package("add", "tiny"), *INPUTS]) == 1
    error = capsys.readouterr().err
    assert "no waveform: error: no compiler" in error
    assert "kept in add_tiny.cosim: simulator.txt, hardware.txt of" in error


def test_progress_is_for_terminals(wrong, package, monkeypatch, capsys):
    command = ["cosim", package("add", "tiny"), "--random-shapes", "2"]
    assert main(command) == 1
    assert "[#" not in capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(command) == 1
    assert "[##############################] 2/2" in capsys.readouterr().err


def test_names_of_waveforms(package, capsys):
    path = package("add", "tiny")
    assert main(["cosim", path, *INPUTS, "--waves", "x.txt"]) == 1
    assert "expected a name that ends in .vcd or .fst" in capsys.readouterr().err


def test_fst_without_its_header(package, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(session, "can_write_fst", lambda: False)
    monkeypatch.setenv("HWC_CACHE", str(tmp_path / "cache"))
    waves = str(tmp_path / "x.fst")
    assert main(["cosim", package("add", "tiny"), *INPUTS, "--waves", waves]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "apt install liblz4-dev" in error
    assert "x.vcd" in error


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
