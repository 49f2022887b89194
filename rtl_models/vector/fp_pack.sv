// Rounds a non-negative integer times a power of two to a float, to nearest even, into subnormal
// numbers and infinity.
//
// `exponent_i` is the biased exponent that the top bit of `value_i` stands for, set or not. With
// `cancels_i`, a value of 0 comes from numbers that cancel and gives +0, whatever `negative_i` is.
// A result that is settled before any arithmetic (NaN, infinity) comes in as `settled_result_i`
// and passes through.
// Timing: four stages of registers (count zeros, place, shift, decide), then the rounding: result_o
// belongs to the operands of four cycles before and wants a register. One set of operands per
// cycle.
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
    input  logic               cancels_i,
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
  localparam int unsigned RestBits = ShiftedBits - SignificandBits - 1;

  // What needs no arithmetic.
  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic settled;
    lane_t settled_result;
    logic negative;
  } kind_t;

  typedef struct packed {
    kind_t kind;
    logic cancels;
    exponent_t exponent;
    logic [ShiftBits-1:0] room;  // shift down to BiasedMin, counted as below
    // With more zeros the result is subnormal; with fewer its exponent is BiasedMax.
    exponent_t to_min;
    exponent_t to_max;
    dropped_range_t range;  // bits that the format drops
    logic [CountBits-1:0] zeros;
    logic [Width-1:0] value;
  } counted_t;

  typedef struct packed {
    kind_t kind;
    biased_t exponent;  // of the result, BiasedMin or more
    dropped_count_t dropped;
    logic [ShiftBits-1:0] shift;  // to the left, counted from MaxShiftRight to the right
    logic [Width-1:0] value;
  } placed_t;

  typedef struct packed {
    kind_t kind;
    biased_t exponent;
    dropped_t dropped;
    significand_t significand;
    logic guard;
    logic [RestBits-1:0] rest;
  } normal_t;

  typedef struct packed {
    logic settled;
    lane_t settled_result;
    logic negative;
    rounding_t rounding;
  } decided_t;

  logic counted_valid, placed_valid, normal_valid;
  counted_t counted_d, counted_q;
  placed_t placed_d, placed_q;
  normal_t normal_d, normal_q;
  decided_t decided_d, decided_q;

  // Count zeros: the value is normalised, but its exponent never goes below BiasedMin, the
  // exponent of subnormal numbers; a smaller one means a shift to the right.
  leading_zeros #(
      .Width(Width)
  ) u_leading_zeros (
      .data_i (value_i),
      .count_o(counted_d.zeros)
  );

  always_comb begin
    exponent_t room;

    counted_d.kind = '{result_type_i, settled_i, settled_result_i, negative_i};
    counted_d.cancels = cancels_i;
    counted_d.exponent = exponent_i;
    counted_d.to_min = exponent_i - exponent_t'({1'b0, BiasedMin});
    counted_d.to_max = exponent_i - exponent_t'({1'b0, BiasedMax});
    room = exponent_i + (exponent_t'(MaxShiftRight) - exponent_t'({1'b0, BiasedMin}));
    counted_d.room = room < exponent_t'(0) ? '0 : unsigned'(ShiftBits'(room));
    counted_d.range = dropped_range(RoundingFormats[result_type_i], exponent_i);
    counted_d.value = value_i;
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

  // Place: the exponent that the result has, the shift there, and what the format drops then.
  always_comb begin
    exponent_t zeros;
    logic subnormal, value_is_zero;

    zeros = exponent_t'(counted_q.zeros);
    value_is_zero = counted_q.zeros == CountBits'(Width);
    subnormal = zeros > counted_q.to_min;

    placed_d.kind = counted_q.kind;
    if (counted_q.cancels && value_is_zero) placed_d.kind.negative = 1'b0;
    placed_d.exponent = biased_t'(counted_q.exponent - zeros);
    if (value_is_zero || subnormal) begin
      placed_d.exponent = BiasedMin;
    end else if (zeros < counted_q.to_max) begin
      placed_d.exponent = BiasedMax;
    end

    placed_d.dropped = dropped_with(counted_q.range, zeros);
    placed_d.shift = subnormal ? counted_q.room
                               : unsigned'(ShiftBits'(zeros + exponent_t'(MaxShiftRight)));
    placed_d.value = counted_q.value;
  end

  delay_line #(
      .data_t(placed_t)
  ) u_placed (
      .clk_i,
      .rst_ni,
      .valid_i(counted_valid),
      .data_i (placed_d),
      .valid_o(placed_valid),
      .data_o (placed_q)
  );

  // Shift.
  always_comb begin
    normal_d.kind = placed_q.kind;
    normal_d.exponent = placed_q.exponent;
    normal_d.dropped = dropped_bits(placed_q.dropped);
    {normal_d.significand, normal_d.guard, normal_d.rest} =
        ShiftedBits'(placed_q.value) << placed_q.shift;
  end

  delay_line #(
      .data_t(normal_t)
  ) u_normal (
      .clk_i,
      .rst_ni,
      .valid_i(placed_valid),
      .data_i (normal_d),
      .valid_o(normal_valid),
      .data_o (normal_q)
  );

  // Decide.
  always_comb begin
    decided_d.settled = normal_q.kind.settled;
    decided_d.settled_result = normal_q.kind.settled_result;
    decided_d.negative = normal_q.kind.negative;
    decided_d.rounding = decide(RoundingFormats[normal_q.kind.result_type].limit, normal_q.dropped,
                                normal_q.exponent, normal_q.significand, normal_q.guard,
                                normal_q.rest != '0);
  end

  delay_line #(
      .data_t(decided_t)
  ) u_decided (
      .clk_i,
      .rst_ni,
      .valid_i(normal_valid),
      .data_i (decided_d),
      .valid_o(valid_o),
      .data_o (decided_q)
  );

  // Round.
  assign result_o = pack_rounded(decided_q.rounding, decided_q.negative, decided_q.settled,
                                 decided_q.settled_result);

endmodule
