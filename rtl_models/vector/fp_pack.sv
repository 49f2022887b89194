// Rounds a non-negative integer times a power of two to binary32, to nearest even, into subnormal
// numbers and infinity.
//
// `exponent_i` is the biased exponent that the top bit of `value_i` stands for, set or not. A
// result that is settled before any arithmetic (NaN, infinity) comes in as `settled_result_i` and
// passes through.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Three stages (count zeros, shift, round); a greater depth delays the result.
module fp_pack
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Width = 48,
    parameter int unsigned Depth = 3
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    input  logic             settled_i,
    input  lane_t            settled_result_i,
    input  logic             negative_i,
    input  exponent_t        exponent_i,
    input  logic [Width-1:0] value_i,
    output logic             valid_o,
    output lane_t            result_o
);

  localparam int unsigned Stages = 3;
  if (Depth < Stages) begin : gen_depth_check
    $error("fp_pack needs a Depth of at least %0d, got %0d", Stages, Depth);
  end

  localparam int unsigned CountBits = $clog2(Width + 1);
  // Shifting right by this much leaves of any value a sticky bit at most.
  localparam int unsigned MaxShiftRight = SignificandBits + 2;
  localparam int unsigned ShiftBits = $clog2(Width + MaxShiftRight + 1);
  localparam int unsigned ShiftedBits = Width + MaxShiftRight;

  typedef struct packed {
    logic settled;
    lane_t settled_result;
    logic negative;
    logic [ExponentBits-1:0] exponent;  // of the result, 1 or more
    logic [Width-1:0] value;
    logic [ShiftBits-1:0] shift;  // to the left, out of MaxShiftRight places to the right
  } counted_t;

  typedef struct packed {
    logic settled;
    lane_t settled_result;
    logic negative;
    logic [ExponentBits-1:0] exponent;
    significand_t significand;
    logic guard;
    logic sticky;
  } normal_t;

  logic counted_valid, normal_valid;
  counted_t counted_d, counted_q;
  normal_t normal_d, normal_q;
  lane_t result_d;
  logic [CountBits-1:0] zeros;

  // Count zeros: the value is normalised, but its exponent never goes below 1, the exponent of
  // subnormal numbers; a smaller one means a shift to the right.
  leading_zeros #(
      .Width(Width)
  ) u_leading_zeros (
      .data_i (value_i),
      .count_o(zeros)
  );

  always_comb begin
    exponent_t normal_exponent, shift;

    normal_exponent = exponent_i - exponent_t'(zeros);
    shift = exponent_i - exponent_t'(1);
    if (shift > exponent_t'(zeros)) shift = exponent_t'(zeros);
    if (shift < -exponent_t'(MaxShiftRight)) shift = -exponent_t'(MaxShiftRight);

    counted_d.settled = settled_i;
    counted_d.settled_result = settled_result_i;
    counted_d.negative = negative_i;
    if (value_i == '0 || normal_exponent < exponent_t'(1)) begin
      counted_d.exponent = 8'd1;
    end else if (normal_exponent > exponent_t'({1'b0, ExponentMax})) begin
      counted_d.exponent = ExponentMax;
    end else begin
      counted_d.exponent = normal_exponent[ExponentBits-1:0];
    end
    counted_d.value = value_i;
    counted_d.shift = unsigned'(ShiftBits'(shift + exponent_t'(MaxShiftRight)));
  end

  delay_line #(
      .data_t(counted_t)
  ) u_counted (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (counted_d),
      .valid_o(counted_valid),
      .data_o (counted_q)
  );

  // Shift.
  always_comb begin
    logic [ShiftedBits-SignificandBits-2:0] rest;

    normal_d.settled = counted_q.settled;
    normal_d.settled_result = counted_q.settled_result;
    normal_d.negative = counted_q.negative;
    normal_d.exponent = counted_q.exponent;
    {normal_d.significand, normal_d.guard, rest} =
        ShiftedBits'(counted_q.value) << counted_q.shift;
    normal_d.sticky = rest != '0;
  end

  delay_line #(
      .data_t(normal_t)
  ) u_normal (
      .clk_i,
      .rst_ni,
      .valid_i(counted_valid),
      .data_i (normal_d),
      .valid_o(normal_valid),
      .data_o (normal_q)
  );

  // Round.
  assign result_d = normal_q.settled ? normal_q.settled_result
                                     : round_and_pack(normal_q.negative, normal_q.exponent,
                                                      normal_q.significand, normal_q.guard,
                                                      normal_q.sticky);

  delay_line #(
      .data_t(lane_t),
      .Stages(Depth - Stages + 1)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i(normal_valid),
      .data_i (result_d),
      .valid_o,
      .data_o (result_o)
  );

endmodule
