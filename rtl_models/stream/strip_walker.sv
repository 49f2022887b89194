// Walks an input stream strip by strip and tells, for each strip, which of its elements are needed
// and which are done with. The position is the last point of the strip, in digits of the canonical
// form; a strip further is one addition per digit with carry, so nothing is ever divided.
//
// A position before the first point has all digits at their limits: adding Vlen carries out of the
// outermost digit and leaves Vlen - 1. The last point of the kernel has all digits at their limits.
//
// Timing: step_i in cycle t makes position_o valid from cycle t + 5 until the next step; one repeat
// and one data digit are worked on per cycle. first_i with step_i forgets the position, last_i says
// that the strip is the kernel's last. shape_i holds still from the first step on.
module strip_walker
  import hwc_stream_pkg::*;
(
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            step_i,
    input  logic            first_i,
    input  logic            last_i,
    input  stream_shape_t   shape_i,
    output logic            valid_o,
    output strip_position_t position_o
);

  localparam level_t LastLevel = level_t'(RepeatLevels - 1);

  // Control: the level that is worked on.
  logic busy_d, busy_q, valid_d, valid_q, first_d, first_q, last_d, last_q;
  level_t level_d, level_q;

  always_comb begin
    busy_d  = busy_q && level_q != LastLevel;
    valid_d = valid_q || (busy_q && level_q == LastLevel);
    first_d = first_q;
    last_d  = last_q;
    level_d = level_q + 1'b1;
    if (step_i) begin
      busy_d  = 1'b1;
      valid_d = 1'b0;
      first_d = first_i;
      last_d  = last_i;
      level_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      valid_q <= 1'b0;
      first_q <= 1'b0;
      last_q  <= 1'b0;
      level_q <= '0;
    end else begin
      busy_q  <= busy_d;
      valid_q <= valid_d;
      first_q <= first_d;
      last_q  <= last_d;
      level_q <= level_d;
    end
  end

  // The repeat digit of the level.
  size_t [RepeatLevels-1:0] repeats_d, repeats_q;
  logic repeat_carry, carry_d, carry_q;  // carry_q: out of the level below
  size_t repeat_limit, repeat_old, repeat_new;
  logic [SizeBits:0] repeat_sum;

  always_comb begin
    repeat_limit = shape_i.repeats[level_q] - 1'b1;
    repeat_old = first_q ? repeat_limit : repeats_q[level_q];
    repeat_sum = {1'b0, repeat_old} + {1'b0, shape_i.strip_repeats[level_q]}
        + (SizeBits + 1)'(carry_q && level_q != '0);
    repeat_carry = repeat_sum > {1'b0, repeat_limit};
    repeat_new = repeat_carry ? repeat_sum[SizeBits-1:0] - shape_i.repeats[level_q]
                              : repeat_sum[SizeBits-1:0];
    if (last_q) repeat_new = repeat_limit;
    repeats_d = repeats_q;
    repeats_d[level_q] = repeat_new;
  end

  // The data digit of the level, weighted; the outermost level has none. Both sums stand ready when
  // the carry of the repeat digit comes.
  size_t [DataLevels-1:0] data_d, data_q;
  size_t data_limit, data_old, data_new, below, block;
  logic [SizeBits:0] data_sum, data_sum_carried, data_chosen;
  size_t [RepeatLevels-1:0] strip_data, data_all;

  always_comb begin
    strip_data = {size_t'(0), shape_i.strip_data};
    data_all = {size_t'(0), data_q};
    below = shape_i.blocks[level_q];
    block = level_q == LastLevel ? below : shape_i.blocks[level_q + 1'b1];
    data_limit = block - below;
    data_old = first_q ? data_limit : data_all[level_q];
    data_sum = {1'b0, data_old} + {1'b0, strip_data[level_q]};
    data_sum_carried = data_sum + {1'b0, below};
    data_chosen = repeat_carry ? data_sum_carried : data_sum;
    carry_d = data_chosen > {1'b0, data_limit};
    data_new = carry_d ? data_chosen[SizeBits-1:0] - block : data_chosen[SizeBits-1:0];
    if (last_q) data_new = data_limit;
    if (level_q == LastLevel) data_new = '0;
    data_d = data_q;
    for (int unsigned i = 0; i < DataLevels; i++) begin
      if (level_q == level_t'(i)) data_d[i] = data_new;
    end
  end

  // Elements of the run that points up to this one need, and those that no point after it needs. In
  // the first pass of a repeat an element is needed when it is reached, in the last pass it is done
  // with when it is left; the inner levels say how far the element in hand has got.
  size_t high_d, high_q, low_d, low_q, origin_d, origin_q;
  logic new_run_d, new_run_q;
  fetch_position_t run_position_d, run_position_q;

  always_comb begin
    high_d = high_q;
    low_d = low_q;
    origin_d = origin_q;
    new_run_d = new_run_q;
    run_position_d = run_position_q;
    if (level_q == '0) begin
      high_d = size_t'(1);
      low_d = size_t'(repeat_new == repeat_limit);
      origin_d = '0;
      new_run_d = first_q;
    end
    if (level_q <= shape_i.held) begin
      if (level_q != '0) begin
        if (repeat_new != '0) high_d = below;
        if (repeat_new != repeat_limit) low_d = '0;
      end
      high_d = high_d + data_new;
      low_d = low_d + data_new;
    end else begin
      origin_d = origin_d + data_new;
      if (repeat_new != repeat_old || data_new != data_old) new_run_d = 1'b1;
    end
    if (level_q == LastLevel) begin
      if (first_q) run_position_d = '0;
      else if (new_run_d) begin
        run_position_d = run_position_q
            + (fetch_position_t'(run_elements(shape_i)) << element_shift(shape_i.element_type));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (busy_q) begin
      repeats_q  <= repeats_d;
      data_q     <= data_d;
      carry_q    <= carry_d;
      high_q     <= high_d;
      low_q      <= low_d;
      origin_q   <= origin_d;
      new_run_q  <= new_run_d;
      run_position_q <= run_position_d;
    end
  end

  assign valid_o = valid_q;
  assign position_o = '{
      new_run: new_run_q,
      origin: origin_q,
      high: high_q,
      low: low_q,
      run_position: run_position_q
  };

endmodule
