// Checks that a queue of the machine is at rest whenever the machine does not run: the
// count is `Rest`. It is bound to the queues.
module queue_checker #(
    parameter int unsigned Bits = 1,
    parameter int unsigned Rest = 0
) (
    input logic            clk_i,
    input logic            rst_ni,
    input logic            running_i,
    input logic [Bits-1:0] count_i
);

  assert property (@(posedge clk_i) disable iff (!rst_ni) !running_i |-> count_i == Bits'(Rest))
  else $error("%m: got a count of %0d at rest, expected %0d", count_i, Rest);

endmodule
