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
  // into the exponent.
  always_comb begin
    logic away;
    biased_t fraction_bits;
    lane_t fraction_mask;

    away = a.sign == (op_i == OperationFloor);
    fraction_bits = ExponentWhole - a.exponent;
    fraction_mask = (lane_t'(1) << fraction_bits) - lane_t'(1);
    if (a.exponent >= ExponentWhole) begin
      whole = a_i;
    end else if (a.exponent < biased_t'(ExponentBias)) begin
      whole = (away && !is_zero(a) ? FloatOne : '0) | {a.sign, (LaneBits - 1)'(0)};
    end else begin
      whole = a_i & ~fraction_mask;
      if (away && (a_i & fraction_mask) != '0) whole += fraction_mask + lane_t'(1);
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
      OperationCeil, OperationFloor: result_o = a_nan ? CanonicalNan : whole;
      default: result_o = '0;
    endcase
  end

endmodule
