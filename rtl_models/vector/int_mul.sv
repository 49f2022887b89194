// Integer products: mul.i8, mul.i16, mul.i32 (low bits), mulhu.i32 (high bits), mulsh.i32 and
// mulshd.i32 (64-bit product, rounded and shifted right), and shrw.i32, which shifts 64 bits.
//
// mulsh adds half of the last kept bit before it shifts by c & 63; the sum wraps at 64 bits. mulshd
// moves the product by 2^30 away from zero, too, if it shifts by more than 31. Without its sign, an
// a below 0 is larger by 2^32, and the product by 2^32 b: mulhu adds that.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Six stages (decode, choose, multiply, add, shift, result); a greater depth delays the result.
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

  localparam int unsigned Stages = 6;

  localparam int unsigned ProductBits = 2 * LaneBits;
  localparam int unsigned ShiftBits = $clog2(ProductBits);

  // What an operation takes, decoded, since each has many readers.
  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic takes_shift;  // from c
    logic rounds_twice;
    logic unsigned_high;
    logic two_words;    // a and b are shifted
    lane_t a;
    lane_t b;
    logic [ShiftBits-1:0] shift;
  } decoded_t;

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

  logic decoded_valid, factors_valid, multiplied_valid, sum_valid, shifted_valid;
  decoded_t decoded_d, decoded_q;
  factors_t factors_d, factors_q;
  multiplied_t multiplied_d, multiplied_q;
  sum_t sum_d, sum_q;
  shifted_t shifted_d, shifted_q;

  // What double rounding adds to the product of an a that is not negative.
  localparam logic [ProductBits-1:0] Away = ProductBits'(1) << (LaneBits - 2);

  always_comb begin
    decoded_d = '{
        result_type: operands_i.op.result_type,
        takes_shift: operands_i.op.operation inside {
            hwc_isa_pkg::OperationMulsh, hwc_isa_pkg::OperationMulshd, hwc_isa_pkg::OperationShrw
        },
        rounds_twice: operands_i.op.operation == hwc_isa_pkg::OperationMulshd,
        unsigned_high: operands_i.op.operation == hwc_isa_pkg::OperationMulhu,
        two_words: operands_i.op.operation == hwc_isa_pkg::OperationShrw,
        a: operands_i.a,
        b: operands_i.b,
        shift: operands_i.c[ShiftBits-1:0]
    };
  end

  delay_line #(
      .data_t(decoded_t)
  ) u_decoded (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (decoded_d),
      .valid_o(decoded_valid),
      .data_o (decoded_q)
  );

  // Choose what is multiplied, added and shifted.
  always_comb begin
    factors_d.result_type = decoded_q.result_type;
    factors_d.a = decoded_q.a;
    factors_d.b = decoded_q.two_words ? '0 : decoded_q.b;
    factors_d.shift = decoded_q.takes_shift ? decoded_q.shift : '0;
    if (decoded_q.unsigned_high) factors_d.shift = ShiftBits'(LaneBits);
    factors_d.rounds = !decoded_q.unsigned_high;
    factors_d.more = '0;
    if (decoded_q.two_words) factors_d.more = {decoded_q.a, decoded_q.b};
    if (decoded_q.unsigned_high && decoded_q.a[LaneBits-1]) begin
      factors_d.more = {decoded_q.b, LaneBits'(0)};
    end
    if (decoded_q.rounds_twice && decoded_q.shift >= ShiftBits'(LaneBits)) begin
      factors_d.more = decoded_q.a[LaneBits-1] ? -Away : Away;
    end
  end

  delay_line #(
      .data_t(factors_t)
  ) u_factors (
      .clk_i,
      .rst_ni,
      .valid_i(decoded_valid),
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
