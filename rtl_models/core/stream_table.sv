// The streams of the kernel that is being configured: what `base` and `size` have set. Sizes and
// bases are memories; what is asked about all streams at once is kept in flags.
//
// Timing: what is written in cycle t can be read and shows in the flags from cycle t + 1 on, in
// ones_o from t + 2 on. size_o and base_o belong to the read of the last cycle. clear_i forgets
// every stream.
module stream_table
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         clear_i,
    // `base` or `size` of a stream. A size comes after its base, or the program ends with it.
    input  logic                         is_base_i,    // known before set_base_i
    input  logic                         set_base_i,
    input  logic                         set_size_i,
    input  stream_number_t               stream_i,
    input  rank_t                        rank_i,
    input  stream_base_t                 base_i,
    input  dimension_t                   dimension_i,  // below the stream's rank
    input  size_t                        size_i,
    output stream_set_t                  configured_o,
    output rank_t                        rank_o,       // the largest
    // Sizes not given, numbered as in words; none of a stream without a base.
    output dimensions_t    [Streams-1:0] missing_o,
    output stream_set_t                  incomplete_o,  // streams of which a size is missing
    output dimensions_t    [Streams-1:0] ones_o,       // sizes of 1, padded as the sizes are
    // Sizes padded to RankMax dimensions.
    input  logic                         read_size_i,
    input  stream_number_t               size_stream_i,
    input  dimension_t                   size_dimension_i,
    output size_t                        size_o,
    input  logic                         read_base_i,
    input  stream_number_t               base_stream_i,
    output stream_base_t                 base_o
);

  localparam int unsigned DimensionBits = $bits(dimension_t);

  stream_set_t configured_d, configured_q;
  rank_t [Streams-1:0] ranks_d, ranks_q;
  rank_t rank_d, rank_q;
  dimensions_t [Streams-1:0] missing_d, missing_q, ones_d, ones_q;
  stream_set_t incomplete_d, incomplete_q;
  dimension_t padded, padding;
  // The last size, whose place among the flags takes long to find.
  logic sized_q, one_q;
  stream_set_t sized_stream_q;
  dimension_t sized_padded_q;

  always_comb begin
    // Sizes stand at the right, where shapes of all ranks meet.
    padded = dimension_i + dimension_t'(RankMax) - dimension_t'(ranks_q[stream_i]);
    ranks_d = ranks_q;
    rank_d = rank_q;
    ones_d = ones_q;
    for (int unsigned i = 0; i < Streams; i++) begin
      if (sized_q && sized_stream_q[i]) ones_d[i][sized_padded_q] = one_q;
    end
    if (set_base_i) begin
      ranks_d[stream_i] = rank_i;
      if (configured_q == '0 || rank_i > rank_q) rank_d = rank_i;
      ones_d[stream_i] = '1;
    end
  end

  // What a stream would become. Whether the word is about it, or counts at all, is known late.
  stream_set_t changes;

  always_comb begin
    for (int unsigned i = 0; i < Streams; i++) begin
      changes[i] = clear_i || ((set_base_i || set_size_i) && stream_i == stream_number_t'(i));
      configured_d[i] = 1'b1;
      missing_d[i] = missing_q[i] & ~(dimensions_t'(1) << dimension_i);
      incomplete_d[i] = missing_d[i] != '0;
      if (is_base_i) begin
        missing_d[i] = ~(dimensions_t'('1) << rank_i);
        incomplete_d[i] = rank_i != '0;
      end
      if (clear_i) begin
        configured_d[i] = 1'b0;
        missing_d[i] = '0;
        incomplete_d[i] = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      configured_q <= '0;
      missing_q    <= '0;
      incomplete_q <= '0;
    end else begin
      for (int unsigned i = 0; i < Streams; i++) begin
        if (changes[i]) begin
          configured_q[i] <= configured_d[i];
          missing_q[i]    <= missing_d[i];
          incomplete_q[i] <= incomplete_d[i];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    ranks_q        <= ranks_d;
    rank_q         <= rank_d;
    ones_q         <= ones_d;
    sized_q        <= set_size_i;
    sized_stream_q <= stream_mask(stream_i);
    sized_padded_q <= padded;
    one_q          <= size_i == size_t'(1);
  end

  assign configured_o = configured_q;
  assign rank_o = rank_q;
  assign missing_o = missing_q;
  assign incomplete_o = incomplete_q;
  assign ones_o = ones_q;

  // Sizes. What lies left of a stream's rank is 1.
  size_t size;
  logic padding_d, padding_q;

  always_comb begin
    padding = dimension_t'(RankMax) - dimension_t'(ranks_q[size_stream_i]);
    padding_d = size_dimension_i < padding;
  end

  always_ff @(posedge clk_i) begin
    if (read_size_i) padding_q <= padding_d;
  end

  ram_1w1r #(
      .Words      (Streams << DimensionBits),
      .Granules   (1),
      .GranuleBits(SizeBits),
      .RamStyle   ("distributed")  // sizes are compared in the cycle they arrive in
  ) u_sizes (
      .clk_i,
      .write_i        (set_size_i),
      .write_address_i({stream_i, padded}),
      .write_data_i   (size_i),
      .read_i         (read_size_i),
      .read_address_i ({size_stream_i, size_dimension_i}),
      .read_data_o    (size)
  );

  assign size_o = padding_q ? size_t'(1) : size;

  ram_1w1r #(
      .Words      (Streams),
      .Granules   (1),
      .GranuleBits($bits(stream_base_t))
  ) u_bases (
      .clk_i,
      .write_i        (set_base_i),
      .write_address_i(stream_i),
      .write_data_i   (base_i),
      .read_i         (read_base_i),
      .read_address_i (base_stream_i),
      .read_data_o    (base_o)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (!(set_base_i && set_size_i))
      else $error("a word sets a base or a size");
      if (set_base_i || set_size_i) assert (is_base_i == set_base_i)
      else $error("is_base_i differs from what the word sets");
      for (int unsigned i = 0; i < Streams; i++) begin
        assert (incomplete_q[i] == (missing_q[i] != '0))
        else $error("incomplete_q of stream %0d differs from what is missing", i);
      end
    end
  end
`endif

endmodule
