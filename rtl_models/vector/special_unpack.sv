// First stages of the special functions: significands, exponents and the results that need no
// arithmetic.
//
// Timing: two stages (count, normalise).
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

  localparam int unsigned ExponentWhole = ExponentBias + FractionBits;

  typedef struct packed {
    operation_e operation;
    type_e result_type;
    float_t x;
    float_t y;
    logic [CountBits-1:0] x_zeros;
    logic [CountBits-1:0] y_zeros;
    exponent_t x_exponent;  // without the zeros
    exponent_t y_exponent;
    significand_t y_fraction;  // the bits of y's significand that stand for less than 1
    logic y_even;  // all of them stand for more than 1
    logic x_nan;
    logic x_zero;
    logic x_one;
    logic y_nan;
    logic y_zero;
  } counted_t;

  typedef struct packed {
    significand_t significand;
    exponent_t exponent;
  } unpacked_t;

  function automatic exponent_t unbiased(float_t value);
    return exponent_t'(exponent_of(value)) - exponent_t'(ExponentBias);
  endfunction

  logic counted_valid;
  counted_t counted_d, counted_q;
  logic [CountBits-1:0] x_zeros, y_zeros;
  float_t x, y;
  unpacked_t x_parts, y_parts;
  state_t state_d;

  // Count zeros, and find y's point. From an exponent on every number is whole, and from the next
  // one on it is even. Zeros are counted as if the number were subnormal;
  // whether it is comes later.
  leading_zeros #(
      .Width(SignificandBits)
  ) u_x_zeros (
      .data_i ({1'b0, a_i[FractionBits-1:0]}),
      .count_o(x_zeros)
  );

  leading_zeros #(
      .Width(SignificandBits)
  ) u_y_zeros (
      .data_i ({1'b0, b_i[FractionBits-1:0]}),
      .count_o(y_zeros)
  );

  always_comb begin
    counted_d.operation = operation_i;
    counted_d.result_type = result_type_i;
    counted_d.x = a_i;
    counted_d.y = b_i;
    counted_d.x_zeros = counted_d.x.exponent == '0 ? x_zeros : '0;
    counted_d.y_zeros = counted_d.y.exponent == '0 ? y_zeros : '0;
    counted_d.x_exponent = unbiased(counted_d.x);
    counted_d.y_exponent = unbiased(counted_d.y);
    for (int unsigned i = 0; i < SignificandBits; i++) begin
      counted_d.y_fraction[i] = counted_d.y.exponent < biased_t'(ExponentWhole - i);
    end
    counted_d.y_even = counted_d.y.exponent > biased_t'(ExponentWhole);
    counted_d.x_nan = is_nan(counted_d.x);
    counted_d.x_zero = is_zero(counted_d.x);
    counted_d.x_one = counted_d.x == FloatOne;
    counted_d.y_nan = is_nan(counted_d.y);
    counted_d.y_zero = is_zero(counted_d.y);
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

  assign x = counted_q.x;
  assign y = counted_q.y;

  // Normalises subnormal numbers; zero and infinity get the significand of 1.
  function automatic unpacked_t unpack(float_t value, logic is_none, exponent_t exponent,
                                       logic [CountBits-1:0] zeros);
    unpacked_t result;
    result.significand = significand_of(value) << zeros;
    result.exponent = exponent - exponent_t'(zeros);
    if (is_none) begin
      result.significand = {1'b1, FractionBits'(0)};
      result.exponent = ZeroExponent;
    end else if (value.exponent == BiasedMax) begin
      result.exponent = InfiniteExponent;
    end
    return result;
  endfunction

  assign x_parts = unpack(x, counted_q.x_zero, counted_q.x_exponent, counted_q.x_zeros);
  assign y_parts = unpack(y, counted_q.y_zero, counted_q.y_exponent, counted_q.y_zeros);

  always_comb begin
    logic invalid, y_whole, y_odd;
    significand_t unit;

    // Whether y is a whole number, and an odd one. Where 0 is neither, the result is settled.
    unit = ~counted_q.y_fraction & {counted_q.y_fraction[SignificandBits-2:0], 1'b1};
    y_whole = (significand_of(y) & counted_q.y_fraction) == '0;
    y_odd = y_whole && !counted_q.y_even && (significand_of(y) & unit) != '0;

    state_d = '0;
    state_d.op = counted_q.operation;
    state_d.result_type = counted_q.result_type;
    {state_d.significand, state_d.exponent} = x_parts;
    {state_d.y_significand, state_d.y_exponent} = y_parts;

    unique case (counted_q.operation)
      OperationSin, OperationErf, OperationTanh, OperationRecip, OperationRsqrt: begin
        state_d.negative = x.sign;
      end
      OperationPow: state_d.negative = x.sign && y_odd;
      default: state_d.negative = 1'b0;  // log and the quadrants of an angle decide later
    endcase
    unique case (counted_q.operation)
      OperationExp: state_d.power_negative = x.sign;
      OperationSigmoid: state_d.power_negative = !x.sign;
      OperationPow: state_d.power_negative = y.sign;  // times the sign of the logarithm
      default: state_d.power_negative = 1'b0;
    endcase

    unique case (counted_q.operation)
      OperationLog, OperationLog2, OperationLog10, OperationRsqrt: begin
        invalid = counted_q.x_nan || (x.sign && !counted_q.x_zero);
      end
      OperationSin, OperationCos: invalid = x.exponent == BiasedMax;
      OperationPow: begin
        invalid = counted_q.x_nan || counted_q.y_nan ||
                  (x.sign && !counted_q.x_zero && x.exponent != BiasedMax && !y_whole);
      end
      default: invalid = counted_q.x_nan;
    endcase

    state_d.settled = invalid;
    state_d.settled_result = CanonicalNan;
    unique case (counted_q.operation)
      OperationLog, OperationLog2, OperationLog10: begin
        if (counted_q.x_zero || (x.exponent == BiasedMax && !x.sign)) begin
          state_d.settled = 1'b1;
          state_d.settled_result = counted_q.x_nan ? CanonicalNan : infinity(counted_q.x_zero);
        end
      end
      OperationErf: begin
        if (!invalid && x.exponent > biased_t'(ExponentBias + 1)) begin
          state_d.settled = 1'b1;
          state_d.settled_result = {x.sign, FloatOne[LaneBits-2:0]};
        end
      end
      OperationPow: begin
        if (counted_q.y_zero || counted_q.x_one) begin
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
      .valid_i(counted_valid),
      .data_i (state_d),
      .valid_o,
      .data_o (state_o)
  );

endmodule
