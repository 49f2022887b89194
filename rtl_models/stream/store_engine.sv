// Stores the results strip by strip, output stream by output stream: a step takes min(Lanes, a bus
// word's) elements out of the result buffer and packs them. A partial word stays with its stream
// until the next strip; after the stream's last element one more step flushes it.
//
// Timing: with S0 the cycle of a strip's first step and S1 the cycle after its last,
//   S0 = max(go_i + 1, S1 of the strip before, strip_result_i + 1 + MachineStoreReady), where
//   strip_result_i is high in the cycle before the strip's results are complete;
//   S1 = S0 + sum over streams of ceil(points / step) and 1 for a flush.
// strip_stored_o is high in cycle S1 - 1. A word whose last byte was taken in cycle t is on the W
// channel in cycle t + 2, its burst's address in cycle t + 2 at the latest. finished_o is high for
// one cycle, the last of the kernel: MachineWriteReturn - 1 cycles after S1 of the last strip and
// the latency of memory. drained_o is high from S1 + 2 of the last strip on. start_i, after that
// and 3 cycles or more before go_i, takes points_i and shape_i, which hold until the next
// drained_o. A word or an address that is not taken at once delays everything after it.
module store_engine
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              start_i,
    input  logic                              go_i,
    input  size_t                             points_i,
    input  output_shape_t [OutputStreams-1:0] shape_i,
    input  logic                              strip_result_i,
    output logic                              strip_stored_o,
    output logic          [OutputStreams-1:0] buffer_read_o,
    output store_row_t                        buffer_address_o,
    input  row_t          [OutputStreams-1:0] buffer_row_i,
    output logic                              request_valid_o,
    output write_request_t                    request_o,
    input  logic                              request_ready_i,
    output logic                              w_valid_o,
    output word_t                             w_data_o,
    output strobe_t                           w_strobe_o,
    output logic                              w_last_o,
    input  logic                              w_ready_i,
    input  logic                              answered_i,     // with this cycle, all requests
    output logic                              drained_o,      // the last word is on its way
    output logic                              finished_o,
    output logic                              busy_o,
    output logic                              stall_input_o
);

  if (MachineWriteReturn < 3) begin : gen_write_return_check
    $error("the last word takes 3 cycles more than memory, MachineWriteReturn is %0d",
           MachineWriteReturn);
  end

  typedef logic [VlenShift+WordShift:0] strip_bytes_t;

  // Strips whose results are complete.
  logic results;
  logic strip_begins;

  pulse_counter #(
      .Bits (OutputSlotBits + 1),
      .Delay(MachineStoreReady)
  ) u_results (
      .clk_i,
      .rst_ni,
      .put_i  (strip_result_i),
      .take_i (strip_stored_o),
      .some_o (results)
  );

  // The stream in hand: the first with work in this strip. Which one that is stands in registers.
  typedef logic [OutputStreams-1:0] streams_t;

  typedef struct packed {
    streams_t todo;
    streams_t chosen;
    output_index_t stream;
    logic last;  // no other has work
  } hand_t;

  function automatic hand_t hand_of(streams_t todo);
    hand_of.todo = todo;
    hand_of.chosen = '0;
    hand_of.stream = '0;
    for (int unsigned i = OutputStreams; i > 0; i--) begin
      if (todo[i-1]) begin
        hand_of.stream = output_index_t'(i - 1);
        hand_of.chosen = streams_t'(1) << (i - 1);
      end
    end
    hand_of.last = (todo & ~hand_of.chosen) == '0;
  endfunction

  streams_t used, chosen;
  hand_t hand_q, hand_d;
  output_index_t stream;
  strip_count_t left_d, left_q;    // strips not stored
  logic left_some_d, left_some_q;  // there are some
  logic waits_d, waits_q;  // for go_i
  logic active_d, active_q, running_d, running_q;

  always_comb begin
    for (int unsigned i = 0; i < OutputStreams; i++) used[i] = shape_i[i].valid;
    strip_begins = !active_q && left_some_q && !waits_q && results;
    stream = hand_q.stream;
    chosen = hand_q.chosen;
  end

  // What a stream's part of a strip comes to, of a full strip and of the last one. It stands ready
  // long before the strip: the one before takes more than two steps.
  typedef struct packed {
    logic [1:0] flush;
    logic [1:0] some;  // words
    segment_count_t [1:0] words;
    word_offset_t [1:0] offset;  // after it
  } job_t;
  strip_points_t [1:0] strip_points;
  strip_points_t last_points_q;
  job_t [OutputStreams-1:0] jobs_d, jobs_q;
  word_offset_t [OutputStreams-1:0] offsets_d, offsets_q;
  word_address_t [OutputStreams-1:0] words_d, words_q;

  always_comb begin
    strip_points[0] = strip_points_t'(Vlen);
    strip_points[1] = last_points_q;
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      for (int unsigned last = 0; last < 2; last++) begin
        strip_bytes_t job_end;

        job_end = strip_bytes_t'(offsets_q[i])
            + (strip_bytes_t'(strip_points[last]) << element_shift(shape_i[i].element_type));
        jobs_d[i].offset[last] = job_end[WordShift-1:0];
        jobs_d[i].flush[last] = last == 1 && job_end[WordShift-1:0] != '0;
        jobs_d[i].words[last] = segment_count_t'(job_end >> WordShift)
            + segment_count_t'(jobs_d[i].flush[last]);
        jobs_d[i].some[last] = job_end[$bits(job_end)-1:WordShift] != '0 || jobs_d[i].flush[last];
      end
    end
  end

  // The part in hand.
  logic last_strip_d, last_strip_q, next_last, job_flush, job_flush_q, job_some;
  shift_t shift;
  segment_count_t job_words;

  always_comb begin
    shift = element_shift(shape_i[stream].element_type);
    job_words = jobs_q[stream].words[last_strip_q];
    job_some = jobs_q[stream].some[last_strip_q];
    next_last = left_q == strip_count_t'(2);
  end

  // Steps. What is left of a part, and what has been taken, stand ready before its first step.
  logic packer_ready, step, first, last_step, last_job, job_done;
  logic in_job_d, in_job_q, flushing_d, flushing_q;
  strip_points_t job_left_d, job_left_q, taken_d, taken_q;
  strip_points_t step_points, count;
  logic [OutputSlotBits-1:0] output_slot_d, output_slot_q;

  always_comb begin
    step_points = strip_points_t'(Lanes);
    if (LaneShift > WordShift - 32'(shift)) step_points = strip_points_t'(AxiBytes) >> shift;

    first = !in_job_q;
    job_flush = first ? jobs_q[stream].flush[last_strip_q] : job_flush_q;
    last_step = job_left_q <= step_points;
    last_job = hand_q.last;
    count = flushing_q ? '0 : last_step ? job_left_q : step_points;
    request_valid_o = (active_q || strip_begins) && first && packer_ready && job_some;
  end

  always_comb begin
    step = (active_q || strip_begins) && packer_ready && (!first || !job_some || request_ready_i);
    job_done = step && (flushing_q || (last_step && !job_flush));
    strip_stored_o = job_done && last_job;

    in_job_d = in_job_q;
    job_left_d = job_left_q;
    taken_d = taken_q;
    flushing_d = flushing_q;
    hand_d = hand_q;
    last_strip_d = last_strip_q;
    output_slot_d = output_slot_q;
    left_d = left_q;
    left_some_d = left_some_q;
    if (!active_q) begin  // also before the first strip
      job_left_d = strip_points[last_strip_q];
      taken_d = '0;
      hand_d = hand_of(used);
      last_strip_d = left_q == strip_count_t'(1);
    end
    if (step) begin
      in_job_d = !job_done;
      job_left_d = job_left_q - count;
      taken_d = taken_q + count;
      flushing_d = last_step;
    end
    if (job_done) begin
      job_left_d = strip_points[last_strip_q];
      taken_d = '0;
      flushing_d = 1'b0;
      hand_d = hand_of(hand_q.todo & ~chosen);
    end
    if (strip_stored_o) begin
      job_left_d = strip_points[next_last];
      hand_d = hand_of(used);
      last_strip_d = next_last;
      output_slot_d = output_slot_q + 1'b1;
      left_d = left_q - 1'b1;
      left_some_d = left_q != strip_count_t'(1);
    end
    active_d = (active_q || strip_begins) && !strip_stored_o;
    waits_d = start_i || (waits_q && !go_i);
    if (start_i) begin
      left_d = strips_of(points_i);
      left_some_d = points_i != '0;
      output_slot_d = '0;
    end
  end

  // A stream goes on a cycle after the first step of its part.
  logic [OutputStreams-1:0] stepped_q;
  word_offset_t offset_q;
  segment_count_t job_words_q;

  always_comb begin
    offsets_d = offsets_q;
    words_d = words_q;
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      if (stepped_q[i]) begin
        offsets_d[i] = offset_q;
        words_d[i] = words_q[i] + word_address_t'(job_words_q);
      end
      if (start_i) begin
        offsets_d[i] = shape_i[i].base[WordShift-1:0];
        words_d[i] = shape_i[i].base[AddressBits-1:WordShift];
      end
    end
  end

  assign request_o = '{word: words_q[stream], count: job_words};
  assign buffer_read_o = step && !flushing_q ? chosen : '0;
  assign buffer_address_o = {output_slot_q, taken_q[VlenShift-1:LaneShift]};
  assign busy_o = step;
  assign stall_input_o = left_some_q && !waits_q && !active_q && !strip_begins;

  // To the packer, with the row.
  logic step_valid_d, step_valid_q;
  store_step_t step_d, step_q;
  word_offset_t offset, next_offset_q;  // of the step and the one after it in the same part
  lane_index_t start, first_lane;  // its first element in the word, modulo lanes, and in the row

  always_comb begin
    offset = first ? offsets_q[stream] : next_offset_q;
    start = lane_index_t'(offset >> shift);
    first_lane = taken_q[LaneShift-1:0];
    step_valid_d = packer_ready ? step : step_valid_q;
    step_d = step_q;
    if (step) begin
      step_d.stream = stream;
      step_d.first = first;
      step_d.words = job_words;
      step_d.shift = shift;
      step_d.offset = offset;
      step_d.ends = {1'b0, offset} + (word_count_t'(count) << shift);
      step_d.full = flushing_q || step_d.ends[WordShift];
      for (int unsigned i = 0; i < Lanes; i++) begin
        unique case (shift)
          2'd0: step_d.lanes[i] = store_lane(0, i, start, first_lane);
          2'd1: step_d.lanes[i] = store_lane(1, i, start, first_lane);
          default: step_d.lanes[i] = store_lane(2, i, start, first_lane);
        endcase
      end
    end
  end

  store_packer u_packer (
      .clk_i,
      .rst_ni,
      .start_i,
      .shape_i,
      .step_valid_i(step_valid_q),
      .step_i      (step_q),
      .row_i       (buffer_row_i[step_q.stream]),
      .ready_o     (packer_ready),
      .w_valid_o,
      .w_data_o,
      .w_strobe_o,
      .w_last_o,
      .w_ready_i
  );

  // The end of the kernel.
  logic finished_d, finished_q, unused;

  // The last response comes after the last word: drained_o is high in its cycle at the latest.
  always_comb begin
    drained_o = (!left_some_q || waits_q) && !step_valid_q && !w_valid_o;
    finished_d = running_q && !finished_q && drained_o && answered_i;
    running_d = go_i || (running_q && !finished_q);
  end

  delay_line #(
      .data_t(logic),
      .Stages(MachineWriteReturn - 3)
  ) u_finished (
      .clk_i,
      .rst_ni,
      .valid_i(finished_q),
      .data_i (finished_q),
      .valid_o(finished_o),
      .data_o (unused)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q        <= '0;
      left_some_q   <= 1'b0;
      waits_q       <= 1'b0;
      active_q      <= 1'b0;
      running_q     <= 1'b0;
      finished_q    <= 1'b0;
      in_job_q      <= 1'b0;
      flushing_q    <= 1'b0;
      output_slot_q <= '0;
      step_valid_q  <= 1'b0;
      stepped_q     <= '0;
    end else begin
      left_q        <= left_d;
      left_some_q   <= left_some_d;
      waits_q       <= waits_d;
      active_q      <= active_d;
      running_q     <= running_d;
      finished_q    <= finished_d;
      in_job_q      <= in_job_d;
      flushing_q    <= flushing_d;
      output_slot_q <= output_slot_d;
      step_valid_q  <= step_valid_d;
      stepped_q     <= step && first ? chosen : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) last_points_q <= last_points_of(points_i);
    last_strip_q <= last_strip_d;
    hand_q       <= hand_d;
    jobs_q       <= jobs_d;
    offsets_q    <= offsets_d;
    words_q      <= words_d;
    offset_q     <= jobs_q[stream].offset[last_strip_q];
    job_words_q  <= job_words;
    job_left_q   <= job_left_d;
    if (step && first) job_flush_q <= job_flush;
    taken_q      <= taken_d;
    step_q       <= step_d;
    if (step) next_offset_q <= step_d.ends[WordShift-1:0];
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (start_i) assert (drained_o && !waits_q)
      else $error("a kernel starts before the last word of the one before is on its way");
      if (finished_q) assert (drained_o)
      else $error("a kernel ends before its last word is on its way");
      if (go_i) assert (waits_q)
      else $error("a kernel goes that has not started");
    end
  end
`endif

endmodule
