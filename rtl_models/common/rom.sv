// Memory with constant contents and a registered output.
//
// Timing: data_o is row `address_i` of the last cycle that had `read_i`; it means nothing before
// the first. An address beyond the last row reads nothing useful.
module rom #(
    parameter type data_t = logic,
    parameter int unsigned Rows = 2,
    parameter data_t [Rows-1:0] Contents = '0,
    localparam int unsigned AddressBits = $clog2(Rows)
) (
    input  logic                   clk_i,
    input  logic                   read_i,
    input  logic [AddressBits-1:0] address_i,
    output data_t                  data_o
);

  data_t memory[Rows];
  data_t data_q;

  // Contents, not a reset value.
  initial begin
    for (int unsigned i = 0; i < Rows; i++) memory[i] = Contents[i];
  end

  always_ff @(posedge clk_i) begin
    if (read_i) data_q <= memory[address_i];
  end

  assign data_o = data_q;

endmodule
