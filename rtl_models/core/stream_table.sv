// The streams of the kernel that is being configured: what `base` and `size` have set. Sizes and
// bases are memories; what is asked about all streams at once is kept in flags.
//
// Timing: what is written in cycle t can be read and shows in the flags from cycle t + 1 on. size_o
// and base_o belong to the read of the last cycle. clear_i forgets every stream.
module stream_table
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         clear_i,
    // `base` or `size` of a stream. A size comes after its base, or the program ends with it.
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
  dimension_t padded, padding;

  always_comb begin
    // Sizes stand at the right, where shapes of all ranks meet.
    padded = dimension_i + dimension_t'(RankMax) - dimension_t'(ranks_q[stream_i]);
    configured_d = configured_q;
    ranks_d = ranks_q;
    rank_d = rank_q;
    missing_d = missing_q;
    ones_d = ones_q;
    if (set_base_i) begin
      configured_d[stream_i] = 1'b1;
      ranks_d[stream_i] = rank_i;
      if (configured_q == '0 || rank_i > rank_q) rank_d = rank_i;
      missing_d[stream_i] = ~(dimensions_t'('1) << rank_i);
      ones_d[stream_i] = '1;
    end
    if (set_size_i) begin
      missing_d[stream_i][dimension_i] = 1'b0;
      ones_d[stream_i][padded] = size_i == size_t'(1);
    end
    if (clear_i) begin
      configured_d = '0;
      missing_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      configured_q <= '0;
      missing_q    <= '0;
    end else begin
      configured_q <= configured_d;
      missing_q    <= missing_d;
    end
  end

  always_ff @(posedge clk_i) begin
    ranks_q <= ranks_d;
    rank_q  <= rank_d;
    ones_q  <= ones_d;
  end

  assign configured_o = configured_q;
  assign rank_o = rank_q;
  assign missing_o = missing_q;
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
      .GranuleBits(SizeBits)
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
    end
  end
`endif

endmodule
