// One input stream: planner, ring, broadcast unit and landing buffer. See each for its timing. The
// planner may begin with a kernel while the broadcast unit is at the one before: start_i, later
// than fetch_start_i or with it, empties the ring.
module input_stream
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             rst_ni,
    // Fetch.
    input  logic                             fetch_start_i,
    input  strip_count_t                     fetch_strips_i,
    input  stream_shape_t                    fetch_shape_i,
    output logic                             plan_ready_o,
    output segment_t                   [1:0] plan_o,
    input  logic                             take_i,
    input  logic                             word_valid_i,  // word_i is for this stream
    input  read_word_t                       word_i,
    // Broadcast.
    input  logic                             start_i,
    input  logic                             go_i,
    input  strip_count_t                     strips_i,
    input  strip_points_t                    last_points_i,
    input  stream_shape_t                    shape_i,
    output logic                             landed_o,
    // Vector pipe.
    output logic                             strip_due_o,
    input  logic                             strip_begin_i,
    input  landing_row_t  [   PipePorts-1:0] read_address_i,
    output row_t          [   PipePorts-1:0] row_o,
    input  logic                             pop_i,
    // Counters.
    output logic                             busy_o,
    output logic                             cut_o,
    output logic                             stall_data_o,
    output logic                             stall_slot_o
);

  fetch_position_t free;
  logic ring_read, strip_done;
  ring_address_t ring_address;
  logic [Lanes*LaneBytes-1:0][7:0] window;
  logic [Lanes-1:0] landing_write;
  landing_row_t landing_address;
  strip_row_t strip_row;
  row_t landing_data;

  // The planner does not see what the ring released of the kernel before.
  logic other_kernel_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) other_kernel_q <= 1'b0;
    else other_kernel_q <= (fetch_start_i || other_kernel_q) && !start_i;
  end

  // Strips that may be fetched before another one has been broadcast, and the marks of those that
  // are, with the one that is planned.
  logic room;
  logic mark_made, mark_valid, mark_ready;
  // verilator lint_off UNUSEDSIGNAL
  logic mark_room;  // for an assertion
  // verilator lint_on UNUSEDSIGNAL
  mark_t mark, next_mark;

  pulse_counter #(
      .Bits   ($clog2(MachineFetchedStrips + 1)),
      .Initial(MachineFetchedStrips),
      .Delay  (MachineRingRelease - 1)
  ) u_room (
      .clk_i,
      .rst_ni,
      .put_i  (strip_done),
      .take_i (take_i && fetch_shape_i.valid),
      .some_o (room)
  );

  fifo #(
      .data_t(mark_t),
      .Depth (MachineFetchedStrips + 1)
  ) u_marks (
      .clk_i,
      .rst_ni,
      .valid_i(mark_made),
      .ready_o(mark_room),
      .data_i (mark),
      .valid_o(mark_valid),
      .ready_i(mark_ready),
      .data_o (next_mark)
  );

  fetch_planner u_planner (
      .clk_i,
      .rst_ni,
      .start_i (fetch_start_i),
      .strips_i(fetch_strips_i),
      .shape_i (fetch_shape_i),
      .free_i  (other_kernel_q ? '0 : free),
      .may_i   (room),
      .take_i  (take_i && fetch_shape_i.valid),
      .ready_o(plan_ready_o),
      .plan_o,
      .mark_valid_o(mark_made),
      .mark_o  (mark)
  );

  stream_ring u_ring (
      .clk_i,
      .rst_ni,
      .clear_i  (start_i),
      .write_i  (word_valid_i),
      .data_i   (word_i.data),
      .bytes_i  (word_i.bytes),
      .strobe_i (word_i.strobe),
      .read_i   (ring_read),
      .address_i(ring_address),
      .window_o (window)
  );

  broadcast_unit u_broadcast (
      .clk_i,
      .rst_ni,
      .start_i,
      .go_i,
      .strips_i,
      .last_points_i,
      .shape_i,
      .mark_valid_i       (mark_valid),
      .mark_ready_o       (mark_ready),
      .mark_i             (next_mark),
      .fetched_i          (take_i && fetch_shape_i.valid),
      .word_valid_i,
      .word_bytes_i       (word_i.bytes),
      .free_o             (free),
      .ring_read_o        (ring_read),
      .ring_address_o     (ring_address),
      .ring_window_i      (window),
      .landing_slot_free_i(pop_i),
      .landing_write_o    (landing_write),
      .landing_address_o  (landing_address),
      .landing_data_o     (landing_data),
      .strip_done_o       (strip_done),
      .strip_row_o        (strip_row),
      .landed_o,
      .busy_o,
      .cut_o,
      .stall_data_o,
      .stall_slot_o
  );

  landing_buffer u_landing (
      .clk_i,
      .rst_ni,
      .write_i        (landing_write),
      .write_address_i(landing_address),
      .write_data_i   (landing_data),
      .strip_done_i   (strip_done),
      .strip_row_i    (strip_row),
      .strip_due_o,
      .strip_begin_i,
      .read_address_i,
      .row_o
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (mark_made) assert (mark_room) else $error("more strips are planned than may be");
    end
  end
`endif

endmodule
