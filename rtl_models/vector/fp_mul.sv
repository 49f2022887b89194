// Multiplication of binary32: mul.f32.
//
// Rounds to nearest even; subnormals are operands and results; every NaN result is canonical.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Four stages (multiply, count zeros, shift, round); a greater depth delays the result.
module fp_mul
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencyFmul - RegisterStages
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 valid_i,
    input  hwc_isa_pkg::opcode_e op_i,
    input  lane_t                a_i,
    input  lane_t                b_i,
    input  lane_t                c_i,
    output logic                 valid_o,
    output lane_t                result_o
);

  localparam int unsigned Stages = 4;
  if (Depth < Stages) begin : gen_depth_check
    $error("fp_mul needs a Depth of at least %0d, got %0d", Stages, Depth);
  end

  localparam int unsigned ProductBits = 2 * SignificandBits;
  localparam int unsigned CountBits = $clog2(ProductBits + 1);
  // Shifting right by this much leaves of any product a sticky bit at most.
  localparam int unsigned MaxShiftRight = SignificandBits + 2;
  localparam int unsigned ShiftBits = $clog2(ProductBits + MaxShiftRight);

  typedef logic signed [ExponentBits+1:0] exponent_t;

  // What the product of special operands is, decided before any arithmetic.
  typedef enum logic [1:0] {
    ProductIsNumber,
    ProductIsInfinite,
    ProductIsNan
  } product_class_e;

  typedef struct packed {
    product_class_e product_class;
    logic sign;
    exponent_t exponent;  // biased, of the top bit of the product
    logic [ProductBits-1:0] product;
  } product_t;

  typedef struct packed {
    product_class_e product_class;
    logic sign;
    exponent_t exponent;  // of the result, 1 or more
    logic [ProductBits-1:0] product;
    logic [ShiftBits-1:0] shift;  // to the left, out of MaxShiftRight places to the right
  } counted_t;

  typedef struct packed {
    product_class_e product_class;
    logic sign;
    exponent_t exponent;
    significand_t significand;
    logic guard;
    logic sticky;
  } normal_t;

  logic product_valid, counted_valid, normal_valid;
  product_t product_d, product_q;
  counted_t counted_d, counted_q;
  normal_t normal_d, normal_q;
  lane_t result_d;
  logic [CountBits-1:0] product_zeros;

  logic unused_operands;
  assign unused_operands = ^{op_i, c_i};

  // Multiply.
  always_comb begin
    float_t a, b;

    a = a_i;
    b = b_i;
    product_d.product_class = ProductIsNumber;
    if (is_infinite(a) || is_infinite(b)) product_d.product_class = ProductIsInfinite;
    if (is_nan(a) || is_nan(b) || is_infinite(a) && is_zero(b) || is_zero(a) && is_infinite(b))
      product_d.product_class = ProductIsNan;
    product_d.sign = a.sign ^ b.sign;
    product_d.exponent = exponent_t'({2'b0, scale_of(a)}) + exponent_t'({2'b0, scale_of(b)}) -
                         exponent_t'(ExponentBias - 1);
    product_d.product = ProductBits'(significand_of(a)) * ProductBits'(significand_of(b));
  end

  delay_line #(
      .data_t(product_t)
  ) u_product (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (product_d),
      .valid_o(product_valid),
      .data_o (product_q)
  );

  // Count zeros: the product is normalised, but its exponent never goes below 1, the exponent of
  // subnormal numbers; a smaller one means a shift to the right.
  leading_zeros #(
      .Width(ProductBits)
  ) u_leading_zeros (
      .data_i (product_q.product),
      .count_o(product_zeros)
  );

  always_comb begin
    exponent_t zeros, shift;

    zeros = exponent_t'({1'b0, product_zeros});
    shift = product_q.exponent - exponent_t'(1);
    if (shift > zeros) shift = zeros;
    if (shift < -exponent_t'(MaxShiftRight)) shift = -exponent_t'(MaxShiftRight);

    counted_d.product_class = product_q.product_class;
    counted_d.sign = product_q.sign;
    counted_d.exponent = exponent_t'(1);
    if (product_q.product != '0 && product_q.exponent - zeros > exponent_t'(1))
      counted_d.exponent = product_q.exponent - zeros;
    counted_d.product = product_q.product;
    counted_d.shift = ShiftBits'(shift + exponent_t'(MaxShiftRight));
  end

  delay_line #(
      .data_t(counted_t)
  ) u_counted (
      .clk_i,
      .rst_ni,
      .valid_i(product_valid),
      .data_i (counted_d),
      .valid_o(counted_valid),
      .data_o (counted_q)
  );

  // Shift.
  always_comb begin
    logic [MaxShiftRight+ProductBits-1:0] shifted;
    logic [MaxShiftRight+ProductBits-SignificandBits-2:0] rest;

    shifted = (MaxShiftRight+ProductBits)'(counted_q.product) << counted_q.shift;
    normal_d.product_class = counted_q.product_class;
    normal_d.sign = counted_q.sign;
    normal_d.exponent = counted_q.exponent;
    {normal_d.significand, normal_d.guard, rest} = shifted;
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
  always_comb begin
    unique case (normal_q.product_class)
      ProductIsNan: result_d = CanonicalNan;
      ProductIsInfinite: result_d = infinity(normal_q.sign);
      default: begin
        result_d = round_and_pack(normal_q.sign, normal_q.exponent, normal_q.significand,
                                  normal_q.guard, normal_q.sticky);
      end
    endcase
  end

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
