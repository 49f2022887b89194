// All input streams and the engine that fetches for them. Requests go to the AXI read master, words
// come from it. See request_engine and broadcast_unit for the timing.
module input_streams
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                                              clk_i,
    input  logic                                              rst_ni,
    // Fetch: G is the cycle of fetch_go_i.
    input  logic                                              fetch_start_i,
    input  logic                                              fetch_go_i,
    input  size_t                                             fetch_points_i,
    input  stream_shape_t [InputStreams-1:0]                  fetch_shape_i,
    output logic                                              fetched_o,
    // Broadcast.
    input  logic                                              start_i,
    input  logic                                              go_i,
    input  size_t                                             points_i,
    input  stream_shape_t [InputStreams-1:0]                  shape_i,
    output logic                                              landed_o,
    output logic                                              request_valid_o,
    output read_request_t                                     request_o,
    input  logic                                              request_ready_i,
    input  logic          [InputStreams-1:0]                  word_valid_i,
    input  read_word_t                                        word_i,
    output logic          [InputStreams-1:0]                  strip_due_o,
    input  logic          [InputStreams-1:0]                  strip_begin_i,
    input  landing_row_t  [   PipePorts-1:0]                  read_address_i,
    output row_t          [InputStreams-1:0][PipePorts-1:0]   row_o,
    input  logic          [InputStreams-1:0]                  pop_i,
    output logic                                              fetch_busy_o,
    output logic                                              fetch_stall_ring_o,
    output logic          [InputStreams-1:0]                  busy_o,
    output logic          [InputStreams-1:0]                  cut_o,
    output logic          [InputStreams-1:0]                  stall_data_o,
    output logic          [InputStreams-1:0]                  stall_slot_o
);

  strip_count_t fetch_strips, strips;
  strip_points_t last_points;
  logic take;
  logic [InputStreams-1:0] used, ready, landed;
  segment_t [InputStreams-1:0][1:0] plan;

  assign fetch_strips = strips_of(fetch_points_i);
  assign strips = strips_of(points_i);
  assign last_points = last_points_of(points_i);

  for (genvar i = 0; i < InputStreams; i++) begin : gen_streams
    assign used[i] = fetch_shape_i[i].valid;

    input_stream u_stream (
        .clk_i,
        .rst_ni,
        .fetch_start_i,
        .fetch_strips_i(fetch_strips),
        .fetch_shape_i(fetch_shape_i[i]),
        .start_i,
        .go_i,
        .strips_i     (strips),
        .last_points_i(last_points),
        .shape_i      (shape_i[i]),
        .landed_o     (landed[i]),
        .plan_ready_o (ready[i]),
        .plan_o       (plan[i]),
        .take_i       (take),
        .word_valid_i (word_valid_i[i]),
        .word_i,
        .strip_due_o  (strip_due_o[i]),
        .strip_begin_i(strip_begin_i[i]),
        .read_address_i,
        .row_o        (row_o[i]),
        .pop_i        (pop_i[i]),
        .busy_o       (busy_o[i]),
        .cut_o        (cut_o[i]),
        .stall_data_o (stall_data_o[i]),
        .stall_slot_o (stall_slot_o[i])
    );
  end

  request_engine u_requests (
      .clk_i,
      .rst_ni,
      .go_i        (fetch_go_i),
      .strips_i    (fetch_strips),
      .used_i      (used),
      .ready_i     (ready),
      .plan_i      (plan),
      .take_o      (take),
      .request_valid_o,
      .request_o,
      .request_ready_i,
      .busy_o      (fetch_busy_o),
      .stall_ring_o(fetch_stall_ring_o),
      .fetched_o
  );

  assign landed_o = landed == '1;

endmodule
