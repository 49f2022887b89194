// The fused product and sum of floats, a * b + c.
//
// Rounds once, to nearest even; subnormals are operands and results; every NaN result is canonical.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Eight stages (unpack, multiply, align, add, take the magnitude, two of fp_pack, result); a
// greater depth delays the result.
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
  localparam int unsigned CountBits = $clog2(SignificandBits + 1);
  // The sum is a window. From the top: c, two bits, the product, and one bit that stands for all
  // below. c moves down as far as it is smaller than the product. One that is greater than the
  // window allows stays at the top: the product is then less than a quarter of its last bit, and
  // where below that quarter makes no difference to the rounding.
  localparam int unsigned GapBits = 2;
  localparam int unsigned AboveProduct = SignificandBits + GapBits;
  localparam int unsigned SumBits = AboveProduct + ProductBits + 1;
  localparam int unsigned ShiftBits = $clog2(SumBits + 1);

  // What the result of special operands is, decided before any arithmetic.
  typedef enum logic [1:0] {
    SumIsNumber,
    SumIsInfinite,
    SumIsNan
  } sum_class_e;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    sum_class_e sum_class;
    logic negative;  // of the product; of an infinite result, of the result
    logic subtract;  // the magnitudes are subtracted
  } kind_t;

  typedef struct packed {
    kind_t kind;
    significand_t a;  // normalised, or 0
    significand_t b;
    significand_t c;
    exponent_t product_exponent;  // biased, of the product's top bit
    exponent_t c_exponent;
  } unpacked_t;

  typedef struct packed {
    kind_t kind;
    logic [ProductBits-1:0] product;
    significand_t c;
    exponent_t exponent;  // biased, of the sum's top bit
    logic [ShiftBits-1:0] shift;  // of c; SumBits clears it
  } multiplied_t;

  typedef struct packed {
    kind_t kind;
    logic [ProductBits-1:0] product;
    logic [SumBits-1:0] c;
    exponent_t exponent;
  } aligned_t;

  typedef struct packed {
    kind_t kind;
    exponent_t exponent;
    logic [SumBits:0] sum;  // the top bit is the sign
  } sum_t;

  typedef struct packed {
    kind_t kind;
    exponent_t exponent;
    logic [SumBits-1:0] magnitude;
  } magnitude_t;

  logic unpacked_valid, multiplied_valid, aligned_valid, sum_valid, magnitude_valid, packed_valid;
  unpacked_t unpacked_d, unpacked_q;
  multiplied_t multiplied_d, multiplied_q;
  aligned_t aligned_d, aligned_q;
  sum_t sum_d, sum_q;
  magnitude_t magnitude_d, magnitude_q;
  lane_t packed_result;
  logic [CountBits-1:0] a_zeros, b_zeros;

  // Unpack. The factors are normalised, so that the product has its first bit in one of two places;
  // c is not: below its last bit no result has any.
  leading_zeros #(
      .Width(SignificandBits)
  ) u_a_zeros (
      .data_i (significand_of(operands_i.a)),
      .count_o(a_zeros)
  );

  leading_zeros #(
      .Width(SignificandBits)
  ) u_b_zeros (
      .data_i (significand_of(operands_i.b)),
      .count_o(b_zeros)
  );

  always_comb begin
    float_t a, b, c;
    logic product_infinite;

    a = operands_i.a;
    b = operands_i.b;
    c = operands_i.c;
    product_infinite = is_infinite(a) || is_infinite(b);

    unpacked_d.kind.result_type = operands_i.op.result_type;
    unpacked_d.kind.negative = a.sign ^ b.sign;
    unpacked_d.kind.subtract = unpacked_d.kind.negative != c.sign;
    unpacked_d.kind.sum_class = SumIsNumber;
    if (product_infinite || is_infinite(c)) unpacked_d.kind.sum_class = SumIsInfinite;
    if (is_nan(a) || is_nan(b) || is_nan(c) || (product_infinite && (is_zero(a) || is_zero(b))) ||
        (product_infinite && is_infinite(c) && unpacked_d.kind.subtract)) begin
      unpacked_d.kind.sum_class = SumIsNan;
    end
    if (is_infinite(c)) unpacked_d.kind.negative = c.sign;

    unpacked_d.a = significand_of(a) << a_zeros;
    unpacked_d.b = significand_of(b) << b_zeros;
    unpacked_d.c = significand_of(c);
    unpacked_d.product_exponent = exponent_t'(exponent_of(a)) - exponent_t'(a_zeros) +
                                  exponent_t'(exponent_of(b)) - exponent_t'(b_zeros) -
                                  exponent_t'(ExponentBias - 1);
    unpacked_d.c_exponent = exponent_t'(exponent_of(c));
  end

  delay_line #(
      .data_t(unpacked_t)
  ) u_unpacked (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (unpacked_d),
      .valid_o(unpacked_valid),
      .data_o (unpacked_q)
  );

  // Multiply, and compare the exponents. A zero has no place: the other one chooses.
  always_comb begin
    exponent_t top, shift;

    top = unpacked_q.product_exponent + exponent_t'(AboveProduct);
    shift = top - unpacked_q.c_exponent;
    multiplied_d.kind = unpacked_q.kind;
    multiplied_d.product = ProductBits'(unpacked_q.a) * ProductBits'(unpacked_q.b);
    multiplied_d.c = unpacked_q.c;
    multiplied_d.exponent = top;
    multiplied_d.shift = unsigned'(ShiftBits'(shift));
    if (shift > exponent_t'(SumBits)) multiplied_d.shift = ShiftBits'(SumBits);
    if (unpacked_q.a == '0 || unpacked_q.b == '0 ||
        (unpacked_q.c != '0 && shift < exponent_t'(0))) begin
      multiplied_d.exponent = unpacked_q.c_exponent;
      multiplied_d.shift = '0;
    end
  end

  delay_line #(
      .data_t(multiplied_t)
  ) u_multiplied (
      .clk_i,
      .rst_ni,
      .valid_i(unpacked_valid),
      .data_i (multiplied_d),
      .valid_o(multiplied_valid),
      .data_o (multiplied_q)
  );

  // Align. The bits shifted out are kept as one sticky bit; that is exact, because a cancellation
  // of more than one bit happens only where nothing was shifted out.
  always_comb begin
    logic [SignificandBits-1:0] rest;

    aligned_d.kind = multiplied_q.kind;
    aligned_d.product = multiplied_q.product;
    aligned_d.exponent = multiplied_q.exponent;
    {aligned_d.c, rest} = {multiplied_q.c, SumBits'(0)} >> multiplied_q.shift;
    aligned_d.c[0] |= rest != '0;
  end

  delay_line #(
      .data_t(aligned_t)
  ) u_aligned (
      .clk_i,
      .rst_ni,
      .valid_i(multiplied_valid),
      .data_i (aligned_d),
      .valid_o(aligned_valid),
      .data_o (aligned_q)
  );

  // Add.
  always_comb begin
    logic [SumBits:0] product, c;

    product = (SumBits + 1)'({aligned_q.product, 1'b0});
    c = {1'b0, aligned_q.c};
    sum_d.kind = aligned_q.kind;
    sum_d.exponent = aligned_q.exponent;
    sum_d.sum = aligned_q.kind.subtract ? product - c : product + c;
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

  // Take the magnitude. Numbers that cancel give +0.
  always_comb begin
    logic below_zero;

    below_zero = sum_q.sum[SumBits];
    magnitude_d.kind = sum_q.kind;
    magnitude_d.exponent = sum_q.exponent;
    magnitude_d.magnitude = below_zero ? -sum_q.sum[SumBits-1:0] : sum_q.sum[SumBits-1:0];
    if (sum_q.kind.sum_class == SumIsNumber) begin
      magnitude_d.kind.negative = (sum_q.kind.negative != below_zero) &&
                                  !(sum_q.kind.subtract && sum_q.sum == '0);
    end
  end

  delay_line #(
      .data_t(magnitude_t)
  ) u_magnitude (
      .clk_i,
      .rst_ni,
      .valid_i(sum_valid),
      .data_i (magnitude_d),
      .valid_o(magnitude_valid),
      .data_o (magnitude_q)
  );

  logic unused_bits;
  assign unused_bits = magnitude_q.kind.subtract;

  fp_pack #(
      .Width(SumBits)
  ) u_pack (
      .clk_i,
      .rst_ni,
      .valid_i         (magnitude_valid),
      .result_type_i   (magnitude_q.kind.result_type),
      .settled_i       (magnitude_q.kind.sum_class != SumIsNumber),
      .settled_result_i(magnitude_q.kind.sum_class == SumIsNan
                        ? CanonicalNan : infinity(magnitude_q.kind.negative)),
      .negative_i      (magnitude_q.kind.negative),
      .exponent_i      (magnitude_q.exponent),
      .value_i         (magnitude_q.magnitude),
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
