// Conversions between 32-bit integers and binary32: i32_to_f32, f32_to_i8, f32_to_i16, f32_to_i32.
//
// Rounds to nearest even. A number beyond the integer type gives the type's nearest limit, NaN
// gives 0.
// Timing: result_o belongs to the operand of `Depth` cycles before; one operand per cycle. Three
// stages (unpack, shift, round); a greater depth delays the result.
module fp_convert
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencyCvt - RegisterStages
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

  localparam int unsigned Stages = 3;
  if (Depth < Stages) begin : gen_depth_check
    $error("fp_convert needs a Depth of at least %0d, got %0d", Stages, Depth);
  end

  // An exponent at which the top bit of a significand is the top bit of a lane; from the next one
  // on every number is beyond the integers.
  localparam logic [ExponentBits-1:0] ExponentTop = ExponentBits'(ExponentBias + LaneBits - 1);
  // Shifting a lane right by this much leaves a sticky bit at most.
  localparam int unsigned MaxShiftRight = LaneBits + 1;
  localparam int unsigned ShiftBits = $clog2(MaxShiftRight + 1);
  localparam int unsigned CountBits = $clog2(LaneBits + 1);

  typedef struct packed {
    hwc_isa_pkg::opcode_e op;
    logic sign;
    logic is_nan;
    logic is_beyond;  // greater than any lane
    lane_t magnitude;  // the integer's, or the significand at the top
    logic [ShiftBits-1:0] shift;  // from the top to the integer
  } unpacked_t;

  typedef struct packed {
    hwc_isa_pkg::opcode_e op;
    logic sign;
    logic is_nan;
    logic is_beyond;
    logic [ExponentBits-1:0] exponent;
    lane_t magnitude;  // a significand at the top, or an integer
    logic guard;  // the bits below an integer
    logic sticky;
  } shifted_t;

  logic unpacked_valid, shifted_valid;
  unpacked_t unpacked_d, unpacked_q;
  shifted_t shifted_d, shifted_q;
  lane_t result_d;
  logic [CountBits-1:0] magnitude_zeros;

  logic unused_operands;
  assign unused_operands = ^{b_i, c_i};

  // Unpack.
  always_comb begin
    float_t a;

    a = a_i;
    unpacked_d.op = op_i;
    unpacked_d.sign = a.sign;  // an integer has its sign in the same bit
    unpacked_d.is_nan = is_nan(a);
    unpacked_d.is_beyond = a.exponent > ExponentTop;
    unpacked_d.shift = ShiftBits'(MaxShiftRight);
    if (a.exponent > ExponentTop - 8'(MaxShiftRight))
      unpacked_d.shift = ShiftBits'(ExponentTop - a.exponent);
    if (op_i == hwc_isa_pkg::OpI32ToF32) unpacked_d.magnitude = a.sign ? -a_i : a_i;
    else unpacked_d.magnitude = {significand_of(a), (LaneBits - SignificandBits)'(0)};
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

  // Shift: left to the significand of a float, right to an integer.
  leading_zeros #(
      .Width(LaneBits)
  ) u_leading_zeros (
      .data_i (unpacked_q.magnitude),
      .count_o(magnitude_zeros)
  );

  always_comb begin
    logic [LaneBits-1:0] rest;

    shifted_d.op = unpacked_q.op;
    shifted_d.sign = unpacked_q.sign;
    shifted_d.is_nan = unpacked_q.is_nan;
    shifted_d.is_beyond = unpacked_q.is_beyond;
    // 0 takes the exponent of subnormal numbers.
    shifted_d.exponent = unpacked_q.magnitude == '0 ? 8'd1 : ExponentTop - 8'(magnitude_zeros);
    if (unpacked_q.op == hwc_isa_pkg::OpI32ToF32) begin
      shifted_d.magnitude = unpacked_q.magnitude << magnitude_zeros;
      {shifted_d.guard, rest} = '0;
    end else begin
      {shifted_d.magnitude, shifted_d.guard, rest} =
          {unpacked_q.magnitude, (LaneBits + 1)'(0)} >> unpacked_q.shift;
    end
    shifted_d.sticky = rest != '0;
  end

  delay_line #(
      .data_t(shifted_t)
  ) u_shifted (
      .clk_i,
      .rst_ni,
      .valid_i(unpacked_valid),
      .data_i (shifted_d),
      .valid_o(shifted_valid),
      .data_o (shifted_q)
  );

  // Round.
  always_comb begin
    significand_t significand;
    logic guard;
    logic [LaneBits-SignificandBits-2:0] rest;
    logic [LaneBits:0] rounded;
    lane_t limit;

    {significand, guard, rest} = shifted_q.magnitude;

    rounded = 33'(shifted_q.magnitude) +
              33'(shifted_q.guard && (shifted_q.sticky || shifted_q.magnitude[0]));
    unique case (shifted_q.op)
      hwc_isa_pkg::OpF32ToI8:  limit = 32'h0000_007f;
      hwc_isa_pkg::OpF32ToI16: limit = 32'h0000_7fff;
      default: limit = 32'h7fff_ffff;
    endcase
    limit += lane_t'(shifted_q.sign);
    if (shifted_q.is_beyond || rounded > 33'(limit)) rounded = 33'(limit);

    if (shifted_q.op == hwc_isa_pkg::OpI32ToF32) begin
      result_d = round_and_pack(shifted_q.sign, shifted_q.exponent, significand, guard,
                                rest != '0);
    end else if (shifted_q.is_nan) begin
      result_d = '0;
    end else begin
      result_d = shifted_q.sign ? -rounded[LaneBits-1:0] : rounded[LaneBits-1:0];
    end
  end

  delay_line #(
      .data_t(lane_t),
      .Stages(Depth - Stages + 1)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i(shifted_valid),
      .data_i (result_d),
      .valid_o,
      .data_o (result_o)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      assert (belongs_to(hwc_isa_pkg::UnitCvt, op_i)) else $error("another unit's instruction");
    end
  end
`endif

endmodule
