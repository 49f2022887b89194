// The shape unit with the table that it reads. Structs pass as they are packed.
module shape_unit_bench
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic                                clear_i,
    input  logic                                set_base_i,
    input  logic                                set_size_i,
    input  stream_number_t                      stream_i,
    input  rank_t                               rank_i,
    input  stream_base_t                        base_i,
    input  dimension_t                          dimension_i,
    input  size_t                               size_i,
    input  logic                                start_i,
    input  logic           [      HostBits-1:0] window_base_i,
    input  logic           [      HostBits-1:0] window_limit_i,
    output logic                                done_o,
    output logic                                faulty_o,
    output logic           [$bits(fault_t)-1:0] fault_o,
    output size_t                               points_o,
    output stream_shape_t  [  InputStreams-1:0] inputs_o,
    output output_shape_t  [ OutputStreams-1:0] outputs_o,
    output logic           [              15:0] cycles_o  // from start to done
);

  // verilator lint_off UNUSEDSIGNAL
  stream_set_t configured;  // the sequencer looks at these
  dimensions_t [Streams-1:0] missing;
  stream_set_t incomplete;
  logic reads_result;
  // verilator lint_on UNUSEDSIGNAL

  kernel_streams u_dut (
      .clk_i,
      .rst_ni,
      .abort_i     (1'b0),
      .clear_i,
      .is_base_i   (set_base_i),
      .set_base_i,
      .set_size_i,
      .stream_i,
      .rank_i,
      .base_i,
      .dimension_i,
      .size_i,
      .configured_o(configured),
      .missing_o   (missing),
      .incomplete_o(incomplete),
      .start_i,
      .window_base_i,
      .window_limit_i,
      .done_o,
      .faulty_o,
      .fault_o,
      .points_o,
      .inputs_o,
      .outputs_o,
      .keep_i        (1'b0),
      .reads_result_o(reads_result)
  );

  logic running;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycles_o <= '0;
      running  <= 1'b0;
    end else begin
      if (start_i) begin
        cycles_o <= 16'd1;
        running  <= 1'b1;
      end else if (running && !done_o) begin
        cycles_o <= cycles_o + 1'b1;
      end else begin
        running <= 1'b0;
      end
    end
  end

endmodule
