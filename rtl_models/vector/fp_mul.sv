// Multiplication of floats.
//
// Rounds to nearest even; subnormals are operands and results; every NaN result is canonical.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Four stages (multiply, two of fp_pack, result); a greater depth delays the result.
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

  localparam int unsigned Stages = 4;

  localparam int unsigned ProductBits = 2 * SignificandBits;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic settled;
    lane_t settled_result;
    logic negative;
    exponent_t exponent;
    logic [ProductBits-1:0] product;
  } product_t;

  logic product_valid, packed_valid;
  lane_t packed_result;
  product_t product_d, product_q;

  always_comb begin
    float_t a, b;

    a = operands_i.a;
    b = operands_i.b;
    product_d.result_type = operands_i.op.result_type;
    product_d.negative = a.sign ^ b.sign;
    product_d.exponent = exponent_t'(exponent_of(a)) + exponent_t'(exponent_of(b)) -
                         exponent_t'(ExponentBias - 1);
    product_d.product = ProductBits'(significand_of(a)) * ProductBits'(significand_of(b));

    product_d.settled = is_infinite(a) || is_infinite(b);
    product_d.settled_result = infinity(product_d.negative);
    if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b)))
    begin
      product_d.settled = 1'b1;
      product_d.settled_result = CanonicalNan;
    end
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

  fp_pack #(
      .Width(ProductBits)
  ) u_pack (
      .clk_i,
      .rst_ni,
      .valid_i         (product_valid),
      .result_type_i   (product_q.result_type),
      .settled_i       (product_q.settled),
      .settled_result_i(product_q.settled_result),
      .negative_i      (product_q.negative),
      .exponent_i      (product_q.exponent),
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
