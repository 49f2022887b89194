// The floating-point operations of unit alu: sign changes, extrema, comparisons, rounding to
// whole numbers.
//
// Every NaN result is canonical.
// Timing: three stages of registers (compare, decide, round): result_o belongs to the operands of
// three cycles before. One set of operands per cycle.
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
  localparam biased_t ExponentWhole = biased_t'(ExponentBias + FractionBits);

  typedef struct packed {
    operation_e op;
    float_t a;
    float_t b;
    logic a_nan;
    logic b_nan;
    logic ranks_above;  // a, where -0 is just below +0
    logic same;
    logic below_one;  // the magnitude of a
    lane_t fraction;  // the bits of a that stand for less than 1, if it is not below 1
  } compared_t;

  typedef struct packed {
    logic is_whole;  // the result is a rounded to a whole number
    lane_t a;
    logic below_one;
    lane_t fraction;
    logic away;  // from zero, by one
    lane_t other;  // the result if it is not
  } decided_t;

  logic compared_valid, decided_valid;
  compared_t compared_d, compared_q;
  decided_t decided_d, decided_q;
  lane_t rounded;

  // Maps the numbers onto unsigned integers in their order, -0 just below +0.
  function automatic lane_t rank(float_t value);
    return value.sign ? ~value : {1'b1, value[LaneBits-2:0]};
  endfunction

  // Compare.
  always_comb begin
    float_t a, b;
    biased_t fraction_bits;

    a = a_i;
    b = b_i;
    compared_d.op = op_i;
    compared_d.a = a;
    compared_d.b = b;
    compared_d.a_nan = is_nan(a);
    compared_d.b_nan = is_nan(b);
    compared_d.ranks_above = rank(a) > rank(b);
    compared_d.same = a == b || (is_zero(a) && is_zero(b));

    compared_d.below_one = a.exponent < biased_t'(ExponentBias);
    fraction_bits = ExponentWhole - a.exponent;
    if (a.exponent >= ExponentWhole) fraction_bits = '0;
    compared_d.fraction = ~(~lane_t'(0) << fraction_bits);
  end

  delay_line #(
      .data_t(compared_t)
  ) u_compared (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (compared_d),
      .valid_o(compared_valid),
      .data_o (compared_q)
  );

  // Decide whether a number is rounded away from zero. One below 1 has its half, and what is below
  // that, in its exponent: it is at least one half if its exponent is that of one half, and more if
  // it has a fraction.
  always_comb begin
    float_t a;
    lane_t bits, first;
    logic odd, half, rest;

    a = compared_q.a;
    bits = a;
    first = compared_q.fraction & ~(compared_q.fraction >> 1);
    if (compared_q.below_one) begin
      odd = 1'b0;
      half = a.exponent == biased_t'(ExponentBias - 1);
      rest = half ? a.fraction != '0 : !is_zero(a);
    end else begin
      // From 1 to 2, the exponent's last bit stands for the hidden one.
      odd = (bits & (first << 1)) != '0;
      half = (bits & first) != '0;
      rest = (bits & (compared_q.fraction >> 1)) != '0;
    end

    unique case (compared_q.op)
      OperationFloor: decided_d.away = a.sign && (half || rest);
      OperationCeil: decided_d.away = !a.sign && (half || rest);
      OperationRound: decided_d.away = half;
      OperationRoundeven: decided_d.away = half && (rest || odd);
      default: decided_d.away = 1'b0;
    endcase
    decided_d.is_whole = !compared_q.a_nan && compared_q.op inside {
        OperationCeil, OperationFloor, OperationRound, OperationRoundeven, OperationTrunc};
    decided_d.a = bits;
    decided_d.below_one = compared_q.below_one;
    decided_d.fraction = compared_q.fraction;
  end

  // The results that need no rounding.
  always_comb begin
    lane_t a, b, maximum, minimum;
    logic a_nan, b_nan, any_nan, greater;

    a = compared_q.a;
    b = compared_q.b;
    a_nan = compared_q.a_nan;
    b_nan = compared_q.b_nan;
    any_nan = a_nan || b_nan;
    greater = compared_q.ranks_above && !compared_q.same;
    maximum = compared_q.ranks_above ? a : b;
    minimum = compared_q.ranks_above ? b : a;

    decided_d.other = CanonicalNan;  // of a NaN that would be rounded
    unique case (compared_q.op)
      OperationAbs: if (!a_nan) decided_d.other = {1'b0, a[LaneBits-2:0]};
      OperationNeg: if (!a_nan) decided_d.other = {~a[LaneBits-1], a[LaneBits-2:0]};
      OperationCopysign: if (!a_nan) decided_d.other = {b[LaneBits-1], a[LaneBits-2:0]};
      OperationMax: if (!any_nan) decided_d.other = maximum;
      OperationMin: if (!any_nan) decided_d.other = minimum;
      OperationMaxn, OperationMinn: begin
        if (a_nan && !b_nan) decided_d.other = b;
        else if (b_nan && !a_nan) decided_d.other = a;
        else if (!any_nan) decided_d.other = compared_q.op == OperationMaxn ? maximum : minimum;
      end
      OperationEq: decided_d.other = lane_t'(!any_nan && compared_q.same);
      OperationNe: decided_d.other = lane_t'(any_nan || !compared_q.same);
      OperationGt: decided_d.other = lane_t'(!any_nan && greater);
      OperationGe: decided_d.other = lane_t'(!any_nan && (greater || compared_q.same));
      default: ;
    endcase
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

    whole = ((decided_q.a | decided_q.fraction) + lane_t'(decided_q.away)) & ~decided_q.fraction;
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
