// Resolves the streams of a kernel at `loop`: infers the iteration sizes, checks shapes, addresses
// and overlaps, and brings the input streams into the form that the stream path walks. Of several
// faults the first in the order of the instruction set's manual is reported.
//
// Timing: start_i in cycle t takes the streams of stream_table, which holds still while done_o is
// low. With
//   r = the largest rank, 1 at least,     D = max(MachineSetupDimension, streams + 1),
//   d = inputs + VlenShift, 0 without inputs,
//   p = streams + for each output the streams up to it,
// done_o falls in cycle t + 1 and rises in cycle t + MachineSetupShapes + r * D + max(d, p) + 1;
// fault_o, points_o, inputs_o and outputs_o are valid while it is high, as is faulty_o, which says
// that there is a fault. clear_i, one cycle before start_i or more, ends what is under way.
//
// In the order of the dimensions, from the innermost outwards, the sizes of all streams are
// compared, a cycle each, and multiplied in one pipeline while those of the next dimension are
// compared. As a stream leaves it, its bytes are checked and its steps are counted.
module shape_unit
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                               clk_i,
    input  logic                               rst_ni,
    input  logic                               clear_i,
    input  logic                               start_i,
    input  logic           [     HostBits-1:0] window_base_i,
    input  logic           [     HostBits-1:0] window_limit_i,
    // The table of configured streams.
    input  stream_set_t                        configured_i,
    input  rank_t                              rank_i,        // the largest
    input  dimensions_t    [      Streams-1:0] ones_i,
    output logic                               read_size_o,
    output stream_number_t                     size_stream_o,
    output dimension_t                         size_dimension_o,
    input  size_t                              size_i,
    output logic                               read_base_o,
    output stream_number_t                     base_stream_o,
    input  stream_base_t                       base_i,
    // The kernel.
    output logic                               done_o,
    output logic                               faulty_o,
    output fault_t                             fault_o,
    output size_t                              points_o,
    output stream_shape_t  [ InputStreams-1:0] inputs_o,
    output output_shape_t  [OutputStreams-1:0] outputs_o,
    input  logic                               keep_i,          // the engines take the kernel
    output logic                               reads_result_o   // of the kernel taken before
);

  // Sizes of the iteration.
  logic infer_busy, step;
  form_step_t form_step;
  size_t size;
  logic infer_faulty;
  fault_t infer_fault;

  shape_inference u_inference (
      .clk_i,
      .rst_ni,
      .clear_i,
      .start_i,
      .configured_i,
      .rank_i,
      .ones_i,
      .read_o     (read_size_o),
      .stream_o   (size_stream_o),
      .dimension_o(size_dimension_o),
      .size_i,
      .step_o     (step),
      .form_step_o(form_step),
      .size_o     (size),
      .busy_o     (infer_busy),
      .faulty_o   (infer_faulty),
      .fault_o    (infer_fault)
  );

  // Canonical forms.
  logic form_busy, covered_valid, points_overflow;
  covered_t covered;
  canonical_t [InputStreams-1:0] forms;
  size_t points;

  canonical_form u_form (
      .clk_i,
      .rst_ni,
      .clear_i,
      .step_i           (step),
      .form_step_i      (form_step),
      .size_i           (size),
      .read_base_o,
      .base_stream_o,
      .base_i,
      .busy_o           (form_busy),
      .covered_valid_o  (covered_valid),
      .covered_o        (covered),
      .forms_o          (forms),
      .points_o         (points),
      .points_overflow_o(points_overflow)
  );

  // Bytes.
  logic extent_busy, extent_valid, last_extent;
  stream_number_t extent_stream;
  extent_t extent;
  logic extent_faulty;
  fault_t extent_fault;

  stream_extent u_extent (
      .clk_i,
      .rst_ni,
      .clear_i,
      .start_i,
      .window_base_i,
      .window_limit_i,
      .valid_i        (covered_valid),
      .covered_i      (covered),
      .base_i,
      .extent_valid_o (extent_valid),
      .extent_stream_o(extent_stream),
      .extent_o       (extent),
      .last_o         (last_extent),
      .busy_o         (extent_busy),
      .faulty_o       (extent_faulty),
      .fault_o        (extent_fault)
  );

  result_check u_results (
      .clk_i,
      .rst_ni,
      .start_i,
      .keep_i,
      .extent_valid_i (extent_valid),
      .extent_stream_i(extent_stream),
      .extent_i       (extent),
      .reads_result_o
  );

  // Overlaps.
  logic overlap_busy, overlap_found, extent_read;
  stream_number_t overlap_stream, read_stream;
  extent_t extent_out;

  ram_1w1r #(
      .Words      (Streams),
      .Granules   (1),
      .GranuleBits($bits(extent_t))
  ) u_extents (
      .clk_i,
      .write_i        (extent_valid),
      .write_address_i(extent_stream),
      .write_data_i   (extent),
      .read_i         (extent_read),
      .read_address_i (read_stream),
      .read_data_o    (extent_out)
  );

  overlap_check u_overlap (
      .clk_i,
      .rst_ni,
      .clear_i,
      .start_i      (extent_valid && last_extent),
      .configured_i,
      .read_o       (extent_read),
      .read_stream_o(read_stream),
      .extent_i     (extent_out),
      .busy_o       (overlap_busy),
      .found_o      (overlap_found),
      .stream_o     (overlap_stream)
  );

  // Steps and tables of an input stream, from the cycle in which its form is complete.
  logic formed_q;
  stream_number_t formed_stream_q;
  logic [InputStreams-1:0] digits_start, digits_busy, table_d, table_q;
  lane_index_t repeat_divisor_d, repeat_divisor_q, pass_divisor_d, pass_divisor_q;
  lane_count_t [TableRows-1:0] repeat_div;
  lane_index_t [TableRows-1:0] repeat_mod, pass_mod;
  stream_shape_t [InputStreams-1:0] inputs_d, inputs_q;
  output_shape_t [OutputStreams-1:0] outputs_d, outputs_q;
  size_t [InputStreams-1:0][RepeatLevels-1:0] strip_repeats;
  size_t [InputStreams-1:0][DataLevels-1:0] strip_data;

  for (genvar i = 0; i < InputStreams; i++) begin : gen_digits
    assign digits_start[i] = formed_q && formed_stream_q == stream_number_t'(i);

    strip_digits u_digits (
        .clk_i,
        .rst_ni,
        .clear_i,
        .start_i        (digits_start[i]),
        .repeats_i      (forms[i].repeats),
        .blocks_i       (forms[i].blocks),
        .busy_o         (digits_busy[i]),
        .strip_repeats_o(strip_repeats[i]),
        .strip_data_o   (strip_data[i])
    );
  end

  // A divisor of the lanes; 0 stands for all that are too large.
  function automatic lane_index_t divisor_of(size_t divisor);
    return divisor < size_t'(Lanes) ? lane_index_t'(divisor) : '0;
  endfunction

  lane_tables u_tables (
      .repeat_i    (repeat_divisor_q),
      .pass_i      (pass_divisor_q),
      .repeat_div_o(repeat_div),
      .repeat_mod_o(repeat_mod),
      .pass_mod_o  (pass_mod)
  );

  always_comb begin
    table_d = digits_start;
    repeat_divisor_d = '0;
    pass_divisor_d = '0;
    for (int unsigned i = 0; i < InputStreams; i++) begin
      if (digits_start[i]) begin
        repeat_divisor_d = divisor_of(forms[i].repeats[0]);
        pass_divisor_d = divisor_of(forms[i].blocks[1]);
      end
    end
  end

  // Results.
  always_comb begin
    inputs_d = inputs_q;
    outputs_d = outputs_q;
    for (int unsigned i = 0; i < InputStreams; i++) begin
      if (covered_valid && covered.stream == stream_number_t'(i)) begin
        inputs_d[i].element_type = base_i.element_type;
        inputs_d[i].base = base_i.address[AddressBits-1:0];
      end
      if (table_q[i]) begin
        inputs_d[i].repeat_div = repeat_div;
        inputs_d[i].repeat_mod = repeat_mod;
        inputs_d[i].pass_mod = pass_mod;
      end
    end
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      if (covered_valid && covered.stream == stream_number_t'(InputStreams + i)) begin
        outputs_d[i].element_type = base_i.element_type;
        outputs_d[i].base = base_i.address[AddressBits-1:0];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      formed_q <= 1'b0;
      table_q  <= '0;
    end else begin
      formed_q <= covered_valid && !clear_i;
      table_q  <= table_d;
    end
  end

  always_ff @(posedge clk_i) begin
    formed_stream_q  <= covered.stream;
    repeat_divisor_q <= repeat_divisor_d;
    pass_divisor_q   <= pass_divisor_d;
    inputs_q         <= inputs_d;
    outputs_q        <= outputs_d;
  end

  always_comb begin
    faulty_o = infer_faulty || points_overflow || extent_faulty || overlap_found;
    fault_o = extent_fault;
    if (infer_faulty) begin
      fault_o = infer_fault;
    end else if (points_overflow) begin
      fault_o = '{code: FaultTooManyPoints, stream: '0, dimension: '0};
    end else if (!extent_faulty && overlap_found) begin
      fault_o = '{code: FaultOverlap, stream: code_of(overlap_stream), dimension: '0};
    end
  end

  assign done_o = !(infer_busy || form_busy || extent_busy || overlap_busy || digits_busy != '0);
  assign points_o = points;

  always_comb begin
    inputs_o = inputs_q;
    outputs_o = outputs_q;
    for (int unsigned i = 0; i < InputStreams; i++) begin
      inputs_o[i].valid = configured_i[i];
      inputs_o[i].held = forms[i].held;
      inputs_o[i].repeats = forms[i].repeats;
      inputs_o[i].blocks = forms[i].blocks;
      inputs_o[i].block_points = forms[i].block_points;
      inputs_o[i].strip_repeats = strip_repeats[i];
      inputs_o[i].strip_data = strip_data[i];
    end
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      outputs_o[i].valid = configured_i[InputStreams+i];
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (start_i) assert (done_o)
      else $error("start_i while busy");
    end
  end
`endif

endmodule
