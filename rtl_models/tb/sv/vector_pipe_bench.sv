// Runs kernel after kernel on the vector pipe: fills its landing buffers, empties its result
// buffers, and writes down what happens when. Nothing is asked of the testbench in between.
//
// The file of kernels (plusarg +stimuli=PATH) holds, in big-endian 32-bit words, for each kernel:
// points, words of the body, pc of its first word, copies of the registers, input streams used and
// output streams used (a bit each), and whether engines hesitate at random; then the body, two
// words each, and the points of each used input in rows of lanes, the last lane first. It starts
// anew with every reset. done_o is high after the last kernel.
//
// The file +trace=PATH has, for each reset, a line `reset`; for each kernel what engines did, in
// cycles from go on: `landed stream strip B1`, `lane strip phase A0 A1`, `special strip phase X0
// X1`, `pop strip E` (if there are inputs), `result strip W`, `stored strip S1`, `row output strip
// row lanes`; then `counter name value` and `end`. The order of the body comes from body_check.
module vector_pipe_bench
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
(
    input  logic clk_i,
    input  logic rst_ni,
    output logic done_o
);

  localparam int unsigned MaxStrips = 8;
  localparam int unsigned MaxRows = MaxStrips * StripRows;
  localparam int unsigned StartLead = MachineSetupStart - 2;  // from kernel start to go

  typedef struct packed {
    logic [31:0] points;
    logic [31:0] body_words;
    logic [31:0] body_first;
    logic [31:0] copies;
    logic [31:0] inputs;
    logic [31:0] outputs;
    logic [31:0] hesitant;
  } header_t;
  localparam int unsigned HeaderWords = $bits(header_t) / 32;

  // The kernel in hand.
  logic kernel_start_q, go_q, in_kernel_q;
  logic [$clog2(StartLead+1)-1:0] lead_q;
  header_t header;
  kernel_t kernel;
  logic [InputStreams-1:0] used;
  instruction_word_t body[InstructionWords];
  body_order_t body_order;
  row_t landing[InputStreams][MaxRows];
  int unsigned strips;

  always_comb begin
    kernel.points = size_t'(header.points);
    kernel.body_first = pc_t'(header.body_first);
    kernel.body = body_order;
    used = InputStreams'(header.inputs);
    strips = 32'(strips_of(kernel.points));
  end

  // Randomness; two bits of it stand for "hesitate".
  logic [63:0] random_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) random_q <= 64'h0123_4567_89ab_cdef;
    else random_q <= {random_q[62:0], random_q[63] ^ random_q[62] ^ random_q[60] ^ random_q[59]};
  end
  function automatic logic hesitate(int unsigned index);
    return header.hesitant[0] && (random_q[index] || random_q[index+7] || random_q[index+17]);
  endfunction
  // Long waits, of up to a few hundred cycles.
  function automatic int unsigned pause(int unsigned index);
    if (!header.hesitant[0] || random_q[index+3]) return 0;
    return 32'(random_q[index+:8]) << random_q[index+9];
  endfunction

  // The pipe.
  logic [PipePorts-1:0] body_read;
  // verilator lint_off UNUSEDSIGNAL
  pc_t [PipePorts-1:0] body_pc;  // may also be the one after the last word
  // verilator lint_on UNUSEDSIGNAL
  instruction_word_t [PipePorts-1:0] body_word_q;
  logic [InputStreams-1:0] strip_due, strip_begin, pop;
  landing_row_t [PipePorts-1:0] landing_address;
  row_t [InputStreams-1:0][PipePorts-1:0] landing_row;
  logic [OutputStreams-1:0][Lanes-1:0] result_write;
  store_row_t [OutputStreams-1:0] result_address;
  row_t [OutputStreams-1:0] result_row;
  logic strip_result, stored;
  pipe_counts_t pipe_counts;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < PipePorts; i++) begin
      if (body_read[i]) body_word_q[i] <= body[$clog2(InstructionWords)'(body_pc[i])];
    end
  end

  vector_pipe u_pipe (
      .clk_i,
      .rst_ni,
      .clear_i           (1'b0),
      .kernel_start_i    (kernel_start_q),
      .go_i              (go_q),
      .kernel_i          (kernel),
      .used_i            (used),
      .body_read_o       (body_read),
      .body_pc_o         (body_pc),
      .body_word_i       (body_word_q),
      .strip_due_i       (strip_due),
      .strip_begin_o     (strip_begin),
      .landing_address_o (landing_address),
      .landing_row_i     (landing_row),
      .pop_o             (pop),
      .result_write_o    (result_write),
      .result_address_o  (result_address),
      .result_row_o      (result_row),
      .strip_result_o    (strip_result),
      .strip_stored_i    (stored),
      .counts_o          (pipe_counts)
  );

  // The order of the body: its words are checked one after another before the kernel starts.
  logic loaded_q, checking_q, body_end, body_bad, body_done, body_take;
  pc_t checked_q;
  decoded_t word_decoded, word_checked;
  loop_word_t loop;
  body_order_t body_check_order;

  instruction_word_t body_word;
  assign body_word = body[$clog2(InstructionWords)'(32'(kernel.body_first) + 32'(checked_q))];

  word_facts_t facts;

  word_facts u_facts (
      .word_i (body_word),
      .facts_o(facts)
  );

  decoder u_decoder (
      .word_i   (body_word),
      .info_i   (instruction(body_word[OpcodeBits-1:0])),
      .facts_i  (facts),
      .decoded_o(word_decoded)
  );

  body_check u_check (
      .clk_i,
      .rst_ni,
      .clear_i     (!checking_q),
      .configured_i({header.outputs[OutputStreams-1:0], header.inputs[InputStreams-1:0]}),
      .decoded_i   (word_checked),
      .take_i      (body_take),
      .end_o       (body_end),
      .bad_o       (body_bad),
      .body_o      (body_check_order)
  );

  always_comb begin
    loop = '{reserved: '0, copies: header.copies[2:0], opcode: '0};
    word_checked = word_decoded;
    if (!checking_q) word_checked.word = loop;
    body_done = 32'(checked_q) == header.body_words + 1;  // `end` follows the last word
    body_take = checking_q && 32'(checked_q) < header.body_words;
  end

  always_ff @(posedge clk_i) begin
    checked_q <= checking_q && !body_done ? checked_q + 1'b1 : '0;
    if (checking_q && body_done) body_order <= body_check_order;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (!body_take || (!word_decoded.faulty && !body_bad && !body_end))
      else $error("word %0d of the body is wrong", checked_q);
    end
  end

  // What the ports do.
  int unsigned now_q;
  logic part_done[PipePorts];
  int unsigned part_strip[PipePorts], part_phase[PipePorts];
  int unsigned part_begin[PipePorts], part_end[PipePorts];

  port_trace u_lane_trace (
      .clk_i,
      .kernel_start_i(kernel_start_q),
      .begin_i       (u_pipe.u_issue.u_lanes.begin_o),
      .phase_i       (u_pipe.lane_operation.phase),
      .end_i         (u_pipe.u_issue.u_lanes.part_end),
      .now_i         (now_q),
      .done_o        (part_done[0]),
      .strip_o       (part_strip[0]),
      .phase_o       (part_phase[0]),
      .begin_o       (part_begin[0]),
      .end_o         (part_end[0])
  );

  port_trace u_special_trace (
      .clk_i,
      .kernel_start_i(kernel_start_q),
      .begin_i       (u_pipe.u_issue.u_special.begin_o),
      .phase_i       (u_pipe.special_operation.phase),
      .end_i         (u_pipe.u_issue.u_special.part_end),
      .now_i         (now_q),
      .done_o        (part_done[1]),
      .strip_o       (part_strip[1]),
      .phase_o       (part_phase[1]),
      .begin_o       (part_begin[1]),
      .end_o         (part_end[1])
  );

  // Inputs: each lands row by row, its data as late as the contract allows.
  logic [InputStreams-1:0] lands, strip_lands;
  logic [LandingSlotBits-1:0] landing_slot_q[InputStreams];
  int unsigned landing_strip_q[InputStreams], landing_row_q[InputStreams];
  int unsigned landing_pause_q[InputStreams], popped_q[InputStreams];

  typedef struct packed {
    landing_row_t address;
    row_t data;
  } landed_row_t;

  for (genvar i = 0; i < InputStreams; i++) begin : gen_inputs
    logic write;
    landed_row_t landed, written;

    always_comb begin
      lands[i] = in_kernel_q && used[i] && landing_strip_q[i] < strips
          && landing_strip_q[i] - popped_q[i] < MachineLandingStrips && landing_pause_q[i] == 0
          && !hesitate(i);
      strip_lands[i] = lands[i] && (landing_row_q[i] == StripRows - 1
          || (landing_strip_q[i] * StripRows + landing_row_q[i] + 1) * Lanes >= header.points);
      landed.address = {landing_slot_q[i], strip_row_t'(landing_row_q[i])};
      landed.data = landing[i][landing_strip_q[i]*StripRows+landing_row_q[i]];
    end

    delay_line #(
        .data_t(landed_row_t),
        .Stages(MachineLastRowReady - 1)
    ) u_rows (
        .clk_i,
        .rst_ni,
        .valid_i(lands[i]),
        .data_i (landed),
        .valid_o(write),
        .data_o (written)
    );

    landing_buffer u_landing (
        .clk_i,
        .rst_ni,
        .write_i        ({Lanes{write}}),
        .write_address_i(written.address),
        .write_data_i   (written.data),
        .strip_done_i   (strip_lands[i]),
        .strip_row_i    (strip_row_t'(landing_row_q[i])),
        .strip_due_o    (strip_due[i]),
        .strip_begin_i  (strip_begin[i]),
        .read_address_i (landing_address),
        .row_o          (landing_row[i])
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        landing_slot_q[i]  <= '0;
        landing_strip_q[i] <= 0;
        landing_row_q[i]   <= 0;
        landing_pause_q[i] <= 0;
        popped_q[i]        <= 0;
      end else begin
        if (landing_pause_q[i] != 0) landing_pause_q[i] <= landing_pause_q[i] - 1;
        if (lands[i]) landing_row_q[i] <= landing_row_q[i] + 1;
        if (strip_lands[i]) begin
          landing_row_q[i]   <= 0;
          landing_slot_q[i]  <= landing_slot_q[i] + 1'b1;
          landing_strip_q[i] <= landing_strip_q[i] + 1;
          landing_pause_q[i] <= pause(3 * i);
        end
        if (pop[i]) popped_q[i] <= popped_q[i] + 1;
        if (kernel_start_q) begin
          landing_slot_q[i]  <= '0;
          landing_strip_q[i] <= 0;
          landing_pause_q[i] <= pause(3 * i);
          popped_q[i]        <= 0;
        end
      end
    end
  end

  // Outputs: emptied strip by strip, all in step, a row per cycle.
  logic results;
  logic drains, drains_q;
  logic [OutputSlotBits-1:0] output_slot_q;
  int unsigned stored_q, store_row_q, store_pause_q;
  row_t [OutputStreams-1:0] stored_row;

  pulse_counter #(
      .Bits (OutputSlotBits + 1),
      .Delay(MachineStoreReady)
  ) u_results (
      .clk_i,
      .rst_ni,
      .put_i  (strip_result),
      .take_i (stored),
      .some_o (results)
  );

  always_comb begin
    drains = results && store_pause_q == 0 && !hesitate(40);
    stored = drains && (store_row_q == StripRows - 1
        || (stored_q * StripRows + store_row_q + 1) * Lanes >= header.points);
  end

  for (genvar i = 0; i < OutputStreams; i++) begin : gen_outputs
    output_buffer u_buffer (
        .clk_i,
        .element_type_i (TypeI32),  // all bits of the lanes
        .write_i        (result_write[i]),
        .write_address_i(result_address[i]),
        .write_data_i   (result_row[i]),
        .read_i         (drains),
        .read_address_i ({output_slot_q, strip_row_t'(store_row_q)}),
        .row_o          (stored_row[i])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stored_q      <= 0;
      store_row_q   <= 0;
      output_slot_q <= '0;
      store_pause_q <= 0;
      drains_q      <= 1'b0;
    end else begin
      drains_q <= drains;
      if (store_pause_q != 0) store_pause_q <= store_pause_q - 1;
      if (drains) store_row_q <= store_row_q + 1;
      if (stored) begin
        store_row_q   <= 0;
        output_slot_q <= output_slot_q + 1'b1;
        stored_q      <= stored_q + 1;
        store_pause_q <= pause(45);
      end
      if (kernel_start_q) begin
        stored_q      <= 0;
        output_slot_q <= '0;
      end
    end
  end

  // What follows is a program: it runs once per clock.
  // verilator lint_off BLKSEQ

  // Files.
  string stimuli_path, trace_path;
  int stimuli, trace;
  logic [31:0] words[HeaderWords];
  lane_t lanes[Lanes];

  initial begin
    if (!$value$plusargs("stimuli=%s", stimuli_path)) $fatal(1, "plusarg +stimuli=PATH is missing");
    if (!$value$plusargs("trace=%s", trace_path)) $fatal(1, "plusarg +trace=PATH is missing");
    stimuli = $fopen(stimuli_path, "rb");
    trace = $fopen(trace_path, "w");
    if (stimuli == 0) $fatal(1, "cannot open %s", stimuli_path);
    if (trace == 0) $fatal(1, "cannot open %s", trace_path);
  end

  // Reads the next kernel; whether there is one.
  task automatic read_kernel(output logic found);
    found = $fread(words, stimuli) == 4 * HeaderWords;
    if (found) begin
      for (int unsigned i = 0; i < HeaderWords; i++) begin
        header[32*(HeaderWords-1-i)+:32] = words[i];
      end
      void'($fread(body, stimuli, header.body_first, header.body_words));
      for (int unsigned i = 0; i < InputStreams; i++) begin
        for (int unsigned row = 0; row * Lanes < header.points && header.inputs[i]; row++) begin
          void'($fread(lanes, stimuli));
          for (int unsigned lane = 0; lane < Lanes; lane++) begin
            landing[i][row][lane] = lanes[Lanes-1-lane];
          end
        end
      end
    end
  endtask

  logic found, stored_all_q;
  int unsigned ended, completed;
  int unsigned dumped_strip_q, dumped_row_q;
  longint unsigned counts[CounterCount];

  // Kernels, one after another.
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      void'($rewind(stimuli));
      header = '0;
      done_o <= 1'b0;
      kernel_start_q <= 1'b0;
      go_q <= 1'b0;
      in_kernel_q <= 1'b0;
      lead_q <= '0;
      loaded_q <= 1'b0;
      checking_q <= 1'b0;
    end else begin
      loaded_q <= 1'b0;
      if (loaded_q) checking_q <= 1'b1;
      kernel_start_q <= checking_q && body_done;
      if (checking_q && body_done) begin
        checking_q <= 1'b0;
        lead_q <= ($bits(lead_q))'(StartLead);
      end
      go_q <= lead_q == 1;
      if (lead_q != '0) lead_q <= lead_q - 1'b1;
      if (lead_q == 1) in_kernel_q <= 1'b1;
      if (stored_all_q) in_kernel_q <= 1'b0;
      if (!done_o && !loaded_q && !checking_q && lead_q == '0 && !in_kernel_q && !go_q
          && !kernel_start_q) begin
        read_kernel(found);
        done_o <= !found;
        loaded_q <= found;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stored_all_q <= 1'b0;
    else stored_all_q <= stored && stored_q + 1 == strips;
  end

  always_ff @(posedge clk_i) begin
    now_q <= in_kernel_q ? now_q + 1 : 0;
    dumped_row_q <= store_row_q;
    dumped_strip_q <= stored_q;
  end

  task automatic report(string name, counter_e counter);
    $fdisplay(trace, "counter %s %0d", name, counts[counter]);
  endtask

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      $fdisplay(trace, "reset");
    end else begin
      if (kernel_start_q) begin
        ended = 0;
        completed = 0;
        for (int unsigned i = 0; i < CounterCount; i++) counts[i] = 0;
      end
      for (int unsigned i = 0; i < InputStreams; i++) begin
        if (strip_lands[i]) begin
          $fdisplay(trace, "landed %0d %0d %0d", i, landing_strip_q[i], now_q + 1);
        end
      end
      for (int unsigned i = 0; i < PipePorts; i++) begin
        if (part_done[i]) begin
          $fdisplay(trace, "%s %0d %0d %0d %0d", i == 0 ? "lane" : "special", part_strip[i],
                    part_phase[i], part_begin[i], part_end[i]);
        end
      end
      if (pop != '0) begin
        $fdisplay(trace, "pop %0d %0d", ended, now_q + 1);
        ended++;
      end
      if (strip_result) begin
        $fdisplay(trace, "result %0d %0d", completed, now_q + 1);
        completed++;
      end
      if (stored) $fdisplay(trace, "stored %0d %0d", stored_q, now_q + 1);
      for (int unsigned i = 0; i < OutputStreams; i++) begin
        if (drains_q && header.outputs[i]) begin
          $fdisplay(trace, "row %0d %0d %0d %h", i, dumped_strip_q, dumped_row_q, stored_row[i]);
        end
      end

      counts[CounterStrips] += 64'(pipe_counts.strip);
      counts[CounterInstructions] += 64'(pipe_counts.lane_instruction);
      counts[CounterInstructions] += 64'(pipe_counts.special_instruction);
      counts[CounterLaneBusy] += 64'(pipe_counts.lane_busy);
      counts[CounterLaneStallDependence] += 64'(pipe_counts.lane_stall_dependence);
      counts[CounterLaneStallInput] += 64'(pipe_counts.lane_stall_input);
      counts[CounterLaneStallSpecial] += 64'(pipe_counts.lane_stall_special);
      counts[CounterLaneStallOutput] += 64'(pipe_counts.lane_stall_output);
      counts[CounterSpecialBusy] += 64'(pipe_counts.special_busy);
      counts[CounterSpecialStall] += 64'(pipe_counts.special_stall);

      if (stored_all_q) begin
        report("strips", CounterStrips);
        report("instructions", CounterInstructions);
        report("lane_busy", CounterLaneBusy);
        report("lane_stall_dependence", CounterLaneStallDependence);
        report("lane_stall_input", CounterLaneStallInput);
        report("lane_stall_special", CounterLaneStallSpecial);
        report("lane_stall_output", CounterLaneStallOutput);
        report("special_busy", CounterSpecialBusy);
        report("special_stall", CounterSpecialStall);
        $fdisplay(trace, "end");
        $fflush(trace);
      end
    end
  end

  // verilator lint_on BLKSEQ

endmodule
