// Words of write bursts on their way from the store engine to the bus. Once draining_i is high, the
// words that accepted requests still owe are made here, with no strobe set: their bursts end.
//
// Timing: no cycle between the two sides. draining_i may rise in any cycle; from then on
// the store engine, which is in reset, offers neither requests nor words.
module write_drain
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           draining_i,
    // Requests as the write master accepts them.
    input  logic           accept_i,
    input  write_request_t request_i,
    // Store engine.
    input  logic           valid_i,
    input  write_word_t    word_i,
    output logic           ready_o,
    // Bus.
    output logic           valid_o,
    output write_word_t    word_o,
    input  logic           ready_i,
    output logic           idle_o       // no request owes a word
);

  // The word in hand is of the oldest request, at most two more wait: one word is in the packer
  // and one step before it when the next request is accepted.
  localparam int unsigned Depth = 3;
  localparam int unsigned AlignBits = BurstBeats > 1 ? $clog2(BurstBeats) : 1;

  typedef logic [AlignBits-1:0] burst_index_t;
  typedef struct packed {
    burst_index_t first;  // words of its burst before the first one
    segment_count_t count;
  } owed_t;

  owed_t accepted, oldest;
  segment_count_t sent_d, sent_q;
  logic owes, room, pass, ends, last;

  assign accepted = '{
      first: BurstBeats > 1 ? request_i.word[AlignBits-1:0] : '0,
      count: request_i.count
  };

  fifo #(
      .data_t(owed_t),
      .Depth (Depth)
  ) u_owed (
      .clk_i,
      .rst_ni,
      .valid_i(accept_i),
      .ready_o(room),
      .data_i (accepted),
      .valid_o(owes),
      .ready_i(pass && ends),
      .data_o (oldest)
  );

  always_comb begin
    ends = sent_q + 1'b1 == oldest.count;
    last = ends || BurstBeats == 1
        || oldest.first + burst_index_t'(sent_q) == burst_index_t'(BurstBeats - 1);
    valid_o = draining_i ? owes : valid_i;
    word_o = draining_i ? '{data: '0, strobe: '0, last: last} : word_i;
    pass = valid_o && ready_i;
    sent_d = sent_q;
    if (pass) sent_d = ends ? '0 : sent_q + 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sent_q <= '0;
    else sent_q <= sent_d;
  end

  assign ready_o = ready_i;
  assign idle_o = !owes;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (!accept_i || room)
      else $error("more than %0d requests owe words", Depth);
      assert (!valid_i || (owes && word_i.last == last))
      else $error("got a word that no request owes, or that ends a burst too early or too late");
      assert (!draining_i || !(accept_i || valid_i))
      else $error("the store engine goes on while the bus is drained");
    end
  end
`endif

endmodule
