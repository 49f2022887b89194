"""The tool of `make synth`: sharing of circuits, depth of paths, small designs mapped."""

from __future__ import annotations

import pytest

from rtl_models.sources import modules
from rtl_models.synthesis.check import faults, port_faults
from rtl_models.synthesis.netlist import Memory, Netlist, Part
from rtl_models.synthesis.parameters import read_parameters
from rtl_models.synthesis.paths import LoopError, Path, ends_of_inputs, own_path, whole_paths
from rtl_models.synthesis.report import measure, report
from rtl_models.synthesis.run import SynthesisError, synthesise
from rtl_models.synthesis.share import share

LEAF = """\
attribute \\src "leaf.sv:1"
module \\leaf$top.{path}
  wire input 1 \\a_i
  wire output 2 \\b_o
  wire $and$leaf.sv:3${first}_Y
  cell {gate} $and$leaf.sv:3${second}
    connect \\A \\a_i
  end
end
"""
TOP = """\
module \\top
  cell \\leaf$top.u_a \\u_a
    connect \\a_i \\x
  end
  cell \\leaf$top.u_b \\u_b
  end
  cell \\leaf$top.u_c \\u_c
  end
end
"""


def test_same_circuits_are_one():
    leaves = [
        LEAF.format(path="u_a", gate="$and", first=10, second=11),
        LEAF.format(path="u_b", gate="$and", first=720, second=721),  # other numbers only
        LEAF.format(path="u_c", gate="$or", first=10, second=11),
    ]
    first, other, top = share("autoidx 9\n" + TOP + "".join(leaves))
    assert [first.name, other.name, top.name] == ["leaf$top.u_a", "leaf$top.u_c", "top"]
    assert first.text == "autoidx 9\n" + leaves[0]
    boxes = "".join(
        f"attribute \\blackbox 1\nmodule \\leaf$top.{path}\n"
        "  wire input 1 \\a_i\n  wire output 2 \\b_o\nend\n"
        for path in ("u_a", "u_c")
    )
    own = TOP.replace("\\leaf$top.u_b \\u_b", "\\leaf$top.u_a \\u_b")
    assert top.text == "autoidx 9\n" + boxes + own


def test_numbers_that_mean_other_nets_make_other_circuits():
    leaves = [
        LEAF.format(path="u_a", gate="$and", first=10, second=10),
        LEAF.format(path="u_b", gate="$and", first=10, second=11),
        LEAF.format(path="u_c", gate="$and", first=12, second=13),
    ]
    names = [circuit.name for circuit in share(TOP + "".join(leaves))]
    assert names == ["leaf$top.u_a", "leaf$top.u_b", "top"]


def leaf() -> Netlist:
    """Through: a_i goes 3 gates to b_o, and 1 gate into count_q, which goes 2 gates into itself."""
    return Netlist(
        "leaf$top.u_a",
        nets=7,
        inputs={"a_i": [0, None]},
        outputs={"b_o": [3]},
        arcs=[(0, 1, 1), (1, 2, 1), (0, 2, 1), (2, 3, 1), (4, 5, 1), (5, 6, 1)],
        starts={4: "count_q"},
        ends=[(1, "count_q"), (6, "count_q")],
        names={0: "a_i", 1: "one", 2: "two", 3: "b_o", 4: "count_q", 5: "five", 6: "six"},
    )


def top(*arcs: tuple[int, int, int]) -> Netlist:
    """Two leaves in a row, with one gate in front of the first and two in front of the second."""
    return Netlist(
        "top",
        nets=6,
        outputs={"y_o": [4]},
        arcs=[(0, 1, 1), (2, 5, 1), (5, 3, 1), *arcs],
        starts={0: "x_q"},
        names={0: "x_q", 1: "x", 2: "b", 3: "c", 4: "y_o", 5: "d"},
        parts=[
            Part("u_a", "leaf$top.u_a", {"a_i": [1, None]}, {"b_o": [2]}),
            Part("u_b", "leaf$top.u_a", {"a_i": [3, 2]}, {"b_o": [4]}),
        ],
    )


