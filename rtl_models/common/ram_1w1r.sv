// Memory with one write and one read port and a write enable for every granule of a word.
//
// Timing: a word written in cycle t can be read from cycle t + 1 on; read_data_o is the word at
// read_address_i of the last cycle with read_i, or 0 if it CanBeZero and zero_i was set then. A
// granule that is written just then gives anything.
//
// On an FPGA, synthesis takes block or distributed RAM by size, unless RamStyle is "distributed": a
// word that has to pass through logic before the next register cannot wait for a block RAM.
module ram_1w1r #(
    parameter int unsigned Words = 2,
    parameter int unsigned Granules = 1,
    parameter int unsigned GranuleBits = 8,
    parameter bit CanBeZero = 1'b0,
    // Only an attribute uses it, and Verilator does not look there.
    // verilator lint_off UNUSEDPARAM
    parameter string RamStyle = "auto",
    // verilator lint_on UNUSEDPARAM
    localparam int unsigned AddressBits = Words > 1 ? $clog2(Words) : 1
) (
    input  logic                                 clk_i,
    input  logic [Granules-1:0]                  write_i,
    input  logic [AddressBits-1:0]               write_address_i,
    input  logic [Granules-1:0][GranuleBits-1:0] write_data_i,
    input  logic                                 read_i,
    input  logic [AddressBits-1:0]               read_address_i,
    input  logic                                 zero_i = 1'b0,
    output logic [Granules-1:0][GranuleBits-1:0] read_data_o
);

  // Without no_rw_check, synthesis gives a granule that is read while it is written its value
  // before, with registers and multiplexers around the memory.
  (* no_rw_check, ram_style = RamStyle *)
  logic [Granules-1:0][GranuleBits-1:0] words_q[Words];

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Granules; i++) begin
      if (write_i[i]) words_q[write_address_i][i] <= write_data_i[i];
    end
    if (read_i) read_data_o <= words_q[read_address_i];
`ifndef SYNTHESIS
    for (int unsigned i = 0; i < Granules; i++) begin  // so that nobody relies on what it was
      if (read_i && write_i[i] && write_address_i == read_address_i) begin
        read_data_o[i] <= ~words_q[read_address_i][i];
      end
    end
`endif
    if (CanBeZero && read_i && zero_i) read_data_o <= '0;
  end

endmodule
