// The floating-point operations of unit alu: sign changes, extrema, comparisons, rounding to
// whole numbers.
//
// Combinational; alu.sv adds the registers. Every NaN result is canonical.
module fp_alu
  import hwc_float_pkg::*;
  import hwc_vector_pkg::*;
(
    input  hwc_isa_pkg::operation_e op_i,
    input  lane_t                   a_i,
    input  lane_t                   b_i,
    output lane_t                   result_o
);
  import hwc_isa_pkg::*;

  // From this exponent on every number is whole.
  localparam biased_t ExponentWhole = biased_t'(ExponentBias + FractionBits);

  float_t a, b;
  logic a_nan, b_nan, any_nan;
  logic same, greater;
  lane_t maximum, minimum, whole;

  assign a = a_i;
  assign b = b_i;
  assign a_nan = is_nan(a);
  assign b_nan = is_nan(b);
  assign any_nan = a_nan || b_nan;

  // Maps the numbers onto unsigned integers in their order, -0 just below +0.
  function automatic lane_t rank(float_t value);
    return value.sign ? ~value : {1'b1, value[LaneBits-2:0]};
  endfunction

  always_comb begin
    logic ranks_above;

    ranks_above = rank(a) > rank(b);
    same = a == b || (is_zero(a) && is_zero(b));
    greater = ranks_above && !same;
    maximum = ranks_above ? a : b;
    minimum = ranks_above ? b : a;
  end

  // Rounding to a whole number away from zero is the cut fraction plus one unit; the carry may go
  // into the exponent. A number below 1 has its half, and what is below that, in its exponent: it
  // is at least one half if its exponent is that of one half, and more if it has a fraction.
  always_comb begin
    logic below_one, odd, half, rest, away;
    biased_t fraction_bits;
    lane_t unit, fraction_mask;

    below_one = a.exponent < biased_t'(ExponentBias);
    fraction_bits = ExponentWhole - a.exponent;
    unit = lane_t'(1) << fraction_bits;
    fraction_mask = unit - lane_t'(1);
    if (below_one) begin
      odd = 1'b0;
      half = a.exponent == biased_t'(ExponentBias - 1);
      rest = half ? a.fraction != '0 : !is_zero(a);
    end else begin
      odd = (a_i & unit) != '0;  // from 1 to 2, the exponent's last bit stands for the hidden one
      half = (a_i & (unit >> 1)) != '0;
      rest = (a_i & (fraction_mask >> 1)) != '0;
    end

    unique case (op_i)
      OperationFloor: away = a.sign && (half || rest);
      OperationCeil: away = !a.sign && (half || rest);
      OperationRound: away = half;
      OperationRoundeven: away = half && (rest || odd);
      default: away = 1'b0;
    endcase

    if (a.exponent >= ExponentWhole) begin
      whole = a_i;
    end else if (below_one) begin
      whole = (away ? FloatOne : '0) | {a.sign, (LaneBits - 1)'(0)};
    end else begin
      whole = a_i & ~fraction_mask;
      if (away) whole += unit;
    end
  end

  always_comb begin
    unique case (op_i)
      OperationAbs: result_o = a_nan ? CanonicalNan : {1'b0, a_i[LaneBits-2:0]};
      OperationNeg: result_o = a_nan ? CanonicalNan : {~a.sign, a_i[LaneBits-2:0]};
      OperationMax: result_o = any_nan ? CanonicalNan : maximum;
      OperationMin: result_o = any_nan ? CanonicalNan : minimum;
      OperationMaxn, OperationMinn: begin
        if (a_nan && b_nan) result_o = CanonicalNan;
        else if (a_nan) result_o = b_i;
        else if (b_nan) result_o = a_i;
        else result_o = op_i == OperationMaxn ? maximum : minimum;
      end
      OperationEq: result_o = lane_t'(!any_nan && same);
      OperationNe: result_o = lane_t'(any_nan || !same);
      OperationGt: result_o = lane_t'(!any_nan && greater);
      OperationGe: result_o = lane_t'(!any_nan && (greater || same));
      OperationCopysign: result_o = a_nan ? CanonicalNan : {b.sign, a_i[LaneBits-2:0]};
      OperationCeil, OperationFloor, OperationRound, OperationRoundeven, OperationTrunc: begin
        result_o = a_nan ? CanonicalNan : whole;
      end
      default: result_o = '0;
    endcase
  end

endmodule
