// Checks what the machine says of every burst on an address channel of its AXI4 bus: the table in
// docs/ports.md has the values. An error stops the simulation.
module axi_burst_checker
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
#(
    parameter int unsigned IdBits = 1
) (
    input logic              clk_i,
    input logic              rst_ni,
    input burst_attributes_t attributes_i,  // what the host wants now
    input logic              valid_i,
    input logic              ready_i,
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

  // Normal memory, neither cached nor buffered; unprivileged, secure, data.
  localparam burst_attributes_t AfterReset = '{cache: 4'b0010, prot: 3'b000, qos: '0};

  burst_attributes_t attributes;
  logic unchanged, unchanged_q;

  assign attributes = {cache_i, prot_i, qos_i};
  assign unchanged  = unchanged_q && attributes_i == AfterReset;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) unchanged_q <= 1'b1;
    else unchanged_q <= unchanged;
  end

  assert property (valid_i && unchanged |-> attributes == AfterReset)
  else $error("%m: got cache %b, protection %b, quality of service %0d, expected 0010, 000, 0",
              cache_i, prot_i, qos_i);

  assert property (valid_i && !ready_i |=> $stable(attributes))
  else $error("%m: got other attributes for a burst that waits");

endmodule
