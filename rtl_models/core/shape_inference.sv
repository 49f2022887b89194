// Brings the inputs to their common sizes and compares the outputs with those, a size a cycle:
// streams in order, dimensions outermost first. 1 yields to any other size, 0 included. Without
// inputs the first output gives the sizes.
//
// Timing: start_i in cycle t; busy_o is high from cycle t + 1 for RankMax cycles per stream and one
// more. Then sizes_o, padded to RankMax dimensions, and the first fault hold until the next
// start_i. A size asked for by read_o is on size_i in the cycle after.
module shape_inference
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         start_i,
    input  stream_set_t                  configured_i,
    input  rank_t          [Streams-1:0] ranks_i,
    output logic                         read_o,
    output stream_number_t               stream_o,
    output dimension_t                   dimension_o,
    input  size_t                        size_i,
    output logic                         busy_o,
    output size_t          [RankMax-1:0] sizes_o,
    output fault_t                       fault_o
);

  localparam dimension_t LastDimension = dimension_t'(RankMax - 1);

  // Asking.
  stream_set_t left_d, left_q;
  dimension_t dimension_d, dimension_q;

  always_comb begin
    read_o = left_q != '0;
    stream_o = first_stream(left_q);
    dimension_o = dimension_q;
    left_d = left_q;
    dimension_d = dimension_q;
    if (read_o) begin
      dimension_d = dimension_q == LastDimension ? '0 : dimension_q + 1'b1;
      if (dimension_q == LastDimension) left_d = left_q & ~stream_mask(stream_o);
    end
    if (start_i) begin
      left_d = configured_i;
      dimension_d = '0;
    end
  end

  // Comparing, a cycle later.
  logic valid_d, valid_q, infers_d, infers_q;
  stream_number_t stream_d, stream_q;
  dimension_t size_dimension_d, size_dimension_q;
  size_t [RankMax-1:0] sizes_d, sizes_q;
  fault_t fault_d, fault_q;
  size_t size;
  rank_t rank;

  always_comb begin
    rank = '0;
    for (int unsigned i = 0; i < Streams; i++) begin
      if (configured_i[i] && ranks_i[i] > rank) rank = ranks_i[i];
    end

    valid_d = read_o;
    stream_d = stream_o;
    size_dimension_d = dimension_q;
    infers_d = !is_output_number(stream_o)
        || ((configured_i & AllInputs) == '0 && stream_o == first_stream(configured_i));

    sizes_d = sizes_q;
    fault_d = fault_q;
    size = sizes_q[size_dimension_q];
    if (valid_q) begin
      if (infers_q && size == size_t'(1)) sizes_d[size_dimension_q] = size_i;
      if (fault_q.code == FaultNone) begin
        // The dimension counts within the largest rank.
        fault_d.stream = code_of(stream_q);
        fault_d.dimension = size_dimension_q + dimension_t'(rank) - dimension_t'(RankMax);
        if (infers_q && size != size_t'(1) && size_i != size_t'(1) && size_i != size) begin
          fault_d.code = FaultShapeMismatch;
        end else if (!infers_q && size_i != size) begin
          fault_d.code = FaultOutputShape;
        end else begin
          fault_d = NoFault;
        end
      end
    end
    if (start_i) begin
      for (int unsigned i = 0; i < RankMax; i++) sizes_d[i] = size_t'(1);
      fault_d = NoFault;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q  <= '0;
      valid_q <= 1'b0;
    end else begin
      left_q  <= left_d;
      valid_q <= valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    dimension_q      <= dimension_d;
    stream_q         <= stream_d;
    size_dimension_q <= size_dimension_d;
    infers_q         <= infers_d;
    sizes_q          <= sizes_d;
    fault_q          <= fault_d;
  end

  assign busy_o = left_q != '0 || valid_q;
  assign sizes_o = sizes_q;
  assign fault_o = fault_q;

endmodule
