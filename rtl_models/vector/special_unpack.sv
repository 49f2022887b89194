// First stage of the special functions: significands, exponents and the results that need no
// arithmetic.
//
// Timing: one stage.
module special_unpack
  import hwc_isa_pkg::*;
  import hwc_special_pkg::*;
  import hwc_float_pkg::*;
  import hwc_vector_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       valid_i,
    input  operation_e operation_i,
    input  type_e      result_type_i,
    input  lane_t      a_i,
    input  lane_t      b_i,
    output logic       valid_o,
    output state_t     state_o
);

  localparam int unsigned CountBits = $clog2(SignificandBits + 1);

  typedef struct packed {
    significand_t significand;
    exponent_t exponent;
  } unpacked_t;

  float_t x, y;
  logic [CountBits-1:0] x_zeros, y_zeros;
  unpacked_t x_parts, y_parts;
  logic y_whole, y_odd;
  state_t state_d;

  assign x = a_i;
  assign y = b_i;

  leading_zeros #(
      .Width(SignificandBits)
  ) u_x_zeros (
      .data_i (significand_of(x)),
      .count_o(x_zeros)
  );

  leading_zeros #(
      .Width(SignificandBits)
  ) u_y_zeros (
      .data_i (significand_of(y)),
      .count_o(y_zeros)
  );

  // Normalises subnormal numbers; zero and infinity get the significand of 1.
  function automatic unpacked_t unpack(float_t value, logic [CountBits-1:0] zeros);
    unpacked_t result;
    result.significand = significand_of(value) << zeros;
    result.exponent = exponent_t'(exponent_of(value)) - exponent_t'(ExponentBias) -
                      exponent_t'(zeros);
    if (is_zero(value)) begin
      result.significand = {1'b1, FractionBits'(0)};
      result.exponent = ZeroExponent;
    end else if (value.exponent == BiasedMax) begin
      result.exponent = InfiniteExponent;
    end
    return result;
  endfunction

  assign x_parts = unpack(x, x_zeros);
  assign y_parts = unpack(y, y_zeros);

  // Whether y is a whole number, and an odd one: by the bits of its significand below and just
  // above the point. Beyond the significand every number is whole and even.
  always_comb begin
    exponent_t below;
    significand_t unit;

    below = exponent_t'(FractionBits) - y_parts.exponent;
    unit = significand_t'(1) << below[CountBits-1:0];
    y_whole = below <= exponent_t'(0);
    y_odd = 1'b0;
    if (below >= exponent_t'(0) && below < exponent_t'(SignificandBits)) begin
      y_whole = (y_parts.significand & (unit - significand_t'(1))) == '0;
      y_odd = y_whole && (y_parts.significand & unit) != '0;
    end
  end

  always_comb begin
    logic invalid;

    state_d = '0;
    state_d.op = operation_i;
    state_d.result_type = result_type_i;
    {state_d.significand, state_d.exponent} = x_parts;
    {state_d.y_significand, state_d.y_exponent} = y_parts;

    unique case (operation_i)
      OperationSin, OperationErf, OperationTanh, OperationRecip, OperationRsqrt: begin
        state_d.negative = x.sign;
      end
      OperationPow: state_d.negative = x.sign && y_odd;
      default: state_d.negative = 1'b0;  // log and the quadrants of an angle decide later
    endcase
    unique case (operation_i)
      OperationExp: state_d.power_negative = x.sign;
      OperationSigmoid: state_d.power_negative = !x.sign;
      OperationPow: state_d.power_negative = y.sign;  // times the sign of the logarithm
      default: state_d.power_negative = 1'b0;
    endcase

    unique case (operation_i)
      OperationLog, OperationLog2, OperationLog10, OperationRsqrt: begin
        invalid = is_nan(x) || (x.sign && !is_zero(x));
      end
      OperationSin, OperationCos: invalid = x.exponent == BiasedMax;
      OperationPow: begin
        invalid = is_nan(x) || is_nan(y) ||
                  (x.sign && !is_zero(x) && !is_infinite(x) && !y_whole);
      end
      default: invalid = is_nan(x);
    endcase

    state_d.settled = invalid;
    state_d.settled_result = CanonicalNan;
    unique case (operation_i)
      OperationLog, OperationLog2, OperationLog10: begin
        if (is_zero(x) || (is_infinite(x) && !x.sign)) begin
          state_d.settled = 1'b1;
          state_d.settled_result = infinity(is_zero(x));
        end
      end
      OperationErf: begin
        if (!invalid && state_d.exponent > exponent_t'(1)) begin
          state_d.settled = 1'b1;
          state_d.settled_result = {x.sign, FloatOne[LaneBits-2:0]};
        end
      end
      OperationPow: begin
        if (is_zero(y) || x == FloatOne) begin
          state_d.settled = 1'b1;
          state_d.settled_result = FloatOne;
        end
      end
      default: ;
    endcase
  end

  delay_line #(
      .data_t(state_t)
  ) u_state (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (state_d),
      .valid_o,
      .data_o (state_o)
  );

endmodule
