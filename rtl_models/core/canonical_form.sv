// Brings the streams of a kernel into canonical form, all of them side by side: takes the
// dimensions from the innermost outwards, multiplies dimensions of one kind together, and opens a
// new level where a repeat follows data. A dimension is a repeat if the stream has size 1 in it and
// the iteration has not; iteration sizes of 1 are passed over. The stream's sizes are 1 or the
// iteration's. The points of the iteration are multiplied in the same way.
//
// The held level is the outermost repeat whose block, the elements inside of it, fits the ring.
//
// Timing: step_i in cycle t takes a dimension of a stream or of the points; size_i is its size in
// cycle t + 1, base_i the stream's, asked for by read_base_o in cycle t + 3, in cycle t + 4. The
// next dimension of the same stream comes in cycle t + 5 at the earliest, the points'
// before the streams'. After its last dimension what a stream covers is on covered_o in cycle
// t + 4, with covered_valid_o; forms_o holds from cycle t + 5 on, points_o as well.
module canonical_form
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic                              clk_i,
    input  logic                              rst_ni,
    input  logic                              clear_i,
    input  logic                              step_i,
    input  form_step_t                        form_step_i,
    input  size_t                             size_i,
    output logic                              read_base_o,
    output stream_number_t                    base_stream_o,
    // verilator lint_off UNUSEDSIGNAL
    input  stream_base_t                      base_i,            // its type alone
    // verilator lint_on UNUSEDSIGNAL
    output logic                              busy_o,
    output logic                              covered_valid_o,
    output covered_t                          covered_o,
    output canonical_t   [  InputStreams-1:0] forms_o,
    output size_t                             points_o,
    output logic                              points_overflow_o  // unless one size is 0
);

  // What goes from one dimension of a stream to the next.
  typedef struct packed {
    size_t elements;
    logic overflow;     // 2^SizeBits elements or more, unless empty
    logic empty;
    logic dense;
    size_t repeats;     // of the level
    level_t level;
    logic inside_data;
  } walk_t;

  localparam walk_t Begin = '{
    elements: size_t'(1),
    overflow: 1'b0,
    empty: 1'b0,
    dense: 1'b1,
    repeats: size_t'(1),
    level: '0,
    inside_data: 1'b0
  };

  // A dimension in the pipeline, and the walk but for its product.
  typedef struct packed {
    form_step_t step;
    logic counts;       // the iteration size is not 1
    logic opens;        // a level
    walk_t walk;
  } work_t;

  // Steps: look up, choose the factors, multiply, add, write.
  localparam int unsigned Stages = 4;
  logic [Stages-1:0] valid_q;
  form_step_t step_q;
  work_t work_d, work_q, multiplied_q, written_q;
  walk_t stored, walk, walk_written;
  size_t factor, factor_q, size_q, product;
  logic overflow, write;

  function automatic stream_slot_t slot_of(logic points, stream_number_t stream);
    return points ? stream_slot_t'(Streams) : stream_slot_t'(stream);
  endfunction

  ram_1w1r #(
      .Words      (Streams + 1),
      .Granules   (1),
      .GranuleBits($bits(walk_t))
  ) u_walks (
      .clk_i,
      .write_i        (write),
      .write_address_i(slot_of(written_q.step.points, written_q.step.stream)),
      .write_data_i   (walk_written),
      .read_i         (step_i),
      .read_address_i (slot_of(form_step_i.points, form_step_i.stream)),
      .read_data_o    (stored)
  );

  always_comb begin
    walk = step_q.first ? Begin : stored;
    work_d.step = step_q;
    work_d.counts = size_i != size_t'(1);
    work_d.opens = work_d.counts && step_q.one && walk.inside_data;
    work_d.walk = walk;
    if (work_d.counts) begin
      work_d.walk.inside_data = !step_q.one;
      if (step_q.one) work_d.walk.dense = 1'b0;
      else if (size_i == '0) work_d.walk.empty = 1'b1;
    end
    if (work_d.opens) work_d.walk.level = walk.level + 1'b1;
    factor = walk.elements;
    if (step_q.one) factor = work_d.opens ? size_t'(1) : walk.repeats;
  end

  size_multiplier u_product (
      .clk_i,
      .a_i       (factor_q),
      .b_i       (size_q),
      .product_o (product),
      .overflow_o(overflow)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= clear_i ? '0 : {valid_q[Stages-2:0], step_i};
  end

  always_ff @(posedge clk_i) begin
    step_q       <= form_step_i;
    work_q       <= work_d;
    factor_q     <= factor;
    size_q       <= size_i;
    multiplied_q <= work_q;
    written_q      <= multiplied_q;
  end

  assign read_base_o = valid_q[Stages-2] && !multiplied_q.step.points;
  assign base_stream_o = multiplied_q.step.stream;

  // The results.
  logic fits;
  level_t level;
  // Which parts of which form the dimension writes, decided a stage ahead because a great many
  // registers wait for it. A dimension that clear_i ends may still write: the next kernel starts
  // its forms anew.
  logic [InputStreams-1:0] form_write_d, form_write_q;
  logic [RepeatLevels-1:0] repeat_write_d, repeat_write_q, block_write_d, block_write_q;
  canonical_t [InputStreams-1:0] forms_d, forms_q;
  size_t points_d, points_q;
  logic points_overflow_d, points_overflow_q, no_points_d, no_points_q;

  always_comb begin
    for (int unsigned i = 0; i < InputStreams; i++) begin
      form_write_d[i] = valid_q[Stages-2] && !multiplied_q.step.points
          && multiplied_q.step.stream == stream_number_t'(i);
    end
    for (int unsigned j = 0; j < RepeatLevels; j++) begin
      repeat_write_d[j] = multiplied_q.step.one && multiplied_q.walk.level == level_t'(j);
      block_write_d[j] = !multiplied_q.step.one && multiplied_q.walk.level < level_t'(j);
    end

    write = valid_q[Stages-1];
    walk_written = written_q.walk;
    if (written_q.step.one) begin
      walk_written.repeats = product;
    end else begin
      walk_written.elements = product;
      walk_written.overflow = written_q.walk.overflow || overflow;
    end

    points_d = points_q;
    points_overflow_d = points_overflow_q;
    no_points_d = no_points_q;
    if (write && written_q.step.points) begin
      points_d = product;
      points_overflow_d = walk_written.overflow;
      no_points_d = walk_written.empty;
    end

    level = written_q.walk.level;
    fits = !written_q.walk.overflow
        && written_q.walk.elements <= size_t'(RingBytes) >> element_shift(base_i.element_type);
    forms_d = forms_q;
    for (int unsigned i = 0; i < InputStreams; i++) begin
      if (form_write_q[i]) begin
        if (written_q.step.first) begin
          forms_d[i] = '{
            repeats: {RepeatLevels{size_t'(1)}},
            blocks: {RepeatLevels{size_t'(1)}},
            held: '0,
            block_points: size_t'(1)
          };
        end
        if (written_q.opens && fits) forms_d[i].held = level;
        for (int unsigned j = 0; j < RepeatLevels; j++) begin
          if (repeat_write_q[j]) forms_d[i].repeats[j] = product;
          if (block_write_q[j]) forms_d[i].blocks[j] = product;
        end
        // The block ends with the passes of level 1 or, if there are none, the data of level 0.
        if (written_q.counts && (level == '0 || (level == level_t'(1) && written_q.step.one))) begin
          forms_d[i].block_points = points_q;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    form_write_q      <= form_write_d;
    repeat_write_q    <= repeat_write_d;
    block_write_q     <= block_write_d;
    forms_q           <= forms_d;
    points_q          <= points_d;
    points_overflow_q <= points_overflow_d;
    no_points_q       <= no_points_d;
  end

  assign busy_o = valid_q != '0;
  assign covered_valid_o = write && written_q.step.last && !written_q.step.points;
  assign covered_o = '{
    stream: written_q.step.stream,
    last_stream: written_q.step.last_stream,
    empty: walk_written.empty,
    dense: walk_written.dense,
    overflow: walk_written.overflow,
    elements: walk_written.elements
  };
  assign forms_o = forms_q;
  assign points_o = points_q;
  assign points_overflow_o = points_overflow_q && !no_points_q;

endmodule
