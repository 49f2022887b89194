// Addition and subtraction of floats.
//
// Rounds to nearest even; subnormals are operands and results; every NaN result is canonical.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Four stages (order, align and add, normalise, round); a greater depth delays the result.
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

  localparam int unsigned Stages = 4;

  // Guard, round and sticky bits below a significand.
  localparam int unsigned ExtraBits = 3;
  localparam int unsigned AlignedBits = SignificandBits + ExtraBits;
  localparam int unsigned ShiftBits = $clog2(AlignedBits + 1);

  // What the sum of special operands is, decided before any arithmetic.
  typedef enum logic [1:0] {
    SumIsNumber,
    SumIsInfinite,
    SumIsNan
  } sum_class_e;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    sum_class_e sum_class;
    logic sign;  // of the operand with the greater magnitude
    logic subtract;  // the magnitudes are subtracted
    biased_t exponent;  // of the greater magnitude
    significand_t greater;
    significand_t smaller;
    logic [ShiftBits-1:0] shift;  // aligns the smaller one; AlignedBits clears it
  } ordered_t;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    sum_class_e sum_class;
    logic sign;
    biased_t exponent;
    logic [AlignedBits:0] sum;
  } sum_t;

  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    sum_class_e sum_class;
    logic sign;
    biased_t exponent;
    significand_t significand;
    logic guard;
    logic sticky;
  } normal_t;

  logic ordered_valid, sum_valid, normal_valid;
  ordered_t ordered_d, ordered_q;
  sum_t sum_d, sum_q;
  normal_t normal_d, normal_q;
  lane_t result_d;
  logic [ShiftBits-1:0] sum_zeros;

  // Order: the operand of greater magnitude first.
  always_comb begin
    float_t a, b, greater, smaller;
    biased_t distance;

    a = operands_i.a;
    b = operands_i.b;
    b.sign = b.sign ^ (operands_i.op.operation == hwc_isa_pkg::OperationSub);
    {greater, smaller} = operands_i.a[LaneBits-2:0] >= operands_i.b[LaneBits-2:0] ? {a, b} : {b, a};
    distance = exponent_of(greater) - exponent_of(smaller);

    ordered_d.result_type = operands_i.op.result_type;
    ordered_d.sum_class = SumIsNumber;
    if (is_infinite(greater)) ordered_d.sum_class = SumIsInfinite;
    if (is_nan(greater) || (is_infinite(smaller) && a.sign != b.sign)) begin
      ordered_d.sum_class = SumIsNan;
    end
    // The sum of two zeros is negative only if both are: with equal signs, it has their sign.
    ordered_d.sign = greater.sign;
    ordered_d.subtract = a.sign != b.sign;
    ordered_d.exponent = exponent_of(greater);
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

  // Align and add. The bits shifted out are kept as one sticky bit; that is exact, because a
  // cancellation of more than one bit happens only where nothing was shifted out.
  always_comb begin
    logic [2*AlignedBits-1:0] shifted;
    logic [AlignedBits-1:0] greater, smaller;

    shifted = {ordered_q.smaller, (ExtraBits + AlignedBits)'(0)} >> ordered_q.shift;
    greater = {ordered_q.greater, ExtraBits'(0)};
    smaller = shifted[2*AlignedBits-1:AlignedBits];
    smaller[0] |= |shifted[AlignedBits-1:0];

    sum_d.result_type = ordered_q.result_type;
    sum_d.sum_class = ordered_q.sum_class;
    sum_d.exponent = ordered_q.exponent;
    sum_d.sum = ordered_q.subtract ? {1'b0, greater} - {1'b0, smaller}
                                   : {1'b0, greater} + {1'b0, smaller};
    // Numbers that cancel give +0.
    sum_d.sign = ordered_q.sign && !(ordered_q.subtract && sum_d.sum == '0 &&
                                     ordered_q.sum_class == SumIsNumber);
  end

  delay_line #(
      .data_t(sum_t)
  ) u_sum (
      .clk_i,
      .rst_ni,
      .valid_i(ordered_valid),
      .data_i (sum_d),
      .valid_o(sum_valid),
      .data_o (sum_q)
  );

  // Normalise, the carry included, but never below the exponent of subnormal numbers.
  leading_zeros #(
      .Width(AlignedBits + 1)
  ) u_leading_zeros (
      .data_i (sum_q.sum),
      .count_o(sum_zeros)
  );

  always_comb begin
    biased_t shift;
    logic [ExtraBits-1:0] rest;

    shift = biased_t'(sum_zeros);
    if (shift > sum_q.exponent) shift = sum_q.exponent;
    normal_d.result_type = sum_q.result_type;
    normal_d.sum_class = sum_q.sum_class;
    normal_d.sign = sum_q.sign;
    normal_d.exponent = sum_q.sum == '0 ? BiasedMin : sum_q.exponent + biased_t'(1) - shift;
    {normal_d.significand, normal_d.guard, rest} = sum_q.sum << shift;
    normal_d.sticky = rest != '0;
  end

  delay_line #(
      .data_t(normal_t)
  ) u_normal (
      .clk_i,
      .rst_ni,
      .valid_i(sum_valid),
      .data_i (normal_d),
      .valid_o(normal_valid),
      .data_o (normal_q)
  );

  // Round.
  always_comb begin
    unique case (normal_q.sum_class)
      SumIsNan: result_d = CanonicalNan;
      SumIsInfinite: result_d = infinity(normal_q.sign);
      default: begin
        result_d = round_and_pack(hwc_isa_pkg::float_format(normal_q.result_type), normal_q.sign,
                                  normal_q.exponent, normal_q.significand, normal_q.guard,
                                  normal_q.sticky);
      end
    endcase
  end

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitFadd),
      .Depth (Depth),
      .Stages(Stages)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i,
      .operands_i,
      .result_valid_i(normal_valid),
      .result_i      (result_d),
      .valid_o,
      .result_o
  );

endmodule
