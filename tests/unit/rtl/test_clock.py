"""Place and route of `make synth`: the ring of registers, reports, what a module has to reach."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rtl_models.sources import modules
from rtl_models.synthesis import __main__ as command
from rtl_models.synthesis import place as room
from rtl_models.synthesis.__main__ import WAIVERS, WHOLE
from rtl_models.synthesis.clock import (
    TargetClock,
    Waiver,
    by_module,
    clock_faults,
    clock_report,
    load_waivers,
)
from rtl_models.synthesis.netlist import Memory, Netlist, Part
from rtl_models.synthesis.nextpnr import Placed, read_report
from rtl_models.synthesis.place import MOST_GATES, Clocked, place, to_place
from rtl_models.synthesis.report import measure
from rtl_models.synthesis.ring import port_of, ring
from rtl_models.synthesis.run import SynthesisError, synthesise

CAPTURED = Path(__file__).parent / "placed"
"""What nextpnr wrote of the design below, with the names of the cells that it was given."""


def captured(name: str):
    return json.loads((CAPTURED / name).read_text())


def test_a_report_of_the_tool():
    placed = read_report(captured("speed-6.json"), captured("cells.json"))
    assert placed == Placed(365.4, "count_q", "count_q", 17, 4, 0, 0)
    assert Placed.from_json(json.loads(json.dumps(placed.as_json()))) == placed


def test_a_report_without_a_path_between_registers():
    report = captured("speed-6.json")
    report["critical_paths"] = [
        {"from": "<async>", "path": [], "to": "posedge clk_i"},
        {"from": "posedge clk_i", "path": [], "to": "<async>"},
    ]
    placed = read_report(report, [])
    assert (placed.mhz, placed.start, placed.end) == (None, "", "")


def counter() -> Netlist:
    return Netlist(
        "counter$machine.u_a",
        inputs={"clk_i": [2], "rst_ni": [3], "put_i": [4]},
        outputs={"count_o": [5, 6, None]},
    )


def test_a_ring():
    assert (
        ring(counter())
        == """\
module ring (
  input clk_i,
  input rst_ni,
  input [0:0] put_i,
  output [2:0] count_o
);
  reg [0:0] put_i_ring_q;
  reg [2:0] count_o_ring_q;
  wire [2:0] count_o_inside;
  assign count_o = count_o_ring_q;
  always @(posedge clk_i) begin
    put_i_ring_q <= put_i;
    count_o_ring_q <= count_o_inside;
  end
  \\counter$machine.u_a u_inside (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .put_i(put_i_ring_q),
    .count_o(count_o_inside)
  );
