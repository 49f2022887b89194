// Executes a dispatch: loads program and packet, walks the words, one a cycle, hands each kernel to
// the engines and waits for its end, and stops at `halt` or at the first fault.
//
// Timing, in cycles of running_o, the first of which is the cycle after start_i:
//   program or packet too large        a fault after 1 cycle;
//   load                               request cycles to the last beat + MemoryLatency +
//                                      MachineLoad, if memory keeps up; then a fault of the
//                                      version, or the first word;
//   configuration word, halt, fault    1 cycle;
//   loop                               the longer of 1 cycle per word of the body up to `end` or a
//                                      fault and of the time of shape_unit, and MachineSetupStart;
//                                      then a fault, the next word if there are no points, or the
//                                      kernel;
//   kernel                             fetch_go_o is high in its first cycle, done_i in its last.
//                                      The words after it are executed from its first cycle on. The
//                                      next kernel starts as takeover says, the program ends with
//                                      the last kernel.
// body_word_o is the word at pc body_pc_i of the last cycle with body_read_i.
//
// start_i while running is ignored. It clears counters, fault and the AXI error, so a run after
// `halt` or after a fault is like the first run. After an AXI error (read_error_i or write_error_i,
// remembered until the next start) the program stops once its words are loaded, or when the kernels
// at work have ended: with status fault, fault code none, the pc 0 or the pc of the loop of the
// kernel whose data it was. engine_rst_no is low for a cycle then, because the engines may have
// prepared themselves for the next kernel. Reset stops everything at once; memory is to be reset
// with it.
module sequencer
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                               clk_i,
    input  logic                               rst_ni,
    // Host.
    input  logic                               start_i,
    input  dispatch_t                          dispatch_i,        // holds still while running_o
    output status_e                            status_o,
    output logic                               running_o,
    output logic                               clear_o,           // a run begins
    output fault_t                             fault_o,
    output pc_t                                fault_pc_o,
    output logic                               axi_error_o,
    // Read master: program and packet.
    output logic                               request_valid_o,
    output read_request_t                      request_o,
    input  logic                               request_ready_i,
    input  image_valid_t                       word_valid_i,
    input  read_word_t                         word_i,
    input  logic                               read_error_i,
    input  logic                               write_error_i,
    // Engines.
    output logic                               engine_rst_no,      // a cycle longer than rst_ni
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
    output logic          [  InputStreams-1:0] used_o,             // by the pipe
    output output_shape_t [ OutputStreams-1:0] outputs_o,
    output logic                               store_go_o,
    input  logic                               drained_i,
    input  logic                               done_i,
    input  logic              [PipePorts-1:0] body_read_i,      // lanes, special functions
    input  pc_t               [PipePorts-1:0] body_pc_i,
    output instruction_word_t [PipePorts-1:0] body_word_o
);

  if (MachineWord != 1) begin : gen_word_check
    $error("a word takes one cycle, MachineWord is %0d", MachineWord);
  end
  if (MachineLoad < 6) begin : gen_load_check
    $error("the first word comes 6 cycles after the last bus word, MachineLoad is %0d",
           MachineLoad);
  end

  typedef enum logic [2:0] {
    Stopped,
    Load,
    Words,    // outside of a loop
    Setup,    // `loop`
    Ending    // the program is over, its last kernel is not
  } state_e;

  state_e state_d, state_q;
  logic axi_error_d, axi_error_q, axi_error;
  logic start;

  assign start = start_i && state_q == Stopped;
  assign axi_error = axi_error_q || read_error_i || write_error_i;

  // Program and packet, and the word in hand.
  logic load, loaded, due, flush, take, valid, past_end, no_parameter;
  logic [HostBits-1:0] version;
  pc_t pc;
  decoded_t decoded;
  parameter_t value;

  word_fetch u_words (
      .clk_i,
      .rst_ni,
      .dispatch_i,
      .flush_i    (flush),
      .load_i     (load),
      .loaded_o   (loaded),
      .due_o      (due),
      .version_o  (version),
      .request_valid_o,
      .request_o,
      .request_ready_i,
      .word_valid_i,
      .word_i,
      .enable_i   (state_q != Stopped),
      .take_i     (take),
      .valid_o    (valid),
      .pc_o       (pc),
      .past_end_o (past_end),
      .decoded_o  (decoded),
      .parameter_o(value),
      .no_parameter_o(no_parameter),
      .body_read_i,
      .body_pc_i,
      .body_word_o
  );

  // The streams of the kernel.
  logic set_base, set_size, clear_streams, shape_start, shape_done;
  stream_set_t configured;
  dimensions_t [Streams-1:0] missing;
  stream_set_t incomplete;
  stream_base_t base;
  // verilator lint_off UNUSEDSIGNAL
  base_word_t base_word;  // word_check has seen the rest of both
  size_word_t size_word;
  // verilator lint_on UNUSEDSIGNAL
  logic [HostBits-1:0] size;
  logic shape_faulty;
  fault_t shape_fault;
  size_t points;
  stream_shape_t [InputStreams-1:0] inputs;
  output_shape_t [OutputStreams-1:0] outputs;
  logic prepare, reads_result;

  always_comb begin
    base_word = decoded.word;
    size_word = decoded.word;
    base.element_type = type_e'(base_word.element_type);
    base.address = {1'b0, value} + stream_address_t'(base_word.offset);
    size = size_word.from_param ? value : HostBits'(size_word.value);
  end

  kernel_streams u_streams (
      .clk_i,
      .rst_ni,
      .abort_i       (start),
      .clear_i       (clear_streams),
      .is_base_i     (decoded.sets_base),
      .set_base_i    (set_base),
      .set_size_i    (set_size),
      .stream_i      (decoded.stream),
      .rank_i        (base_word.rank),
      .base_i        (base),
      .dimension_i   (size_word.dim),
      .size_i        (size[SizeBits-1:0]),
      .configured_o  (configured),
      .missing_o     (missing),
      .incomplete_o  (incomplete),
      .start_i       (shape_start),
      .window_base_i (dispatch_i.window_base),
      .window_limit_i(dispatch_i.window_limit),
      .done_o        (shape_done),
      .faulty_o      (shape_faulty),
      .fault_o       (shape_fault),
      .points_o      (points),
      .inputs_o      (inputs),
      .outputs_o     (outputs),
      .keep_i        (prepare),
      .reads_result_o(reads_result)
  );

  // What is wrong with the word in hand, outside of a loop.
  logic word_bad;
  fault_t word_fault;

  word_check u_check (
      .decoded_i     (decoded),
      .past_end_i    (past_end),
      .no_parameter_i(no_parameter),
      .size_i        (size),
      .configured_i  (configured),
      .missing_i     (missing),
      .incomplete_i  (incomplete),
      .bad_o         (word_bad),
      .fault_o       (word_fault)
  );

  // `loop` and its body. What a bad `loop` has started ends when the program is over.
  logic over;
  assign over = state_q == Stopped || state_q == Ending;

  logic setup_take, setup_leads, setup_done, runs, fetch_free, may_go, ends;
  logic setup_faulty;
  fault_t setup_fault;
  pc_t setup_fault_pc, loop_pc, landing_pc, stored_pc;
  body_order_t body;

  kernel_setup u_setup (
      .clk_i,
      .rst_ni,
      .clear_i       (over),
      .start_i       (shape_start),
      .configured_i  (configured),
      .valid_i       (valid),
      .pc_i          (pc),
      .past_end_i    (past_end),
      .decoded_i     (decoded),
      .take_o        (setup_take),
      .shapes_done_i (shape_done),
      .shape_faulty_i(shape_faulty),
      .shape_fault_i (shape_fault),
      .points_i      (points),
      .fetch_free_i  (fetch_free),
      .may_go_i      (may_go && !axi_error),
      .prepare_o     (prepare),
      .leads_o       (setup_leads),
      .done_o        (setup_done),
      .runs_o        (runs),
      .faulty_o      (setup_faulty),
      .fault_o       (setup_fault),
      .fault_pc_o    (setup_fault_pc),
      .loop_pc_o     (loop_pc),
      .body_o        (body)
  );

  // The engines.
  kernel_t kernel;
  logic go;
  assign kernel = '{points: points, body_first: loop_pc + 1'b1, body: body};

  takeover u_takeover (
      .clk_i,
      .rst_ni        (engine_rst_no),
      .prepare_i     (prepare),
      .go_i          (go),
      .kernel_i      (kernel),
      .inputs_i      (inputs),
      .outputs_i     (outputs),
      .reads_result_i(reads_result),
      .fetch_free_o  (fetch_free),
      .may_go_o      (may_go),
      .ends_o        (ends),
      .landing_pc_o  (landing_pc),
      .stored_pc_o   (stored_pc),
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
      .done_i
  );

  // Control.
  typedef struct packed {
    status_e status;
    fault_t fault;
    logic has_pc;  // otherwise it is 0
    pc_t pc;
  } ends_t;

  ends_t ends_d, ends_q;
  logic cancel, engine_rst_q, stop;
  logic program_too_large, program_too_large_q, packet_too_large, packet_too_large_q;
  pc_t error_pc_d, error_pc_q;
  fault_t why;
  pc_t where;

  always_comb begin
    state_d = state_q;
    axi_error_d = axi_error;
    go = 1'b0;
    load = 1'b0;
    flush = 1'b0;
    take = setup_take;
    set_base = 1'b0;
    set_size = 1'b0;
    shape_start = 1'b0;
    clear_streams = 1'b0;
    stop = 1'b0;
    why = NoFault;
    where = '0;
    program_too_large = dispatch_i.program_words > InstructionWords;
    packet_too_large = dispatch_i.packet_words > ParameterWords;

    unique case (state_q)
      Stopped: begin
        clear_streams = 1'b1;
        if (start) begin
          state_d = Load;
          axi_error_d = 1'b0;
          load = !program_too_large && !packet_too_large;
          flush = 1'b1;
        end
      end
      Load: begin
        if (program_too_large_q || packet_too_large_q) begin
          stop = 1'b1;
          why.code = program_too_large_q ? FaultProgramTooLarge : FaultPacketTooLarge;
        end else if (due && loaded) begin
          state_d = Words;
          if (axi_error) begin
            stop = 1'b1;
          end else if (version != HostBits'(IsaVersion)) begin
            stop = 1'b1;
            why.code = FaultBadVersion;
          end
        end
      end
      Words: begin
        if (valid) begin
          take = 1'b1;
          where = pc;
          why = word_fault;
          stop = word_bad || decoded.halts;
          // What a bad word sets or starts, the next program clears: nothing waits for the check.
          set_base = decoded.sets_base;
          set_size = decoded.sets_size;
          shape_start = decoded.begins_body;
          if (decoded.begins_body) state_d = Setup;
        end
      end
      Setup: begin
        clear_streams = setup_leads;
        where = setup_fault_pc;
        if (setup_faulty) why = setup_fault;
        if (setup_done) begin
          if (setup_faulty) stop = 1'b1;
          else state_d = Words;
          go = runs;  // not with a fault
        end
      end
      default: if (ends) state_d = Stopped;  // Ending
    endcase

    // How the program ends counts when its last kernel has ended. Until it stops, it is how it
    // would end with the word in hand, so that nothing waits for whether it does.
    ends_d = ends_q;
    cancel = 1'b0;
    if (!over) begin
      ends_d = '{
        status: state_q == Words && !word_bad ? StatusDone : StatusFault,
        fault: why,
        has_pc: state_q == Setup ? setup_faulty : word_bad,
        pc: where
      };
    end
    if (stop) state_d = ends ? Stopped : Ending;
    // After an error no kernel goes; the program stops with those at work. The kernel whose data it
    // was is told.
    error_pc_d = error_pc_q;
    if (axi_error && !axi_error_q) error_pc_d = (read_error_i ? landing_pc : stored_pc) - 1'b1;
    if (done_i && axi_error && ends) begin
      state_d = Stopped;
      cancel = 1'b1;
      ends_d = '{status: StatusFault, fault: NoFault, has_pc: 1'b1, pc: error_pc_d};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= Stopped;
      ends_q       <= '{status: StatusIdle, fault: NoFault, has_pc: 1'b0, pc: '0};
      axi_error_q  <= 1'b0;
      engine_rst_q <= 1'b1;
    end else begin
      state_q      <= state_d;
      ends_q       <= ends_d;
      axi_error_q  <= axi_error_d;
      engine_rst_q <= cancel;
    end
  end

  always_ff @(posedge clk_i) begin
    program_too_large_q <= program_too_large;
    packet_too_large_q  <= packet_too_large;
    error_pc_q          <= error_pc_d;
  end

  assign running_o = state_q != Stopped;
  assign status_o = running_o ? StatusRunning : ends_q.status;
  assign clear_o = start;
  assign fault_o = running_o ? NoFault : ends_q.fault;
  assign fault_pc_o = running_o || !ends_q.has_pc ? '0 : ends_q.pc;
  assign axi_error_o = axi_error_q;
  assign engine_rst_no = !engine_rst_q;  // which holds the opposite, as in abort

endmodule
