// The stream path from memory to memory: input streams, a vector pipe that only moves, the store
// engine and both AXI masters, against the memory model.
//
// The pipe runs the body `mov o0, s0; mov o1, s1; ...` (stream j modulo the input streams used)
// with the contract's timing, and compares every row of every input stream with the file of stimuli
// (plusarg +stimuli=PATH). That holds, kernel after kernel: words_i words of memory, the same words
// as they have to be after the kernel, and the rows of all used inputs, row by row; all big-endian.
// What the engines did when goes to the file +trace=PATH: lines of engine, stream, strip, begin,
// end; cycles from go_i on.
//
// With ExternalMemory the bus is on the m_axi ports and memory is the user's.
//
// load_i loads memory. start_i and go_i are the machine's. done_o is high from the end of the
// kernel to the next load_i. With stall_i, every channel of memory and the pipe hesitate at random.
module stream_bench
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
#(
    parameter bit ExternalMemory = 1'b0,
    parameter longint unsigned MemoryBase = 64'h10000,
    parameter int unsigned MemoryWords = 1 << 16
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              load_i,
    input  int unsigned                       words_i,
    input  logic                              start_i,
    input  logic                              go_i,
    input  logic                              stall_i,
    input  size_t                             points_i,
    input  stream_shape_t [ InputStreams-1:0] shape_i,
    input  output_shape_t [OutputStreams-1:0] output_i,
    output logic                              done_o,
    output logic                              m_axi_arid,
    output address_t                          m_axi_araddr,
    output logic          [              7:0] m_axi_arlen,
    output logic          [              2:0] m_axi_arsize,
    output logic          [              1:0] m_axi_arburst,
    output logic                              m_axi_arvalid,
    input  logic                              m_axi_arready,
    input  logic                              m_axi_rid,
    input  word_t                             m_axi_rdata,
    input  logic          [              1:0] m_axi_rresp,
    input  logic                              m_axi_rlast,
    input  logic                              m_axi_rvalid,
    output logic                              m_axi_rready,
    output logic                              m_axi_awid,
    output address_t                          m_axi_awaddr,
    output logic          [              7:0] m_axi_awlen,
    output logic          [              2:0] m_axi_awsize,
    output logic          [              1:0] m_axi_awburst,
    output logic                              m_axi_awvalid,
    input  logic                              m_axi_awready,
    output word_t                             m_axi_wdata,
    output strobe_t                           m_axi_wstrb,
    output logic                              m_axi_wlast,
    output logic                              m_axi_wvalid,
    input  logic                              m_axi_wready,
    input  logic                              m_axi_bid,
    input  logic          [              1:0] m_axi_bresp,
    input  logic                              m_axi_bvalid,
    output logic                              m_axi_bready
);

  localparam logic [3:0] MovLatency = 4'(LatencyAlu);

  // Randomness of the stalls.
  logic [31:0] random_q;
  logic [4:0] memory_stall;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) random_q <= 32'h1234_5678;
    else random_q <= {random_q[30:0], random_q[31] ^ random_q[21] ^ random_q[1] ^ random_q[0]};
  end
  // Two bits each, from places that are unlike.
  always_comb begin
    for (int unsigned i = 0; i < 5; i++) begin
      memory_stall[i] = stall_i && (random_q[5*i] | random_q[4*i+7]);
    end
  end

  // Bus.
  logic ar_valid, ar_ready, r_valid, r_ready, r_last, aw_valid, aw_ready;
  logic w_valid, w_ready, w_last, b_valid, b_ready;
  address_t ar_address, aw_address;
  logic [7:0] ar_length, aw_length;
  word_t r_data, w_data;
  strobe_t w_strobe;
  logic [1:0] r_response, b_response;
  logic read_error, write_error;

  assign m_axi_arid = 1'b0;
  assign m_axi_araddr = ar_address;
  assign m_axi_arlen = ar_length;
  assign m_axi_arsize = 3'(WordShift);
  assign m_axi_arburst = 2'b01;
  assign m_axi_arvalid = ar_valid && ExternalMemory;
  assign m_axi_rready = r_ready && ExternalMemory;
  assign m_axi_awid = 1'b0;
  assign m_axi_awaddr = aw_address;
  assign m_axi_awlen = aw_length;
  assign m_axi_awsize = 3'(WordShift);
  assign m_axi_awburst = 2'b01;
  assign m_axi_awvalid = aw_valid && ExternalMemory;
  assign m_axi_wdata = w_data;
  assign m_axi_wstrb = w_strobe;
  assign m_axi_wlast = w_last;
  assign m_axi_wvalid = w_valid && ExternalMemory;
  assign m_axi_bready = b_ready && ExternalMemory;

  // What the masters see of the memory in use.
  typedef struct packed {
    logic ar_ready;
    logic r_valid;
    word_t r_data;
    logic [1:0] r_response;
    logic r_last;
    logic aw_ready;
    logic w_ready;
    logic b_valid;
    logic [1:0] b_response;
  } answer_t;
  answer_t model, external, answer;
  logic unused_ids;

  assign unused_ids = m_axi_rid ^ m_axi_bid;
  assign external = '{
      ar_ready: m_axi_arready,
      r_valid: m_axi_rvalid,
      r_data: m_axi_rdata,
      r_response: m_axi_rresp,
      r_last: m_axi_rlast,
      aw_ready: m_axi_awready,
      w_ready: m_axi_wready,
      b_valid: m_axi_bvalid,
      b_response: m_axi_bresp
  };
  assign answer = ExternalMemory ? external : model;
  assign {ar_ready, r_valid, r_data, r_response, r_last, aw_ready, w_ready, b_valid, b_response} =
      answer;

  axi_memory_model #(
      .AddressBits(AddressBits),
      .DataBits(AxiBits),
      .Latency(MemoryLatency),
      .Base(MemoryBase),
      .Words(MemoryWords)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .stall_i     (memory_stall),
      .ar_valid_i  (ar_valid && !ExternalMemory),
      .ar_ready_o  (model.ar_ready),
      .ar_address_i(ar_address),
      .ar_length_i (ar_length),
      .r_valid_o   (model.r_valid),
      .r_ready_i   (r_ready && !ExternalMemory),
      .r_data_o    (model.r_data),
      .r_response_o(model.r_response),
      .r_last_o    (model.r_last),
      .aw_valid_i  (aw_valid && !ExternalMemory),
      .aw_ready_o  (model.aw_ready),
      .aw_address_i(aw_address),
      .aw_length_i (aw_length),
      .w_valid_i   (w_valid && !ExternalMemory),
      .w_ready_o   (model.w_ready),
      .w_data_i    (w_data),
      .w_strobe_i  (w_strobe),
      .w_last_i    (w_last),
      .b_valid_o   (model.b_valid),
      .b_ready_i   (b_ready && !ExternalMemory),
      .b_response_o(model.b_response)
  );

  // Inputs.
  logic request_valid, request_ready, word_valid, reads_idle;
  read_request_t request;
  read_word_t word;
  logic [InputStreams-1:0] strip_valid, pop, used;
  logic [InputStreams-1:0] busy, cut, stall_data, stall_slot;
  logic [InputStreams-1:0][StripRowBits-1:0] read_row;
  row_t [InputStreams-1:0] rows;
  logic fetch_busy, fetch_stall_ring;

  axi_read_master u_reads (
      .clk_i,
      .rst_ni,
      .request_valid_i(request_valid),
      .request_i      (request),
      .request_ready_o(request_ready),
      .word_valid_o   (word_valid),
      .word_o         (word),
      .idle_o         (reads_idle),
      .error_o        (read_error),
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

  input_streams u_inputs (
      .clk_i,
      .rst_ni,
      .start_i,
      .go_i,
      .points_i,
      .shape_i,
      .request_valid_o   (request_valid),
      .request_o         (request),
      .request_ready_i   (request_ready),
      .word_valid_i      (word_valid),
      .word_i            (word),
      .strip_valid_o     (strip_valid),
      .read_i            ({InputStreams{beat}}),
      .read_row_i        (read_row),
      .row_o             (rows),
      .pop_i             (pop),
      .fetch_busy_o      (fetch_busy),
      .fetch_stall_ring_o(fetch_stall_ring),
      .busy_o            (busy),
      .cut_o             (cut),
      .stall_data_o      (stall_data),
      .stall_slot_o      (stall_slot)
  );

  // The pipe: one mov after another, a row per cycle.
  logic begins, active_q, beat, beat_last, strip_last, stored;
  logic [StoreSlotBits:0] slots;
  strip_count_t strip_q;
  strip_points_t points, points_left, points_left_q;
  logic [StripRowBits-1:0] row, row_q;
  output_index_t mov, mov_q, mov_last;
  logic [StoreSlotBits-1:0] slot_q;

  pulse_counter #(
      .Bits   (StoreSlotBits + 1),
      .Initial(MachineStoreStrips),
      .Delay  (MachineSlotFree)
  ) u_slots (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .put_i  (stored),
      .take_i (begins),
      .count_o(slots)
  );

  always_comb begin
    for (int unsigned i = 0; i < InputStreams; i++) used[i] = shape_i[i].valid;
    mov_last = '0;
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      if (output_i[i].valid) mov_last = output_index_t'(i);
    end
    begins = !active_q && strip_q != strips_of(points_i) && (strip_valid | ~used) == '1
        && used != '0 && slots != '0 && !(stall_i && random_q[3]);
    beat = begins || (active_q && !(stall_i && random_q[2]));
    points = strip_q + 1'b1 == strips_of(points_i) ? last_points_of(points_i)
                                                   : strip_points_t'(Vlen);
    points_left = active_q ? points_left_q : points;
    row = active_q ? row_q : '0;
    mov = active_q ? mov_q : '0;
    beat_last = points_left <= strip_points_t'(Lanes);
    strip_last = beat && beat_last && mov == mov_last;
    pop = strip_last ? used : '0;
    read_row = {InputStreams{row}};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      strip_q  <= '0;
      slot_q   <= '0;
    end else begin
      if (start_i) strip_q <= '0;
      if (begins) active_q <= 1'b1;
      if (beat) begin
        points_left_q <= beat_last ? points : points_left - strip_points_t'(Lanes);
        row_q <= beat_last ? '0 : row + 1'b1;
        mov_q <= beat_last ? mov + 1'b1 : mov;
      end
      if (strip_last) begin
        active_q <= 1'b0;
        strip_q  <= strip_q + 1'b1;
        slot_q   <= slot_q + 1'b1;
      end
    end
  end

  // Rows to the result buffers, and to the checker.
  logic beat_q, check_q;
  store_row_t place_q;
  output_index_t target_q;
  logic [OutputStreams-1:0][Lanes-1:0] result_write;
  row_t result;
  int unsigned source;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= 1'b0;
    else beat_q <= beat;
  end

  always_ff @(posedge clk_i) begin
    check_q  <= beat && mov == '0;
    place_q  <= {slot_q, row};
    target_q <= mov;
  end

  always_comb begin
    source = 32'(target_q) % $countones(used);
    result = rows[source];
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      result_write[i] = beat_q && target_q == output_index_t'(i) ? '1 : '0;
    end
  end

  logic [MovLatency-1:0] complete_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) complete_q <= '0;
    else complete_q <= {complete_q[MovLatency-2:0], strip_last};
  end

  // Outputs.
  logic [OutputStreams-1:0] buffer_read;
  store_row_t buffer_address;
  row_t [OutputStreams-1:0] buffer_row;
  logic write_valid, write_ready, writes_idle, finished, store_busy, store_stall_input;
  write_request_t write_request;

  for (genvar i = 0; i < OutputStreams; i++) begin : gen_buffers
    output_buffer u_buffer (
        .clk_i,
        .write_i        (result_write[i]),
        .write_address_i(place_q),
        .write_data_i   (result),
        .read_i         (buffer_read[i]),
        .read_address_i (buffer_address),
        .row_o          (buffer_row[i])
    );
  end

  store_engine u_store (
      .clk_i,
      .rst_ni,
      .start_i,
      .go_i,
      .points_i,
      .shape_i         (output_i),
      .strip_result_i  (complete_q[MovLatency-1]),
      .strip_stored_o  (stored),
      .buffer_read_o   (buffer_read),
      .buffer_address_o(buffer_address),
      .buffer_row_i    (buffer_row),
      .request_valid_o (write_valid),
      .request_o       (write_request),
      .request_ready_i (write_ready),
      .w_valid_o       (w_valid),
      .w_data_o        (w_data),
      .w_strobe_o      (w_strobe),
      .w_last_o        (w_last),
      .w_ready_i       (w_ready),
      .writes_idle_i   (writes_idle),
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
      .error_o        (write_error),
      .aw_valid_o     (aw_valid),
      .aw_address_o   (aw_address),
      .aw_length_o    (aw_length),
      .aw_ready_i     (aw_ready),
      .b_valid_i      (b_valid),
      .b_response_i   (b_response),
      .b_ready_o      (b_ready)
  );

  // What follows is a program: it runs once per clock.
  // verilator lint_off BLKSEQ

  // Stimuli and checks.
  string stimuli_path, trace_path;
  int stimuli, trace;
  int unsigned wrong_rows, wrong_words, checked_rows, bus_errors;
  word_t expected_words[MemoryWords];
  lane_t expected_row[Lanes];  // the last lane first
  strip_points_t check_points_q;

  initial begin
    if (!$value$plusargs("stimuli=%s", stimuli_path)) $fatal(1, "plusarg +stimuli=PATH is missing");
    if (!$value$plusargs("trace=%s", trace_path)) $fatal(1, "plusarg +trace=PATH is missing");
    stimuli = $fopen(stimuli_path, "rb");
    trace = $fopen(trace_path, "w");
    if (stimuli == 0) $fatal(1, "cannot open %s", stimuli_path);
    if (trace == 0) $fatal(1, "cannot open %s", trace_path);
  end

  always_ff @(posedge clk_i) check_points_q <= points_left;

  // A reset starts the stimuli anew.
  always @(negedge rst_ni) begin
    void'($rewind(stimuli));
    $fflush(trace);
  end

  task automatic check_rows();
    for (int unsigned i = 0; i < InputStreams; i++) begin
      if (used[i]) begin
        void'($fread(expected_row, stimuli));
        checked_rows++;
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (lane < 32'(check_points_q) && rows[i][lane] != expected_row[Lanes-1-lane]) begin
            wrong_rows++;
            if (wrong_rows < 4) begin
              $display("stream %0d row %0d lane %0d: got %h, expected %h", i,
                       (checked_rows - 1) / $countones(used), lane, rows[i][lane],
                       expected_row[Lanes-1-lane]);
            end
          end
        end
      end
    end
  endtask

  task automatic check_memory();
    for (int unsigned i = 0; i < words_i && !ExternalMemory; i++) begin
      if (u_memory.words[i] != expected_words[i]) begin
        wrong_words++;
        if (wrong_words < 4) begin
          $display("memory word %0d: got %h, expected %h", i, u_memory.words[i], expected_words[i]);
        end
      end
    end
  endtask

  always @(posedge clk_i) begin
    if (load_i) begin
      void'($fread(u_memory.words, stimuli, 0, words_i));
      void'($fread(expected_words, stimuli, 0, words_i));
      wrong_rows = 0;
      wrong_words = 0;
      checked_rows = 0;
      bus_errors = 0;
      done_o <= 1'b0;
    end
    if (beat_q && check_q) check_rows();
    if (read_error || write_error) bus_errors++;
    if (finished) begin
      check_memory();
      report();
      done_o <= 1'b1;
    end
  end

  // Counters and trace. `now_q` counts from the kernel's start.
  int unsigned now_q;
  logic in_kernel_q;
  longint unsigned counts[CounterCount];
  logic [InputStreams-1:0] in_strip_q, strip_done;
  int unsigned broadcast_strip[InputStreams], broadcast_begin[InputStreams];
  int unsigned fetch_strip, vector_begin, store_strip, store_begin;
  logic in_store_q;

  for (genvar i = 0; i < InputStreams; i++) begin : gen_strip_done
    assign strip_done[i] = u_inputs.gen_streams[i].u_stream.strip_done;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q       <= 0;
      in_kernel_q <= 1'b0;
      in_strip_q  <= '0;
      in_store_q  <= 1'b0;
    end else begin
      if (start_i) now_q <= 0;
      else if (go_i || in_kernel_q) now_q <= now_q + 1;
      in_kernel_q <= (in_kernel_q || go_i) && !finished;
      in_strip_q  <= (in_strip_q | busy) & ~strip_done;
      in_store_q  <= (in_store_q || store_busy) && !stored;
    end
  end

  task automatic line(string engine, int unsigned stream, int unsigned strip, int unsigned first,
                      int unsigned last);
    $fdisplay(trace, "%s %0d %0d %0d %0d", engine, stream, strip, first, last);
  endtask

  always @(posedge clk_i) begin
    if (start_i) begin
      for (int unsigned i = 0; i < CounterCount; i++) counts[i] = 0;
      for (int unsigned i = 0; i < InputStreams; i++) broadcast_strip[i] = 0;
      fetch_strip = 0;
      store_strip = 0;
    end
    if (u_inputs.take) begin
      line("fetch", 0, fetch_strip, now_q, now_q);
      fetch_strip++;
    end
    for (int unsigned i = 0; i < InputStreams; i++) begin
      if (busy[i] && !in_strip_q[i]) broadcast_begin[i] = now_q;
      if (strip_done[i]) begin
        line("broadcast", i, broadcast_strip[i], broadcast_begin[i], now_q + 1);
        broadcast_strip[i]++;
      end
    end
    if (begins) vector_begin = now_q;
    if (strip_last) line("vector", 0, 32'(strip_q), vector_begin, now_q + 1);
    if (store_busy && !in_store_q) store_begin = now_q;
    if (stored) begin
      line("store", 0, store_strip, store_begin, now_q + 1);
      store_strip++;
    end

    counts[CounterBytesRead] += word_valid ? 64'(word.bytes) : 0;
    counts[CounterReadBeats] += 64'(r_valid && r_ready);
    if (w_valid && w_ready) begin
      counts[CounterBytesWritten] += 64'($countones(w_strobe));
      counts[CounterWriteBeats]++;
    end
    counts[CounterCuts] += 64'($countones(cut));
    counts[CounterFetchBusy] += 64'(fetch_busy);
    counts[CounterFetchStallRing] += 64'(fetch_stall_ring);
    counts[CounterBroadcastBusy] += 64'($countones(busy));
    counts[CounterBroadcastStallData] += 64'($countones(stall_data));
    counts[CounterBroadcastStallSlot] += 64'($countones(stall_slot));
    counts[CounterStoreBusy] += 64'(store_busy);
    counts[CounterStoreStallInput] += 64'(store_stall_input);
  end

  task automatic report();
    counts[CounterCycles] = 64'(now_q) + 1;
    for (int unsigned i = 0; i < CounterCount; i++) begin
      $fdisplay(trace, "counter %0d %0d", i, counts[i]);
    end
    $fdisplay(trace, "wrong_rows %0d", wrong_rows);
    $fdisplay(trace, "wrong_words %0d", wrong_words);
    $fdisplay(trace, "checked_rows %0d", checked_rows);
    $fdisplay(trace, "bus_errors %0d", bus_errors);
    $fdisplay(trace, "reads_on_the_way %0d", reads_idle ? 0 : 1);
    $fdisplay(trace, "end");
    $fflush(trace);
  endtask

  // verilator lint_on BLKSEQ

endmodule