def test_depth_of_a_circuit_alone():
    assert own_path(leaf()) == Path(3, "a_i", "b_o")
    assert own_path(top()) == Path(2, "u_a.b_o", "u_b.a_i")


def test_depth_through_parts():
    netlists = {"leaf$top.u_a": leaf(), "top": top()}
    assert whole_paths("top", netlists, 10) == [
        Path(9, "x_q", "y_o"),
        # Its own two gates are less than those in front of the second leaf, and one in it.
        Path(7, "x_q", "u_b.count_q"),
    ]
    assert whole_paths("top", netlists, 1) == [Path(9, "x_q", "y_o")]


def test_ends_of_the_paths_from_an_input():
    whole = top()
    whole.inputs = {"x_i": [0], "d_i": [None, 5]}
    netlists = {"leaf$top.u_a": leaf(), "top": whole}
    first, second = (("leaf$top.u_a", f"{part}.count_q") for part in ("u_a", "u_b"))
    assert ends_of_inputs("top", netlists) == {
        "x_i": {first, second, ("", "y_o")},
        "d_i": {second, ("", "y_o")},
    }
    assert list(port_faults("top", netlists)) == [
        f"top: error: no register is between the input {port} and the output y_o"
        for port in ("x_i", "d_i")
    ]


def test_instances_are_counted_through_all_parts():
    pair = Netlist("pair", parts=[Part(name, "top", {}, {"y_o": []}) for name in ("u_x", "u_y")])
    top_netlist, leaf_netlist = top(), leaf()
    top_netlist.outputs = {"y_o": []}
    leaf_netlist.flip_flops = 3
    netlists = {"leaf$top.u_a": leaf_netlist, "top": top_netlist, "pair": pair}
    synthesis = measure("some", "pair", netlists, {})
    assert synthesis.instances == {"pair": 1, "top": 2, "leaf$top.u_a": 4}
    assert synthesis.flip_flops == 12


def test_a_loop_is_named():
    with pytest.raises(LoopError, match=r"without a register, through (b, c, d|c, d, b|d, b, c)$"):
        own_path(top((3, 2, 1)))
    # Through a leaf and back: only the whole shows it.
    netlists = {"leaf$top.u_a": leaf(), "top": top((2, 1, 1))}
    assert own_path(netlists["top"]).levels == 2
    with pytest.raises(LoopError, match=r"u_a\.two"):
        whole_paths("top", netlists, 1)


# Three stages of XOR make the parity of eight bits, one more the sum of two parities.
DESIGN = """\
module parity (
    input  logic [7:0] data_i,
    output logic       odd_o
);
  assign odd_o = ^data_i;
endmodule

module whole (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            write_i,
    input  logic [3:0]      address_i,
    input  logic [7:0]      data_i,
    output logic            odd_o,
    output logic [2:0][7:0] data_o,
    output logic [4:0]      queue_o
);
  logic [7:0] data_q;
  logic [1:0] odd;
  logic odd_q;

  parity u_one (.data_i(data_q), .odd_o(odd[0]));
  parity u_two (.data_i, .odd_o(odd[1]));

  always_ff @(posedge clk_i) begin
    data_q <= data_i;
    odd_q <= ^odd;
  end
  assign odd_o = odd_q;

  for (genvar i = 0; i < 3; i++) begin : gen_rows
    ram_1w1r #(
        .Words(i < 2 ? 16 : 12), .Granules(2), .GranuleBits(4)
    ) u_rows (
        .clk_i,
        .write_i({2{write_i}}), .write_address_i(address_i), .write_data_i(data_i),
        .read_i(1'b1), .read_address_i(address_i), .read_data_o(data_o[i])
    );
  end

  fifo #(
      .data_t(logic [4:0]), .Depth(4)
  ) u_queue (
      .clk_i, .rst_ni,
      .valid_i(write_i), .ready_o(), .data_i(data_i[4:0]),
      .valid_o(), .ready_i(write_i), .data_o(queue_o)
  );
endmodule
"""


