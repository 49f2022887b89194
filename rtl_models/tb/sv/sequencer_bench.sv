// The sequencer with the read master, the memory model and a count of cycles. The engines are the
// testbench.
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
    output logic [                 2:0] status_o,
    output logic                        running_o,
    output logic [  $bits(fault_t)-1:0] fault_o,
    output logic [                31:0] fault_pc_o,
    output logic                        axi_error_o,
    output logic [     CounterBits-1:0] cycles_o,
    input  logic                        axi_error_i,
    output logic                        kernel_start_o,
    output logic                        go_o,            // G
    output logic                        store_go_o,
    output logic [        SizeBits-1:0] points_o,
    output logic [                31:0] body_first_o,
    output logic [                31:0] body_words_o,
    output logic [    InputStreams-1:0] inputs_o,        // in use
    output logic [   OutputStreams-1:0] outputs_o,
    input  logic                        done_i,
    input  logic                        body_read_i,     // by both ports
    // verilator lint_off UNUSEDSIGNAL
    input  logic [                31:0] body_pc_i,       // as wide as any target's
    // verilator lint_on UNUSEDSIGNAL
    output instruction_word_t           body_word_o,     // 0 if the ports differ
    input  logic                        stall_i          // stall the memory now and then
);

  dispatch_t dispatch;
  status_e status;
  fault_t fault;
  pc_t fault_pc;
  // verilator lint_off UNUSEDSIGNAL
  logic engine_rst_n;  // the engines of the testbench have nothing to forget
  logic broadcast_start, broadcast_go, pipe_start, pipe_go;
  size_t fetch_points, broadcast_points;
  stream_shape_t [InputStreams-1:0] broadcast_inputs;
  kernel_t kernel;  // the phases of its body show in the vector pipe
  // verilator lint_on UNUSEDSIGNAL
  instruction_word_t [PipePorts-1:0] body_words;
  logic store_go, clear, request_valid, request_ready, master_error;
  image_valid_t word_valid;
  read_request_t request;
  read_word_t word;
  // verilator lint_off UNUSEDSIGNAL
  stream_shape_t [InputStreams-1:0] inputs;  // the shape unit has a bench of its own
  output_shape_t [OutputStreams-1:0] outputs;
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
      .read_error_i   (master_error),
      .write_error_i  (axi_error_i),
      .engine_rst_no  (engine_rst_n),
      .fetch_start_o     (kernel_start_o),
      .fetch_go_o        (go_o),
      .fetch_points_o    (fetch_points),
      .fetch_inputs_o    (inputs),
      .fetched_i         (1'b1),
      .broadcast_start_o (broadcast_start),
      .broadcast_go_o    (broadcast_go),
      .broadcast_points_o(broadcast_points),
      .broadcast_inputs_o(broadcast_inputs),
      .landed_i          (1'b1),
      .pipe_start_o      (pipe_start),
      .pipe_go_o         (pipe_go),
      .kernel_o          (kernel),
      .used_o            (inputs_o),
      .outputs_o         (outputs),
      .store_go_o        (store_go),
      .drained_i         (1'b1),
      .done_i,
      .body_read_i    ({PipePorts{body_read_i}}),
      .body_pc_i      ({PipePorts{pc_t'(body_pc_i)}}),
      .body_word_o    (body_words)
  );

  assign status_o = status;
  assign fault_o = fault;
  assign fault_pc_o = 32'(fault_pc);
  assign points_o = kernel.points;
  assign body_first_o = 32'(kernel.body_first);
  assign body_words_o = 32'(kernel.body.phases[kernel.body.lane_last].group_end);
  assign body_word_o = body_words[0] == body_words[1] ? body_words[0] : '0;

  always_comb begin
    for (int unsigned i = 0; i < OutputStreams; i++) outputs_o[i] = outputs[i].valid;
  end

  // Cycles of the run, up to this one.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cycles_o <= '0;
    else if (clear) cycles_o <= '0;
    else cycles_o <= cycles_o + CounterBits'(running_o);
  end

  read_memory #(
      .MemoryBase (64'(MemoryBase)),
      .MemoryWords(MemoryWords)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .stall_i,
      .request_valid_i(request_valid),
      .request_i      (request),
      .request_ready_o(request_ready),
      .word_valid_o   (word_valid),
      .word_o         (word),
      .error_o        (master_error)
  );

  // The first cycle of the store.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) store_go_o <= 1'b0;
    else store_go_o <= store_go;
  end

endmodule
