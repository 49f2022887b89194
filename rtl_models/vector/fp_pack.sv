// Rounds a non-negative integer times a power of two to a float, to nearest even, into subnormal
// numbers and infinity.
//
// `exponent_i` is the biased exponent that the top bit of `value_i` stands for, set or not. A
// result that is settled before any arithmetic (NaN, infinity) comes in as `settled_result_i` and
// passes through.
// Timing: two stages of registers (count zeros, shift), then the rounding: result_o belongs to the
// operands of two cycles before and wants a register. One set of operands per cycle.
module fp_pack
  import hwc_float_pkg::*;
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Width = 48
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               valid_i,
    input  hwc_isa_pkg::type_e result_type_i,
    input  logic               settled_i,
    input  lane_t              settled_result_i,
    input  logic               negative_i,
    input  exponent_t          exponent_i,
    input  logic [Width-1:0]   value_i,
    output logic               valid_o,
    output lane_t              result_o
);

  localparam int unsigned CountBits = $clog2(Width + 1);
  // Shifting right by this much leaves of any value a sticky bit at most.
  localparam int unsigned MaxShiftRight = SignificandBits + 2;
  localparam int unsigned ShiftBits = $clog2(Width + MaxShiftRight + 1);
  localparam int unsigned ShiftedBits = Width + MaxShiftRight;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic settled;
    lane_t settled_result;
    logic negative;
    biased_t exponent;  // of the result, BiasedMin or more
    logic [Width-1:0] value;
    logic [ShiftBits-1:0] shift;  // to the left, counted from MaxShiftRight to the right
  } counted_t;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic settled;
    lane_t settled_result;
    logic negative;
    biased_t exponent;
    significand_t significand;
    logic guard;
    logic sticky;
  } normal_t;

  logic counted_valid, normal_valid;
  counted_t counted_d, counted_q;
  normal_t normal_d, normal_q;
  logic [CountBits-1:0] zeros;

  // Count zeros: the value is normalised, but its exponent never goes below BiasedMin, the
  // exponent of subnormal numbers; a smaller one means a shift to the right.
  leading_zeros #(
      .Width(Width)
  ) u_leading_zeros (
      .data_i (value_i),
      .count_o(zeros)
  );

  always_comb begin
    exponent_t normal_exponent, shift;

    normal_exponent = exponent_i - exponent_t'(zeros);
    shift = exponent_i - exponent_t'({1'b0, BiasedMin});
    if (shift > exponent_t'(zeros)) shift = exponent_t'(zeros);
    if (shift < -exponent_t'(MaxShiftRight)) shift = -exponent_t'(MaxShiftRight);

    counted_d.result_type = result_type_i;
    counted_d.settled = settled_i;
    counted_d.settled_result = settled_result_i;
    counted_d.negative = negative_i;
    if (value_i == '0 || normal_exponent < exponent_t'({1'b0, BiasedMin})) begin
      counted_d.exponent = BiasedMin;
    end else if (normal_exponent > exponent_t'({1'b0, BiasedMax})) begin
      counted_d.exponent = BiasedMax;
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

    normal_d.result_type = counted_q.result_type;
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
  assign valid_o = normal_valid;
  assign result_o = normal_q.settled
      ? normal_q.settled_result
      : round_and_pack(hwc_isa_pkg::float_format(normal_q.result_type), normal_q.negative,
                       normal_q.exponent, normal_q.significand, normal_q.guard, normal_q.sticky);

endmodule
