// Integer products: mul.i8, mul.i16, mul.i32 (low bits), mulhu.i32 (high bits), mulsh.i32 and
// mulshd.i32 (64-bit product, rounded and shifted right), and shrw.i32, which shifts 64 bits.
//
// mulsh adds half of the last kept bit before it shifts by c & 63; the sum wraps at 64 bits. mulshd
// moves the product by 2^30 away from zero, too, if it shifts by more than 31. Without its sign, an
// a below 0 is larger by 2^32, and the product by 2^32 b: mulhu adds that.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Five stages (choose, multiply, add, shift, result); a greater depth delays the result.
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

  localparam int unsigned Stages = 5;

  localparam int unsigned ProductBits = 2 * LaneBits;
  localparam int unsigned ShiftBits = $clog2(ProductBits);

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    lane_t a;
    lane_t b;
    logic [ShiftBits-1:0] shift;
    logic rounds;
    logic [ProductBits-1:0] more;
  } factors_t;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic [ShiftBits-1:0] shift;
    logic [ProductBits-1:0] addend;
  } multiplied_t;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic [ShiftBits-1:0] shift;
    logic [ProductBits-1:0] sum;
  } sum_t;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    lane_t shifted;
  } shifted_t;

  logic factors_valid, multiplied_valid, sum_valid, shifted_valid;
  factors_t factors_d, factors_q;
  multiplied_t multiplied_d, multiplied_q;
  sum_t sum_d, sum_q;
  shifted_t shifted_d, shifted_q;

  // What double rounding adds to the product of an a that is not negative.
  localparam logic [ProductBits-1:0] Away = ProductBits'(1) << (LaneBits - 2);

  // Choose what is multiplied, added and shifted.
  always_comb begin
    factors_d.result_type = operands_i.op.result_type;
    factors_d.a = operands_i.a;
    factors_d.b = operands_i.b;
    factors_d.shift = '0;
    factors_d.rounds = 1'b1;
    factors_d.more = '0;
    unique case (operands_i.op.operation)
      hwc_isa_pkg::OperationMulsh: factors_d.shift = operands_i.c[ShiftBits-1:0];
      hwc_isa_pkg::OperationMulshd: begin
        factors_d.shift = operands_i.c[ShiftBits-1:0];
        if (factors_d.shift >= ShiftBits'(LaneBits)) begin
          factors_d.more = operands_i.a[LaneBits-1] ? -Away : Away;
        end
      end
      hwc_isa_pkg::OperationMulhu: begin
        factors_d.shift = ShiftBits'(LaneBits);
        factors_d.rounds = 1'b0;
        if (operands_i.a[LaneBits-1]) factors_d.more = {operands_i.b, LaneBits'(0)};
      end
      hwc_isa_pkg::OperationShrw: begin
        factors_d.b = '0;
        factors_d.more = {operands_i.a, operands_i.b};
        factors_d.shift = operands_i.c[ShiftBits-1:0];
      end
      default: ;
    endcase
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

  // Multiply. Half of a shift of 0 is nothing.
  always_comb begin
    multiplied_d.result_type = factors_q.result_type;
    multiplied_d.shift = factors_q.shift;
    multiplied_d.addend = factors_q.more;
    if (factors_q.rounds) begin
      multiplied_d.addend += (ProductBits'(1'b1) << factors_q.shift) >> 1;
    end
  end

  delay_line #(
      .data_t(multiplied_t)
  ) u_multiplied (
      .clk_i,
      .rst_ni,
      .valid_i(factors_valid),
      .data_i (multiplied_d),
      .valid_o(multiplied_valid),
      .data_o (multiplied_q)
  );

  multiply_add #(
      .ABits  (LaneBits),
      .BBits  (LaneBits),
      .ASigned(1'b1),
      .BSigned(1'b1)
  ) u_multiply (
      .clk_i,
      .a_i     (factors_q.a),
      .b_i     (factors_q.b),
      .addend_i(multiplied_q.addend),
      .sum_o   (sum_d.sum)
  );

  assign sum_d.result_type = multiplied_q.result_type;
  assign sum_d.shift = multiplied_q.shift;

  delay_line #(
      .data_t(sum_t)
  ) u_sum (
      .clk_i,
      .rst_ni,
      .valid_i(multiplied_valid),
      .data_i (sum_d),
      .valid_o(sum_valid),
      .data_o (sum_q)
  );

  // Shift.
  assign shifted_d.result_type = sum_q.result_type;
  assign shifted_d.shifted = unsigned'(LaneBits'(signed'(sum_q.sum) >>> sum_q.shift));

  delay_line #(
      .data_t(shifted_t)
  ) u_shifted (
      .clk_i,
      .rst_ni,
      .valid_i(sum_valid),
      .data_i (shifted_d),
      .valid_o(shifted_valid),
      .data_o (shifted_q)
  );

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitMul),
      .Depth (Depth),
      .Stages(Stages)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i,
      .operands_i,
      .result_valid_i(shifted_valid),
      .result_i      (hwc_isa_pkg::in_range(shifted_q.shifted, shifted_q.result_type)),
      .valid_o,
      .result_o
  );

endmodule
