// Addition and subtraction of floats.
//
// Rounds to nearest even; subnormals are operands and results; every NaN result is canonical.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Eight stages (order, align, add, four of fp_pack, result); a greater depth delays the result.
module fp_add
  import hwc_float_pkg::*;
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencyFadd - RegisterStages
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      valid_i,
    input  operands_t operands_i,
    output logic      valid_o,
    output lane_t     result_o
);

  localparam int unsigned Stages = 8;

  // Guard, round and sticky bits below a significand.
  localparam int unsigned ExtraBits = 3;
  localparam int unsigned AlignedBits = SignificandBits + ExtraBits;
  localparam int unsigned ShiftBits = $clog2(AlignedBits + 1);

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic settled;  // the result is infinite, or NaN
    logic is_nan;
    logic negative;
    logic subtract;  // the magnitudes are subtracted
    biased_t exponent;  // of the greater magnitude
  } kind_t;

  typedef struct packed {
    kind_t kind;
    significand_t greater;
    significand_t smaller;
    logic [ShiftBits-1:0] shift;  // aligns the smaller one; AlignedBits clears it
  } ordered_t;

  typedef struct packed {
    kind_t kind;
    significand_t greater;
    logic [AlignedBits-1:0] smaller;
  } aligned_t;

  typedef struct packed {
    kind_t kind;
    logic [AlignedBits:0] sum;
  } sum_t;

  logic ordered_valid, aligned_valid, sum_valid, packed_valid;
  ordered_t ordered_d, ordered_q;
  aligned_t aligned_d, aligned_q;
  sum_t sum_d, sum_q;
  lane_t packed_result;

  // Order: the operand of greater magnitude first.
  always_comb begin
    float_t a, b, greater, smaller;
    logic a_first;
    biased_t distance;

    a = operands_i.a;
    b = operands_i.b;
    b.sign = b.sign ^ (operands_i.op.operation == hwc_isa_pkg::OperationSub);
    a_first = operands_i.a[LaneBits-2:0] >= operands_i.b[LaneBits-2:0];
    {greater, smaller} = a_first ? {a, b} : {b, a};
    // Both differences, so that none waits for the order.
    distance = a_first ? exponent_of(a) - exponent_of(b) : exponent_of(b) - exponent_of(a);

    ordered_d.kind.result_type = operands_i.op.result_type;
    ordered_d.kind.is_nan = is_nan(a) || is_nan(b) ||
                            (is_infinite(a) && is_infinite(b) && a.sign != b.sign);
    ordered_d.kind.settled = a.exponent == BiasedMax || b.exponent == BiasedMax;
    // The sum of two zeros is negative only if both are: with equal signs, it has their sign.
    ordered_d.kind.subtract = a.sign != b.sign;
    ordered_d.kind.negative = greater.sign;
    ordered_d.kind.exponent = exponent_of(greater);
    ordered_d.greater = significand_of(greater);
    ordered_d.smaller = significand_of(smaller);
    ordered_d.shift = ShiftBits'(distance);
    if (distance > biased_t'(AlignedBits)) ordered_d.shift = ShiftBits'(AlignedBits);
  end

  delay_line #(
      .data_t(ordered_t)
  ) u_ordered (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (ordered_d),
      .valid_o(ordered_valid),
      .data_o (ordered_q)
  );

  // Align. The bits shifted out are kept as one sticky bit; that is exact, because a cancellation
  // of more than one bit happens only where nothing was shifted out.
  always_comb begin
    logic [2*AlignedBits-1:0] shifted;

    shifted = {ordered_q.smaller, (ExtraBits + AlignedBits)'(0)} >> ordered_q.shift;
    aligned_d.kind = ordered_q.kind;
    aligned_d.greater = ordered_q.greater;
    aligned_d.smaller = shifted[2*AlignedBits-1:AlignedBits];
    aligned_d.smaller[0] |= |shifted[AlignedBits-1:0];
  end

  delay_line #(
      .data_t(aligned_t)
  ) u_aligned (
      .clk_i,
      .rst_ni,
      .valid_i(ordered_valid),
      .data_i (aligned_d),
      .valid_o(aligned_valid),
      .data_o (aligned_q)
  );

  // Add: what is subtracted is inverted, and one more comes in below.
  always_comb begin
    logic [AlignedBits:0] greater, smaller;
    logic unused_carry_in;

    greater = {1'b0, aligned_q.greater, ExtraBits'(0)};
    smaller = {1'b0, aligned_q.smaller};
    sum_d.kind = aligned_q.kind;
    {sum_d.sum, unused_carry_in} = {greater, aligned_q.kind.subtract} +
        {aligned_q.kind.subtract ? ~smaller : smaller, aligned_q.kind.subtract};
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

  // The sum's top bit is its carry.
  fp_pack #(
      .Width(AlignedBits + 1)
  ) u_pack (
      .clk_i,
      .rst_ni,
      .valid_i         (sum_valid),
      .result_type_i   (sum_q.kind.result_type),
      .settled_i       (sum_q.kind.settled),
      .settled_result_i(sum_q.kind.is_nan ? CanonicalNan : infinity(sum_q.kind.negative)),
      .negative_i      (sum_q.kind.negative),
      .cancels_i       (sum_q.kind.subtract),
      .exponent_i      (exponent_t'(sum_q.kind.exponent) + exponent_t'(1)),
      .value_i         (sum_q.sum),
      .valid_o         (packed_valid),
      .result_o        (packed_result)
  );

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitFadd),
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
