// Says when the sources of an instruction are ready: for each register, how long until an
// instruction that reads it may begin.
//
// Timing: an instruction p that begins in cycle t (begin_i) and writes a register lets a reader
// begin from cycle t + latency + max(0, beats of p - beats of the reader) on. skew_i is the
// difference of beats between the two rates, in the strip of operation_i. ready_o belongs to
// operation_i of the same cycle.
module scoreboard
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    // verilator lint_off UNUSEDSIGNAL
    input  body_operation_t operation_i,  // the operation itself makes no difference
    // verilator lint_on UNUSEDSIGNAL
    input  skew_t      skew_i,
    input  logic       begin_i,
    output logic       ready_o
);

  localparam int unsigned WaitMax = MaxLatency + 2 ** $bits(skew_t);
  typedef logic [$clog2(WaitMax)-1:0] wait_t;

  // Cycles until a reader that is not of the special rate may begin. One that is may begin as much
  // earlier as the writer, if of the special rate, has beats more than others.
  wait_t [VectorRegisters-1:0] left_d, left_q;
  logic [VectorRegisters-1:0] special_d, special_q;

  function automatic logic source_ready(operand_t code);
    register_index_t index;
    index = register_index_t'(code - VectorFirst);
    if (!is_vector(code)) return 1'b1;
    if (operation_i.special && special_q[index]) return left_q[index] <= wait_t'(skew_i);
    return left_q[index] == '0;
  endfunction

  always_comb begin
    ready_o = 1'b1;
    for (int unsigned i = 0; i < Sources; i++) begin
      if (operation_i.used[i] && !source_ready(operation_i.sources[i])) ready_o = 1'b0;
    end
  end

  always_comb begin
    special_d = special_q;
    for (int unsigned i = 0; i < VectorRegisters; i++) begin
      left_d[i] = left_q[i] == '0 ? '0 : left_q[i] - 1'b1;
      if (begin_i && operation_i.destination == VectorFirst + operand_t'(i)) begin
        left_d[i] = wait_t'(operation_i.latency) - 1'b1;
        if (operation_i.special) left_d[i] = left_d[i] + wait_t'(skew_i);
        special_d[i] = operation_i.special;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else left_q <= left_d;
  end

  always_ff @(posedge clk_i) special_q <= special_d;

endmodule
