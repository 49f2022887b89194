// The stream path on a bus: input streams, a vector pipe that only moves (`mover`), the store
// engine and both AXI masters. Rows are checked against the file of stimuli, and the
// engines are traced.
//
// At load_i the file continues with the rows of the kernel. start_i and go_i are the machine's. A
// cycle after the kernel's end the trace (plusarg +trace=PATH) has its counters, what the bench
// found and a line `end`, and done_o goes up, until the next load_i. With stall_i the pipe
// hesitates at random.
module stream_path
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              load_i,
    input  logic                              start_i,
    input  logic                              go_i,
    input  logic                              stall_i,
    input  size_t                             points_i,
    input  stream_shape_t [ InputStreams-1:0] shape_i,
    input  output_shape_t [OutputStreams-1:0] output_i,
    input  int                                stimuli_i,      // the file
    input  int unsigned                       wrong_words_i,  // of memory, at the kernel's end
    output logic                              finished_o,     // the kernel's last cycle
    output logic                              done_o,
    output logic                              ar_valid_o,
    output address_t                          ar_address_o,
    output logic          [              7:0] ar_length_o,
    input  logic                              ar_ready_i,
    input  logic                              r_valid_i,
    input  word_t                             r_data_i,
    input  logic          [              1:0] r_response_i,
    input  logic                              r_last_i,
    output logic                              r_ready_o,
    output logic                              aw_valid_o,
    output address_t                          aw_address_o,
    output logic          [              7:0] aw_length_o,
    input  logic                              aw_ready_i,
    output logic                              w_valid_o,
    output word_t                             w_data_o,
    output strobe_t                           w_strobe_o,
    output logic                              w_last_o,
    input  logic                              w_ready_i,
    input  logic                              b_valid_i,
    input  logic          [              1:0] b_response_i,
    output logic                              b_ready_o
);

  // Inputs.
  logic request_valid, request_ready, reads_idle, read_error;
  logic [InputStreams-1:0] stream_valid;
  // verilator lint_off UNUSEDSIGNAL
  image_valid_t image_valid;  // no image is loaded
  // verilator lint_on UNUSEDSIGNAL
  read_request_t request;
  read_word_t word;
  logic [InputStreams-1:0] strip_due, strip_begin, pop, used;
  logic [InputStreams-1:0] busy, cut, stall_data, stall_slot;
  landing_row_t read_address;
  row_t [InputStreams-1:0][PipePorts-1:0] port_rows;
  row_t [InputStreams-1:0] rows;
  logic fetch_busy, fetch_stall_ring;

  axi_read_master u_reads (
      .clk_i,
      .rst_ni,
      .request_valid_i(request_valid),
      .request_i      (request),
      .request_ready_o(request_ready),
      .stream_valid_o (stream_valid),
      .image_valid_o  (image_valid),
      .word_o         (word),
      .idle_o         (reads_idle),
      .error_o        (read_error),
      .ar_valid_o,
      .ar_address_o,
      .ar_length_o,
      .ar_ready_i,
      .r_valid_i,
      .r_data_i,
      .r_response_i,
      .r_last_i,
      .r_ready_o
  );

  input_streams u_inputs (
      .clk_i,
      .rst_ni,
      .fetch_start_i     (start_i),
      .fetch_go_i        (go_i),
      .fetch_points_i    (points_i),
      .fetch_shape_i     (shape_i),
      .fetched_o         (fetched),
      .start_i,
      .go_i,
      .points_i,
      .shape_i,
      .landed_o          (landed),
      .request_valid_o   (request_valid),
      .request_o         (request),
      .request_ready_i   (request_ready),
      .word_valid_i      (stream_valid),
      .word_i            (word),
      .strip_due_o       (strip_due),
      .strip_begin_i     (strip_begin),
      .read_address_i    ({PipePorts{read_address}}),
      .row_o             (port_rows),
      .pop_i             (pop),
      .fetch_busy_o      (fetch_busy),
      .fetch_stall_ring_o(fetch_stall_ring),
      .busy_o            (busy),
      .cut_o             (cut),
      .stall_data_o      (stall_data),
      .stall_slot_o      (stall_slot)
  );

  // The mover reads odd rows as the special functions do, even ones as the lanes.
  logic special_q;

  always_comb begin
    for (int unsigned i = 0; i < InputStreams; i++) begin
      rows[i] = port_rows[i][special_q];
    end
  end

  always_ff @(posedge clk_i) begin
    special_q <= read_address[0];
  end

  // The pipe.
  logic begins, strip_last, strip_result, stored, check;
  strip_count_t strip;
  strip_points_t check_points;
  logic [OutputStreams-1:0][Lanes-1:0] result_write;
  store_row_t result_address;
  row_t result;

  mover u_mover (
      .clk_i,
      .rst_ni,
      .start_i,
      .stall_i,
      .points_i,
      .shape_i,
      .output_i,
      .strip_due_i     (strip_due),
      .strip_begin_o   (strip_begin),
      .read_address_o  (read_address),
      .rows_i          (rows),
      .pop_o           (pop),
      .result_write_o  (result_write),
      .result_address_o(result_address),
      .result_o        (result),
      .strip_result_o  (strip_result),
      .stored_i        (stored),
      .begins_o        (begins),
      .strip_last_o    (strip_last),
      .strip_o         (strip),
      .check_o         (check),
      .check_points_o  (check_points)
  );

  // Outputs.
  logic [OutputStreams-1:0] buffer_read;
  store_row_t buffer_address;
  row_t [OutputStreams-1:0] buffer_row;
  logic write_valid, write_ready, writes_answered, finished, store_busy, store_stall_input;
  // verilator lint_off UNUSEDSIGNAL
  logic writes_idle;  // nothing is aborted here
  // verilator lint_on UNUSEDSIGNAL
  // verilator lint_off UNUSEDSIGNAL
  logic drained, fetched, landed;  // the bench waits for the end
  // verilator lint_on UNUSEDSIGNAL
  logic write_error;
  write_request_t write_request;

  for (genvar i = 0; i < OutputStreams; i++) begin : gen_buffers
    output_buffer u_buffer (
        .clk_i,
        .element_type_i (output_i[i].element_type),
        .write_i        (result_write[i]),
        .write_address_i(result_address),
        .write_data_i   (result),
        .read_i         (buffer_read[i]),
        .read_address_i (buffer_address),
        .row_o          (buffer_row[i])
    );
  end

  store_engine u_store (
      .clk_i,
      .rst_ni,
      .start_i,
      .go_i,
      .points_i,
      .shape_i         (output_i),
      .strip_result_i  (strip_result),
      .strip_stored_o  (stored),
      .buffer_read_o   (buffer_read),
      .buffer_address_o(buffer_address),
      .buffer_row_i    (buffer_row),
      .request_valid_o (write_valid),
      .request_o       (write_request),
      .request_ready_i (write_ready),
      .w_valid_o,
      .w_data_o,
      .w_strobe_o,
      .w_last_o,
      .w_ready_i,
      .answered_i      (writes_answered),
      .drained_o       (drained),
      .finished_o      (finished),
      .busy_o          (store_busy),
      .stall_input_o   (store_stall_input)
  );

  axi_write_master u_writes (
      .clk_i,
      .rst_ni,
      .request_valid_i(write_valid),
      .request_i      (write_request),
      .request_ready_o(write_ready),
      .idle_o         (writes_idle),
      .answered_o     (writes_answered),
      .error_o        (write_error),
      .aw_valid_o,
      .aw_address_o,
      .aw_length_o,
      .aw_ready_i,
      .b_valid_i,
      .b_response_i,
      .b_ready_o
  );

  // Checks and trace.
  string trace_path;
  int trace;
  int unsigned checked_rows, wrong_rows, bus_errors;
  logic finished_q;
  logic [InputStreams-1:0] strip_done;

  initial begin
    if (!$value$plusargs("trace=%s", trace_path)) $fatal(1, "plusarg +trace=PATH is missing");
    trace = $fopen(trace_path, "w");
    if (trace == 0) $fatal(1, "cannot open %s", trace_path);
  end

  for (genvar i = 0; i < InputStreams; i++) begin : gen_seen
    assign used[i] = shape_i[i].valid;
    assign strip_done[i] = u_inputs.gen_streams[i].u_stream.strip_done;
  end
  assign finished_o = finished;

  row_checker u_checker (
      .clk_i,
      .clear_i  (load_i),
      .file_i   (stimuli_i),
      .check_i  (check),
      .points_i (check_points),
      .used_i   (used),
      .rows_i   (rows),
      .checked_o(checked_rows),
      .wrong_o  (wrong_rows)
  );

  stream_trace u_trace (
      .clk_i,
      .rst_ni,
      .trace_i            (trace),
      .start_i,
      .go_i,
      .finished_i         (finished),
      .take_i             (u_inputs.take),
      .fetch_busy_i       (fetch_busy),
      .fetch_stall_ring_i (fetch_stall_ring),
      .word_valid_i       (stream_valid != '0),
      .word_bytes_i       (word.bytes),
      .read_beat_i        (r_valid_i && r_ready_o),
      .busy_i             (busy),
      .cut_i              (cut),
      .stall_data_i       (stall_data),
      .stall_slot_i       (stall_slot),
      .strip_done_i       (strip_done),
      .begins_i           (begins),
      .strip_last_i       (strip_last),
      .strip_i            (strip),
      .store_busy_i       (store_busy),
      // The store engine counts from the cycle after its go_i on.
      .store_stall_input_i(store_stall_input || go_i),
      .stored_i           (stored),
      .write_beat_i       (w_valid_o && w_ready_i),
      .strobe_i           (w_strobe_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) finished_q <= 1'b0;
    else finished_q <= finished;
  end

  // A program: it runs once per clock.
  // verilator lint_off BLKSEQ
  always @(negedge rst_ni) $fflush(trace);

  always @(posedge clk_i) begin
    if (load_i) begin
      bus_errors = 0;
      done_o <= 1'b0;
    end
    if (read_error || write_error) bus_errors++;
    if (finished_q) begin
      $fdisplay(trace, "wrong_rows %0d", wrong_rows);
      $fdisplay(trace, "wrong_words %0d", wrong_words_i);
      $fdisplay(trace, "checked_rows %0d", checked_rows);
      $fdisplay(trace, "bus_errors %0d", bus_errors);
      $fdisplay(trace, "reads_on_the_way %0d", reads_idle ? 0 : 1);
      $fdisplay(trace, "end");
      $fflush(trace);
      done_o <= 1'b1;
    end
  end
  // verilator lint_on BLKSEQ

endmodule
