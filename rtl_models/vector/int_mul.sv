// Integer products: mul.i8, mul.i16, mul.i32 (low bits), mulhu.i32 (high bits), mulsh.i32 and
// mulshd.i32 (64-bit product, rounded and shifted right), and shrw.i32, which shifts 64 bits.
//
// mulsh adds half of the last kept bit before it shifts by c & 63; the sum wraps at 64 bits. mulshd
// moves the product by 2^30 away from zero, too, if it shifts by more than 31. Without its sign, an
// a below 0 is larger by 2^32, and the product by 2^32 b: mulhu adds that.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Three stages (multiply, add half, shift); a greater depth delays the result.
module int_mul
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencyMul - RegisterStages
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      valid_i,
    input  operands_t operands_i,
    output logic      valid_o,
    output lane_t     result_o
);

  localparam int unsigned Stages = 3;

  localparam int unsigned ProductBits = 2 * LaneBits;
  localparam int unsigned ShiftBits = $clog2(ProductBits);

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic signed [ProductBits-1:0] sum;
    logic [ShiftBits-1:0] shift;
  } sum_t;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic signed [ProductBits-1:0] product;
    logic [ShiftBits-1:0] shift;
    logic rounds;
    logic signed [ProductBits-1:0] more;
  } product_t;

  logic product_valid, sum_valid;
  product_t product_d, product_q;
  sum_t sum_d, sum_q;
  lane_t result_d;

  // What double rounding adds to the product of an a that is not negative.
  localparam logic signed [ProductBits-1:0] Away = ProductBits'(1) << (LaneBits - 2);

  // Multiply.
  always_comb begin
    product_d.result_type = operands_i.op.result_type;
    product_d.product = ProductBits'(signed'(operands_i.a)) * ProductBits'(signed'(operands_i.b));
    product_d.shift = '0;
    product_d.rounds = 1'b1;
    product_d.more = '0;
    unique case (operands_i.op.operation)
      hwc_isa_pkg::OperationMulsh: product_d.shift = operands_i.c[ShiftBits-1:0];
      hwc_isa_pkg::OperationMulshd: begin
        product_d.shift = operands_i.c[ShiftBits-1:0];
        if (product_d.shift >= ShiftBits'(LaneBits)) begin
          product_d.more = operands_i.a[LaneBits-1] ? -Away : Away;
        end
      end
      hwc_isa_pkg::OperationMulhu: begin
        product_d.shift = ShiftBits'(LaneBits);
        product_d.rounds = 1'b0;
        if (operands_i.a[LaneBits-1]) product_d.more = signed'({operands_i.b, LaneBits'(0)});
      end
      hwc_isa_pkg::OperationShrw: begin
        product_d.product = signed'({operands_i.a, operands_i.b});
        product_d.shift = operands_i.c[ShiftBits-1:0];
      end
      default: ;
    endcase
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

  // Add half; a shift of 0 has none.
  always_comb begin
    sum_d.result_type = product_q.result_type;
    sum_d.shift = product_q.shift;
    sum_d.sum = product_q.product + product_q.more;
    if (product_q.rounds) begin
      sum_d.sum += signed'((ProductBits'(1'b1) << product_q.shift) >> 1);
    end
  end

  delay_line #(
      .data_t(sum_t)
  ) u_sum (
      .clk_i,
      .rst_ni,
      .valid_i(product_valid),
      .data_i (sum_d),
      .valid_o(sum_valid),
      .data_o (sum_q)
  );

  // Shift, or keep the type's low bits.
  always_comb begin
    lane_t shifted;

    shifted = unsigned'(LaneBits'(sum_q.sum >>> sum_q.shift));
    result_d = hwc_isa_pkg::in_range(shifted, sum_q.result_type);
  end

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitMul),
      .Depth (Depth),
      .Stages(Stages)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i,
      .operands_i,
      .result_valid_i(sum_valid),
      .result_i      (result_d),
      .valid_o,
      .result_o
  );

endmodule