def synthesised(tmp_path, source: str, *cells: str, top: str = "whole"):
    """Netlists and parameters of a source with cells of ours."""
    path = tmp_path / "sources.sv"
    path.write_text(source)
    files = [path, *(modules()[cell] for cell in cells)]
    netlists = synthesise(top, files, tmp_path / "out", lambda begun, of: None)
    return netlists, read_parameters(top, files, netlists.values())


def test_a_design(tmp_path):
    netlists, parameters = synthesised(tmp_path, DESIGN, "ram_1w1r", "fifo")
    assert not list(faults(netlists, parameters))
    synthesis = measure("some", "whole", netlists, parameters)
    found = {n.name: n for n in netlists.values()}
    rams = [n for n in netlists.values() if n.module == "ram_1w1r"]
    assert [synthesis.instances[n.name] for n in rams] == [2, 1]
    assert [n.memories for n in rams] == [
        [Memory("words_q", words, 8, 1, 1, registered=True)] for words in (16, 12)
    ]
    assert all(n.flip_flops == 0 and not n.gates for n in rams)
    queue = found["fifo$whole.u_queue"]
    assert queue.memories == [Memory("entries_q", 4, 5, 1, 1, registered=False)]
    assert queue.flip_flops == 2 + 2 + 3 + 2  # two pointers, a count of 0 to 4, not empty, full
    parity = found["parity$whole.u_one"]
    assert sum(parity.gates.values()) == 7
    assert parity.flip_flops == 0
    assert synthesis.instances[parity.name] == 2
    assert synthesis.own[parity.name] == Path(3, "data_i", "odd_o")
    assert found["whole"].flip_flops == 9
    own = synthesis.own["whole"]
    assert (own.levels, own.end) == (1, "odd_q")
    assert own.start in ("u_one.odd_o", "u_two.odd_o")
    (whole,) = (path for path in synthesis.whole if path.end == "odd_q")
    assert whole.levels == 4
    assert whole.start in ("data_q", "data_i")
    # Two levels of multiplexers read a queue of four.
    assert Path(2, "u_queue.read_q", "queue_o") in synthesis.whole
    assert synthesis.flip_flops == 9 + 9
    queue_cells = sum(queue.gates.values()) + 9 + 1
    assert synthesis.cells == 2 * 7 + 3 + (1 + 9) + queue_cells

    text = report([synthesis], "Preface.")
    assert text == report([synthesis], "Preface.")
    lines = text.splitlines()
    bits = 2 * 16 * 8 + 12 * 8 + 4 * 5
    head = f"| some | 5 | 7 | {synthesis.cells} | 18 | 4 | {bits} |"
    assert any(line.startswith(head) for line in lines)
    assert "| `parity` | 2 | 7 | 0 | – | 3 | `data_i` | `odd_o` |" in lines
    title = "`ram_1w1r` Words=16 Granules=2 GranuleBits=4 CanBeZero=0"
    assert f"| {title} | 2 | 1 | 0 | 16 × 8 | 0 | – | – |" in lines
    row = "| `ram_1w1r` | `whole` | 2 | 16 × 8 | 256 | 1 write, 1 read | a register |"
    assert row in lines


# Each table has more decimal digits than Python writes of a number.
TABLES = """\
module whole (
    input  logic              clk_i,
    input  logic [3:0]        address_i,
    output logic [1:0][999:0] data_o
);
  for (genvar i = 0; i < 2; i++) begin : gen_tables
    rom #(
        .data_t(logic [999:0]), .Rows(16), .Contents({8{~1000'd5 << i, 1000'd3}})
    ) u_rom (
        .clk_i, .read_i(1'b1), .address_i, .data_o(data_o[i])
    );
  end
endmodule
"""


