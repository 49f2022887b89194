// A queue of words, so that a bench can drive it: `fifo` takes its type as a parameter.
module fifo_bench #(
    parameter int unsigned Depth = 2
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        valid_i,
    output logic        ready_o,
    input  logic [15:0] data_i,
    output logic        valid_o,
    input  logic        ready_i,
    output logic [15:0] data_o
);

  fifo #(
      .data_t(logic [15:0]),
      .Depth (Depth)
  ) u_dut (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o,
      .data_i,
      .valid_o,
      .ready_i,
      .data_o
  );

endmodule
