// Sums, differences and products of floats: the fused a * b + c, a + b as a * 1 + b, and a * b as
// a * b + -0, which gives every product its own sign, also that of 0.
//
// Rounds once, to nearest even; subnormals are operands and results; every NaN result is canonical.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Eight stages (multiply, align, add, four of fp_pack, result); a greater depth delays the result.
module fp_fma
  import hwc_float_pkg::*;
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencyFma - RegisterStages
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      valid_i,
    input  operands_t operands_i,
    output logic      valid_o,
    output lane_t     result_o
);

  localparam int unsigned Stages = 8;

  localparam int unsigned ProductBits = 2 * SignificandBits;
  // The sum is a window. From the top: c, two bits, the product, and three bits below. c moves down
  // as far as it is smaller than the product. One that is greater than the window allows stays at
  // the top: the product is then less than a quarter of its last bit, and where below that quarter
  // makes no difference to the rounding.
  // A factor may be subnormal, so that the product has its first bit anywhere from the top to bit
  // 23; with two such factors it is below every number. A sum that begins with bit 22, after a
  // cancellation, has its last bit just below the product's: the three bits are that one, the first
  // that is rounded, and one that stands for all below.
  localparam int unsigned GapBits = 2;
  localparam int unsigned BelowProduct = 3;
  localparam int unsigned AboveProduct = SignificandBits + GapBits;
  localparam int unsigned SumBits = AboveProduct + ProductBits + BelowProduct;
  localparam int unsigned ShiftBits = $clog2(SumBits + 1);
  // From the sum of the factors' biased exponents to that of the sum's top bit.
  localparam exponent_t TopExponent =
      exponent_t'(AboveProduct) - exponent_t'(ExponentBias - 1);

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic settled;  // the result is infinite, or NaN
    logic is_nan;
    logic negative;  // of the product; of an infinite result, of the result
    logic subtract;  // the magnitudes are subtracted
  } kind_t;

  typedef struct packed {
    kind_t kind;
    significand_t c;
    logic c_zero;
    logic product_zero;
    exponent_t c_exponent;
    exponent_t exponent;  // biased, of the sum's top bit if c moves down
    exponent_t shift;  // of c
  } factors_t;

  typedef struct packed {
    kind_t kind;
    exponent_t exponent;  // biased, of the sum's top bit
    logic [ProductBits-1:0] product;
    logic [SumBits-1:0] c;
    logic beyond;  // c is below the window
    significand_t rest;  // of c, below the window; anything but 0 if it is beyond
  } aligned_t;

  typedef struct packed {
    kind_t kind;
    exponent_t exponent;
    logic below_zero;  // the sum is, with the product's sign for +
    logic [SumBits-1:0] magnitude;
  } sum_t;

  logic factors_valid, aligned_valid, sum_valid, packed_valid;
  factors_t factors_d, factors_q;
  aligned_t aligned_d, aligned_q;
  sum_t sum_d, sum_q;
  lane_t packed_result;

  significand_t factor;

  // Multiply, and compare the exponents.
  always_comb begin
    float_t a, b, c;
    logic product_infinite;
    exponent_t product_exponent;

    a = operands_i.a;
    b = operands_i.b;
    c = operands_i.c;
    factor = significand_of(b);
    if (operands_i.form.product) c = zero(1'b1);
    if (operands_i.form.sum) begin
      c = b;
      c.sign = b.sign ^ (operands_i.op.operation == hwc_isa_pkg::OperationSub);
      b = FloatOne;
      factor = significand_of(FloatOne);
    end
    product_infinite = is_infinite(a) || is_infinite(b);

    factors_d.kind.result_type = operands_i.op.result_type;
    factors_d.kind.negative = is_infinite(c) ? c.sign : a.sign ^ b.sign;
    factors_d.kind.subtract = a.sign ^ b.sign ^ c.sign;
    factors_d.kind.settled = a.exponent == BiasedMax || b.exponent == BiasedMax ||
                             c.exponent == BiasedMax;
    factors_d.kind.is_nan = is_nan(a) || is_nan(b) || is_nan(c) ||
        (product_infinite && (is_zero(a) || is_zero(b))) ||
        (product_infinite && is_infinite(c) && factors_d.kind.subtract);

    factors_d.c = significand_of(c);
    factors_d.c_zero = is_zero(c);
    factors_d.product_zero = is_zero(a) || is_zero(b);
    factors_d.c_exponent = exponent_t'(exponent_of(c));
    product_exponent = exponent_t'(exponent_of(a)) + exponent_t'(exponent_of(b));
    factors_d.exponent = product_exponent + TopExponent;
    factors_d.shift = product_exponent + (TopExponent - exponent_t'(exponent_of(c)));
  end

  delay_line #(
      .data_t(factors_t)
  ) u_factors (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (factors_d),
      .valid_o(factors_valid),
      .data_o (factors_q)
  );

  multiply_add #(
      .ABits(SignificandBits),
      .BBits(SignificandBits)
  ) u_multiply (
      .clk_i,
      .a_i     (significand_of(operands_i.a)),
      .b_i     (factor),
      .addend_i('0),
      .sum_o   (aligned_d.product)
  );

  // Align. A zero has no place: the other one chooses. How far c moves is the last that is known,
  // so that it is compared with the window for one bit alone: a shift below 2^ShiftBits moves c out
  // of the window by itself.
  always_comb begin
    aligned_d.kind = factors_q.kind;
    aligned_d.exponent = factors_q.exponent;
    {aligned_d.c, aligned_d.rest} = {factors_q.c, SumBits'(0)} >> factors_q.shift[ShiftBits-1:0];
    aligned_d.beyond = !factors_q.c_zero && factors_q.shift > exponent_t'(SumBits);
    if (factors_q.shift >= exponent_t'(1 << ShiftBits)) aligned_d.c = '0;
    if (factors_q.product_zero || (!factors_q.c_zero && factors_q.shift < exponent_t'(0))) begin
      aligned_d.exponent = factors_q.c_exponent;
      {aligned_d.c, aligned_d.rest} = {factors_q.c, SumBits'(0)};
      aligned_d.beyond = 1'b0;
    end
  end

  delay_line #(
      .data_t(aligned_t)
  ) u_aligned (
      .clk_i,
      .rst_ni,
      .valid_i(factors_valid),
      .data_i (aligned_d),
      .valid_o(aligned_valid),
      .data_o (aligned_q)
  );

  // Add, subtract the other way round, and take the one that is not below zero. The bits below the
  // window are kept as one sticky bit; that is exact, because a cancellation of more than one bit
  // happens only where there are none. What is subtracted is inverted, and one more comes in below.
  always_comb begin
    logic [SumBits:0] product, c, sum;  // the top bit is the sign
    logic [SumBits-1:0] opposite;
    logic unused_carry_in, unused_carry_in_opposite;

    product = (SumBits + 1)'({aligned_q.product, BelowProduct'(0)});
    c = {1'b0, aligned_q.c};
    c[0] |= aligned_q.beyond || aligned_q.rest != '0;
    sum_d.kind = aligned_q.kind;
    sum_d.exponent = aligned_q.exponent;
    {sum, unused_carry_in} = {product, aligned_q.kind.subtract} +
        {aligned_q.kind.subtract ? ~c : c, aligned_q.kind.subtract};
    {opposite, unused_carry_in_opposite} = {c[SumBits-1:0], 1'b1} + {~product[SumBits-1:0], 1'b1};
    sum_d.below_zero = sum[SumBits];
    sum_d.magnitude = sum[SumBits] ? opposite : sum[SumBits-1:0];
  end

  delay_line #(
      .data_t(sum_t)
  ) u_sum (
      .clk_i,
      .rst_ni,
      .valid_i(aligned_valid),
      .data_i (sum_d),
      .valid_o(sum_valid),
      .data_o (sum_q)
  );

  fp_pack #(
      .Width(SumBits)
  ) u_pack (
      .clk_i,
      .rst_ni,
      .valid_i         (sum_valid),
      .result_type_i   (sum_q.kind.result_type),
      .settled_i       (sum_q.kind.settled),
      .settled_result_i(sum_q.kind.is_nan ? CanonicalNan : infinity(sum_q.kind.negative)),
      .negative_i      (sum_q.kind.negative != sum_q.below_zero),
      .cancels_i       (sum_q.kind.subtract),
      .exponent_i      (sum_q.exponent),
      .value_i         (sum_q.magnitude),
      .valid_o         (packed_valid),
      .result_o        (packed_result)
  );

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitFma),
      .Depth (Depth),
      .Stages(Stages)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i,
      .operands_i,
      .result_valid_i(packed_valid),
      .result_i      (packed_result),
      .valid_o,
      .result_o
  );

endmodule
