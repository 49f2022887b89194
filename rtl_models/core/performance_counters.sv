// The performance counters of the host's registers.
//
// Timing: steps_i of cycle t shows in counters_o from cycle t + 1 on. clear_i clears them all.
module performance_counters
  import hwc_isa_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           clear_i,
    input  counter_steps_t steps_i,
    output counters_t      counters_o
);

  counters_t counters_d, counters_q;

  always_comb begin
    for (int unsigned i = 0; i < CounterCount; i++) begin
      counters_d[i] = counters_q[i] + CounterBits'(steps_i[i]);
    end
    if (clear_i) counters_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) counters_q <= '0;
    else counters_q <= counters_d;
  end

  assign counters_o = counters_q;

endmodule
