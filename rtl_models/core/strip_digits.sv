// Writes Vlen in the digits of a stream's canonical form: how far a strip moves each of them. Vlen
// is a power of two, so it is 1 doubled often enough, and a digit that is doubled overflows at most
// once. Digits of data are weighted as in stream_shape_t. Points beyond the outermost digit
// are dropped.
//
// Each level doubles its digits a cycle after the level below, with its carry; so the levels work
// on different doublings at a time.
//
// Timing: start_i in cycle t; repeats_i and blocks_i hold from then on while busy_o is high: from
// cycle t + 1 to cycle t + VlenShift + RepeatLevels. Then the digits hold until the next start_i.
module strip_digits
  import hwc_stream_pkg::*;
(
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     clear_i,
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
  typedef logic [Bits-1:0] digit_t;
  typedef logic [Bits:0] sum_t;
  typedef logic [$clog2(VlenShift+1)-1:0] step_t;

  function automatic digit_t clip(size_t size);
    return size >= size_t'(1 << Bits) ? '1 : size[Bits-1:0];
  endfunction

  // Limits, a cycle after the sizes.
  digit_t [RepeatLevels-1:0] repeat_limit_q, block_q;
  digit_t [DataLevels-1:0] rest_q;  // of a block after its lowest digit

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < RepeatLevels; i++) begin
      repeat_limit_q[i] <= clip(repeats_i[i]);
      block_q[i]        <= clip(blocks_i[i]);
    end
    for (int unsigned i = 0; i < DataLevels; i++) begin
      rest_q[i] <= clip(blocks_i[i+1]) - clip(blocks_i[i]);
    end
  end

  // Doublings. The first, of 0, carries 1 in.
  logic [RepeatLevels-1:0] active_d, active_q, carry_d, carry_q;
  step_t step_d, step_q;
  digit_t [RepeatLevels-1:0] repeats_d, repeats_q;
  digit_t [DataLevels-1:0] data_d, data_q;

  always_comb begin
    step_d = step_q - 1'b1;
    active_d = {active_q[RepeatLevels-2:0], active_q[0] && step_q != '0};
    if (start_i) begin
      step_d = step_t'(VlenShift);
      active_d = {{(RepeatLevels - 1) {1'b0}}, 1'b1};
    end
    if (clear_i) active_d = '0;
  end

  // Both new values of a data digit stand ready when the carry of the repeat comes. With it the
  // digit moves by a block of the level below more.
  sum_t [RepeatLevels-1:0] sum, twice;
  logic [RepeatLevels-1:0] repeat_carry, plain_carry, carried_carry;
  digit_t [RepeatLevels-1:0] plain, carried;

  always_comb begin
    repeats_d = repeats_q;
    data_d = data_q;
    carry_d = '0;
    carry_d[0] = start_i;
    twice = '0;
    plain_carry = '0;
    carried_carry = '0;
    plain = '0;
    carried = '0;
    for (int unsigned i = 0; i < RepeatLevels; i++) begin
      sum[i] = {repeats_q[i], carry_q[i]};
      repeat_carry[i] = sum[i] >= {1'b0, repeat_limit_q[i]};
      if (active_q[i]) begin
        repeats_d[i] = repeat_carry[i] ? sum[i][Bits-1:0] - repeat_limit_q[i] : sum[i][Bits-1:0];
      end
    end
    for (int unsigned i = 0; i < DataLevels; i++) begin
      twice[i] = {data_q[i], 1'b0};
      plain_carry[i] = twice[i] >= {1'b0, block_q[i+1]};
      carried_carry[i] = twice[i] >= {1'b0, rest_q[i]};
      plain[i] = twice[i][Bits-1:0] - (plain_carry[i] ? block_q[i+1] : '0);
      carried[i] = carried_carry[i] ? twice[i][Bits-1:0] - rest_q[i]
                                    : twice[i][Bits-1:0] + block_q[i];
      if (active_q[i]) begin
        data_d[i] = repeat_carry[i] ? carried[i] : plain[i];
        carry_d[i+1] = repeat_carry[i] ? carried_carry[i] : plain_carry[i];
      end
    end
    if (start_i) begin
      repeats_d = '0;
      data_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= '0;
    else active_q <= active_d;
  end

  always_ff @(posedge clk_i) begin
    step_q    <= step_d;
    carry_q   <= carry_d;
    repeats_q <= repeats_d;
    data_q    <= data_d;
  end

  assign busy_o = active_q != '0;

  always_comb begin
    for (int unsigned i = 0; i < RepeatLevels; i++) strip_repeats_o[i] = size_t'(repeats_q[i]);
    for (int unsigned i = 0; i < DataLevels; i++) strip_data_o[i] = size_t'(data_q[i]);
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (start_i) assert (active_q == '0)
      else $error("start_i while busy");
    end
  end
`endif

endmodule
