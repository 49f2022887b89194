// Addresses of AXI4 write bursts, in order, with one transaction id, and their responses. The words
// themselves go from the store engine to the bus; they are in the order of the addresses.
//
// A request is split into bursts at every multiple of BurstBeats, one burst per cycle. Another one
// waits meanwhile, so that request_ready_o comes from a register.
//
// Timing: the first burst of a request taken in cycle t is on the address channel in cycle t + 2 at
// the latest, if the channel is free. idle_o is low from the cycle after a request until the cycle
// after its last response. answered_o says in the cycle before that idle_o will be high, if no
// request is taken.
module axi_write_master
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           request_valid_i,
    input  write_request_t request_i,
    output logic           request_ready_o,
    output logic           idle_o,
    output logic           answered_o,
    output logic           error_o,         // a response was an error, for one cycle
    output logic           aw_valid_o,
    output address_t       aw_address_o,
    output logic [7:0]     aw_length_o,     // beats - 1
    input  logic           aw_ready_i,
    input  logic           b_valid_i,
    input  logic [1:0]     b_response_i,
    output logic           b_ready_o
);

  localparam int unsigned AlignBits = BurstBeats > 1 ? $clog2(BurstBeats) : 1;
  localparam int unsigned ReachBits = unsigned'($bits(segment_count_t)) + AlignBits + 1;
  localparam int unsigned OpenBits = 16;

  logic next_valid, next_ready;
  write_request_t next_request;

  ready_slice #(
      .data_t(write_request_t)
  ) u_request (
      .clk_i,
      .rst_ni,
      .valid_i(request_valid_i),
      .ready_o(request_ready_o),
      .data_i (request_i),
      .valid_o(next_valid),
      .ready_i(next_ready),
      .data_o (next_request)
  );

  // What is left of a request, whether anything is, and whether its next burst is its last.
  write_request_t rest_d, rest_q;
  logic some_d, some_q, ends_d, ends_q;
  // Bursts without a response, before that of issued_q, and whether there are some.
  logic [OpenBits-1:0] open_d, open_q;
  logic open_some_d, open_some_q;
  burst_count_t aligned;
  logic [ReachBits-1:0] reach;  // beats from the multiple before to the request's end
  burst_count_t beats;
  word_address_t boundary;
  logic issue, issued_q, accept, aw_valid_d, aw_valid_q;
  address_t aw_address_d, aw_address_q;
  logic [7:0] aw_length_d, aw_length_q;

  // Bus words between the multiple of BurstBeats before and a word.
  // verilator lint_off UNUSEDSIGNAL
  function automatic burst_count_t aligned_of(word_address_t word);  // its low bits alone
    return burst_count_t'(word) & burst_count_t'(BurstBeats - 1);
  endfunction
  // verilator lint_on UNUSEDSIGNAL

  function automatic logic [ReachBits-1:0] reach_of(write_request_t request);
    return ReachBits'(request.count) + ReachBits'(aligned_of(request.word));
  endfunction

  always_comb begin
    aligned = aligned_of(rest_q.word);
    reach = reach_of(rest_q);
    beats = ends_q ? burst_count_t'(rest_q.count) : burst_count_t'(BurstBeats) - aligned;
    boundary = rest_q.word + 1'b1;
    if (BurstBeats > 1) begin
      boundary = '0;
      boundary[$bits(word_address_t)-1:AlignBits] =
          rest_q.word[$bits(word_address_t)-1:AlignBits] + 1'b1;
    end

    // Half of what can be counted, as the number of open bursts is a cycle late.
    issue = some_q && !open_q[OpenBits-1] && (!aw_valid_q || aw_ready_i);
    next_ready = !some_q || (issue && ends_q);
  end

  always_comb begin
    accept = next_valid && next_ready;
    aw_valid_d = issue || (aw_valid_q && !aw_ready_i);
    aw_address_d = aw_address_q;
    aw_length_d = aw_length_q;
    rest_d = rest_q;
    some_d = some_q;
    ends_d = ends_q;
    if (issue) begin
      aw_address_d = {rest_q.word, word_offset_t'(0)};
      aw_length_d = 8'(beats - 1'b1);
      rest_d.word = boundary;
      rest_d.count = ends_q ? '0 : segment_count_t'(reach - ReachBits'(BurstBeats));
      some_d = !ends_q;
      ends_d = reach <= ReachBits'(2 * BurstBeats);
    end
    if (accept) begin
      rest_d = next_request;
      some_d = next_request.count != '0;
      ends_d = reach_of(next_request) <= ReachBits'(BurstBeats);
    end
  end

  logic answered, error_d, error_q;

  always_comb begin
    answered = b_valid_i && b_ready_o;
    open_d = open_q + OpenBits'(issued_q) - OpenBits'(answered);
    open_some_d = issued_q || (open_some_q && !(answered && open_q == OpenBits'(32'd1)));
    error_d = answered && b_response_i != 2'b00;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rest_q      <= '0;
      some_q      <= 1'b0;
      aw_valid_q  <= 1'b0;
      issued_q    <= 1'b0;
      open_q      <= '0;
      open_some_q <= 1'b0;
      error_q     <= 1'b0;
    end else begin
      rest_q      <= rest_d;
      some_q      <= some_d;
      aw_valid_q  <= aw_valid_d;
      issued_q    <= issue;
      open_q      <= open_d;
      open_some_q <= open_some_d;
      error_q     <= error_d;
    end
  end

  always_ff @(posedge clk_i) begin
    aw_address_q <= aw_address_d;
    aw_length_q  <= aw_length_d;
    ends_q       <= ends_d;
  end

  assign idle_o = !some_q && !issued_q && !open_some_q;
  // The last burst of a request counts as issued in the cycle after, and as open from then on.
  assign answered_o = !some_q && !issued_q && !open_some_d;
  assign error_o = error_q;
  assign aw_valid_o = aw_valid_q;
  assign aw_address_o = aw_address_q;
  assign aw_length_o = aw_length_q;
  assign b_ready_o = 1'b1;

`ifndef SYNTHESIS
  logic answered_q, accepted_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    answered_q <= answered_o || !rst_ni;
    accepted_q <= accept && rst_ni;
    if (rst_ni) begin
      assert (idle_o == (answered_q && !accepted_q))
      else $error("idle_o is %0d, answered_o was %0d", idle_o, answered_q);
      if (b_valid_i) begin
        assert (open_q != '0) else $error("got a response without a burst");
      end
    end
  end
`endif

endmodule