def test_tables_that_are_parameters_are_in_no_title(tmp_path):
    """Circuits that differ only in such a table are told apart by their paths."""
    netlists, parameters = synthesised(tmp_path, TABLES, "rom")
    text = report([measure("some", "whole", netlists, parameters)], "Preface.")
    titles = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| `rom` data")]
    title = "| `rom` data_t=1000 Rows=16 at "
    assert titles == [f"{title}`whole.gen_tables[{i}].u_rom`" for i in range(2)]


RESET_RAM = """\
module ram_1w1r #(
    parameter int unsigned Words = 4,
    parameter int unsigned Granules = 1,
    parameter int unsigned GranuleBits = 8
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic [1:0] address_i,
    input  logic [7:0] data_i,
    output logic [7:0] data_o
);
  logic [7:0] words_q[Words];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) words_q <= '{default: '0};
    else words_q[address_i] <= data_i;
    data_o <= words_q[address_i];
  end
endmodule
"""


def test_a_memory_that_became_flip_flops_is_a_fault(tmp_path):
    netlists, parameters = synthesised(tmp_path, RESET_RAM, top="ram_1w1r")
    assert list(faults(netlists, parameters)) == [
        "ram_1w1r: error: ram_1w1r is meant as a memory of 4 x 8 bits with a registered read port, "
        "but became 0 memories and 40 bits of flip-flops"
    ]


@pytest.mark.parametrize(
    ("memory", "became"),
    [
        (Memory("words_q", 4, 8, 1, 1, registered=False), "4 x 8 bits with 1 write and 1"),
        (
            Memory("words_q", 2, 8, 1, 1, registered=True),
            "2 x 8 bits with 1 write and 1 registered",
        ),
        (
            Memory("words_q", 4, 7, 1, 1, registered=True),
            "4 x 7 bits with 1 write and 1 registered",
        ),
        (
            Memory("words_q", 4, 8, 1, 2, registered=True),
            "4 x 8 bits with 1 write and 2 registered",
        ),
        (
            Memory("words_q", 4, 8, 2, 1, registered=True),
            "4 x 8 bits with 2 write and 1 registered",
        ),
    ],
)
def test_another_memory_than_meant_is_a_fault(memory, became):
    netlists = {"ram_1w1r": Netlist("ram_1w1r", memories=[memory])}
    parameters = {"ram_1w1r": {"Words": 4, "Granules": 1, "GranuleBits": 8}}
    (fault,) = faults(netlists, parameters)
    assert f"but became {became} " in fault
    # Columns of a ROM may be constant.
    rom = Netlist("rom", memories=[Memory("memory", 4, 7, 0, 1, registered=True)])
    assert not list(faults({"rom": rom}, {"rom": {"Rows": 4, "data_t": 8}}))


def test_who_should_have_a_memory_and_has_none():
    netlists = {"landing_buffer": Netlist("landing_buffer", flip_flops=99)}
    (fault,) = faults(netlists, {"landing_buffer": {}})
    assert "landing_buffer is to keep its data in a memory" in fault
    assert fault.endswith("but has 99 bits of flip-flops")


LOGIC = """\
module whole (
    input  logic a_i,
    input  logic b_i,
    output logic c_o
);
{body}
endmodule
"""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("always_latch if (a_i) c_o = b_i;", "error: whole has 1 latches"),
        ("always_comb if (a_i) c_o = b_i;", "loop"),
        ("assign c_o = a_i; assign c_o = b_i;", "driver"),
        ("logic d; assign d = c_o ^ a_i; assign c_o = d & b_i;", "loop"),
        ("assign c_o = a_i", "expected ';'"),
    ],
)
def test_what_yosys_does_not_take(body, said, tmp_path):
    with pytest.raises(SynthesisError) as caught:
        netlists, parameters = synthesised(tmp_path, LOGIC.format(body=body))
        raise SynthesisError("\n".join(faults(netlists, parameters)))
    assert said in str(caught.value)
