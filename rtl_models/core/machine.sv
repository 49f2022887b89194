// The machine: control side, input streams, vector pipe, store engine, and one AXI4 master whose
// reads and writes are independent. The host is on an AXI4-Lite slave, see host_registers.rdl.
// docs/ports.md has the ports, and what the machine requires of its reset.
//
// Timing: see the timing contract. A kernel's cycle 0 is the cycle with go; each engine states
// its own part. Program and packet are read before the first kernel, so the read master never
// serves two sides at a time.
module machine
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
#(
    parameter int unsigned IdBits = 1,  // of transaction ids, which are all 0
    localparam int unsigned HostAddressBits = host_registers_pkg::HOST_REGISTERS_MIN_ADDR_WIDTH
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    // Host: AXI4-Lite slave.
    input  logic                             host_aw_valid_i,
    output logic                             host_aw_ready_o,
    input  logic     [ HostAddressBits-1:0]  host_aw_address_i,
    input  logic     [                 2:0]  host_aw_prot_i,
    input  logic                             host_w_valid_i,
    output logic                             host_w_ready_o,
    input  logic     [        HostBits-1:0]  host_w_data_i,
    input  logic     [      HostBits/8-1:0]  host_w_strobe_i,
    output logic                             host_b_valid_o,
    input  logic                             host_b_ready_i,
    output logic     [                 1:0]  host_b_response_o,
    input  logic                             host_ar_valid_i,
    output logic                             host_ar_ready_o,
    input  logic     [ HostAddressBits-1:0]  host_ar_address_i,
    input  logic     [                 2:0]  host_ar_prot_i,
    output logic                             host_r_valid_o,
    input  logic                             host_r_ready_i,
    output logic     [        HostBits-1:0]  host_r_data_o,
    output logic     [                 1:0]  host_r_response_o,
    output logic                             irq_o,
    // Memory: AXI4 master, see axi_port.
    output logic                             ar_valid_o,
    input  logic                             ar_ready_i,
    output logic     [          IdBits-1:0]  ar_id_o,
    output address_t                         ar_address_o,
    output logic     [                 7:0]  ar_length_o,        // beats - 1
    output logic     [                 2:0]  ar_size_o,
    output logic     [                 1:0]  ar_burst_o,
    output logic                             ar_lock_o,
    output logic     [                 3:0]  ar_cache_o,
    output logic     [                 2:0]  ar_prot_o,
    output logic     [                 3:0]  ar_qos_o,
    input  logic                             r_valid_i,
    output logic                             r_ready_o,
    input  logic     [          IdBits-1:0]  r_id_i,
    input  word_t                            r_data_i,
    input  logic     [                 1:0]  r_response_i,
    input  logic                             r_last_i,
    output logic                             aw_valid_o,
    input  logic                             aw_ready_i,
    output logic     [          IdBits-1:0]  aw_id_o,
    output address_t                         aw_address_o,
    output logic     [                 7:0]  aw_length_o,        // beats - 1
    output logic     [                 2:0]  aw_size_o,
    output logic     [                 1:0]  aw_burst_o,
    output logic                             aw_lock_o,
    output logic     [                 3:0]  aw_cache_o,
    output logic     [                 2:0]  aw_prot_o,
    output logic     [                 3:0]  aw_qos_o,
    output logic                             w_valid_o,
    input  logic                             w_ready_i,
    output word_t                            w_data_o,
    output strobe_t                          w_strobe_o,
    output logic                             w_last_o,
    input  logic                             b_valid_i,
    output logic                             b_ready_o,
    input  logic     [          IdBits-1:0]  b_id_i,
    input  logic     [                 1:0]  b_response_i
);

  // The kernel.
  logic clear;
  logic fetch_start, fetch_go, fetched, broadcast_start, broadcast_go, landed;
  logic pipe_start, pipe_go, store_go, drained, finished;
  size_t fetch_points, broadcast_points;
  logic [PipePorts-1:0] body_read;
  kernel_t kernel;
  stream_shape_t [InputStreams-1:0] fetch_inputs, broadcast_inputs;
  output_shape_t [OutputStreams-1:0] outputs;
  pc_t [PipePorts-1:0] body_pc;
  instruction_word_t [PipePorts-1:0] body_word;
  logic [InputStreams-1:0] used;
  counter_steps_t steps;

  // Reads: of the control side, or of the input streams.
  logic control_valid, streams_valid, request_valid, request_ready;
  read_request_t control_request, streams_request, request;
  logic read_error, write_error;
  logic [InputStreams-1:0] stream_valid;
  image_valid_t image_valid;
  read_word_t word;
  logic reads_idle, writes_idle, writes_answered, words_idle, draining, engine_rst_n;

  // To the bus.
  logic read_burst_valid, read_burst_ready, write_burst_valid, write_burst_ready;
  logic write_word_valid, write_word_ready, stored_valid, stored_ready;
  burst_t read_burst, write_burst;
  bus_attributes_t bus_attributes;
  write_word_t write_word, stored_word;

  assign request_valid = control_valid || streams_valid;
  assign request = control_valid ? control_request : streams_request;

  control u_control (
      .clk_i,
      .rst_ni,
      .aw_valid_i     (host_aw_valid_i),
      .aw_ready_o     (host_aw_ready_o),
      .aw_address_i   (host_aw_address_i),
      .aw_prot_i      (host_aw_prot_i),
      .w_valid_i      (host_w_valid_i),
      .w_ready_o      (host_w_ready_o),
      .w_data_i       (host_w_data_i),
      .w_strobe_i     (host_w_strobe_i),
      .b_valid_o      (host_b_valid_o),
      .b_ready_i      (host_b_ready_i),
      .b_response_o   (host_b_response_o),
      .ar_valid_i     (host_ar_valid_i),
      .ar_ready_o     (host_ar_ready_o),
      .ar_address_i   (host_ar_address_i),
      .ar_prot_i      (host_ar_prot_i),
      .r_valid_o      (host_r_valid_o),
      .r_ready_i      (host_r_ready_i),
      .r_data_o       (host_r_data_o),
      .r_response_o   (host_r_response_o),
      .irq_o,
      .request_valid_o(control_valid),
      .request_o      (control_request),
      .request_ready_i(request_ready),
      .word_valid_i   (image_valid),
      .word_i         (word),
      .read_error_i   (read_error),
      .write_error_i  (write_error),
      .bus_attributes_o(bus_attributes),
      .bus_idle_i     (reads_idle && writes_idle && words_idle),
      .draining_o     (draining),
      .engine_rst_no  (engine_rst_n),
      .clear_o           (clear),
      .fetch_start_o     (fetch_start),
      .fetch_go_o        (fetch_go),
      .fetch_points_o    (fetch_points),
      .fetch_inputs_o    (fetch_inputs),
      .fetched_i         (fetched),
      .broadcast_start_o (broadcast_start),
      .broadcast_go_o    (broadcast_go),
      .broadcast_points_o(broadcast_points),
      .broadcast_inputs_o(broadcast_inputs),
      .landed_i          (landed),
      .pipe_start_o      (pipe_start),
      .pipe_go_o         (pipe_go),
      .kernel_o          (kernel),
      .used_o            (used),
      .outputs_o         (outputs),
      .store_go_o        (store_go),
      .drained_i         (drained),
      .done_i            (finished),
      .body_read_i    (body_read),
      .body_pc_i      (body_pc),
      .body_word_o    (body_word),
      .steps_i        (steps)
  );

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
      .ar_valid_o     (read_burst_valid),
      .ar_address_o   (read_burst.address),
      .ar_length_o    (read_burst.length),
      .ar_ready_i     (read_burst_ready),
      .r_valid_i,
      .r_data_i,
      .r_response_i,
      .r_last_i,
      .r_ready_o
  );

  axi_port #(
      .IdBits(IdBits)
  ) u_port (
      .clk_i,
      .rst_ni,
      .attributes_i (bus_attributes),
      .read_valid_i (read_burst_valid),
      .read_ready_o (read_burst_ready),
      .read_i       (read_burst),
      .write_valid_i(write_burst_valid),
      .write_ready_o(write_burst_ready),
      .write_i      (write_burst),
      .word_valid_i (write_word_valid),
      .word_ready_o (write_word_ready),
      .word_i       (write_word),
      .ar_valid_o,
      .ar_ready_i,
      .ar_id_o,
      .ar_address_o,
      .ar_length_o,
      .ar_size_o,
      .ar_burst_o,
      .ar_lock_o,
      .ar_cache_o,
      .ar_prot_o,
      .ar_qos_o,
      .aw_valid_o,
      .aw_ready_i,
      .aw_id_o,
      .aw_address_o,
      .aw_length_o,
      .aw_size_o,
      .aw_burst_o,
      .aw_lock_o,
      .aw_cache_o,
      .aw_prot_o,
      .aw_qos_o,
      .w_valid_o,
      .w_ready_i,
      .w_data_o,
      .w_strobe_o,
      .w_last_o
  );

  // Inputs.
  logic [InputStreams-1:0] strip_due, strip_begin, pop;
  logic [InputStreams-1:0] broadcast_busy, cut, stall_data, stall_slot;
  landing_row_t [PipePorts-1:0] landing_address;
  row_t [InputStreams-1:0][PipePorts-1:0] landing_row;
  logic fetch_busy, fetch_stall_ring;

  input_streams u_inputs (
      .clk_i,
      .rst_ni            (engine_rst_n),
      .fetch_start_i     (fetch_start),
      .fetch_go_i        (fetch_go),
      .fetch_points_i    (fetch_points),
      .fetch_shape_i     (fetch_inputs),
      .fetched_o         (fetched),
      .start_i           (broadcast_start),
      .go_i              (broadcast_go),
      .points_i          (broadcast_points),
      .shape_i           (broadcast_inputs),
      .landed_o          (landed),
      .request_valid_o   (streams_valid),
      .request_o         (streams_request),
      .request_ready_i   (request_ready),
      .word_valid_i      (stream_valid),
      .word_i            (word),
      .strip_due_o       (strip_due),
      .strip_begin_i     (strip_begin),
      .read_address_i    (landing_address),
      .row_o             (landing_row),
      .pop_i             (pop),
      .fetch_busy_o      (fetch_busy),
      .fetch_stall_ring_o(fetch_stall_ring),
      .busy_o            (broadcast_busy),
      .cut_o             (cut),
      .stall_data_o      (stall_data),
      .stall_slot_o      (stall_slot)
  );

  // The pipe.
  logic [OutputStreams-1:0][Lanes-1:0] result_write;
  store_row_t [OutputStreams-1:0] result_address;
  row_t [OutputStreams-1:0] result_row;
  logic strip_result, strip_stored;
  pipe_counts_t pipe_counts;

  vector_pipe u_pipe (
      .clk_i,
      .rst_ni            (engine_rst_n),
      .clear_i           (clear),
      .kernel_start_i    (pipe_start),
      .go_i              (pipe_go),
      .kernel_i          (kernel),
      .used_i            (used),
      .body_read_o       (body_read),
      .body_pc_o         (body_pc),
      .body_word_i       (body_word),
      .strip_due_i       (strip_due),
      .strip_begin_o     (strip_begin),
      .landing_address_o (landing_address),
      .landing_row_i     (landing_row),
      .pop_o             (pop),
      .result_write_o    (result_write),
      .result_address_o  (result_address),
      .result_row_o      (result_row),
      .strip_result_o    (strip_result),
      .strip_stored_i    (strip_stored),
      .counts_o          (pipe_counts)
  );

  // Outputs.
  logic [OutputStreams-1:0] buffer_read;
  store_row_t buffer_address;
  row_t [OutputStreams-1:0] buffer_row;
  logic write_valid, write_ready, store_busy, store_stall_input;
  write_request_t write_request;

  for (genvar i = 0; i < OutputStreams; i++) begin : gen_buffers
    output_buffer u_buffer (
        .clk_i,
        .element_type_i (outputs[i].element_type),
        .write_i        (result_write[i]),
        .write_address_i(result_address[i]),
        .write_data_i   (result_row[i]),
        .read_i         (buffer_read[i]),
        .read_address_i (buffer_address),
        .row_o          (buffer_row[i])
    );
  end

  store_engine u_store (
      .clk_i,
      .rst_ni          (engine_rst_n),
      .start_i         (pipe_start),
      .go_i            (store_go),
      .points_i        (kernel.points),
      .shape_i         (outputs),
      .strip_result_i  (strip_result),
      .strip_stored_o  (strip_stored),
      .buffer_read_o   (buffer_read),
      .buffer_address_o(buffer_address),
      .buffer_row_i    (buffer_row),
      .request_valid_o (write_valid),
      .request_o       (write_request),
      .request_ready_i (write_ready),
      .w_valid_o       (stored_valid),
      .w_data_o        (stored_word.data),
      .w_strobe_o      (stored_word.strobe),
      .w_last_o        (stored_word.last),
      .w_ready_i       (stored_ready),
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
      .aw_valid_o     (write_burst_valid),
      .aw_address_o   (write_burst.address),
      .aw_length_o    (write_burst.length),
      .aw_ready_i     (write_burst_ready),
      .b_valid_i,
      .b_response_i,
      .b_ready_o
  );

  write_drain u_drain (
      .clk_i,
      .rst_ni,
      .draining_i(draining),
      .accept_i  (write_valid && write_ready),
      .request_i (write_request),
      .valid_i   (stored_valid),
      .word_i    (stored_word),
      .ready_o   (stored_ready),
      .valid_o   (write_word_valid),
      .word_o    (write_word),
      .ready_i   (write_word_ready),
      .idle_o    (words_idle)
  );

  // What the counters count in this cycle; `cycles` is the control side's.
  logic read_beat, write_beat;

  assign read_beat = stream_valid != '0;
  assign write_beat = write_word_valid && write_word_ready;

  always_comb begin
    steps = '0;
    steps[CounterStrips] = counter_step_t'(pipe_counts.strip);
    steps[CounterInstructions] = counter_step_t'(pipe_counts.lane_instruction)
        + counter_step_t'(pipe_counts.special_instruction);
    steps[CounterBytesRead] = read_beat ? counter_step_t'(word.bytes) : '0;
    steps[CounterBytesWritten] = write_beat ? counter_step_t'($countones(write_word.strobe)) : '0;
    steps[CounterReadBeats] = counter_step_t'(read_beat);
    steps[CounterWriteBeats] = counter_step_t'(write_beat);
    steps[CounterCuts] = counter_step_t'($countones(cut));
    steps[CounterFetchBusy] = counter_step_t'(fetch_busy);
    steps[CounterFetchStallRing] = counter_step_t'(fetch_stall_ring);
    steps[CounterBroadcastBusy] = counter_step_t'($countones(broadcast_busy));
    steps[CounterBroadcastStallData] = counter_step_t'($countones(stall_data));
    steps[CounterBroadcastStallSlot] = counter_step_t'($countones(stall_slot));
    steps[CounterLaneBusy] = counter_step_t'(pipe_counts.lane_busy);
    steps[CounterLaneStallDependence] = counter_step_t'(pipe_counts.lane_stall_dependence);
    steps[CounterLaneStallInput] = counter_step_t'(pipe_counts.lane_stall_input);
    steps[CounterLaneStallSpecial] = counter_step_t'(pipe_counts.lane_stall_special);
    steps[CounterLaneStallOutput] = counter_step_t'(pipe_counts.lane_stall_output);
    steps[CounterSpecialBusy] = counter_step_t'(pipe_counts.special_busy);
    steps[CounterSpecialStall] = counter_step_t'(pipe_counts.special_stall);
    steps[CounterStoreBusy] = counter_step_t'(store_busy);
    steps[CounterStoreStallInput] = counter_step_t'(store_stall_input);
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (control_valid) assert (!streams_valid)
      else $error("control and input streams read at the same time");
      if (draining) assert (!request_valid)
      else $error("got a request to read after an abort");
      if (r_valid_i) assert (r_id_i == '0)
      else $error("got data of a burst with the id %0d, expected 0", r_id_i);
      if (b_valid_i) assert (b_id_i == '0)
      else $error("got the answer to a burst with the id %0d, expected 0", b_id_i);
    end
  end
`endif

endmodule
