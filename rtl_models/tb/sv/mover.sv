// Stands in for the vector pipe: runs the body `mov o0, s0; mov o1, s1; ...` (stream j modulo the
// input streams in use), a row per cycle.
//
// Timing: the contract's for such a body. A strip begins in the cycle of begins_o and ends in the
// cycle of strip_last_o. Rows asked for come a cycle later; while check_o is high they are the next
// row of each input, of a strip with check_points_o points left. With stall_i it hesitates at
// random.
module mover
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                                                clk_i,
    input  logic                                                rst_ni,
    input  logic                                                start_i,
    input  logic                                                stall_i,
    input  size_t                                               points_i,
    // verilator lint_off UNUSEDSIGNAL
    input  stream_shape_t [ InputStreams-1:0]                   shape_i,  // which are in use
    input  output_shape_t [OutputStreams-1:0]                   output_i,
    // verilator lint_on UNUSEDSIGNAL
    input  logic          [ InputStreams-1:0]                   strip_due_i,
    output logic          [ InputStreams-1:0]                   strip_begin_o,
    output landing_row_t                                        read_address_o,
    input  row_t          [ InputStreams-1:0]                   rows_i,
    output logic          [ InputStreams-1:0]                   pop_o,
    output logic          [OutputStreams-1:0][       Lanes-1:0] result_write_o,
    output store_row_t                                          result_address_o,
    output row_t                                                result_o,
    output logic                                                strip_result_o,
    input  logic                                                stored_i,
    output logic                                                begins_o,
    output logic                                                strip_last_o,
    output strip_count_t                                        strip_o,
    output logic                                                check_o,
    output strip_points_t                                       check_points_o
);

  typedef logic [$clog2(MachineLane)-1:0] hold_t;

  // verilator lint_off UNUSEDSIGNAL
  logic [31:0] random;  // two bits of it are used
  // verilator lint_on UNUSEDSIGNAL
  random_bits u_random (
      .clk_i,
      .rst_ni,
      .bits_o(random)
  );

  logic [InputStreams-1:0] used, landed_q;
  logic active_q, beat, beat_last, last_beat, issued_all_q;
  hold_t hold, hold_q;  // cycles that the strip lasts, besides this one
  logic output_slot_free;
  strip_points_t points, points_left, points_left_q;
  logic [StripRowBits-1:0] row, row_q;
  output_index_t mov, mov_q, mov_last;

  pulse_counter #(
      .Bits   (OutputSlotBits + 1),
      .Initial(MachineStoreStrips),
      .Delay  (MachineSlotFree)
  ) u_output_slots (
      .clk_i,
      .rst_ni,
      .put_i  (stored_i),
      .take_i (begins_o),
      .some_o (output_slot_free)
  );

  always_comb begin
    for (int unsigned i = 0; i < InputStreams; i++) used[i] = shape_i[i].valid;
    mov_last = '0;
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      if (output_i[i].valid) mov_last = output_index_t'(i);
    end
    begins_o = !active_q && strip_o != strips_of(points_i) && (landed_q | ~used) == '1
        && used != '0 && output_slot_free && !(stall_i && random[3]);
    beat = begins_o || (active_q && !issued_all_q && !(stall_i && random[2]));
    points = strip_o + 1'b1 == strips_of(points_i) ? last_points_of(points_i)
                                                   : strip_points_t'(Vlen);
    points_left = active_q ? points_left_q : points;
    row = active_q ? row_q : '0;
    mov = active_q ? mov_q : '0;
    beat_last = points_left <= strip_points_t'(Lanes);
    last_beat = beat && beat_last && mov == mov_last;
    hold = hold_q == '0 ? '0 : hold_q - 1'b1;
    if (beat && row == '0) hold = hold_t'(MachineLane - 1);
    strip_last_o = (issued_all_q || last_beat) && hold == '0;
    pop_o = strip_last_o ? used : '0;
    strip_begin_o = begins_o ? used : '0;
    read_address_o = {strip_o[LandingSlotBits-1:0], row};
  end

  // A strip that begins takes longer than a cycle.
  always_ff @(posedge clk_i) landed_q <= strip_due_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q     <= 1'b0;
      issued_all_q <= 1'b0;
      hold_q       <= '0;
      strip_o      <= '0;
    end else begin
      hold_q <= hold;
      if (start_i) strip_o <= '0;
      if (begins_o) active_q <= 1'b1;
      if (beat) begin
        points_left_q <= beat_last ? points : points_left - strip_points_t'(Lanes);
        row_q <= beat_last ? '0 : row + 1'b1;
        mov_q <= beat_last ? mov + 1'b1 : mov;
      end
      if (last_beat) issued_all_q <= 1'b1;
      if (strip_last_o) begin
        active_q     <= 1'b0;
        issued_all_q <= 1'b0;
        strip_o      <= strip_o + 1'b1;
      end
    end
  end

  // A cycle later the rows are here: to the result buffers, and to the checker.
  logic beat_q, first_q;
  output_index_t target_q;
  int unsigned source;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= 1'b0;
    else beat_q <= beat;
  end

  always_ff @(posedge clk_i) begin
    first_q          <= mov == '0;
    result_address_o <= {strip_o[OutputSlotBits-1:0], row};
    check_points_o   <= points_left;
    target_q         <= mov;
  end

  always_comb begin
    source = 32'(target_q) % $countones(used);
    result_o = rows_i[source];
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      result_write_o[i] = beat_q && target_q == output_index_t'(i) ? '1 : '0;
    end
  end

  assign check_o = beat_q && first_q;

  logic [MachineLane-1:0] complete_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) complete_q <= '0;
    else complete_q <= {complete_q[MachineLane-2:0], last_beat};
  end

  assign strip_result_o = complete_q[MachineLane-1];

endmodule
