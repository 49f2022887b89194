// Fetches strip by strip: takes the plans of all input streams at once, when every ring has room,
// and turns them into bursts, stream by stream. A burst ends where its segment ends and at every
// multiple of BurstBeats; a burst of b beats holds the engine for max(b, BurstGap) cycles, a stream
// without new words for none, a strip for MachineStripFetchMin at least.
//
// Timing: take_o in cycle t (F0 of the strip) makes the first request in cycle t + 1; the engine is
// free for the next strip at t + max(MachineStripFetchMin, sum over bursts) (F1). go_i is the start
// of the kernel, the earliest cycle of the first strip; used_i holds still from then on. A request
// that is not taken at once delays everything after it.
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
    output logic                                stall_ring_o
);

  localparam int unsigned Segments = 2 * InputStreams;
  localparam int unsigned CostMax = BurstGap > BurstBeats ? BurstGap : BurstBeats;
  localparam int unsigned CostBits = $clog2(CostMax + 1);
  localparam int unsigned PlanBits = $clog2(MachineStripFetchMin + 1);
  localparam int unsigned AlignBits = BurstBeats > 1 ? $clog2(BurstBeats) : 1;
  localparam int unsigned CountBits = $bits(segment_count_t);

  if (MachineStripFetchMin < 8) begin : gen_plan_check
    $error("a strip takes 8 cycles to plan, MachineStripFetchMin is %0d", MachineStripFetchMin);
  end

  // The segment in hand: the first that has words left.
  segment_t [Segments-1:0] segments_d, segments_q;
  logic [Segments-1:0] pending_d, pending_q, pending_rest, chosen;
  segment_t segment;

  always_comb begin
    segment = '0;
    chosen = '0;
    for (int unsigned i = Segments; i > 0; i--) begin
      if (pending_q[i-1]) begin
        segment = segments_q[i-1];
        chosen = '0;
        chosen[i-1] = 1'b1;
      end
    end
  end

  // Its next burst.
  logic [AlignBits-1:0] aligned;
  logic [CostBits-1:0] to_boundary, beats, cost, timer_d, timer_q;
  logic issue, ends_segment;

  assign request_valid_o = pending_q != '0 && timer_q == '0;

  always_comb begin
    aligned = BurstBeats > 1 ? segment.word[AlignBits-1:0] : '0;
    to_boundary = CostBits'(BurstBeats) - CostBits'(aligned);
    ends_segment = 32'(segment.count) <= 32'(to_boundary);
    beats = ends_segment ? CostBits'(segment.count) : to_boundary;
    cost = beats < CostBits'(BurstGap) ? CostBits'(BurstGap) : beats;

    issue = request_valid_o && request_ready_i;
    timer_d = timer_q == '0 ? '0 : timer_q - 1'b1;
    if (issue) timer_d = cost - 1'b1;
    pending_rest = issue && ends_segment ? pending_q & ~chosen : pending_q;
  end

  always_comb begin
    request_o.word = segment.word;
    request_o.beats = burst_count_t'(beats);
    request_o.tag.target = ReadStream;
    request_o.tag.stream = '0;
    for (int unsigned i = 0; i < InputStreams; i++) begin
      if (chosen[2*i] || chosen[2*i+1]) request_o.tag.stream = stream_index_t'(i);
    end
    request_o.tag.low = segment.low;
    request_o.tag.high = ends_segment ? segment.high : word_count_t'(AxiBytes);
  end

  // Strips.
  logic [PlanBits-1:0] plan_d, plan_q;
  strip_count_t left, left_d, left_q;
  logic free;

  always_comb begin
    left = left_q;
    if (go_i) left = used_i == '0 ? '0 : strips_i;  // without inputs there is nothing to fetch
    free = plan_q == '0 && pending_rest == '0 && timer_d == '0;
    take_o = left != '0 && free && (ready_i | ~used_i) == '1;
    busy_o = take_o || !free;
    stall_ring_o = left != '0 && free && !take_o;
    left_d = take_o ? left - 1'b1 : left;
    plan_d = plan_q == '0 ? '0 : plan_q - 1'b1;
    if (take_o) plan_d = PlanBits'(MachineStripFetchMin - 1);

    pending_d = pending_rest;
    segments_d = segments_q;
    for (int unsigned i = 0; i < Segments; i++) begin
      if (take_o) begin
        segments_d[i] = plan_i[i/2][i%2];
        pending_d[i] = used_i[i/2] && plan_i[i/2][i%2].count != '0;
      end else if (chosen[i] && issue) begin
        segments_d[i].word = segment.word + word_address_t'(beats);
        segments_d[i].count = segment.count - CountBits'(beats);
        segments_d[i].low = '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
      timer_q   <= '0;
      plan_q    <= '0;
      left_q    <= '0;
    end else begin
      pending_q <= pending_d;
      timer_q   <= timer_d;
      plan_q    <= plan_d;
      left_q    <= left_d;
    end
  end

  always_ff @(posedge clk_i) begin
    segments_q <= segments_d;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (go_i) begin
        assert (left_q == '0) else $error("a kernel started before the last one was fetched");
      end
    end
  end
`endif

endmodule
