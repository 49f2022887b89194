// The control side with the read master and the memory model. The host and the engines are the testbench.
module control_bench
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
#(
    parameter int unsigned MemoryBase  = 65536,
    parameter int unsigned MemoryWords = 1024
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       aw_valid_i,
    output logic                       aw_ready_o,
    input  logic [                8:0] aw_address_i,
    input  logic                       w_valid_i,
    output logic                       w_ready_o,
    input  logic [       HostBits-1:0] w_data_i,
    input  logic [     HostBits/8-1:0] w_strobe_i,
    output logic                       b_valid_o,
    input  logic                       b_ready_i,
    output logic [                1:0] b_response_o,
    input  logic                       ar_valid_i,
    output logic                       ar_ready_o,
    input  logic [                8:0] ar_address_i,
    output logic                       r_valid_o,
    input  logic                       r_ready_i,
    output logic [       HostBits-1:0] r_data_o,
    output logic [                1:0] r_response_o,
    output logic                       go_o,
    input  logic                       done_i,
    input  logic                       axi_error_i,
    input  logic [   CounterCount-1:0] step_i,       // counters that count ...
    input  logic [                7:0] step_size_i   // ... this much
);

  // verilator lint_off UNUSEDSIGNAL
  logic kernel_start;
  kernel_t kernel;
  stream_shape_t [InputStreams-1:0] inputs;
  output_shape_t [OutputStreams-1:0] outputs;
  instruction_word_t body_word;
  // verilator lint_on UNUSEDSIGNAL
  logic request_valid, request_ready, word_valid, master_error, idle;
  read_request_t request;
  read_word_t word;
  counter_steps_t steps;

  always_comb begin
    for (int unsigned i = 0; i < CounterCount; i++) begin
      steps[i] = step_i[i] ? counter_step_t'(step_size_i) : '0;
    end
  end

  control u_dut (
      .clk_i,
      .rst_ni,
      .aw_valid_i,
      .aw_ready_o,
      .aw_address_i,
      .w_valid_i,
      .w_ready_o,
      .w_data_i,
      .w_strobe_i,
      .b_valid_o,
      .b_ready_i,
      .b_response_o,
      .ar_valid_i,
      .ar_ready_o,
      .ar_address_i,
      .r_valid_o,
      .r_ready_i,
      .r_data_o,
      .r_response_o,
      .request_valid_o(request_valid),
      .request_o      (request),
      .request_ready_i(request_ready),
      .word_valid_i   (word_valid),
      .word_i         (word),
      .axi_error_i    (axi_error_i || master_error),
      .kernel_start_o (kernel_start),
      .go_o,
      .kernel_o       (kernel),
      .inputs_o       (inputs),
      .outputs_o      (outputs),
      .done_i,
      .body_read_i    (1'b0),
      .body_pc_i      ('0),
      .body_word_o    (body_word),
      .steps_i        (steps)
  );

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

  axi_memory_model #(
      .AddressBits(AddressBits),
      .DataBits   (AxiBits),
      .Latency    (MemoryLatency),
      .Base       (64'(MemoryBase)),
      .Words      (MemoryWords)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .stall_i     ('0),
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
