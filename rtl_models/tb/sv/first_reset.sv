// Switches assertions off until a clock edge finds the first reset. `bench.py` binds it to the top
// module of every bench.
//
// Registers hold random values at first, and so do the copies of clock and reset that Verilator
// keeps of every port that a testbench may read: when they take the port's value, before time
// begins, that is an edge which no hardware sees.
module first_reset (
    input logic clk_i,
    input logic rst_ni
);

  initial $assertoff;

  always @(posedge clk_i) begin
    if (!rst_ni) $asserton;
  end

endmodule
