// The streams of a kernel: the table that `base` and `size` fill, and the shape unit that
// resolves it. See the two for their timing.
module kernel_streams
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                               clk_i,
    input  logic                               rst_ni,
    input  logic                               abort_i,        // the shapes under way
    // Configuration.
    input  logic                               clear_i,
    input  logic                               is_base_i,
    input  logic                               set_base_i,
    input  logic                               set_size_i,
    input  stream_number_t                     stream_i,
    input  rank_t                              rank_i,
    input  stream_base_t                       base_i,
    input  dimension_t                         dimension_i,
    input  size_t                              size_i,
    output stream_set_t                        configured_o,
    output dimensions_t    [      Streams-1:0] missing_o,
    output stream_set_t                        incomplete_o,
    // Shapes.
    input  logic                               start_i,
    input  logic           [     HostBits-1:0] window_base_i,
    input  logic           [     HostBits-1:0] window_limit_i,
    output logic                               done_o,
    output logic                               faulty_o,
    output fault_t                             fault_o,
    output size_t                              points_o,
    output stream_shape_t  [ InputStreams-1:0] inputs_o,
    output output_shape_t  [OutputStreams-1:0] outputs_o,
    input  logic                               keep_i,
    output logic                               reads_result_o
);

  rank_t rank;
  dimensions_t [Streams-1:0] ones;
  logic read_size, read_base;
  stream_number_t size_stream, base_stream;
  dimension_t size_dimension;
  size_t size;
  stream_base_t base;

  stream_table u_table (
      .clk_i,
      .rst_ni,
      .clear_i,
      .is_base_i,
      .set_base_i,
      .set_size_i,
      .stream_i,
      .rank_i,
      .base_i,
      .dimension_i,
      .size_i,
      .configured_o,
      .rank_o          (rank),
      .missing_o,
      .incomplete_o,
      .ones_o          (ones),
      .read_size_i     (read_size),
      .size_stream_i   (size_stream),
      .size_dimension_i(size_dimension),
      .size_o          (size),
      .read_base_i     (read_base),
      .base_stream_i   (base_stream),
      .base_o          (base)
  );

  shape_unit u_shapes (
      .clk_i,
      .rst_ni,
      .clear_i         (abort_i),
      .start_i,
      .window_base_i,
      .window_limit_i,
      .configured_i    (configured_o),
      .rank_i          (rank),
      .ones_i          (ones),
      .read_size_o     (read_size),
      .size_stream_o   (size_stream),
      .size_dimension_o(size_dimension),
      .size_i          (size),
      .read_base_o     (read_base),
      .base_stream_o   (base_stream),
      .base_i          (base),
      .done_o,
      .faulty_o,
      .fault_o,
      .points_o,
      .inputs_o,
      .outputs_o,
      .keep_i,
      .reads_result_o
  );

endmodule