endmodule
"""
    )
    assert port_of("put_i_ring_q") == "put_i"
    assert port_of("u_inside.count_q") is None


def test_a_ring_around_gates_has_the_clock():
    gates = Netlist("gates", inputs={"a_i": [2]}, outputs={"b_o": [3]})
    assert "  input clk_i,\n  input rst_ni,\n" in ring(gates)
    assert ".clk_i(clk_i)" not in ring(gates)


def test_a_ring_around_generated_registers():
    registers = Netlist("r", inputs={"clk": [2], "arst_n": [3], "a": [4]}, outputs={"b": [5]})
    assert ".clk(clk_i),\n    .arst_n(rst_ni),\n    .a(a_ring_q)" in ring(registers)
    assert "clk_ring_q" not in ring(registers)


def test_which_circuits_are_placed():
    small, large = Netlist("leaf$top.u_a"), Netlist("leaf$top.u_b")
    small.gates["$_AND_"], large.gates["$_AND_"] = 5, 6
    wires = Netlist("wires", parts=[Part("u", large.name, {}, {})])
    register = Netlist("register", flip_flops=1)
    memory = Netlist("memory", memories=[Memory("words_q", 4, 8, 1, 1, registered=True)])
    huge = Netlist("huge", parts=[Part("u", large.name, {}, {}), Part("v", large.name, {}, {})])
    huge.gates["$_OR_"] = MOST_GATES - 12
    every = [small, large, wires, register, memory, huge]
    names = {netlist.name: netlist for netlist in every}
    assert to_place(names) == ["huge", "leaf$top.u_b", "memory", "register"]
    huge.gates["$_OR_"] += 1
    assert to_place(names) == ["leaf$top.u_b", "memory", "register"]


DESIGN = """\
module top (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       put_i,
    input  logic       take_i,
    output logic [3:0] count_o
);
  pulse_counter #(
      .Bits(4)
  ) u_counter (
      .clk_i, .rst_ni, .clear_i(1'b0), .put_i, .take_i, .count_o
  );
endmodule
"""


def synthesised(folder: Path, design: str = DESIGN) -> dict[str, Netlist]:
    source = folder / "top.sv"
    source.write_text(design)
    return synthesise("top", [source, modules()["pulse_counter"]], folder, lambda begun, of: None)


def test_the_tools(tmp_path, monkeypatch):
    netlists = synthesised(tmp_path)
    names = to_place(netlists)
    assert [netlists[name].module for name in names] == ["pulse_counter"]
    said: list[str] = []
    kept = tmp_path / "kept"
    (placed,) = place(names, netlists, tmp_path, kept, 1, said.append)
    slow, fast = (placed.speeds[speed] for speed in (6, 8))
    assert slow.mhz is not None
    assert fast.mhz is not None
    assert 100 < slow.mhz < fast.mhz < 1000
    assert (slow.flip_flops, slow.block_rams, slow.multipliers) == (4, 0, 0)
    assert 4 <= slow.luts <= 20
    assert {slow.start, slow.end} <= {"count_q", "put_i", "take_i", "count_o"}
    assert said == [f"pulse_counter: {slow.mhz} MHz"]

    # What has been placed is not placed again, wherever its lines are in the sources.
    def never(*_):
        raise AssertionError("placed again")

    monkeypatch.setattr(room, "_run", never)
    netlists = synthesised(tmp_path, f"// A comment.\n\n{DESIGN}")
    assert place(names, netlists, tmp_path, kept, 1, said.append) == [placed]
    netlists = synthesised(tmp_path, DESIGN.replace(".Bits(4)", ".Bits(5)").replace("3:0", "4:0"))
    with pytest.raises(AssertionError, match="placed again"):
        place(names, netlists, tmp_path, kept, 1, said.append)


def test_a_tool_that_fails_is_one_error(tmp_path, monkeypatch):
    netlists = synthesised(tmp_path)
    monkeypatch.setattr(room, "_OPTIONS", ("--no-such-option",))
    with pytest.raises(SynthesisError) as caught:
        place(to_place(netlists), netlists, tmp_path, tmp_path / "kept", 1, print)
    assert str(caught.value).startswith(
        "error: nextpnr cannot place pulse_counter$top.u_counter, see"
    )
    assert "no-such-option" in str(caught.value)
    assert not list((tmp_path / "kept").iterdir())


def clocked(module: str, mhz: float | None) -> Clocked:
    placed = Placed(mhz, "a_q", "b_q", 10, 20, 1, 2)
    return Clocked(f"{module}$machine.u_{module}", {6: placed, 8: placed})


@pytest.mark.parametrize(
    ("mhz", "known", "fault"),
    [
        (95.0, None, None),
        (None, None, None),
        (94.9, None, "tiny: error: walk reaches 94.9 MHz at speed grade 6, expected 95"),
        (50.0, 50.0, None),
        (54.9, 50.0, None),
        (45.1, 50.0, None),
        (44.9, 50.0, "tiny: error: walk reaches 44.9 MHz at speed grade 6, and reached 50 before"),
        (*(55.1, 50.0, "tiny: error: walk reaches 55.1 MHz at speed grade 6: write that in its "),),
        (95.0, 94.0, "tiny: error: walk reaches 95.0 MHz at speed grade 6: remove its waiver"),
    ],
)
def test_what_a_module_has_to_reach(mhz, known, fault):
    waivers = {} if known is None else {"walk": Waiver({"tiny": known}, "why")}
    found = list(clock_faults("tiny", {"walk": clocked("walk", mhz)}, waivers))
    assert len(found) == (fault is not None)
    assert fault is None or found[0].startswith(fault)


def test_a_waiver_of_another_target_or_module():
    waivers = {"walk": Waiver({"accel": 50.0}, "why")}
    modules_of_tiny = {"walk": clocked("walk", 50.0)}
    (fault,) = clock_faults("tiny", modules_of_tiny, waivers)
    assert fault.endswith("expected 95")
    assert not list(clock_faults("accel", modules_of_tiny, waivers))
    assert list(clock_faults("accel", {}, waivers)) == [
        "accel: error: the waiver of walk is of a module that is not placed"
    ]


HEAD = """\
| module | MHz, speed 6 | MHz, speed 8 | LUTs | flip-flops | block RAMs | multipliers \
| slowest path at speed 6: from | to |"""


def test_the_report():
    every = [clocked("fast", None), clocked("quick", 200.0), clocked("late", 50.0)]
    placed = by_module(every, {c.name: Netlist(c.name) for c in every})
    whole = Clocked(
        "machine", {6: Placed(22.0, "a", "b", 9, 8, 7, 6), 8: Placed(33.3, "a", "b", 9, 8, 7, 6)}
    )
    targets = [TargetClock("tiny", placed, whole), TargetClock("accel", {}, None)]
    waivers = {"late": Waiver({"tiny": 50.0}, "why it is"), "other": Waiver({"wide": 1.0}, "no")}
    text = clock_report(targets, waivers, "Preface.")
    assert (
        text
        == f"""\
# The clock of the hardware

Preface.

## Target tiny

{HEAD}
|---|---|---|---|---|---|---|---|---|
| **machine with all parts** | 22.0 | 33.3 | 9 | 8 | 7 | 6 | `a` | `b` |
| `late`\\* | 50.0 | 50.0 | 10 | 20 | 1 | 2 | `a_q` | `b_q` |
| `quick` | 200.0 | 200.0 | 10 | 20 | 1 | 2 | `a_q` | `b_q` |
| `fast` | – | – | 10 | 20 | 1 | 2 | – | – |

## Target accel

{HEAD}
|---|---|---|---|---|---|---|---|---|

## Modules below 95 MHz

| module | why |
|---|---|
| `late` | why it is |
"""
    )


@pytest.mark.parametrize(("mhz", "code"), [(94.9, 1), (95.0, 0)])
def test_the_command_writes_its_reports_then_fails(mhz, code, tmp_path, capsys, monkeypatch):
    netlist = Netlist(
        "machine", nets=2, inputs={"a_i": [0]}, outputs={"b_o": [1]}, arcs=[(0, 1, 1)]
    )
    netlist.names = {0: "a_i", 1: "b_o"}
    synthesis = measure("tiny", "machine", {"machine": netlist}, {"machine": {}})
    clock = TargetClock("tiny", {"walk": clocked("walk", mhz)}, None)
    monkeypatch.setattr(command, "_synthesis", lambda *_: synthesis)
    monkeypatch.setattr(command, "_clock", lambda *_: clock)
    monkeypatch.setattr(command, "load_waivers", lambda _: {})
    reports = [tmp_path / "synthesis.md", tmp_path / "clock.md"]
    options = ["--output", str(reports[0]), "--clock-output", str(reports[1]), "tiny"]
    assert command.main(options) == code
    said = capsys.readouterr()
    assert said.out == f"see {reports[0]} and {reports[1]}\n"
    fault = "tiny: error: walk reaches 94.9 MHz at speed grade 6, expected 95\n"
    assert said.err == (fault if code else "")
    assert "# Synthesis of the hardware" in reports[0].read_text()
    assert f"| `walk` | {mhz} |" in reports[1].read_text()


def test_the_waivers():
    waivers = load_waivers(WAIVERS)
    assert set(waivers) <= set(modules())
    assert {target for waiver in waivers.values() for target in waiver.mhz} <= {"accel", *WHOLE}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rows: {}\n", "waivers.yaml: error: expected the key `modules`, nothing else"),
        (
            "modules:\n  alu: {mhz: {tiny: 1}}\n",
            "waivers.yaml:2: error: the waiver of `alu` has the keys mhz, reason, and no others",
        ),
        ("modules:\n  alu: {mhz: {tiny: 1}, reason: ' '}\n", "of `alu` needs a reason"),
        (
            "modules:\n  alu: {mhz: 5, reason: why}\n",
            "the waiver of `alu` gives `mhz` as a number for each target",
        ),
        (
            "modules:\n  alu: {mhz: {tiny: fast}, reason: why}\n",
            "the waiver of `alu` gives `mhz` as a number for each target",
        ),
    ],
)
def test_a_bad_file_of_waivers(text, said, tmp_path):
    path = tmp_path / "waivers.yaml"
    path.write_text(text)
    with pytest.raises(SynthesisError) as caught:
        load_waivers(path)
    assert said in str(caught.value)
