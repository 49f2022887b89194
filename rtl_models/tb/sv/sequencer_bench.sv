// The sequencer with the read master, the memory model and the counters. The engines are the testbench.
module sequencer_bench
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
#(
    parameter int unsigned MemoryBase  = 65536,
    parameter int unsigned MemoryWords = 8192
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        start_i,
    input  logic [        HostBits-1:0] program_address_i,
    input  logic [                31:0] program_words_i,
    input  logic [        HostBits-1:0] packet_address_i,
    input  logic [                31:0] packet_words_i,
    input  logic [        HostBits-1:0] window_base_i,
    input  logic [        HostBits-1:0] window_limit_i,
    output logic [                 1:0] status_o,
    output logic                        running_o,
    output logic [  $bits(fault_t)-1:0] fault_o,
    output logic [                31:0] fault_pc_o,
    output logic                        axi_error_o,
    output logic [     CounterBits-1:0] cycles_o,
    input  logic                        axi_error_i,
    output logic                        kernel_start_o,
    output logic                        go_o,
    output logic [        SizeBits-1:0] points_o,
    output logic [                31:0] body_first_o,
    output logic [                31:0] body_words_o,
    output logic [    InputStreams-1:0] inputs_o,        // in use
    output logic [   OutputStreams-1:0] outputs_o,
    input  logic                        done_i,
    input  logic                        body_read_i,
    input  logic [                31:0] body_pc_i,
    output instruction_word_t           body_word_o,
    input  logic                        stall_i          // stall the memory now and then
);

  dispatch_t dispatch;
  status_e status;
  fault_t fault;
  pc_t fault_pc;
  kernel_t kernel;
  logic clear, request_valid, request_ready, word_valid, master_error, idle;
  read_request_t request;
  read_word_t word;
  // verilator lint_off UNUSEDSIGNAL
  stream_shape_t [InputStreams-1:0] inputs;  // the shape unit has a bench of its own
  output_shape_t [OutputStreams-1:0] outputs;
  counters_t counters;
  // verilator lint_on UNUSEDSIGNAL

  assign dispatch = '{
    program_address: program_address_i,
    program_words: program_words_i,
    packet_address: packet_address_i,
    packet_words: packet_words_i,
    window_base: window_base_i,
    window_limit: window_limit_i
  };

  sequencer u_dut (
      .clk_i,
      .rst_ni,
      .start_i,
      .dispatch_i     (dispatch),
      .status_o       (status),
      .running_o,
      .clear_o        (clear),
      .fault_o        (fault),
      .fault_pc_o     (fault_pc),
      .axi_error_o,
      .request_valid_o(request_valid),
      .request_o      (request),
      .request_ready_i(request_ready),
      .word_valid_i   (word_valid),
      .word_i         (word),
      .axi_error_i    (axi_error_i || master_error),
      .kernel_start_o,
      .go_o,
      .kernel_o       (kernel),
      .inputs_o       (inputs),
      .outputs_o      (outputs),
      .done_i,
      .body_read_i,
      .body_pc_i      (pc_t'(body_pc_i)),
      .body_word_o
  );

  assign status_o = status;
  assign fault_o = fault;
  assign fault_pc_o = 32'(fault_pc);
  assign points_o = kernel.points;
  assign body_first_o = 32'(kernel.body_first);
  assign body_words_o = 32'(kernel.body_words);

  always_comb begin
    for (int unsigned i = 0; i < InputStreams; i++) inputs_o[i] = inputs[i].valid;
    for (int unsigned i = 0; i < OutputStreams; i++) outputs_o[i] = outputs[i].valid;
  end

  counter_steps_t steps;
  always_comb begin
    steps = '0;
    steps[CounterCycles] = counter_step_t'(running_o);
  end

  performance_counters u_counters (
      .clk_i,
      .rst_ni,
      .clear_i   (clear),
      .steps_i   (steps),
      .counters_o(counters)
  );

  assign cycles_o = counters[CounterCycles];

  logic ar_valid, ar_ready, r_valid, r_ready, r_last;
  address_t ar_address;
  logic [7:0] ar_length;
  word_t r_data;
  logic [1:0] r_response;
  // verilator lint_off UNUSEDSIGNAL
  logic aw_ready, w_ready, b_valid;
  logic [1:0] b_response;
  logic unused_idle;
  // verilator lint_on UNUSEDSIGNAL
  assign unused_idle = idle;

  axi_read_master u_master (
      .clk_i,
      .rst_ni,
      .request_valid_i(request_valid),
      .request_i      (request),
      .request_ready_o(request_ready),
      .word_valid_o   (word_valid),
      .word_o         (word),
      .idle_o         (idle),
      .error_o        (master_error),
      .ar_valid_o     (ar_valid),
      .ar_address_o   (ar_address),
      .ar_length_o    (ar_length),
      .ar_ready_i     (ar_ready),
      .r_valid_i      (r_valid),
      .r_data_i       (r_data),
      .r_response_i   (r_response),
      .r_last_i       (r_last),
      .r_ready_o      (r_ready)
  );

  logic [4:0] stall;
  always_ff @(posedge clk_i) begin
    stall <= stall_i ? 5'($urandom()) : '0;
  end

  axi_memory_model #(
      .AddressBits(AddressBits),
      .DataBits   (AxiBits),
      .Latency    (MemoryLatency),
      .Base       (64'(MemoryBase)),
      .Words      (MemoryWords)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .stall_i     (stall),
      .ar_valid_i  (ar_valid),
      .ar_ready_o  (ar_ready),
      .ar_address_i(ar_address),
      .ar_length_i (ar_length),
      .r_valid_o   (r_valid),
      .r_ready_i   (r_ready),
      .r_data_o    (r_data),
      .r_response_o(r_response),
      .r_last_o    (r_last),
      .aw_valid_i  (1'b0),
      .aw_ready_o  (aw_ready),
      .aw_address_i('0),
      .aw_length_i ('0),
      .w_valid_i   (1'b0),
      .w_ready_o   (w_ready),
      .w_data_i    ('0),
      .w_strobe_i  ('0),
      .w_last_i    (1'b0),
      .b_valid_o   (b_valid),
      .b_ready_i   (1'b1),
      .b_response_o(b_response)
  );

endmodule
