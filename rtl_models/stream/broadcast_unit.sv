// Broadcast unit of one input stream: reads the ring, row by row of Lanes points, and writes
// complete rows to the landing buffer. A strip starts when its elements are in the ring and a
// landing slot is free, and then runs without stalling: one beat per row, and one for every cut.
//
// Timing: with B0 the cycle of the strip's first beat and B1 the cycle after its last,
//   B0 = max(B1 of the strip before, cycle of its last word on the bus + MachineReadReturn - 1,
//            fetched_i + MachineEmptyStripReady, landing_slot_free_i + 1 + MachineSlotFree);
//   strip_done_o is high in cycle B1 - 1, free_o shows what the strip released from cycle
//   B1 - 1 + MachineRingRelease on, its last row is written to the landing buffer in cycle B1 + 3.
// word_i is the bus word on its way into the ring, one cycle after it was on the bus. start_i comes
// 14 cycles or more before go_i, the earliest cycle of a beat, and in the cycle of the first
// fetched_i at the latest; shape_i, strips_i and last_points_i hold from start_i on to landed_o,
// which is high from cycle B1 of the last strip on.
module broadcast_unit
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                                       clk_i,
    input  logic                                       rst_ni,
    input  logic                                       start_i,
    input  logic                                       go_i,
    input  strip_count_t                               strips_i,
    input  strip_points_t                              last_points_i,
    input  stream_shape_t                              shape_i,
    input  logic                                       mark_valid_i,  // of the next strip
    output logic                                       mark_ready_o,
    input  mark_t                                      mark_i,
    input  logic                                       fetched_i,    // fetch of a strip starts
    input  logic                                       word_valid_i,
    input  word_count_t                                word_bytes_i,
    output fetch_position_t                            free_o,
    output logic                                       ring_read_o,
    output ring_address_t                              ring_address_o,
    input  logic            [Lanes*LaneBytes-1:0][7:0] ring_window_i,
    // A landing slot is free: in the last cycle of its use.
    input  logic                                       landing_slot_free_i,
    output logic                           [Lanes-1:0] landing_write_o,
    output landing_row_t                               landing_address_o,
    output row_t                                       landing_data_o,
    output logic                                       strip_done_o,
    output strip_row_t                                 strip_row_o,  // its last row
    output logic                                       landed_o,     // no strips left
    output logic                                       busy_o,
    output logic                                       cut_o,
    output logic                                       stall_data_o,
    output logic                                       stall_slot_o
);

  // From the word on word_i to the strip that waits for it: written, and seen as written.
  localparam int unsigned WordStages = MachineReadReturn - 3;
  // From a beat to its row on the way into the landing buffer: rows of the ring, window, elements.
  localparam int unsigned RowStages = 4;

  if (MachineReadReturn < 3) begin : gen_read_return_check
    $error("a word takes 3 cycles to the ring, MachineReadReturn is %0d", MachineReadReturn);
  end
  if (MachineEmptyStripReady < 1 || MachineRingRelease < 1 || MachineSlotFree < 1)
  begin : gen_event_check
    $error("a position, a release and a slot take a cycle");
  end
  if (MachineLastRowReady < RowStages + 1) begin : gen_landing_check
    $error("a row takes %0d cycles to the landing buffer, and one out of it; got %0d", RowStages,
           MachineLastRowReady);
  end

  logic used_start;
  assign used_start = start_i && shape_i.valid;

  // What is in the ring.
  logic arrived;
  word_count_t arrived_bytes;
  fetch_position_t written_d, written_q;

  delay_line #(
      .data_t(word_count_t),
      .Stages(WordStages)
  ) u_words (
      .clk_i,
      .rst_ni,
      .valid_i(word_valid_i),
      .data_i (word_bytes_i),
      .valid_o(arrived),
      .data_o (arrived_bytes)
  );

  always_comb begin
    written_d = written_q;
    if (arrived) written_d = written_q + fetch_position_t'(arrived_bytes);
    if (start_i) written_d = '0;
  end

  // What the next strip needs, and what it releases when it ends.
  logic step, position_valid_d, position_valid_q;
  mark_t mark_d, mark_q;
  fetch_position_t release_d, release_q;
  // Strips that have not begun. Between the begins of two strips are so many beats that what a
  // strip takes counts a cycle later; only whether a strip is left is known at once.
  strip_count_t left_d, left_q;
  logic left_some_d, left_some_q, last_strip_q;
  logic begins, begun_q;

  always_comb begin
    left_d = left_q - strip_count_t'(begun_q);
    left_some_d = left_some_q && !(begins && last_strip_q);
    if (start_i) begin
      left_d = shape_i.valid ? strips_i : '0;
      left_some_d = shape_i.valid;  // a kernel has strips, and how many is known late
    end
    step = mark_valid_i && !position_valid_q;
    position_valid_d = step || (position_valid_q && !begins);
    mark_d = step ? mark_i : mark_q;
    release_d = begins ? mark_q.released : release_q;
  end

  assign mark_ready_o = !position_valid_q;

  // The strip's start. What it needs is in registers for a cycle or more before it is compared.
  localparam int unsigned FetchedDelay =
      MachineEmptyStripReady > 1 ? MachineEmptyStripReady - 2 : 0;

  logic fetched;
  logic fetched_some_d, fetched_some_q, position_settled_q, reached_d, reached_q;
  logic data_ready, slot_due;

  pulse_counter #(
      .Bits ($bits(strip_count_t)),
      .Delay(FetchedDelay)
  ) u_fetched (
      .clk_i,
      .rst_ni,
      .put_i  (fetched_i),
      .take_i (begun_q),
      .some_o (fetched)
  );

  // A slot counts a cycle before it may be used.
  pulse_counter #(
      .Bits   (LandingSlotBits + 1),
      .Initial(MachineLandingStrips),
      .Delay  (MachineSlotFree - 1)
  ) u_landing_slots (
      .clk_i,
      .rst_ni,
      .put_i  (landing_slot_free_i),
      .take_i (begins),
      .some_o (slot_due)
  );

  logic active_d, active_q, running_d, running_q, running, ready_d, ready_q, landed_q;
  strip_points_t points, points_d, points_q;
  logic beat, row_done, strip_done;
  // The row is the strip's last; so is the first row of the last strip.
  logic last_row, last_row_d, last_row_q, one_row_q;
  logic [StripRowBits-1:0] row_d, row_q;
  logic [LandingSlotBits-1:0] landing_slot_d, landing_slot_q;
  beat_t beat_info;

  always_comb begin
    fetched_some_d = fetched || (MachineEmptyStripReady == 1 && fetched_i);
    reached_d = position_reached(written_d, mark_q.needed);
    data_ready = position_settled_q && fetched_some_q && reached_q;
    running = running_q || go_i;
    begins = running && !active_q && ready_q;
    beat = active_q || begins;
    // What the next strip waits for, but for go_i, is joined a cycle before.
    ready_d = left_some_q && position_valid_q && !begins && fetched_some_d && reached_d && slot_due;

    points = points_q;
    last_row = last_row_q;
    if (!active_q) begin
      points = last_strip_q ? last_points_i : strip_points_t'(Vlen);
      last_row = last_strip_q ? one_row_q : Vlen <= Lanes;
    end
  end

  always_comb begin
    strip_done = beat && row_done && last_row;
    last_row_d = beat && row_done ? points <= strip_points_t'(2 * Lanes) : last_row;
    points_d = beat && row_done ? points - strip_points_t'(Lanes) : points;
    active_d = beat && !strip_done;

    row_d = row_q;
    landing_slot_d = landing_slot_q;
    if (beat && row_done) row_d = row_q + 1'b1;
    if (strip_done) begin
      row_d = '0;
      landing_slot_d = landing_slot_q + 1'b1;
    end
    if (start_i) landing_slot_d = '0;
    running_d = running && !start_i;
  end

  broadcast_walk u_walk (
      .clk_i,
      .rst_ni,
      .start_i(used_start),
      .shape_i,
      .strips_i,
      .last_points_i,
      .beat_i    (beat),
      .row_done_o(row_done),
      .beat_o    (beat_info)
  );

  // What the strip released, told after MachineRingRelease cycles, one of them the register's.
  logic released;
  fetch_position_t released_position, free_d, free_q;

  delay_line #(
      .data_t(fetch_position_t),
      .Stages(MachineRingRelease - 1)
  ) u_released (
      .clk_i,
      .rst_ni,
      .valid_i(strip_done),
      .data_i (release_d),
      .valid_o(released),
      .data_o (released_position)
  );

  always_comb begin
    free_d = released ? released_position : free_q;
    if (start_i) free_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q          <= '0;
      position_valid_q   <= 1'b0;
      position_settled_q <= 1'b0;
      fetched_some_q     <= 1'b0;
      left_q             <= '0;
      left_some_q        <= 1'b0;
      begun_q            <= 1'b0;
      active_q           <= 1'b0;
      running_q          <= 1'b0;
      landed_q           <= 1'b1;
      row_q              <= '0;
      landing_slot_q     <= '0;
      free_q             <= '0;
    end else begin
      written_q          <= written_d;
      position_valid_q   <= position_valid_d;
      position_settled_q <= position_valid_q && !begins;
      fetched_some_q     <= fetched_some_d;
      left_q             <= left_d;
      left_some_q        <= left_some_d;
      begun_q            <= begins;
      active_q           <= active_d;
      running_q          <= running_d;
      landed_q           <= !left_some_d && !active_d;
      row_q              <= row_d;
      landing_slot_q     <= landing_slot_d;
      free_q             <= free_d;
    end
  end

  always_ff @(posedge clk_i) begin
    reached_q      <= reached_d;
    ready_q        <= ready_d;
    last_strip_q   <= left_d == strip_count_t'(1);
    mark_q         <= mark_d;
    release_q      <= release_d;
    points_q       <= points_d;
    last_row_q     <= last_row_d;
    one_row_q      <= last_points_i <= strip_points_t'(Lanes);
  end

  // The row goes to the landing buffer with the beat's lanes.
  typedef struct packed {
    logic [LandingSlotBits-1:0] slot;
    logic [StripRowBits-1:0] row;
  } landing_target_t;
  landing_target_t [RowStages-1:0] landing_targets_q;

  always_ff @(posedge clk_i) begin
    landing_targets_q <= {landing_targets_q[RowStages-2:0],
                          landing_target_t'{slot: landing_slot_q, row: row_q}};
  end

  lane_select u_select (
      .clk_i,
      .rst_ni,
      .shape_i,
      .beat_valid_i(beat),
      .beat_i      (beat_info),
      .window_i    (ring_window_i),
      .lanes_o     (landing_write_o),
      .row_o       (landing_data_o)
  );

  assign ring_read_o = beat;
  assign ring_address_o = beat_info.address;
  assign landing_address_o = landing_targets_q[RowStages-1];
  assign free_o = free_q;
  assign strip_done_o = strip_done;
  assign strip_row_o = row_q;
  assign landed_o = landed_q;
  assign busy_o = beat;
  assign cut_o = beat && !row_done;
  assign stall_data_o = !beat && left_some_q && running && !data_ready;
  assign stall_slot_o = !beat && left_some_q && running && data_ready;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (used_start) assert (strips_i != '0)
      else $error("a kernel without strips");
    end
  end
`endif

endmodule
