// Checks the rules of AXI4-Lite on the machine's side of the host's port: an answer stays unchanged
// until it is taken, and nothing is valid during a reset. An error stops the simulation.
module host_checker
  import hwc_core_pkg::*;
(
    input logic                clk_i,
    input logic                rst_ni,
    input logic                b_valid_i,
    input logic                b_ready_i,
    input logic [         1:0] b_response_i,
    input logic                r_valid_i,
    input logic                r_ready_i,
    input logic [HostBits-1:0] r_data_i,
    input logic [         1:0] r_response_i
);

  default clocking @(posedge clk_i);
  endclocking

  // From the second cycle of a reset on: before its first, registers may hold anything.
  assert property (!rst_ni |=> rst_ni || !(b_valid_i || r_valid_i))
  else $error("an answer is valid during a reset");

  default disable iff (!rst_ni);

  assert property (b_valid_i && !b_ready_i |=> b_valid_i && $stable(b_response_i))
  else $error("the answer to a write went away or changed before it was taken");

  assert property (r_valid_i && !r_ready_i |=> r_valid_i && $stable(r_data_i)
                   && $stable(r_response_i))
  else $error("the answer to a read went away or changed before it was taken");

endmodule
