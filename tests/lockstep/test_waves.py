"""`hwc cosim --waves`: the named file holds the waveform of the run, or an error says why not."""

from __future__ import annotations

from pathlib import Path

import pytest
from lockstep.support import INPUTS, is_waveform

from hwc.cli.main import main
from hwc.runtime import lockstep
from rtl_models.simulation import session
from rtl_models.simulation.session import Session
from rtl_models.tb.tools import need_tools


@pytest.mark.parametrize("name", ["x.vcd", "my waves.vcd"])
def test_a_waveform(package, tmp_path, monkeypatch, name):
    need_tools()
    monkeypatch.chdir(tmp_path)
    path = package("add", "tiny")
    before = set(tmp_path.iterdir())
    assert main(["cosim", path, *INPUTS, "--waves", name]) == 0
    assert set(tmp_path.iterdir()) - before == {tmp_path / name}
    assert is_waveform(tmp_path / name)


def test_a_waveform_of_the_other_kind(package, tmp_path):
    need_tools()
    if not session.can_write_fst():
        pytest.skip("Verilator's FST writer needs the header lz4.h")
    waves = tmp_path / "x.fst"
    assert main(["cosim", package("add", "tiny"), *INPUTS, "--waves", str(waves)]) == 0
    content = waves.read_bytes()
    assert content[:9] == bytes([0, *(329).to_bytes(8, "big")])  # FST_BL_HDR and its length
    assert len(content) > 1000


@pytest.mark.parametrize(
    ("name", "reason"), [("/proc/x.vcd", "No such file"), ("d.vcd", "Is a directory")]
)
def test_a_waveform_that_cannot_be_written(package, tmp_path, monkeypatch, capsys, name, reason):
    monkeypatch.chdir(tmp_path)
    Path("d.vcd").mkdir()
    assert main(["cosim", package("add", "tiny"), *INPUTS, "--waves", name]) == 1
    out, error = capsys.readouterr()
    assert error.startswith(f"--waves {name}: error: cannot be written: {reason}")
    assert out == ""


def test_a_waveform_that_is_not_written(package, tmp_path, monkeypatch, capsys):
    """The simulation reports nothing if it cannot write."""
    need_tools()
    send = Session._send
    monkeypatch.setattr(
        Session, "_send", lambda self, text: None if text.startswith("wave ") else send(self, text)
    )
    waves = tmp_path / "x.vcd"
    assert main(["cosim", package("add", "tiny"), *INPUTS, "--waves", str(waves)]) == 1
    assert f"error: no waveform was written to {waves}" in capsys.readouterr().err


def test_a_waveform_that_is_not_begun_is_not_there(package, tmp_path, capsys):
    waves = tmp_path / "x.vcd"
    arguments = ["--input", "2x2xf32=1", "--input", "3x2xf32=2", "--waves", str(waves)]
    assert main(["cosim", package("add", "tiny"), *arguments]) == 1
    assert not waves.exists()


def test_every_start_of_the_hardware_has_a_waveform(package, tmp_path, monkeypatch, capsys):
    """Run 0 does not end in time, nor does run 1; the first is not overwritten."""
    need_tools()
    monkeypatch.setattr(lockstep, "_PATIENCE", 0)
    monkeypatch.setattr(lockstep, "_GRACE", 20)
    monkeypatch.chdir(tmp_path)
    command = ["cosim", package("add", "tiny"), "--random-shapes", "2", "--waves", "x.vcd"]
    assert main(command) == 1
    error = capsys.readouterr().err
    assert error.count("does not come to an end within 20 cycles") == 2
    assert "waveforms, in order: x.vcd, x-2.vcd" in error
    assert is_waveform(Path("x.vcd"))
    assert is_waveform(Path("x-2.vcd"))


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
