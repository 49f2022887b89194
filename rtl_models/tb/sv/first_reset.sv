// Switches assertions off until a clock edge has found the first reset. `bench.py` binds it to the
// top module of every bench.
//
// Registers hold random values at first, and so do the copies of clock and reset that Verilator
// keeps of every port that a testbench may read: when they take the port's value, before time
// begins, that is an edge which no hardware sees.
module first_reset (
    input logic clk_i,
    input logic rst_ni
);

  logic found_q;

  initial begin
    found_q = 1'b0;
    $assertoff;
  end

  // Only after that edge: during it, registers that reset others may still hold anything.
  always @(posedge clk_i) begin
    if (!rst_ni) found_q <= 1'b1;
  end

  always @(posedge found_q) $asserton;

endmodule
