// The floating-point operations of unit alu: sign changes, extrema, comparisons, rounding to
// whole numbers.
//
// Every NaN result is canonical.
// Timing: four stages of registers (decode, compare, decide, round): result_o belongs to the
// operands of four cycles before. One set of operands per cycle.
module fp_alu
  import hwc_float_pkg::*;
  import hwc_vector_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    valid_i,
    input  hwc_isa_pkg::operation_e op_i,
    input  lane_t                   a_i,
    input  lane_t                   b_i,
    output logic                    valid_o,
    output lane_t                   result_o
);
  import hwc_isa_pkg::*;

  // From this exponent on every number is whole.
  localparam int unsigned ExponentWhole = ExponentBias + FractionBits;

  typedef logic [FractionBits-1:0] fraction_t;

  // What the operation makes its result of, and no other bit: all lanes share these, so each has
  // many readers.
  typedef struct packed {
    logic rounds;
    logic floor;
    logic ceil;
    logic half_away;
    logic half_even;
    logic signs;  // a with another sign
    logic greatest;
    logic least;
    logic number;  // of a number and a NaN, the number
    logic compares;
    logic if_same;
    logic if_not_same;
    logic if_above;
  } choice_t;

  typedef struct packed {
    choice_t choice;
    logic negates;
    logic copies_sign;
    float_t a;
    float_t b;
  } decoded_t;

  typedef struct packed {
    choice_t choice;
    float_t a;
    float_t b;
    logic sign;  // of the result, if the operation is about signs
    logic a_nan;
    logic b_nan;
    logic ranks_above;  // a, where -0 is just below +0
    logic same;
    logic below_one;  // the magnitude of a
    fraction_t fraction;  // the bits of a that stand for less than 1, if it is not below 1
  } compared_t;

  typedef struct packed {
    logic is_whole;  // the result is a rounded to a whole number
    lane_t a;
    logic below_one;
    fraction_t fraction;
    logic away;  // from zero, by one
    lane_t other;  // the result if it is not
  } decided_t;

  logic decoded_valid, compared_valid, decided_valid;
  decoded_t decoded_d, decoded_q;
  compared_t compared_d, compared_q;
  decided_t decided_d, decided_q;
  lane_t rounded;

  // Maps the numbers onto unsigned integers in their order, -0 just below +0.
  function automatic lane_t rank(float_t value);
    return value.sign ? ~value : {1'b1, value[LaneBits-2:0]};
  endfunction

  function automatic choice_t choice_of(operation_e operation);
    choice_of.floor = operation == OperationFloor;
    choice_of.ceil = operation == OperationCeil;
    choice_of.half_away = operation == OperationRound;
    choice_of.half_even = operation == OperationRoundeven;
    choice_of.rounds = operation inside {OperationCeil, OperationFloor, OperationRound,
                                         OperationRoundeven, OperationTrunc};
    choice_of.signs = operation inside {OperationAbs, OperationNeg, OperationCopysign};
    choice_of.greatest = operation inside {OperationMax, OperationMaxn};
    choice_of.least = operation inside {OperationMin, OperationMinn};
    choice_of.number = operation inside {OperationMaxn, OperationMinn};
    choice_of.compares = operation inside {OperationEq, OperationNe, OperationGt, OperationGe};
    choice_of.if_same = operation inside {OperationEq, OperationGe};
    choice_of.if_not_same = operation == OperationNe;
    choice_of.if_above = operation inside {OperationGt, OperationGe};
  endfunction

  // Decode: all lanes do the same, so that what an operation means has many readers.
  always_comb begin
    decoded_d.choice = choice_of(op_i);
    decoded_d.negates = op_i == OperationNeg;
    decoded_d.copies_sign = op_i == OperationCopysign;
    decoded_d.a = a_i;
    decoded_d.b = b_i;
  end

  delay_line #(
      .data_t(decoded_t)
  ) u_decoded (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (decoded_d),
      .valid_o(decoded_valid),
      .data_o (decoded_q)
  );

  // Compare.
  always_comb begin
    float_t a, b;

    a = decoded_q.a;
    b = decoded_q.b;
    compared_d.choice = decoded_q.choice;
    compared_d.a = a;
    compared_d.b = b;
    compared_d.sign = decoded_q.negates ? !a.sign : decoded_q.copies_sign && b.sign;
    compared_d.a_nan = is_nan(a);
    compared_d.b_nan = is_nan(b);
    compared_d.ranks_above = rank(a) > rank(b);
    compared_d.same = a == b || (is_zero(a) && is_zero(b));

    compared_d.below_one = a.exponent < biased_t'(ExponentBias);
    for (int unsigned i = 0; i < FractionBits; i++) begin
      compared_d.fraction[i] = a.exponent < biased_t'(ExponentWhole - i);
    end
  end

  delay_line #(
      .data_t(compared_t)
  ) u_compared (
      .clk_i,
      .rst_ni,
      .valid_i(decoded_valid),
      .data_i (compared_d),
      .valid_o(compared_valid),
      .data_o (compared_q)
  );

  choice_t choice;
  assign choice = compared_q.choice;

  // Decide whether a number is rounded away from zero. One below 1 has its half, and what is below
  // that, in its exponent: it is at least one half if its exponent is that of one half, and more if
  // it has a fraction.
  always_comb begin
    float_t a;
    fraction_t first;  // the bit that stands for one half, none if a is whole
    logic odd, half, rest;

    a = compared_q.a;
    first = compared_q.fraction & ~(compared_q.fraction >> 1);
    if (compared_q.below_one) begin
      odd = 1'b0;
      half = a.exponent == biased_t'(ExponentBias - 1);
      rest = half ? a.fraction != '0 : !is_zero(a);
    end else begin
      // From 1 to 2, the exponent's last bit stands for the hidden one.
      odd = ({a.exponent[0], a.fraction} & {first, 1'b0}) != '0;
      half = (a.fraction & first) != '0;
      rest = (a.fraction & (compared_q.fraction >> 1)) != '0;
    end

    decided_d.away = (choice.floor && a.sign && (half || rest))
        || (choice.ceil && !a.sign && (half || rest)) || (choice.half_away && half)
        || (choice.half_even && half && (rest || odd));
    decided_d.is_whole = choice.rounds && !compared_q.a_nan;
    decided_d.a = a;
    decided_d.below_one = compared_q.below_one;
    decided_d.fraction = compared_q.fraction;
  end

  // The results that need no rounding.
  always_comb begin
    lane_t a, b;
    logic any_nan, above, extremum, takes_a, takes_b, takes_nan, holds;

    a = compared_q.a;
    b = compared_q.b;
    any_nan = compared_q.a_nan || compared_q.b_nan;
    above = compared_q.ranks_above;
    extremum = choice.greatest || choice.least;
    takes_a = extremum && (any_nan ? choice.number && !compared_q.a_nan
                                   : choice.greatest ? above : !above);
    takes_b = extremum && (any_nan ? choice.number && !compared_q.b_nan
                                   : choice.greatest ? !above : above);
    // A NaN also comes of one that would be rounded.
    takes_nan = !choice.compares && !takes_a && !takes_b && (!choice.signs || compared_q.a_nan);
    holds = any_nan ? choice.if_not_same
                    : (choice.if_same && compared_q.same)
                        || (choice.if_not_same && !compared_q.same)
                        || (choice.if_above && above && !compared_q.same);

    decided_d.other = (takes_a ? a : '0) | (takes_b ? b : '0) | (takes_nan ? CanonicalNan : '0);
    if (choice.signs && !compared_q.a_nan) begin
      decided_d.other = {compared_q.sign, a[LaneBits-2:0]};
    end
    if (holds) decided_d.other[0] = 1'b1;
  end

  delay_line #(
      .data_t(decided_t)
  ) u_decided (
      .clk_i,
      .rst_ni,
      .valid_i(compared_valid),
      .data_i (decided_d),
      .valid_o(decided_valid),
      .data_o (decided_q)
  );

  // Round: away from zero is the number with a full fraction plus its last bit, whose carry goes
  // through the fraction and may go into the exponent. Then the fraction is cut off.
  always_comb begin
    lane_t whole;

    whole = ((decided_q.a | lane_t'(decided_q.fraction)) + lane_t'(decided_q.away))
        & ~lane_t'(decided_q.fraction);
    if (decided_q.below_one) begin
      whole = (decided_q.away ? FloatOne : '0) |
              {decided_q.a[LaneBits-1], (LaneBits - 1)'(0)};
    end
    rounded = decided_q.is_whole ? whole : decided_q.other;
  end

  delay_line #(
      .data_t(lane_t)
  ) u_rounded (
      .clk_i,
      .rst_ni,
      .valid_i(decided_valid),
      .data_i (rounded),
      .valid_o,
      .data_o (result_o)
  );

endmodule
