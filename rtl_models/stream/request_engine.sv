// Fetches strip by strip: takes the plans of all input streams at once, when every ring has room,
// and turns them into bursts, stream by stream. A burst ends where its segment ends and at every
// multiple of BurstBeats; a burst of b beats holds the engine for max(b, BurstGap) cycles, a stream
// without new words for none, a strip for MachineStripFetchMin at least.
//
// Timing: take_o in cycle t (F0 of the strip) makes the first request in cycle t + 1; the engine is
// free for the next strip at t + max(MachineStripFetchMin, sum over bursts) (F1). go_i is the start
// of the kernel, the earliest cycle of the first strip; used_i holds still from then on to
// fetched_o, which is high from the cycle after F1 of the last strip on. plan_i of a stream holds
// still from the cycle before its ready_i on, until it is taken: what is asked for first is known
// then. A request that is not taken at once delays everything after it.
module request_engine
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic                                go_i,
    input  strip_count_t                        strips_i,
    input  logic         [InputStreams-1:0]     used_i,
    input  logic         [InputStreams-1:0]     ready_i,
    input  segment_t     [InputStreams-1:0][1:0] plan_i,
    output logic                                take_o,
    output logic                                request_valid_o,
    output read_request_t                       request_o,
    input  logic                                request_ready_i,
    output logic                                busy_o,
    output logic                                stall_ring_o,
    output logic                                fetched_o     // no strips left, a cycle ago
);

  localparam int unsigned Segments = 2 * InputStreams;
  localparam int unsigned CostMax = BurstGap > BurstBeats ? BurstGap : BurstBeats;
  localparam int unsigned CostBits = $clog2((CostMax > 2 ? CostMax : 2) + 1);  // compared with 2
  localparam int unsigned PlanBits = $clog2(MachineStripFetchMin + 1);
  localparam int unsigned AlignBits = BurstBeats > 1 ? $clog2(BurstBeats) : 1;
  localparam int unsigned CountBits = $bits(segment_count_t);

  if (MachineStripFetchMin < 8) begin : gen_plan_check
    $error("a strip takes 8 cycles to plan, MachineStripFetchMin is %0d", MachineStripFetchMin);
  end

  typedef logic [Segments-1:0] segment_set_t;
  typedef logic [CostBits-1:0] cost_t;

  // The segment in hand, and those that wait for it. The choice of the next one is made while the
  // one in hand is requested.
  typedef struct packed {
    segment_t segment;
    stream_index_t stream;
  } choice_t;

  function automatic segment_set_t first_of(segment_set_t set);
    logic found;

    found = 1'b0;
    for (int unsigned i = 0; i < Segments; i++) begin
      first_of[i] = set[i] && !found;
      found |= set[i];
    end
  endfunction

  function automatic choice_t choose(segment_set_t one, segment_t [Segments-1:0] segments);
    choose = '0;
    for (int unsigned i = 0; i < Segments; i++) begin
      if (one[i]) choose |= choice_t'({segments[i], stream_index_t'(i / 2)});
    end
  endfunction

  segment_t [Segments-1:0] planned, waiting_q;
  segment_set_t planned_some_d, planned_some_q, planned_first_q;
  segment_set_t pending_d, pending_q, pending_first;
  choice_t next_planned, next_pending, chosen_d, chosen_q;
  logic chosen_valid_d, chosen_valid_q;

  always_comb begin
    planned = plan_i;
    for (int unsigned i = 0; i < Segments; i++) begin
      planned_some_d[i] = used_i[i/2] && planned[i].count != '0;
    end
    pending_first = first_of(pending_q);
    next_planned = choose(planned_first_q, planned);
    next_pending = choose(pending_first, waiting_q);
  end

  // Its next burst, and whether that is its last, which is known when the engine is free for it. A
  // burst that does not end the segment ends at a multiple of BurstBeats.
  typedef logic [CountBits+AlignBits:0] reach_t;
  logic [AlignBits-1:0] aligned;
  reach_t reach;  // beats from the multiple before to the segment's end
  cost_t beats, cost, timer_d, timer_q;
  logic idle_d, idle_q;  // timer_q is 0
  logic due_d, due_q;  // timer_q is 0 or 1
  logic issue, ends_segment_d, ends_segment_q;
  word_address_t boundary;

  // verilator lint_off UNUSEDSIGNAL
  function automatic logic [AlignBits-1:0] aligned_of(segment_t segment);  // its place alone
    return BurstBeats > 1 ? segment.word[AlignBits-1:0] : '0;
  endfunction

  function automatic reach_t reach_of(segment_t segment);
    return reach_t'(segment.count) + reach_t'(aligned_of(segment));
  endfunction
  // verilator lint_on UNUSEDSIGNAL

  assign request_valid_o = chosen_valid_q && idle_q;

  always_comb begin
    aligned = aligned_of(chosen_q.segment);
    reach = reach_of(chosen_q.segment);
    beats = ends_segment_q ? cost_t'(chosen_q.segment.count)
                         : cost_t'(BurstBeats) - cost_t'(aligned);
    cost = beats < cost_t'(BurstGap) ? cost_t'(BurstGap) : beats;
    boundary = chosen_q.segment.word + 1'b1;
    if (BurstBeats > 1) begin
      boundary = '0;
      boundary[$bits(word_address_t)-1:AlignBits] =
          chosen_q.segment.word[$bits(word_address_t)-1:AlignBits] + 1'b1;
    end

    issue = request_valid_o && request_ready_i;
    timer_d = idle_q ? '0 : timer_q - 1'b1;
    if (issue) timer_d = cost - 1'b1;
    idle_d = issue ? BurstGap == 1 && beats == cost_t'(1) : due_q;
    due_d = issue ? BurstGap <= 2 && beats <= cost_t'(2) : timer_q <= cost_t'(2);
  end

  always_comb begin
    request_o.word = chosen_q.segment.word;
    request_o.beats = burst_count_t'(beats);
    request_o.tag.target = ReadStream;
    request_o.tag.stream = chosen_q.stream;
    request_o.tag.low = chosen_q.segment.low;
    request_o.tag.high = ends_segment_q ? chosen_q.segment.high : word_count_t'(AxiBytes);
  end

  // Strips.
  logic [PlanBits-1:0] plan_d, plan_q;
  strip_count_t left_d, left_q;
  logic left, left_some_q, taken_q, planning_q, requested, free, fetched_q;
  logic [InputStreams-1:0] unused_q;  // settled before the kernel, for few readers
  logic used_some_q;

  always_comb begin
    // Without inputs there is nothing to fetch; a kernel has strips.
    left = go_i ? used_some_q : left_some_q;
    // The last burst of the strip is in its last cycle, or over.
    requested = !chosen_valid_q && due_q;
    if (BurstGap == 1 && issue && ends_segment_q && beats == cost_t'(1) && pending_q == '0) begin
      requested = 1'b1;
    end
    free = !planning_q && requested;
    take_o = left && free && (ready_i | unused_q) == '1;
    busy_o = take_o || !free;
    stall_ring_o = left && free && !take_o;

    // A strip that is taken counts a cycle later: no other is taken before.
    left_d = taken_q ? left_q - 1'b1 : left_q;
    if (go_i) left_d = used_i == '0 ? '0 : strips_i;
    plan_d = planning_q ? plan_q - 1'b1 : '0;
    if (take_o) plan_d = PlanBits'(MachineStripFetchMin - 1);

    chosen_valid_d = chosen_valid_q;
    chosen_d = chosen_q;
    pending_d = pending_q;
    // After another burst it is found while that one holds the engine.
    ends_segment_d = reach <= reach_t'(BurstBeats);
    if (issue) begin
      chosen_d.segment.word = boundary;
      chosen_d.segment.count = CountBits'(reach - reach_t'(BurstBeats));
      chosen_d.segment.low = '0;
      if (ends_segment_q) begin
        chosen_valid_d = pending_q != '0;
        chosen_d = next_pending;
        pending_d = pending_q & ~pending_first;
      end
      if (BurstGap == 1) ends_segment_d = reach_of(chosen_d.segment) <= reach_t'(BurstBeats);
    end
    if (take_o) begin
      chosen_valid_d = planned_some_q != '0;
      chosen_d = next_planned;
      ends_segment_d = reach_of(next_planned.segment) <= reach_t'(BurstBeats);
      pending_d = planned_some_q & ~planned_first_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      chosen_valid_q <= 1'b0;
      pending_q      <= '0;
      timer_q        <= '0;
      idle_q         <= 1'b1;
      due_q          <= 1'b1;
      plan_q         <= '0;
      planning_q     <= 1'b0;
      left_q         <= '0;
      left_some_q    <= 1'b0;
      taken_q        <= 1'b0;
      fetched_q      <= 1'b1;
    end else begin
      chosen_valid_q <= chosen_valid_d;
      pending_q      <= pending_d;
      timer_q        <= timer_d;
      idle_q         <= idle_d;
      due_q          <= due_d;
      plan_q         <= plan_d;
      planning_q     <= plan_d != '0;
      left_q         <= left_d;
      left_some_q    <= left_d != '0;
      taken_q        <= take_o;
      fetched_q      <= !left && free;
    end
  end

  always_ff @(posedge clk_i) begin
    unused_q        <= ~used_i;
    used_some_q     <= used_i != '0;
    chosen_q        <= chosen_d;
    ends_segment_q  <= ends_segment_d;
    planned_some_q  <= planned_some_d;
    planned_first_q <= first_of(planned_some_d);
    // No segment waits when a strip is taken, which is known late.
    if (pending_q == '0) waiting_q <= planned;
  end

  assign fetched_o = fetched_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (go_i) begin
        assert (left_q == '0) else $error("a kernel started before the last one was fetched");
        assert (unused_q == ~used_i) else $error("the streams of a kernel change as it starts");
      end
      assert (!request_valid_o || ends_segment_q == (reach <= reach_t'(BurstBeats)))
      else $error("a burst is taken for the last of its segment, or the last is not");
      assert (due_q == (timer_q <= cost_t'(1)))
      else $error("due_q is %0d, the timer %0d", due_q, timer_q);
      if (take_o) begin
        assert (pending_q == '0) else $error("a strip is taken before the last one");
        assert (planned_some_q == planned_some_d) else $error("a plan is later than its ready_i");
      end
    end
  end
`endif

endmodule
