// The control side with the read master and the memory model. The host and the engines are the
// testbench.
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
    input  logic [                2:0] aw_prot_i,
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
    input  logic [                2:0] ar_prot_i,
    output logic                       r_valid_o,
    input  logic                       r_ready_i,
    output logic [       HostBits-1:0] r_data_o,
    output logic [                1:0] r_response_o,
    output logic                       irq_o,
    output logic                       go_o,
    input  logic                       done_i,
    input  logic                       axi_error_i,
    input  logic                       bus_idle_i,
    output logic                       draining_o,
    input  logic [   CounterCount-1:0] step_i,       // counters that count ...
    // verilator lint_off UNUSEDSIGNAL
    input  logic [                7:0] step_size_i   // ... this much; as wide as any target's steps
    // verilator lint_on UNUSEDSIGNAL
);

  // For the engines, for which the testbench stands in without looking.
  // verilator lint_off UNUSEDSIGNAL
  logic fetch_start, fetch_go, broadcast_start, broadcast_go, pipe_start, pipe_go,
      engine_rst_n, clear;
  size_t fetch_points, broadcast_points;
  logic [InputStreams-1:0] used;
  kernel_t kernel;
  bus_attributes_t bus_attributes;
  stream_shape_t [InputStreams-1:0] fetch_inputs, broadcast_inputs;
  output_shape_t [OutputStreams-1:0] outputs;
  instruction_word_t [PipePorts-1:0] body_word;
  // verilator lint_on UNUSEDSIGNAL
  logic store_go, request_valid, request_ready, master_error;
  image_valid_t word_valid;
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
      .aw_prot_i,
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
      .ar_prot_i,
      .r_valid_o,
      .r_ready_i,
      .r_data_o,
      .r_response_o,
      .irq_o,
      .request_valid_o(request_valid),
      .request_o      (request),
      .request_ready_i(request_ready),
      .word_valid_i   (word_valid),
      .word_i         (word),
      .read_error_i   (master_error),
      .write_error_i  (axi_error_i),
      .bus_attributes_o(bus_attributes),
      .bus_idle_i,
      .draining_o,
      .engine_rst_no  (engine_rst_n),
      .clear_o           (clear),
      .fetch_start_o     (fetch_start),
      .fetch_go_o        (fetch_go),
      .fetch_points_o    (fetch_points),
      .fetch_inputs_o    (fetch_inputs),
      .fetched_i         (1'b1),
      .broadcast_start_o (broadcast_start),
      .broadcast_go_o    (broadcast_go),
      .broadcast_points_o(broadcast_points),
      .broadcast_inputs_o(broadcast_inputs),
      .landed_i          (1'b1),
      .pipe_start_o      (pipe_start),
      .pipe_go_o         (pipe_go),
      .kernel_o          (kernel),
      .used_o            (used),
      .outputs_o         (outputs),
      .store_go_o        (store_go),
      .drained_i         (1'b1),
      .done_i,
      .body_read_i    ('0),
      .body_pc_i      ('0),
      .body_word_o    (body_word),
      .steps_i        (steps)
  );

  read_memory #(
      .MemoryBase (64'(MemoryBase)),
      .MemoryWords(MemoryWords)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .stall_i        (1'b0),
      .request_valid_i(request_valid),
      .request_i      (request),
      .request_ready_o(request_ready),
      .word_valid_o   (word_valid),
      .word_o         (word),
      .error_o        (master_error)
  );

  // The first cycle of the store.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) go_o <= 1'b0;
    else go_o <= store_go;
  end

endmodule
