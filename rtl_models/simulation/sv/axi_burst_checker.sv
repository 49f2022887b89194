// Checks what the machine says of every burst on an address channel of its AXI4 bus: the table in
// docs/ports.md has the values. An error stops the simulation.
module axi_burst_checker
  import hwc_target_pkg::*;
#(
    parameter int unsigned IdBits = 1
) (
    input logic              clk_i,
    input logic              rst_ni,
    input logic              valid_i,
    input logic [IdBits-1:0] id_i,
    input logic [       2:0] size_i,
    input logic [       1:0] burst_i,
    input logic              lock_i,
    input logic [       3:0] cache_i,
    input logic [       2:0] prot_i,
    input logic [       3:0] qos_i
);

  default clocking @(posedge clk_i);
  endclocking
  default disable iff (!rst_ni);

  assert property (valid_i |-> id_i == '0)
  else $error("%m: got a burst with the id %0d, expected 0", id_i);

  assert property (valid_i |-> 1 << size_i == AxiBits / 8)
  else $error("%m: got beats of %0d bytes, expected %0d", 1 << size_i, AxiBits / 8);

  assert property (valid_i |-> burst_i == 2'b01)
  else $error("%m: got a burst of type %b, expected 01, incrementing", burst_i);

  assert property (valid_i |-> !lock_i)
  else $error("%m: got an exclusive access");

  assert property (valid_i |-> cache_i == 4'b0010)
  else $error("%m: got memory of type %b, expected 0010, normal and neither cached nor buffered",
              cache_i);

  assert property (valid_i |-> prot_i == 3'b000)
  else $error("%m: got protection %b, expected 000, unprivileged, secure, data", prot_i);

  assert property (valid_i |-> qos_i == '0)
  else $error("%m: got quality of service %0d, expected 0", qos_i);

endmodule
