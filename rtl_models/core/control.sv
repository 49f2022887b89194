// The control side of the machine: host port, abort, sequencer with the shape unit, performance
// counters.
//
// For the timing see the four. steps_i is what the engines count in a cycle; `cycles` is counted
// here. What an abort ends counts no further.
module control
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
#(
    localparam int unsigned HostAddressBits = host_registers_pkg::HOST_REGISTERS_MIN_ADDR_WIDTH
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    // Host: AXI4-Lite.
    input  logic                                 aw_valid_i,
    output logic                                 aw_ready_o,
    input  logic          [ HostAddressBits-1:0] aw_address_i,
    input  logic          [                 2:0] aw_prot_i,
    input  logic                                 w_valid_i,
    output logic                                 w_ready_o,
    input  logic          [        HostBits-1:0] w_data_i,
    input  logic          [      HostBits/8-1:0] w_strobe_i,
    output logic                                 b_valid_o,
    input  logic                                 b_ready_i,
    output logic          [                 1:0] b_response_o,
    input  logic                                 ar_valid_i,
    output logic                                 ar_ready_o,
    input  logic          [ HostAddressBits-1:0] ar_address_i,
    input  logic          [                 2:0] ar_prot_i,
    output logic                                 r_valid_o,
    input  logic                                 r_ready_i,
    output logic          [        HostBits-1:0] r_data_o,
    output logic          [                 1:0] r_response_o,
    output logic                                 irq_o,
    // Read master.
    output logic                                 request_valid_o,
    output read_request_t                        request_o,
    input  logic                                 request_ready_i,
    input  image_valid_t                         word_valid_i,
    input  read_word_t                           word_i,
    input  logic                                 read_error_i,
    input  logic                                 write_error_i,
    output bus_attributes_t                      bus_attributes_o,
    // Abort.
    input  logic                                 bus_idle_i,       // no transfer is on the way
    output logic                                 draining_o,
    // Engines.
    output logic                                 engine_rst_no,
    output logic                                 clear_o,          // a run begins
    output logic                                 fetch_start_o,
    output logic                                 fetch_go_o,
    output size_t                                fetch_points_o,
    output stream_shape_t [    InputStreams-1:0] fetch_inputs_o,
    input  logic                                 fetched_i,
    output logic                                 broadcast_start_o,
    output logic                                 broadcast_go_o,
    output size_t                                broadcast_points_o,
    output stream_shape_t [    InputStreams-1:0] broadcast_inputs_o,
    input  logic                                 landed_i,
    output logic                                 pipe_start_o,
    output logic                                 pipe_go_o,
    output kernel_t                              kernel_o,
    output logic          [    InputStreams-1:0] used_o,
    output output_shape_t [   OutputStreams-1:0] outputs_o,
    output logic                                 store_go_o,
    input  logic                                 drained_i,
    input  logic                                 done_i,
    input  logic              [   PipePorts-1:0] body_read_i,      // lanes, special functions
    input  pc_t               [   PipePorts-1:0] body_pc_i,
    output instruction_word_t [   PipePorts-1:0] body_word_o,
    input  counter_steps_t                       steps_i
);

  logic start, stop, sequencer_rst_n, sequencing, running, aborted, axi_error;
  logic keeps_counters;
  dispatch_t dispatch;
  status_e status;
  fault_t fault;
  pc_t fault_pc;
  counter_steps_t steps;
  counters_t counters;

  host_port u_host (
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
      .start_o         (start),
      .abort_o         (stop),
      .bus_attributes_o,
      .dispatch_o      (dispatch),
      .keeps_counters_o(keeps_counters),
      .running_i       (running),
      .status_i        (aborted ? StatusAborted : status),
      .fault_i         (fault),
      .fault_pc_i      (fault_pc),
      .axi_error_i     (axi_error),
      .counters_i      (counters)
  );

  abort u_abort (
      .clk_i,
      .rst_ni,
      .abort_i      (stop),
      .start_i      (start),
      .running_i    (sequencing),
      .idle_i       (bus_idle_i),
      .draining_o,
      .aborted_o    (aborted),
      .engine_rst_no(sequencer_rst_n)
  );

  assign running = sequencing || draining_o;

  sequencer u_sequencer (
      .clk_i,
      .rst_ni     (sequencer_rst_n),
      .start_i    (start),
      .dispatch_i (dispatch),
      .status_o   (status),
      .running_o  (sequencing),
      .clear_o,
      .fault_o    (fault),
      .fault_pc_o (fault_pc),
      .axi_error_o(axi_error),
      .request_valid_o,
      .request_o,
      .request_ready_i,
      .word_valid_i,
      .word_i,
      .read_error_i,
      .write_error_i,
      .engine_rst_no,
      .fetch_start_o,
      .fetch_go_o,
      .fetch_points_o,
      .fetch_inputs_o,
      .fetched_i,
      .broadcast_start_o,
      .broadcast_go_o,
      .broadcast_points_o,
      .broadcast_inputs_o,
      .landed_i,
      .pipe_start_o,
      .pipe_go_o,
      .kernel_o,
      .used_o,
      .outputs_o,
      .store_go_o,
      .drained_i,
      .done_i,
      .body_read_i,
      .body_pc_i,
      .body_word_o
  );

  always_comb begin
    steps = draining_o ? '0 : steps_i;
    steps[CounterCycles] = counter_step_t'(sequencing);
  end

  performance_counters u_counters (
      .clk_i,
      .rst_ni,
      .clear_i   (clear_o && !keeps_counters),
      .steps_i   (steps),
      .counters_o(counters)
  );

endmodule
