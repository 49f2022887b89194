// Register slice that cuts a channel's ready: no path leads from ready_i to the sender.
//
// Timing: while the receiver is ready, a word passes in the cycle in which it comes. A word that is
// not taken at once waits here; ready_o is low from the next cycle on until the cycle after it is
// taken.
module ready_slice #(
    parameter type data_t = logic
) (
    input  logic  clk_i,
    input  logic  rst_ni,
    input  logic  valid_i,
    output logic  ready_o,
    input  data_t data_i,
    output logic  valid_o,
    input  logic  ready_i,
    output data_t data_o
);

  logic full_d, full_q;
  data_t data_q;

  assign ready_o = !full_q;
  assign valid_o = full_q || valid_i;
  assign data_o = full_q ? data_q : data_i;
  assign full_d = valid_o && !ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) full_q <= 1'b0;
    else full_q <= full_d;
  end

  always_ff @(posedge clk_i) begin
    if (full_d && !full_q) data_q <= data_i;
  end

endmodule
