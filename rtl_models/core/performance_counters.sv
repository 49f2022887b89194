// The performance counters of the host's registers.
//
// Timing: steps_i of cycle t shows in counters_o from cycle t + 2 on, which is when the host can
// see that a run has ended. The steps come late in their cycle, so they are registered first.
// clear_i clears all counters, and forgets the steps of its cycle and of the one before. So does
// the first cycle after reset: flip-flops with a reset of their own would need a gate a bit to be
// cleared.
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
  logic fresh_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fresh_q <= 1'b1;
    else fresh_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (fresh_q || clear_i) begin
      steps_q    <= '0;
      counters_q <= '0;
    end else begin
      steps_q <= steps_i;
      for (int unsigned i = 0; i < CounterCount; i++) begin
        counters_q[i] <= counters_q[i] + CounterBits'(steps_q[i]);
      end
    end
  end

  assign counters_o = counters_q;

endmodule
