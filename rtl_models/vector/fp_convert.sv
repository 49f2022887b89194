// Conversions between integers and floats, and from floats to narrower floats.
//
// Rounds to nearest even. A number beyond the integer type, or beyond the unsigned integers of a
// lane, gives the nearest limit, NaN gives 0.
// Timing: result_o belongs to the operand of `Depth` cycles before; one operand per cycle. Eight
// stages (unpack, shift, round to an integer, four of fp_pack, result); a greater depth delays the
// result.
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

  localparam int unsigned Stages = 8;

  // An exponent at which the top bit of a significand is the top bit of a lane; from the next one
  // on every number is beyond the integers.
  localparam biased_t ExponentTop = biased_t'(ExponentBias + LaneBits - 1);
  // Shifting a lane right by this much leaves a sticky bit at most.
  localparam int unsigned MaxShiftRight = LaneBits + 1;
  localparam int unsigned ShiftBits = $clog2(MaxShiftRight + 1);

  typedef struct packed {
    hwc_isa_pkg::operation_t op;
    logic sign;
    logic is_nan;
    logic is_beyond;  // greater than any lane
    biased_t exponent;  // of the magnitude's top bit, if that becomes a float
    lane_t magnitude;  // the integer's, or the significand at the top
    logic [ShiftBits-1:0] shift;  // from the top to the integer; 0 if it becomes a float
  } unpacked_t;

  typedef struct packed {
    hwc_isa_pkg::operation_t op;
    logic sign;
    logic is_nan;
    logic is_beyond;
    biased_t exponent;
    lane_t magnitude;  // as it was if it becomes a float, else an integer
    logic guard;  // the bits below an integer
    logic sticky;
    lane_t limit;  // the magnitude from which on an integer is limited
    lane_t limited;  // and to what
  } shifted_t;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic settled;
    lane_t settled_result;  // an integer, or NaN
    logic sign;
    biased_t exponent;
    lane_t magnitude;
  } rounded_t;

  function automatic logic from_integer(hwc_isa_pkg::operation_e operation);
    return operation inside {hwc_isa_pkg::OperationToFloat, hwc_isa_pkg::OperationFromU32};
  endfunction

  function automatic logic to_float(hwc_isa_pkg::operation_e operation);
    return from_integer(operation) || operation == hwc_isa_pkg::OperationToNarrower;
  endfunction

  logic unpacked_valid, shifted_valid, rounded_valid, packed_valid;
  unpacked_t unpacked_d, unpacked_q;
  shifted_t shifted_d, shifted_q;
  rounded_t rounded_d, rounded_q;
  lane_t packed_result;

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
    if (to_float(operands_i.op.operation)) unpacked_d.shift = '0;
    if (from_integer(operands_i.op.operation)) begin
      unpacked_d.exponent = ExponentTop;
      unpacked_d.magnitude = unpacked_d.sign ? -operands_i.a : operands_i.a;
    end else begin
      unpacked_d.exponent = exponent_of(a);
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

  // Shift right to an integer. The bits below the guard are chosen by a mask: they need not wait
  // for the shift.
  always_comb begin
    lane_t below;

    below = LaneBits'(~({(LaneBits + 1) {1'b1}} << unpacked_q.shift) >> 1);
    shifted_d.op = unpacked_q.op;
    shifted_d.sign = unpacked_q.sign;
    shifted_d.is_nan = unpacked_q.is_nan;
    shifted_d.is_beyond = unpacked_q.is_beyond;
    shifted_d.exponent = unpacked_q.exponent;
    {shifted_d.magnitude, shifted_d.guard} = {unpacked_q.magnitude, 1'b0} >> unpacked_q.shift;
    shifted_d.sticky = (unpacked_q.magnitude & below) != '0;
  end

  always_comb begin
    lane_t greatest;

    greatest = hwc_isa_pkg::low_bits('1, unpacked_q.op.result_type) >> 1;
    shifted_d.limit = greatest + lane_t'(unpacked_q.sign);
    shifted_d.limited = unpacked_q.sign ? ~greatest : greatest;
    if (unpacked_q.op.operation == hwc_isa_pkg::OperationToU32) begin
      shifted_d.limit = unpacked_q.sign ? '0 : '1;
      shifted_d.limited = shifted_d.limit;
    end
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

  // Round to an integer: a negative one is -m = ~m + 1, or -(m + 1) = ~m.
  always_comb begin
    logic round_up, is_limited;

    round_up = shifted_q.guard && (shifted_q.sticky || shifted_q.magnitude[0]);
    // Of the limit itself the result is the same.
    is_limited = shifted_q.is_beyond || shifted_q.magnitude >= shifted_q.limit;

    rounded_d.result_type = shifted_q.op.result_type;
    rounded_d.sign = shifted_q.sign;
    rounded_d.exponent = shifted_q.exponent;
    rounded_d.magnitude = shifted_q.magnitude;
    rounded_d.settled = !to_float(shifted_q.op.operation);
    rounded_d.settled_result = shifted_q.sign ? ~shifted_q.magnitude : shifted_q.magnitude;
    rounded_d.settled_result += lane_t'(round_up != shifted_q.sign);
    if (is_limited) rounded_d.settled_result = shifted_q.limited;
    if (shifted_q.is_nan) rounded_d.settled_result = '0;
    if (shifted_q.op.operation == hwc_isa_pkg::OperationToNarrower && shifted_q.is_nan) begin
      rounded_d.settled = 1'b1;
      rounded_d.settled_result = CanonicalNan;
    end
  end

  delay_line #(
      .data_t(rounded_t)
  ) u_rounded (
      .clk_i,
      .rst_ni,
      .valid_i(shifted_valid),
      .data_i (rounded_d),
      .valid_o(rounded_valid),
      .data_o (rounded_q)
  );

  fp_pack #(
      .Width(LaneBits)
  ) u_pack (
      .clk_i,
      .rst_ni,
      .valid_i         (rounded_valid),
      .result_type_i   (rounded_q.result_type),
      .settled_i       (rounded_q.settled),
      .settled_result_i(rounded_q.settled_result),
      .negative_i      (rounded_q.sign),
      .cancels_i       (1'b0),
      .exponent_i      (exponent_t'(rounded_q.exponent)),
      .value_i         (rounded_q.magnitude),
      .valid_o         (packed_valid),
      .result_o        (packed_result)
  );

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitCvt),
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
