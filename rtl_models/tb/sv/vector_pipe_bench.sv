// Runs kernel after kernel on the vector pipe: fills its landing buffers, empties its result
// buffers, and writes down what happens when. Nothing is asked of the testbench in between.
//
// The file of kernels (plusarg +stimuli=PATH) holds, in big-endian 32-bit words, for each kernel:
// points, words of the body, pc of its first word, input streams used and output streams used (a
// bit each), and whether engines hesitate at random; then the body, two words each, and the points
// of each used input in rows of lanes, the last lane first. It starts anew with every reset. done_o
// is high after the last kernel.
//
// The file +trace=PATH has, for each reset, a line `reset`; for each kernel what engines did, in
// cycles from go on: `landed stream strip B1`, `begin strip V0`, `pop strip V1` (if there are
// inputs), `result strip W`, `stored strip S1`, `row output strip row lanes`; then `counter name
// value` and `end`.
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
  localparam int unsigned StartLead = 8;  // the sequencer's, from kernel start to go

  typedef struct packed {
    logic [31:0] points;
    logic [31:0] body_words;
    logic [31:0] body_first;
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
  row_t landing[InputStreams][MaxRows];
  int unsigned strips;

  always_comb begin
    kernel.points = size_t'(header.points);
    kernel.body_first = pc_t'(header.body_first);
    kernel.body_words = pc_t'(header.body_words);
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
  logic body_read, strip, begins, busy, stall_dependence, stall_input, stall_output;
  // verilator lint_off UNUSEDSIGNAL
  pc_t body_pc;  // may also be the one after the last word
  // verilator lint_on UNUSEDSIGNAL
  instruction_word_t body_word_q;
  logic [InputStreams-1:0] strip_valid, landing_read, pop;
  strip_row_t landing_address;
  row_t [InputStreams-1:0] landing_row;
  logic [OutputStreams-1:0][Lanes-1:0] result_write;
  store_row_t result_address;
  row_t result_row;
  logic strip_result, stored;

  always_ff @(posedge clk_i) begin
    if (body_read) body_word_q <= body[$clog2(InstructionWords)'(body_pc)];
  end

  vector_pipe u_pipe (
      .clk_i,
      .rst_ni,
      .kernel_start_i    (kernel_start_q),
      .go_i              (go_q),
      .kernel_i          (kernel),
      .used_i            (used),
      .body_read_o       (body_read),
      .body_pc_o         (body_pc),
      .body_word_i       (body_word_q),
      .strip_valid_i     (strip_valid),
      .landing_read_o    (landing_read),
      .landing_address_o (landing_address),
      .landing_row_i     (landing_row),
      .pop_o             (pop),
      .result_write_o    (result_write),
      .result_address_o  (result_address),
      .result_row_o      (result_row),
      .strip_result_o    (strip_result),
      .strip_stored_i    (stored),
      .strip_o           (strip),
      .instruction_o     (begins),
      .busy_o            (busy),
      .stall_dependence_o(stall_dependence),
      .stall_input_o     (stall_input),
      .stall_output_o    (stall_output)
  );

  // Inputs: each lands row by row, its data as late as the contract allows.
  logic [InputStreams-1:0] lands, strip_lands;
  logic [LandingSlotBits-1:0] landing_slot_q[InputStreams];
  int unsigned landing_strip_q[InputStreams], landing_row_q[InputStreams];
  int unsigned landing_pause_q[InputStreams], popped_q[InputStreams];

  for (genvar i = 0; i < InputStreams; i++) begin : gen_inputs
    typedef struct packed {
      landing_row_t address;
      row_t data;
    } write_t;
    logic write;
    write_t write_d, write_q;

    always_comb begin
      lands[i] = in_kernel_q && used[i] && landing_strip_q[i] < strips
          && landing_strip_q[i] - popped_q[i] < MachineLandingStrips && landing_pause_q[i] == 0
          && !hesitate(i);
      strip_lands[i] = lands[i] && (landing_row_q[i] == StripRows - 1
          || (landing_strip_q[i] * StripRows + landing_row_q[i] + 1) * Lanes >= header.points);
      write_d.address = {landing_slot_q[i], strip_row_t'(landing_row_q[i])};
      write_d.data = landing[i][landing_strip_q[i]*StripRows+landing_row_q[i]];
    end

    delay_line #(
        .data_t(write_t),
        .Stages(MachineLandingReady)
    ) u_late (
        .clk_i,
        .rst_ni,
        .valid_i(lands[i]),
        .data_i (write_d),
        .valid_o(write),
        .data_o (write_q)
    );

    landing_buffer u_landing (
        .clk_i,
        .rst_ni,
        .write_i        ({Lanes{write}}),
        .write_address_i(write_q.address),
        .write_data_i   (write_q.data),
        .strip_done_i   (strip_lands[i]),
        .strip_valid_o  (strip_valid[i]),
        .read_i         (landing_read[i]),
        .read_row_i     (landing_address),
        .row_o          (landing_row[i]),
        .pop_i          (pop[i])
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
          landing_strip_q[i] <= 0;
          landing_pause_q[i] <= pause(3 * i);
          popped_q[i]        <= 0;
        end
      end
    end
  end

  // Outputs: emptied strip by strip, all in step, a row per cycle.
  logic [OutputSlotBits:0] results;
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
      .clear_i(1'b0),
      .put_i  (strip_result),
      .take_i (stored),
      .count_o(results)
  );

  always_comb begin
    drains = results != '0 && store_pause_q == 0 && !hesitate(40);
    stored = drains && (store_row_q == StripRows - 1
        || (stored_q * StripRows + store_row_q + 1) * Lanes >= header.points);
  end

  for (genvar i = 0; i < OutputStreams; i++) begin : gen_outputs
    output_buffer u_buffer (
        .clk_i,
        .write_i        (result_write[i]),
        .write_address_i(result_address),
        .write_data_i   (result_row),
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
      if (kernel_start_q) stored_q <= 0;
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
  int unsigned now_q, begun, ended, completed;
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
    end else begin
      kernel_start_q <= 1'b0;
      go_q <= lead_q == 1;
      if (lead_q != '0) lead_q <= lead_q - 1'b1;
      if (lead_q == 1) in_kernel_q <= 1'b1;
      if (stored_all_q) in_kernel_q <= 1'b0;
      if (!done_o && lead_q == '0 && !in_kernel_q && !go_q && !kernel_start_q) begin
        read_kernel(found);
        done_o <= !found;
        kernel_start_q <= found;
        if (found) lead_q <= ($bits(lead_q))'(StartLead);
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
        begun = 0;
        ended = 0;
        completed = 0;
        for (int unsigned i = 0; i < CounterCount; i++) counts[i] = 0;
      end
      for (int unsigned i = 0; i < InputStreams; i++) begin
        if (strip_lands[i]) begin
          $fdisplay(trace, "landed %0d %0d %0d", i, landing_strip_q[i], now_q + 1);
        end
      end
      if (strip) begin
        $fdisplay(trace, "begin %0d %0d", begun, now_q);
        begun++;
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

      counts[CounterStrips] += 64'(strip);
      counts[CounterInstructions] += 64'(begins);
      counts[CounterVectorBusy] += 64'(busy);
      counts[CounterVectorStallDependence] += 64'(stall_dependence);
      counts[CounterVectorStallInput] += 64'(stall_input);
      counts[CounterVectorStallOutput] += 64'(stall_output);

      if (stored_all_q) begin
        report("strips", CounterStrips);
        report("instructions", CounterInstructions);
        report("vector_busy", CounterVectorBusy);
        report("vector_stall_dependence", CounterVectorStallDependence);
        report("vector_stall_input", CounterVectorStallInput);
        report("vector_stall_output", CounterVectorStallOutput);
        $fdisplay(trace, "end");
        $fflush(trace);
      end
    end
  end

  // verilator lint_on BLKSEQ

endmodule
