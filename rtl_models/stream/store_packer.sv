// Packs lanes into bus words, for all output streams: the part of a word that a step leaves over
// stays with its stream until the stream's next step or its flush. Each step says where its bytes
// go on.
//
// Timing: the step in cycle t, with its row, makes the word in cycle t + 1, if it fills one.
// Nothing moves in a cycle in which a word waits for w_ready_i (ready_o is low then); the row has
// to wait too. start_i begins all streams at their base addresses.
module store_packer
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              start_i,
    input  output_shape_t [OutputStreams-1:0] shape_i,
    input  logic                              step_valid_i,
    input  store_step_t                       step_i,
    input  row_t                              row_i,
    output logic                              ready_o,
    output logic                              w_valid_o,
    output word_t                             w_data_o,
    output strobe_t                           w_strobe_o,
    output logic                              w_last_o,
    input  logic                              w_ready_i
);

  localparam int unsigned AlignBits = BurstBeats > 1 ? $clog2(BurstBeats) : 1;
  typedef logic [AlignBits-1:0] burst_index_t;
  typedef logic [AxiBytes-1:0][7:0] bytes_t;

  // The partly filled word: which of its bytes there are, and the bytes.
  typedef struct packed {
    strobe_t strobe;
    burst_index_t burst_index;  // words of the burst before this one
  } partial_t;

  partial_t [OutputStreams-1:0] partials_d, partials_q;
  partial_t partial;
  bytes_t [OutputStreams-1:0] partial_data_q;

  assign partial = partials_q[step_i.stream];

  // The row turned, so that each element stands where the word has it. Then what a byte of the word
  // can be: addresses are multiples of an element's bytes, so that it is always the same one of
  // those of an element.
  row_t elements;
  bytes_t turned;

  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) elements[i] = row_i[step_i.lanes[i]];
    for (int unsigned i = 0; i < AxiBytes; i++) begin
      unique case (step_i.shift)
        2'd0: turned[i] = elements[i%store_lanes(0)][7:0];
        2'd1: turned[i] = elements[i/2%store_lanes(1)][8*(i%2)+:8];
        default: turned[i] = elements[i/4%store_lanes(2)][8*(i%4)+:8];
      endcase
    end
  end

  // The step's bytes joined with the partial word: this word, and the next one, whose data is all
  // the step's. What no strobe is for means nothing: so a partial word only ever takes the step's
  // bytes or keeps its own.
  bytes_t this_data;
  strobe_t this_strobe, next_strobe, taken;

  always_comb begin
    for (int unsigned i = 0; i < AxiBytes; i++) begin
      taken[i] = i >= 32'(step_i.offset) || step_i.full;
      this_data[i] = i >= 32'(step_i.offset) ? turned[i] : partial_data_q[step_i.stream][i];
      this_strobe[i] = partial.strobe[i]
          || (i >= 32'(step_i.offset) && i < 32'(step_i.ends));
      next_strobe[i] = i + AxiBytes < 32'(step_i.ends);
    end
  end

  logic go;
  segment_count_t words_left_d, words_left_q, words_left;
  logic w_valid_d, w_valid_q, w_last_d, w_last_q;
  word_t w_data_d, w_data_q;
  strobe_t w_strobe_d, w_strobe_q;

  always_comb begin
    ready_o = !w_valid_q || w_ready_i;
    go = step_valid_i && ready_o;
    words_left = step_i.first ? step_i.words : words_left_q;
    words_left_d = words_left_q;
    partials_d = partials_q;
    w_valid_d = w_valid_q && !w_ready_i;
    w_data_d = w_data_q;
    w_strobe_d = w_strobe_q;
    w_last_d = w_last_q;
    if (go) begin
      words_left_d = words_left - segment_count_t'(step_i.full);
      partials_d[step_i.stream].strobe = step_i.full ? next_strobe : this_strobe;
      if (step_i.full) begin
        partials_d[step_i.stream].burst_index = partial.burst_index + 1'b1;
        w_valid_d = 1'b1;
        w_data_d = this_data;
        w_strobe_d = this_strobe;
        w_last_d = words_left == segment_count_t'(1) || BurstBeats == 1
            || partial.burst_index == burst_index_t'(BurstBeats - 1);
      end
    end
    if (start_i) begin
      for (int unsigned i = 0; i < OutputStreams; i++) begin
        partials_d[i] = '0;
        if (BurstBeats > 1) begin
          partials_d[i].burst_index = shape_i[i].base[WordShift+:AlignBits];
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      w_valid_q <= 1'b0;
    end else begin
      w_valid_q <= w_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    partials_q   <= partials_d;
    for (int unsigned i = 0; i < AxiBytes; i++) begin
      if (go && taken[i]) partial_data_q[step_i.stream][i] <= turned[i];
    end
    words_left_q <= words_left_d;
    w_data_q     <= w_data_d;
    w_strobe_q   <= w_strobe_d;
    w_last_q     <= w_last_d;
  end

  assign w_valid_o = w_valid_q;
  assign w_data_o = w_data_q;
  assign w_strobe_o = w_strobe_q;
  assign w_last_o = w_last_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (go && step_i.full) begin
        assert (words_left != '0) else $error("got a word, expected no more words of this job");
      end
    end
  end
`endif

endmodule
