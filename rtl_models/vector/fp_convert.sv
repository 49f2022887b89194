// Conversions between integers and floats, and from floats to narrower floats.
//
// Rounds to nearest even. A number beyond the integer type, or beyond the unsigned integers of a
// lane, gives the nearest limit, NaN gives 0.
// Timing: result_o belongs to the operand of `Depth` cycles before; one operand per cycle. Three
// stages (unpack, shift, round); a greater depth delays the result.
module fp_convert
  import hwc_float_pkg::*;
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencyCvt - RegisterStages
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      valid_i,
    input  operands_t operands_i,
    output logic      valid_o,
    output lane_t     result_o
);

  localparam int unsigned Stages = 3;

  // An exponent at which the top bit of a significand is the top bit of a lane; from the next one
  // on every number is beyond the integers.
  localparam biased_t ExponentTop = biased_t'(ExponentBias + LaneBits - 1);
  // Shifting a lane right by this much leaves a sticky bit at most.
  localparam int unsigned MaxShiftRight = LaneBits + 1;
  localparam int unsigned ShiftBits = $clog2(MaxShiftRight + 1);
  localparam int unsigned CountBits = $clog2(LaneBits + 1);

  typedef struct packed {
    hwc_isa_pkg::operation_t op;
    logic sign;
    logic is_nan;
    logic is_beyond;  // greater than any lane
    biased_t exponent;  // of a float
    lane_t magnitude;  // the integer's, or the significand at the top
    logic [ShiftBits-1:0] shift;  // from the top to the integer
  } unpacked_t;

  typedef struct packed {
    hwc_isa_pkg::operation_t op;
    logic sign;
    logic is_nan;
    logic is_beyond;
    biased_t exponent;
    lane_t magnitude;  // a significand at the top, or an integer
    logic guard;  // the bits below an integer
    logic sticky;
  } shifted_t;

  function automatic logic from_integer(hwc_isa_pkg::operation_e operation);
    return operation inside {hwc_isa_pkg::OperationToFloat, hwc_isa_pkg::OperationFromU32};
  endfunction

  function automatic logic to_float(hwc_isa_pkg::operation_e operation);
    return from_integer(operation) || operation == hwc_isa_pkg::OperationToNarrower;
  endfunction

  logic unpacked_valid, shifted_valid;
  unpacked_t unpacked_d, unpacked_q;
  shifted_t shifted_d, shifted_q;
  lane_t result_d;
  logic [CountBits-1:0] magnitude_zeros;

  // Unpack.
  always_comb begin
    float_t a;

    a = operands_i.a;
    unpacked_d.op = operands_i.op;
    // A signed integer has its sign in the same bit.
    unpacked_d.sign = a.sign && operands_i.op.operation != hwc_isa_pkg::OperationFromU32;
    unpacked_d.is_nan = is_nan(a);
    unpacked_d.is_beyond = a.exponent > ExponentTop;
    unpacked_d.shift = ShiftBits'(MaxShiftRight);
    if (a.exponent > ExponentTop - biased_t'(MaxShiftRight))
      unpacked_d.shift = ShiftBits'(ExponentTop - a.exponent);
    unpacked_d.exponent = exponent_of(a);
    if (from_integer(operands_i.op.operation)) begin
      unpacked_d.magnitude = unpacked_d.sign ? -operands_i.a : operands_i.a;
    end else begin
      unpacked_d.magnitude = {significand_of(a), (LaneBits - SignificandBits)'(0)};
    end
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
    shifted_d.exponent = ExponentTop - biased_t'(magnitude_zeros);
    if (unpacked_q.magnitude == '0) shifted_d.exponent = BiasedMin;
    if (unpacked_q.op.operation == hwc_isa_pkg::OperationToNarrower) begin
      shifted_d.exponent = unpacked_q.exponent;
      shifted_d.magnitude = unpacked_q.magnitude;
      {shifted_d.guard, rest} = '0;
    end else if (from_integer(unpacked_q.op.operation)) begin
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

    rounded = (LaneBits + 1)'(shifted_q.magnitude) +
              (LaneBits + 1)'(shifted_q.guard && (shifted_q.sticky || shifted_q.magnitude[0]));
    limit = hwc_isa_pkg::low_bits('1, shifted_q.op.result_type) >> 1;
    limit += lane_t'(shifted_q.sign);
    if (shifted_q.op.operation == hwc_isa_pkg::OperationToU32) limit = shifted_q.sign ? '0 : '1;
    if (shifted_q.is_beyond || rounded > (LaneBits + 1)'(limit)) rounded = (LaneBits + 1)'(limit);

    if (shifted_q.op.operation == hwc_isa_pkg::OperationToNarrower && shifted_q.is_nan) begin
      result_d = CanonicalNan;
    end else if (to_float(shifted_q.op.operation)) begin
      result_d = round_and_pack(hwc_isa_pkg::float_format(shifted_q.op.result_type),
                                shifted_q.sign, shifted_q.exponent, significand, guard,
                                rest != '0);
    end else if (shifted_q.is_nan) begin
      result_d = '0;
    end else begin
      result_d = shifted_q.sign ? -rounded[LaneBits-1:0] : rounded[LaneBits-1:0];
    end
  end

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitCvt),
      .Depth (Depth),
      .Stages(Stages)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i,
      .operands_i,
      .result_valid_i(shifted_valid),
      .result_i      (result_d),
      .valid_o,
      .result_o
  );

endmodule
