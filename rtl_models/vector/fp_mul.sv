// Multiplication of binary32: mul.f32.
//
// Rounds to nearest even; subnormals are operands and results; every NaN result is canonical.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Four stages (multiply, and three of fp_pack); a greater depth delays the result.
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

  typedef struct packed {
    logic settled;
    lane_t settled_result;
    logic negative;
    exponent_t exponent;
    logic [ProductBits-1:0] product;
  } product_t;

  logic product_valid;
  product_t product_d, product_q;

  logic unused_operands;
  assign unused_operands = ^{op_i, c_i};

  always_comb begin
    float_t a, b;

    a = a_i;
    b = b_i;
    product_d.negative = a.sign ^ b.sign;
    product_d.exponent = exponent_t'(scale_of(a)) + exponent_t'(scale_of(b)) -
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
      .Width(ProductBits),
      .Depth(Depth - 1)
  ) u_pack (
      .clk_i,
      .rst_ni,
      .valid_i         (product_valid),
      .settled_i       (product_q.settled),
      .settled_result_i(product_q.settled_result),
      .negative_i      (product_q.negative),
      .exponent_i      (product_q.exponent),
      .value_i         (product_q.product),
      .valid_o,
      .result_o
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      assert (belongs_to(hwc_isa_pkg::UnitFmul, op_i)) else $error("another unit's instruction");
    end
  end
`endif

endmodule
