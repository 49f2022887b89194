"""`hwc cosim` and `hwc run --device rtl` on compiled programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lockstep.support import TARGETS, need_tools

import hwc
from hwc.cli.main import main
from hwc.runtime import rtl_device
from rtl_models.session import Report

PROGRAMS = Path(__file__).parents[1] / "e2e" / "programs"


@pytest.fixture
def package(tmp_path):
    def compiled(name: str, target: str) -> str:
        path = tmp_path / f"{name}_{target}.hwx"
        hwc.compile(PROGRAMS / f"{name}.mlir", target).save(path)
        return str(path)

    return compiled


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", sorted(p.stem for p in PROGRAMS.glob("*.mlir")))
def test_programs_with_random_shapes(package, target, name, capsys):
    need_tools()
    assert main(["cosim", package(name, target), "--random-shapes", "6"]) == 0
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


def test_differences_are_shown(package, tmp_path, monkeypatch, capsys):
    """Hardware that counts one cycle more, sees a fault and writes a byte."""
    real = rtl_device.Machine

    class Honest(rtl_device.RtlMachine):
        def execute(self, memory, job, trace=None):
            run = real(self._target).run(
                memory,
                job.program_address,
                job.program_words,
                job.packet_address,
                job.packet_words,
                window=job.window,
            )
            memory.view(memory.base, 1)[:] ^= 1
            counters = {**run.counters, "cycles": run.counters["cycles"] + 1}
            return Report("fault", False, ("overlap", 3, 40, 0), counters)

    monkeypatch.setattr(rtl_device, "RtlMachine", Honest)
    inputs = ["--input", "2x2xf32=1", "--input", "2x2xf32=2"]
    traces = ["--traces", str(tmp_path)]
    assert main(["cosim", package("add", "tiny"), *inputs, *traces]) == 1
    assert " strip 0 store" in (tmp_path / "dispatch0.simulator.txt").read_text()
    assert " strip 0 store" not in (tmp_path / "dispatch0.hardware.txt").read_text()
    out, error = capsys.readouterr()
    assert "differences" in out
    for text in ("counter cycles", "'overlap', 3, 40, 0", "status", "1 bytes of memory"):
        assert text in error
    assert "kernel 0, strip 0, fetch" in error
    assert np.all(
        [line.startswith("error: run 0 (shapes 2x2, 2x2)") for line in error.splitlines()]
    )
