// Writes Vlen in the digits of a stream's canonical form: how far a strip moves each of them. Vlen
// is a power of two, so it is 1 doubled often enough, and a digit that is doubled overflows at most
// once. Digits of data are weighted as in stream_shape_t. Points beyond the outermost digit
// are dropped.
//
// Timing: start_i in cycle t takes repeats_i and blocks_i, which hold while busy_o is high: from
// cycle t + 1 to cycle t + RepeatLevels * (VlenShift + 1). Then the digits hold until the
// next start_i.
module strip_digits
  import hwc_stream_pkg::*;
(
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     start_i,
    input  size_t [RepeatLevels-1:0] repeats_i,
    input  size_t [RepeatLevels-1:0] blocks_i,
    output logic                     busy_o,
    output size_t [RepeatLevels-1:0] strip_repeats_o,
    output size_t [DataLevels-1:0]   strip_data_o
);

  // No digit is above Vlen before it is doubled: a limit beyond all of that is as good as any
  // larger one.
  localparam int unsigned Bits = VlenShift + 2;
  localparam level_t LastLevel = level_t'(RepeatLevels - 1);
  typedef logic [Bits-1:0] digit_t;
  typedef logic [$clog2(VlenShift+1)-1:0] step_t;

  function automatic digit_t clip(size_t size);
    return size >= size_t'(1 << Bits) ? '1 : size[Bits-1:0];
  endfunction

  logic busy_d, busy_q;
  level_t level_d, level_q;
  step_t step_d, step_q;
  digit_t [RepeatLevels-1:0] repeats_d, repeats_q;
  digit_t [DataLevels-1:0] data_d, data_q;
  logic carry_d, carry_q;

  // The level in hand. Both sums stand ready when the carry of the repeat comes.
  digit_t repeat_limit, below, block;
  logic [Bits:0] repeat_sum, data_sum, data_sum_carried, data_chosen;
  logic repeat_carry, data_carry;
  digit_t [RepeatLevels-1:0] data_all;
  level_t above;

  always_comb begin
    above = level_q == LastLevel ? level_q : level_q + 1'b1;
    data_all = {digit_t'(0), data_q};
    repeat_limit = clip(repeats_i[level_q]);
    below = clip(blocks_i[level_q]);
    block = clip(blocks_i[above]);

    repeat_sum = {repeats_q[level_q], carry_q};
    repeat_carry = repeat_sum >= {1'b0, repeat_limit};
    data_sum = {data_all[level_q], 1'b0};
    data_sum_carried = data_sum + {1'b0, below};
    data_chosen = repeat_carry ? data_sum_carried : data_sum;
    data_carry = data_chosen >= {1'b0, block};

    repeats_d = repeats_q;
    data_d = data_q;
    repeats_d[level_q] = repeat_sum[Bits-1:0] - (repeat_carry ? repeat_limit : '0);
    for (int unsigned i = 0; i < DataLevels; i++) begin
      if (level_q == level_t'(i)) data_d[i] = data_chosen[Bits-1:0] - (data_carry ? block : '0);
    end
    carry_d = level_q != LastLevel && data_carry;

    busy_d = busy_q;
    level_d = level_q;
    step_d = step_q;
    if (busy_q) begin
      level_d = level_q + 1'b1;
      if (level_q == LastLevel) begin
        level_d = '0;
        step_d = step_q - 1'b1;
        if (step_q == '0) busy_d = 1'b0;
      end
    end
    // The first doubling, of 0, carries 1 in.
    if (start_i) begin
      busy_d = 1'b1;
      level_d = '0;
      step_d = step_t'(VlenShift);
      carry_d = 1'b1;
      repeats_d = '0;
      data_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      level_q <= '0;
      step_q  <= '0;
    end else begin
      busy_q  <= busy_d;
      level_q <= level_d;
      step_q  <= step_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i || busy_q) begin
      carry_q   <= carry_d;
      repeats_q <= repeats_d;
      data_q    <= data_d;
    end
  end

  assign busy_o = busy_q;

  always_comb begin
    for (int unsigned i = 0; i < RepeatLevels; i++) strip_repeats_o[i] = size_t'(repeats_q[i]);
    for (int unsigned i = 0; i < DataLevels; i++) strip_data_o[i] = size_t'(data_q[i]);
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (start_i) assert (!busy_q)
      else $error("start_i while busy");
    end
  end
`endif

endmodule
