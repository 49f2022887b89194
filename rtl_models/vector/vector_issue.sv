// Issues the instructions of a body, strip after strip: one at a time, a beat per cycle.
//
// Timing: with V0 the cycle of a strip's first beat and V1 the cycle after the strip,
//   V0 = the first cycle from V1 of the strip before on, and from go_i on, in which inputs_ready_i
//        is high and a result buffer is free: MachineStoreStrips of them, one again
//        MachineSlotFree + 1 cycles after strip_stored_i;
//   an instruction begins when the one before has issued its last beat, its sources are ready
//   (scoreboard), and its first result comes after the last one of the instruction before;
//   V1 = the first cycle after the last beat in which the body's first instruction could issue, by
//        that last rule.
// strip_end_o is high in cycle V1 - 1. The counters' outputs are high in the cycles they count.
module vector_issue
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_pipe_pkg::*;
(
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    input  logic                                 go_i,
    input  strip_points_t                        last_points_i,   // of the last strip
    input  logic                                 operation_valid_i,
    input  body_operation_t                      operation_i,
    output logic                                 operation_take_o,
    input  logic                                 inputs_ready_i,  // the strip's inputs have landed
    input  logic                                 strip_stored_i,
    // A beat of operation_i.
    output logic                                 beat_o,
    output strip_row_t                           row_o,
    output part_t                                part_o,
    output logic            [OutputSlotBits-1:0] output_slot_o,
    output logic                                 last_beat_o,     // of the strip
    output logic                                 strip_end_o,
    // Counters; beat_o is vector_busy.
    output logic                                 strip_o,
    output logic                                 instruction_o,
    output logic                                 stall_dependence_o,
    output logic                                 stall_input_o,
    output logic                                 stall_output_o
);

  function automatic skew_t skew_of(strip_points_t count);
    return skew_t'((count + strip_points_t'(SpecialRate - 1)) >> RateShift)
         - skew_t'((count + strip_points_t'(Lanes - 1)) >> LaneShift);
  endfunction

  // Strips.
  logic running_d, running_q, running, active_d, active_q, in_strip;
  logic last_strip_d, last_strip_q, drain_d, drain_q, body_done;
  logic [OutputSlotBits:0] output_slots_free;
  logic [OutputSlotBits-1:0] output_slot_d, output_slot_q;

  pulse_counter #(
      .Bits   (OutputSlotBits + 1),
      .Initial(MachineStoreStrips),
      .Delay  (MachineSlotFree)
  ) u_output_slots (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .put_i  (strip_stored_i),
      .take_i (strip_o),
      .count_o(output_slots_free)
  );

  always_comb begin
    running = running_q || go_i;
    strip_o = running && !active_q && inputs_ready_i && output_slots_free != '0;
    in_strip = active_q || strip_o;
  end

  // Beats. `issued` counts the points of the strip before this beat.
  strip_points_t points, issued, issued_d, issued_q, step;
  skew_t skew;
  logic begun_d, begun_q, sources_ready, in_order, last_of_operation;
  latency_t order_d, order_q;        // cycles until the last result on its way has been written
  latency_t first_d, first_q;        // latency of the body's first instruction

  scoreboard u_scoreboard (
      .clk_i,
      .rst_ni,
      .operation_i,
      .skew_i (skew),
      .begin_i(instruction_o),
      .ready_o(sources_ready)
  );

  always_comb begin
    points = operation_i.last_strip ? last_points_i : strip_points_t'(Vlen);
    skew = operation_i.last_strip ? skew_of(last_points_i) : skew_of(strip_points_t'(Vlen));
    step = operation_i.special ? strip_points_t'(SpecialRate) : strip_points_t'(Lanes);
    issued = begun_q ? issued_q : '0;
    last_of_operation = points - issued <= step;
    in_order = order_q <= operation_i.latency;
    beat_o = in_strip && !drain_q && (begun_q || (sources_ready && in_order));
    instruction_o = beat_o && !begun_q;
    operation_take_o = beat_o && last_of_operation;
    last_beat_o = operation_take_o && operation_i.last;

    begun_d = beat_o ? !last_of_operation : begun_q;
    issued_d = beat_o ? issued + step : issued_q;
    order_d = order_q == '0 ? '0 : order_q - 1'b1;
    if (beat_o) order_d = operation_i.latency;
  end

  always_comb begin
    first_d = strip_o ? operation_i.latency : first_q;
    last_strip_d = strip_o ? operation_i.last_strip : last_strip_q;
    body_done = drain_q || last_beat_o;
    strip_end_o = body_done && order_d <= first_d;
    drain_d = body_done && !strip_end_o;
    active_d = in_strip && !strip_end_o;
    running_d = running && !(strip_end_o && last_strip_d);
    output_slot_d = strip_end_o ? output_slot_q + 1'b1 : output_slot_q;
  end

  assign row_o = strip_row_t'(issued >> LaneShift);
  assign part_o = Parts > 1 ? part_t'(issued >> RateShift) : '0;
  assign output_slot_o = output_slot_q;
  assign stall_dependence_o = in_strip && !beat_o;
  assign stall_input_o = running && !in_strip && !inputs_ready_i;
  assign stall_output_o = running && !in_strip && inputs_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q     <= 1'b0;
      active_q      <= 1'b0;
      drain_q       <= 1'b0;
      begun_q       <= 1'b0;
      order_q       <= '0;
      output_slot_q <= '0;
    end else begin
      running_q     <= running_d;
      active_q      <= active_d;
      drain_q       <= drain_d;
      begun_q       <= begun_d;
      order_q       <= order_d;
      output_slot_q <= output_slot_d;
    end
  end

  always_ff @(posedge clk_i) begin
    issued_q      <= issued_d;
    first_q      <= first_d;
    last_strip_q <= last_strip_d;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (in_strip && !drain_q) assert (operation_valid_i)
      else $error("an instruction of the body comes too late");
      if (strip_o) assert (beat_o)
      else $error("a strip that does not begin with a beat");
      if (go_i) assert (!running_q)
      else $error("go_i before the last kernel has ended");
    end
  end
`endif

endmodule
