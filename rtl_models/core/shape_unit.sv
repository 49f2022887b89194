// Resolves the streams of a kernel at `loop`: infers the iteration sizes, checks shapes, addresses
// and overlaps, and brings the input streams into the form that the stream path walks. Of several
// faults the first in the order of the instruction set's manual is reported.
//
// Timing: start_i in cycle t takes the streams of stream_table, which holds still until the kernel
// ends. done_o rises at cycle t + MachineSetupBase + n * MachineSetupPerStream - 12 at the latest,
// where n is the number of streams, and stays high until the next start_i; fault_o, points_o,
// inputs_o and outputs_o are valid while it is high. Every step has a fixed length per stream or
// dimension; nothing is divided.
module shape_unit
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                               clk_i,
    input  logic                               rst_ni,
    input  logic                               start_i,
    input  logic           [     HostBits-1:0] window_base_i,
    input  logic           [     HostBits-1:0] window_limit_i,
    // The table of configured streams.
    input  stream_set_t                        configured_i,
    input  rank_t          [      Streams-1:0] ranks_i,
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
    output fault_t                             fault_o,
    output size_t                              points_o,
    output stream_shape_t  [ InputStreams-1:0] inputs_o,
    output output_shape_t  [OutputStreams-1:0] outputs_o
);

  typedef enum logic [2:0] {
    Idle,
    Infer,
    Select,     // a stream, in order
    Start,
    Walk,       // its dimensions
    Measure,    // its bytes
    Check,
    Overlap
  } state_e;

  state_e state_d, state_q;
  stream_set_t left_d, left_q;
  stream_number_t stream_d, stream_q;
  fault_t fault_d, fault_q;
  size_t points_d, points_q;
  logic done_d, done_q;

  // Sizes of the iteration.
  logic infer_busy;
  size_t [RankMax-1:0] iteration;
  fault_t infer_fault;

  shape_inference u_inference (
      .clk_i,
      .rst_ni,
      .start_i,
      .configured_i,
      .ranks_i,
      .read_o     (read_size_o),
      .stream_o   (size_stream_o),
      .dimension_o(size_dimension_o),
      .size_i,
      .busy_o     (infer_busy),
      .sizes_o    (iteration),
      .fault_o    (infer_fault)
  );

  // Canonical form of a stream.
  logic form_start, form_busy;
  canonical_t form;

  canonical_form u_form (
      .clk_i,
      .rst_ni,
      .start_i       (form_start),
      .iteration_i   (iteration),
      .ones_i        (ones_i[stream_q]),
      .element_type_i(base_i.element_type),
      .busy_o        (form_busy),
      .canonical_o   (form)
  );

  // Its bytes: from `address` below `limit_q`, in as many bits as they may take.
  localparam int unsigned LimitBits = HostBits + 4;
  logic [LimitBits-1:0] limit_d, limit_q;
  logic misaligned, outside, extent_write;
  extent_t extent;

  always_comb begin
    limit_d = LimitBits'(base_i.address)
        + (LimitBits'(form.elements) << element_shift(base_i.element_type));
    misaligned = (base_i.address
        & ((stream_address_t'(1) << element_shift(base_i.element_type)) - 1'b1)) != '0;
    outside = !form.empty && (form.elements_overflow
        || base_i.address < stream_address_t'(window_base_i)
        || limit_q > LimitBits'(window_limit_i));
    extent = '{
      first: base_i.address[HostBits-1:0],
      limit: limit_q[HostBits-1:0],
      empty: form.empty,
      dense: form.dense,
      element_type: base_i.element_type
    };
  end

  always_ff @(posedge clk_i) begin
    limit_q <= limit_d;
  end

  // Overlaps.
  logic overlap_start, overlap_busy, overlap_found, extent_read;
  stream_number_t overlap_stream, extent_stream;
  extent_t extent_out;

  ram_1w1r #(
      .Words      (Streams),
      .Granules   (1),
      .GranuleBits($bits(extent_t))
  ) u_extents (
      .clk_i,
      .write_i        (extent_write),
      .write_address_i(stream_q),
      .write_data_i   (extent),
      .read_i         (extent_read),
      .read_address_i (extent_stream),
      .read_data_o    (extent_out)
  );

  overlap_check u_overlap (
      .clk_i,
      .rst_ni,
      .start_i      (overlap_start),
      .configured_i,
      .read_o       (extent_read),
      .read_stream_o(extent_stream),
      .extent_i     (extent_out),
      .busy_o       (overlap_busy),
      .found_o      (overlap_found),
      .stream_o     (overlap_stream)
  );

  // Steps and tables of an input stream are counted while the next stream is walked.
  logic count_start, count_busy, counting_d, counting_q, digits_busy, tables_busy;
  stream_number_t counted_d, counted_q;
  size_t [RepeatLevels-1:0] strip_repeats;
  size_t [DataLevels-1:0] strip_data;
  lane_count_t [TableRows-1:0] repeat_div;
  lane_index_t [TableRows-1:0] repeat_mod, pass_mod;
  stream_shape_t [InputStreams-1:0] inputs_d, inputs_q;
  output_shape_t [OutputStreams-1:0] outputs_d, outputs_q;
  // verilator lint_off UNUSEDSIGNAL
  stream_shape_t counted;  // only its form
  // verilator lint_on UNUSEDSIGNAL

  always_comb begin
    counted = '0;
    for (int unsigned i = 0; i < InputStreams; i++) begin
      if (counted_q == stream_number_t'(i)) counted = inputs_q[i];
    end
  end

  strip_digits u_digits (
      .clk_i,
      .rst_ni,
      .start_i        (count_start),
      .repeats_i      (counted.repeats),
      .blocks_i       (counted.blocks),
      .busy_o         (digits_busy),
      .strip_repeats_o(strip_repeats),
      .strip_data_o   (strip_data)
  );

  lane_tables u_tables (
      .clk_i,
      .rst_ni,
      .start_i     (count_start),
      .repeat_i    (form.repeats[0]),
      .pass_i      (form.blocks[1]),
      .busy_o      (tables_busy),
      .repeat_div_o(repeat_div),
      .repeat_mod_o(repeat_mod),
      .pass_mod_o  (pass_mod)
  );

  assign count_busy = digits_busy || tables_busy;

  // Control.
  logic ready;

  always_comb begin
    state_d = state_q;
    left_d = left_q;
    stream_d = stream_q;
    fault_d = fault_q;
    points_d = points_q;
    done_d = done_q;
    read_base_o = 1'b0;
    base_stream_o = first_stream(left_q);
    form_start = 1'b0;
    extent_write = 1'b0;
    overlap_start = 1'b0;
    count_start = 1'b0;
    ready = is_output_number(stream_q) || !(counting_q && count_busy);

    unique case (state_q)
      Idle: begin
        if (start_i) begin
          state_d = Infer;
          left_d = configured_i;
          done_d = 1'b0;
        end
      end
      Infer: begin
        fault_d = infer_fault;
        if (!infer_busy) state_d = Select;
      end
      Select: begin
        stream_d = first_stream(left_q);
        left_d = left_q & ~stream_mask(stream_d);
        read_base_o = left_q != '0;
        state_d = Start;
        if (left_q == '0) begin
          state_d = Overlap;
          overlap_start = 1'b1;
        end
      end
      Start: begin
        form_start = 1'b1;
        state_d = Walk;
      end
      Walk: if (!form_busy) state_d = Measure;
      Measure: if (ready) state_d = Check;
      Check: begin
        extent_write = 1'b1;
        count_start = !is_output_number(stream_q);
        points_d = form.points;
        state_d = Select;
        if (fault_q.code == FaultNone) begin
          if (form.points_overflow) begin
            fault_d = '{code: FaultTooManyPoints, stream: '0, dimension: '0};
          end else if (misaligned) begin
            fault_d = '{code: FaultMisaligned, stream: code_of(stream_q), dimension: '0};
          end else if (outside) begin
            fault_d = '{code: FaultOutOfWindow, stream: code_of(stream_q), dimension: '0};
          end
        end
      end
      Overlap: begin
        if (!overlap_busy && !(counting_q && count_busy)) begin
          state_d = Idle;
          done_d = 1'b1;
          if (fault_q.code == FaultNone && overlap_found) begin
            fault_d = '{code: FaultOverlap, stream: code_of(overlap_stream), dimension: '0};
          end
        end
      end
      default: state_d = Idle;
    endcase
  end

  // Results.
  always_comb begin
    inputs_d = inputs_q;
    outputs_d = outputs_q;
    counting_d = counting_q && count_busy;
    counted_d = counted_q;
    if (counting_q && !count_busy) begin
      for (int unsigned i = 0; i < InputStreams; i++) begin
        if (counted_q == stream_number_t'(i)) begin
          inputs_d[i].strip_repeats = strip_repeats;
          inputs_d[i].strip_data = strip_data;
          inputs_d[i].repeat_div = repeat_div;
          inputs_d[i].repeat_mod = repeat_mod;
          inputs_d[i].pass_mod = pass_mod;
        end
      end
    end
    if (state_q == Measure && ready) begin
      for (int unsigned i = 0; i < InputStreams; i++) begin
        if (stream_q == stream_number_t'(i)) begin
          inputs_d[i].element_type = base_i.element_type;
          inputs_d[i].base = base_i.address[AddressBits-1:0];
          inputs_d[i].held = form.held;
          inputs_d[i].repeats = form.repeats;
          inputs_d[i].blocks = form.blocks;
          inputs_d[i].block_points = form.block_points;
        end
      end
      for (int unsigned i = 0; i < OutputStreams; i++) begin
        if (stream_q == stream_number_t'(InputStreams + i)) begin
          outputs_d[i].element_type = base_i.element_type;
          outputs_d[i].base = base_i.address[AddressBits-1:0];
        end
      end
      if (!is_output_number(stream_q)) counted_d = stream_q;
    end
    if (count_start) counting_d = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Idle;
      done_q     <= 1'b0;
      counting_q <= 1'b0;
    end else begin
      state_q    <= state_d;
      done_q     <= done_d;
      counting_q <= counting_d;
    end
  end

  always_ff @(posedge clk_i) begin
    left_q    <= left_d;
    stream_q  <= stream_d;
    fault_q   <= fault_d;
    points_q  <= points_d;
    counted_q <= counted_d;
    inputs_q  <= inputs_d;
    outputs_q <= outputs_d;
  end

  assign done_o = done_q;
  assign fault_o = fault_q;
  assign points_o = points_q;

  always_comb begin
    inputs_o = inputs_q;
    outputs_o = outputs_q;
    for (int unsigned i = 0; i < InputStreams; i++) inputs_o[i].valid = configured_i[i];
    for (int unsigned i = 0; i < OutputStreams; i++) begin
      outputs_o[i].valid = configured_i[InputStreams+i];
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (start_i) assert (state_q == Idle)
      else $error("start_i while busy");
    end
  end
`endif

endmodule
