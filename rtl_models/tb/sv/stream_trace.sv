// Writes down what the engines of the stream path did and when, in cycles from go_i on: lines
// `engine stream strip begin end`, and at the kernel's end its counters, `counter number value`.
module stream_trace
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input logic                            clk_i,
    input logic                            rst_ni,
    input int                              trace_i,  // the file
    input logic                            start_i,
    input logic                            go_i,
    input logic                            finished_i,
    // Fetch.
    input logic                            take_i,
    input logic                            fetch_busy_i,
    input logic                            fetch_stall_ring_i,
    input logic                            word_valid_i,
    input word_count_t                     word_bytes_i,
    input logic                            read_beat_i,
    // Broadcast units.
    input logic         [InputStreams-1:0] busy_i,
    input logic         [InputStreams-1:0] cut_i,
    input logic         [InputStreams-1:0] stall_data_i,
    input logic         [InputStreams-1:0] stall_slot_i,
    input logic         [InputStreams-1:0] strip_done_i,
    // Pipe.
    input logic                            begins_i,
    input logic                            strip_last_i,
    input strip_count_t                    strip_i,
    // Store.
    input logic                            store_busy_i,
    input logic                            store_stall_input_i,
    input logic                            stored_i,
    input logic                            write_beat_i,
    input strobe_t                         strobe_i
);

  // Most of the rest is a program: it runs once per clock.
  // verilator lint_off BLKSEQ
  int unsigned now_q;  // from the kernel's start on
  logic in_kernel_q;
  longint unsigned counts[CounterCount];
  logic [InputStreams-1:0] in_strip_q;
  int unsigned broadcast_strip[InputStreams], broadcast_begin[InputStreams];
  int unsigned fetch_strip, lane_begin, store_strip, store_begin;
  logic in_store_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q       <= 0;
      in_kernel_q <= 1'b0;
      in_strip_q  <= '0;
      in_store_q  <= 1'b0;
    end else begin
      if (start_i) now_q <= 0;
      else if (go_i || in_kernel_q) now_q <= now_q + 1;
      in_kernel_q <= (in_kernel_q || go_i) && !finished_i;
      in_strip_q  <= (in_strip_q | busy_i) & ~strip_done_i;
      in_store_q  <= (in_store_q || store_busy_i) && !stored_i;
    end
  end

  task automatic line(string engine, int unsigned stream, int unsigned strip, int unsigned first,
                      int unsigned last);
    $fdisplay(trace_i, "%s %0d %0d %0d %0d", engine, stream, strip, first, last);
  endtask

  always @(posedge clk_i) begin
    if (start_i) begin
      for (int unsigned i = 0; i < CounterCount; i++) counts[i] = 0;
      for (int unsigned i = 0; i < InputStreams; i++) broadcast_strip[i] = 0;
      fetch_strip = 0;
      store_strip = 0;
    end
    if (take_i) begin
      line("fetch", 0, fetch_strip, now_q, now_q);
      fetch_strip++;
    end
    for (int unsigned i = 0; i < InputStreams; i++) begin
      if (busy_i[i] && !in_strip_q[i]) broadcast_begin[i] = now_q;
      if (strip_done_i[i]) begin
        line("broadcast", i, broadcast_strip[i], broadcast_begin[i], now_q + 1);
        broadcast_strip[i]++;
      end
    end
    if (begins_i) lane_begin = now_q;
    if (strip_last_i) line("lane", 0, 32'(strip_i), lane_begin, now_q + 1);
    if (store_busy_i && !in_store_q) store_begin = now_q;
    if (stored_i) begin
      line("store", 0, store_strip, store_begin, now_q + 1);
      store_strip++;
    end

    counts[CounterBytesRead] += word_valid_i ? 64'(word_bytes_i) : 0;
    counts[CounterReadBeats] += 64'(read_beat_i);
    if (write_beat_i) begin
      counts[CounterBytesWritten] += 64'($countones(strobe_i));
      counts[CounterWriteBeats]++;
    end
    counts[CounterCuts] += 64'($countones(cut_i));
    counts[CounterFetchBusy] += 64'(fetch_busy_i);
    counts[CounterFetchStallRing] += 64'(fetch_stall_ring_i);
    counts[CounterBroadcastBusy] += 64'($countones(busy_i));
    counts[CounterBroadcastStallData] += 64'($countones(stall_data_i));
    counts[CounterBroadcastStallSlot] += 64'($countones(stall_slot_i));
    counts[CounterStoreBusy] += 64'(store_busy_i);
    counts[CounterStoreStallInput] += 64'(store_stall_input_i);

    if (finished_i) begin
      counts[CounterCycles] = 64'(now_q) + 1;
      for (int unsigned i = 0; i < CounterCount; i++) begin
        $fdisplay(trace_i, "counter %0d %0d", i, counts[i]);
      end
    end
  end
  // verilator lint_on BLKSEQ

endmodule
