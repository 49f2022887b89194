// Follows a port of the vector pipe: which phase of which strip it has issued, from when to when.
//
// Timing: with done_o, in the last cycle of a part, the other outputs hold; end_o is the time after
// that cycle. now_i is the time of a cycle. Strips are counted from kernel_start_i on.
module port_trace
  import hwc_core_pkg::*;
(
    input  logic        clk_i,
    input  logic        kernel_start_i,
    input  logic        begin_i,
    input  phase_t      phase_i,        // of what begins
    input  logic        end_i,
    input  int unsigned now_i,
    output logic        done_o,
    output int unsigned strip_o,
    output int unsigned phase_o,
    output int unsigned begin_o,
    output int unsigned end_o
);

  int unsigned begin_q, strips_q[CopiesMax];
  phase_t phase, phase_q;

  always_comb begin
    phase = begin_i ? phase_i : phase_q;
    done_o = end_i;
    strip_o = strips_q[phase];
    phase_o = 32'(phase);
    begin_o = begin_i ? now_i : begin_q;
    end_o = now_i + 1;
  end

  always_ff @(posedge clk_i) begin
    begin_q <= begin_o;
    phase_q <= phase;
    for (int unsigned i = 0; i < CopiesMax; i++) begin
      if (kernel_start_i) strips_q[i] <= 0;
      else if (end_i && 32'(phase) == i) strips_q[i] <= strips_q[i] + 1;
    end
  end

endmodule
