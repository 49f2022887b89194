// Multiplication of floats.
//
// Rounds to nearest even; subnormals are operands and results; every NaN result is canonical.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Seven stages (multiply, add, four of fp_pack, result); a greater depth delays the result.
module fp_mul
  import hwc_float_pkg::*;
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencyFmul - RegisterStages
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      valid_i,
    input  operands_t operands_i,
    output logic      valid_o,
    output lane_t     result_o
);

  localparam int unsigned Stages = 7;

  localparam int unsigned ProductBits = 2 * SignificandBits;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic settled;
    lane_t settled_result;
    logic negative;
    exponent_t exponent;
  } kind_t;

  typedef struct packed {
    kind_t kind;
    logic [ProductBits-1:0] product;
  } product_t;

  logic factors_valid, product_valid, packed_valid;
  lane_t packed_result;
  kind_t factors_d, factors_q;
  product_t product_d, product_q;

  // Multiply.
  always_comb begin
    float_t a, b;

    a = operands_i.a;
    b = operands_i.b;
    factors_d.result_type = operands_i.op.result_type;
    factors_d.negative = a.sign ^ b.sign;
    factors_d.exponent = exponent_t'(exponent_of(a)) + exponent_t'(exponent_of(b)) -
                         exponent_t'(ExponentBias - 1);

    factors_d.settled = is_infinite(a) || is_infinite(b);
    factors_d.settled_result = infinity(factors_d.negative);
    if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b)))
    begin
      factors_d.settled = 1'b1;
      factors_d.settled_result = CanonicalNan;
    end
  end

  delay_line #(
      .data_t(kind_t)
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
      .b_i     (significand_of(operands_i.b)),
      .addend_i('0),
      .sum_o   (product_d.product)
  );

  assign product_d.kind = factors_q;

  delay_line #(
      .data_t(product_t)
  ) u_product (
      .clk_i,
      .rst_ni,
      .valid_i(factors_valid),
      .data_i (product_d),
      .valid_o(product_valid),
      .data_o (product_q)
  );

  fp_pack #(
      .Width(ProductBits)
  ) u_pack (
      .clk_i,
      .rst_ni,
      .valid_i         (product_valid),
      .result_type_i   (product_q.kind.result_type),
      .settled_i       (product_q.kind.settled),
      .settled_result_i(product_q.kind.settled_result),
      .negative_i      (product_q.kind.negative),
      .cancels_i       (1'b0),
      .exponent_i      (product_q.kind.exponent),
      .value_i         (product_q.product),
      .valid_o         (packed_valid),
      .result_o        (packed_result)
  );

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitFmul),
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
