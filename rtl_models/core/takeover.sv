// Hands one kernel after another to the engines, while they may still work on the one before: first
// to the fetch, then to broadcast units, vector pipe and store engine, each with a copy of what it
// needs.
//
// Timing, with the names of the timing contract. prepare_i, in a cycle with fetch_free_o, takes the
// kernel; fetch_start_o is high in the next cycle. go_i, MachineSetupStart - 2 cycles later or more
// and with may_go_o, says that the next cycle is G, in which fetch_go_o is high. The other engines
// have *_start_o, 4 cycles or more before their *_go_o, from which on their copy holds: pipe_go_o
// is high in cycle P, broadcast_go_o in R, store_go_o in the cycle before Q. The store engine takes
// the copy of the pipe. landed_i says that the broadcast units have no strips left, from cycle B1
// of the last on, fetched_i that the fetch has none, from cycle F1 + 1 on. ends_o says that no
// kernel is at work after this cycle.
module takeover
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                               clk_i,
    input  logic                               rst_ni,
    // The kernel that is set up.
    input  logic                               prepare_i,
    input  logic                               go_i,
    input  kernel_t                            kernel_i,
    input  stream_shape_t [  InputStreams-1:0] inputs_i,
    input  output_shape_t [ OutputStreams-1:0] outputs_i,
    input  logic                               reads_result_i,  // of the kernel before
    output logic                               fetch_free_o,
    output logic                               may_go_o,
    output logic                               ends_o,
    output pc_t                                landing_pc_o,    // body of the kernel being read
    output pc_t                                stored_pc_o,     // of the one being stored
    // Engines.
    output logic                               fetch_start_o,
    output logic                               fetch_go_o,
    output size_t                              fetch_points_o,
    output stream_shape_t [  InputStreams-1:0] fetch_inputs_o,
    input  logic                               fetched_i,
    output logic                               broadcast_start_o,
    output logic                               broadcast_go_o,
    output size_t                              broadcast_points_o,
    output stream_shape_t [  InputStreams-1:0] broadcast_inputs_o,
    input  logic                               landed_i,
    output logic                               pipe_start_o,
    output logic                               pipe_go_o,
    output kernel_t                            kernel_o,
    output logic          [  InputStreams-1:0] used_o,
    output output_shape_t [ OutputStreams-1:0] outputs_o,
    output logic                               store_go_o,
    input  logic                               drained_i,
    input  logic                               done_i
);

  // From the start of an engine to its first cycle.
  localparam int unsigned PipeLead = 3;
  localparam int unsigned BroadcastLead = MachineBroadcastRestart - 2;
  typedef logic [$clog2(BroadcastLead+1)-1:0] lead_t;

  if (MachineRingClear != 1 || MachinePipeRestart != PipeLead + 4) begin : gen_restart_check
    $error("the fetch starts 1 cycle after the last broadcast, the pipe %0d after the last store",
           PipeLead + 4);
  end

  // A kernel waits for the pipe until the cycle after its P, and then for the end of the kernel
  // before.
  logic pending_d, pending_q, gone_d, gone_q, loaded_d, loaded_q, stores_d, stores_q;
  logic unstored_d, unstored_q, pipe_load, storing_d, storing_q, unended;
  logic fetch_start_q, fetch_go_q, pipe_start_q, pipe_go_d, pipe_go_q, store_go_d, store_go_q;
  lead_t pipe_left_d, pipe_left_q;

  always_comb begin
    pipe_load = pending_q && !loaded_q && !unstored_q && drained_i;
    pipe_left_d = pipe_left_q == '0 ? '0 : pipe_left_q - 1'b1;
    if (pipe_load) pipe_left_d = lead_t'(PipeLead);
    pipe_go_d = loaded_q && pipe_left_q == '0 && (gone_q || go_i);
    store_go_d = (stores_q || pipe_go_d) && !unended;

    pending_d = prepare_i || (pending_q && !pipe_go_q);
    gone_d = (gone_q || go_i) && !pipe_go_d;
    loaded_d = (loaded_q || pipe_load) && !pipe_go_d;
    stores_d = (stores_q || pipe_go_d) && !store_go_d;
    unstored_d = pipe_load || (unstored_q && !store_go_q);
    storing_d = store_go_d || (storing_q && !done_i);
  end

  // The broadcast units change over when they have no strips left.
  logic waits_d, waits_q, lands_d, lands_q, may_land_d, may_land_q;
  logic broadcast_load, broadcast_start_q, broadcast_go_d, broadcast_go_q;
  lead_t broadcast_left_d, broadcast_left_q;

  always_comb begin
    broadcast_load = waits_q && landed_i;
    broadcast_left_d = broadcast_left_q == '0 ? '0 : broadcast_left_q - 1'b1;
    if (broadcast_load) broadcast_left_d = lead_t'(BroadcastLead);
    broadcast_go_d = lands_q && broadcast_left_q == '0 && (may_land_q || pipe_go_d);

    waits_d = prepare_i || (waits_q && !broadcast_load);
    lands_d = (lands_q || broadcast_load) && !broadcast_go_d;
    may_land_d = (may_land_q || pipe_go_d) && !broadcast_go_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q         <= 1'b0;
      gone_q            <= 1'b0;
      loaded_q          <= 1'b0;
      stores_q          <= 1'b0;
      unstored_q        <= 1'b0;
      storing_q         <= 1'b0;
      waits_q           <= 1'b0;
      lands_q           <= 1'b0;
      may_land_q        <= 1'b0;
      fetch_start_q     <= 1'b0;
      fetch_go_q        <= 1'b0;
      broadcast_start_q <= 1'b0;
      broadcast_go_q    <= 1'b0;
      pipe_start_q      <= 1'b0;
      pipe_go_q         <= 1'b0;
      store_go_q        <= 1'b0;
    end else begin
      pending_q         <= pending_d;
      gone_q            <= gone_d;
      loaded_q          <= loaded_d;
      stores_q          <= stores_d;
      unstored_q        <= unstored_d;
      storing_q         <= storing_d;
      waits_q           <= waits_d;
      lands_q           <= lands_d;
      may_land_q        <= may_land_d;
      fetch_start_q     <= prepare_i;
      fetch_go_q        <= go_i;
      broadcast_start_q <= broadcast_load;
      broadcast_go_q    <= broadcast_go_d;
      pipe_start_q      <= pipe_load;
      pipe_go_q         <= pipe_go_d;
      store_go_q        <= store_go_d;
    end
  end

  // Copies: of the fetch and of what is yet to come, of the broadcast units, of pipe and store.
  // What is yet to come is copied as long as nobody needs the copy, up to prepare_i, which comes
  // late in its cycle.
  kernel_t next_q, kernel_q;
  stream_shape_t [InputStreams-1:0] fetch_inputs_q, broadcast_inputs_q;
  output_shape_t [OutputStreams-1:0] next_outputs_q, outputs_q;
  logic [InputStreams-1:0] used_q;
  size_t broadcast_points_q;
  pc_t landing_pc_q, stored_pc_q;

  always_ff @(posedge clk_i) begin
    pipe_left_q      <= pipe_left_d;
    broadcast_left_q <= broadcast_left_d;
    if (fetch_free_o) begin
      next_q         <= kernel_i;
      fetch_inputs_q <= inputs_i;
      next_outputs_q <= outputs_i;
    end
    if (broadcast_load) begin
      broadcast_points_q <= next_q.points;
      broadcast_inputs_q <= fetch_inputs_q;
      landing_pc_q       <= next_q.body_first;
    end
    if (pipe_load) begin
      kernel_q  <= next_q;
      outputs_q <= next_outputs_q;
      for (int unsigned i = 0; i < InputStreams; i++) used_q[i] <= fetch_inputs_q[i].valid;
    end
    if (store_go_d) stored_pc_q <= kernel_q.body_first;
  end

  assign fetch_free_o = fetched_i && !pending_q;
  assign unended = storing_q && !done_i;
  assign may_go_o = (!waits_q || landed_i)
      && (reads_result_i ? !stores_q && !unended : !stores_q || !unended);
  assign ends_o = !gone_q && !stores_q && !unended;
  assign landing_pc_o = landing_pc_q;
  assign stored_pc_o = stored_pc_q;
  assign fetch_start_o = fetch_start_q;
  assign fetch_go_o = fetch_go_q;
  assign fetch_points_o = next_q.points;
  assign fetch_inputs_o = fetch_inputs_q;
  assign broadcast_start_o = broadcast_start_q;
  assign broadcast_go_o = broadcast_go_q;
  assign broadcast_points_o = broadcast_points_q;
  assign broadcast_inputs_o = broadcast_inputs_q;
  assign pipe_start_o = pipe_start_q;
  assign pipe_go_o = pipe_go_q;
  assign kernel_o = kernel_q;
  assign used_o = used_q;
  assign outputs_o = outputs_q;
  assign store_go_o = store_go_d;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (prepare_i) assert (fetch_free_o)
      else $error("a kernel is prepared while the fetch works on the one before");
      if (go_i) assert (may_go_o && pending_q)
      else $error("a kernel goes too early");
      if (done_i) assert (storing_q)
      else $error("the end of a kernel that is not stored");
    end
  end
`endif

endmodule
