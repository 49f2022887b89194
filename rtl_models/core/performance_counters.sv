// The performance counters of the host's registers.
//
// Timing: steps_i of cycle t shows in counters_o from cycle t + 2 on, which is when the host can
// see that a run has ended. The steps come late in their cycle, so they are registered first.
// clear_i in cycle t clears all counters from cycle t + 2 on, and forgets the steps of its cycle
// and of those before. So does the first cycle after reset: flip-flops with a reset of their own
// would need a gate a bit to be cleared.
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

  counter_steps_t steps_q;
  counters_t counters_q;
  logic clear_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clear_q <= 1'b1;
    else clear_q <= clear_i;
  end

  always_ff @(posedge clk_i) begin
    steps_q <= steps_i;
    for (int unsigned i = 0; i < CounterCount; i++) begin
      counters_q[i] <= clear_q ? '0 : counters_q[i] + CounterBits'(steps_q[i]);
    end
  end

  assign counters_o = counters_q;

endmodule
