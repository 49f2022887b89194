// Looks for an output that shares bytes with a stream of a lower number. An input with the same
// elements in the same order is allowed: strips are read before they are written.
//
// Timing: start_i in cycle t; with p the number of outputs and of the streams before each of them,
// busy_o is high from cycle t + 1 to t + p + 2. Then found_o and stream_o, the first such output,
// hold until the next start_i. extent_i is the extent that read_o asked for a cycle before.
module overlap_check
  import hwc_core_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           clear_i,
    input  logic           start_i,
    input  stream_set_t    configured_i,
    output logic           read_o,
    output stream_number_t read_stream_o,
    input  extent_t        extent_i,
    output logic           busy_o,
    output logic           found_o,
    output stream_number_t stream_o
);

  // Asking: for each output its own extent, then those of the streams before it.
  stream_set_t outputs_d, outputs_q, others_d, others_q;
  stream_number_t own_stream;
  logic own;  // the output's own extent is asked for

  // All streams before the first one of a set.
  function automatic stream_set_t below(stream_set_t streams);
    logic none;

    none = 1'b1;
    for (int unsigned i = 0; i < Streams; i++) begin
      none = none && !streams[i];
      below[i] = none;
    end
  endfunction

  // The first one.
  function automatic stream_set_t first_of(stream_set_t streams);
    return streams & ((below(streams) << 1) | stream_set_t'(1));
  endfunction

  always_comb begin
    own_stream = first_stream(outputs_q);
    own = others_q == '0;
    read_o = outputs_q != '0;
    read_stream_o = own ? own_stream : first_stream(others_q);
    outputs_d = outputs_q;
    others_d = others_q;
    if (read_o) begin
      others_d = own ? configured_i & below(outputs_q) : others_q & ~first_of(others_q);
      if (others_d == '0) outputs_d = outputs_q & ~first_of(outputs_q);
    end
    if (start_i) begin
      outputs_d = configured_i & ~AllInputs;
      others_d = '0;
    end
    if (clear_i) outputs_d = '0;
  end

  // Comparing, a cycle later.
  logic asked_d, asked_q, asked_own_q, asked_input_q;
  stream_number_t asked_stream_q;
  extent_t extent_d, extent_q;

  always_comb begin
    asked_d = read_o;
    extent_d = asked_q && asked_own_q ? extent_i : extent_q;
  end

  // Then joining what was compared.
  logic compared_d, compared_q, disjoint_d, disjoint_q, same_d, same_q, found_d, found_q;
  stream_number_t compared_stream_q, stream_d, stream_q;

  always_comb begin
    compared_d = asked_q;
    disjoint_d = asked_own_q || extent_q.empty || extent_i.empty
        || extent_q.limit <= extent_i.first || extent_i.limit <= extent_q.first;
    same_d = asked_input_q && extent_i.dense && extent_i.first == extent_q.first
        && extent_i.element_type == extent_q.element_type;
    found_d = found_q;
    stream_d = stream_q;
    if (compared_q && !disjoint_q && !same_q && !found_q) begin
      found_d = 1'b1;
      stream_d = compared_stream_q;
    end
    if (start_i) begin
      found_d = 1'b0;
      stream_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      outputs_q  <= '0;
      asked_q    <= 1'b0;
      compared_q <= 1'b0;
      found_q    <= 1'b0;
    end else begin
      outputs_q  <= outputs_d;
      asked_q    <= asked_d;
      compared_q <= compared_d;
      found_q    <= found_d;
    end
  end

  always_ff @(posedge clk_i) begin
    others_q          <= others_d;
    asked_own_q       <= own;
    asked_input_q     <= !is_output_number(read_stream_o);
    asked_stream_q    <= own_stream;
    extent_q          <= extent_d;
    disjoint_q        <= disjoint_d;
    same_q            <= same_d;
    compared_stream_q <= asked_stream_q;
    stream_q          <= stream_d;
  end

  assign busy_o = read_o || asked_q || compared_q;
  assign found_o = found_q;
  assign stream_o = stream_q;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (start_i) assert (!busy_o)
      else $error("start_i while busy");
    end
  end
`endif

endmodule
