// Quotients and remainders of integers, signed and unsigned; quotients, square roots and steps of
// the remainder of floats.
//
// All are one restoring division of 64 bits by 32, one bit of the quotient per stage. An integer
// is divided by its magnitude and gets its sign in the end; x / 0 has a quotient of all ones and a
// remainder of x. A float is divided by its significand. A square root finds its bits in the same
// way. Its divisor is twice the root that there is so far, every bit in its final place, and what a
// bit of weight w takes from the remainder is the divisor + w: from 2^i (x - r^2), doubled,
// 2^(i+1) (2 r w + w^2) where w is 2^-(i+1). So a stage shifts as it does for a quotient.
// Rounds floats to nearest even; subnormals are operands and results; every NaN result is
// canonical.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Four stages prepare the operands (unpack, normalise, compare, align), 32 find the bits, and one
// gives an integer its sign; four of fp_pack and the result's follow. A greater depth delays the
// result.
module divider
  import hwc_float_pkg::*;
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencyDiv - RegisterStages
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      valid_i,
    input  operands_t operands_i,
    output logic      valid_o,
    output lane_t     result_o
);
  import hwc_isa_pkg::*;

  localparam int unsigned Stages = 4 + LaneBits + 1 + 4 + 1;

  localparam int unsigned CountBits = $clog2(SignificandBits + 1);
  // A significand is shifted left by this much at most before it is divided: its quotient by
  // another one then has as many bits as a lane, or one less.
  localparam int unsigned MaxShift = LaneBits - 1;
  localparam int unsigned ShiftBits = $clog2(MaxShift + 1);
  // What is rounded: a lane, and a last bit that stands for the rest.
  localparam int unsigned PackedBits = LaneBits + 1;
  // Exponents of a lane's top bit: of a remainder that has its dividend's exponent, and of a root
  // whose operand has the exponent 0.
  localparam exponent_t RemainderTop = exponent_t'(LaneBits - 1 - FractionBits);
  localparam exponent_t RootTop = exponent_t'(ExponentBias - (ExponentBias - 1) / 2 + 1);
  // The operand of a root is from 1/2 to 2, an eighth of it is what the first stage doubles, and a
  // remainder has three bits before the point.
  localparam int unsigned RootShift = LaneBits - 1 - SignificandBits - 5;

  // What the result of special operands is, decided before any arithmetic.
  typedef enum logic [1:0] {
    ResultIsNumber,
    ResultIsInfinite,
    ResultIsNan
  } result_class_e;

  typedef struct packed {
    type_e result_type;
    logic is_float;
    result_class_e result_class;  // of a float
    logic root;
    logic remainder;  // the result is the remainder
    logic negative;  // the result is
    logic away;  // if there is a remainder, the quotient's magnitude is one more
  } kind_t;

  typedef struct packed {
    kind_t kind;
    lane_t a;  // an integer's magnitude, or a significand
    lane_t b;
    logic [CountBits-1:0] a_zeros;  // of a significand
    logic [CountBits-1:0] b_zeros;
    biased_t a_exponent;
    biased_t b_exponent;
    logic b_infinite;
  } unpacked_t;

  typedef struct packed {
    kind_t kind;
    lane_t a;  // an integer's magnitude, or a normalised significand
    lane_t b;
    exponent_t a_exponent;
    exponent_t b_exponent;
    logic b_infinite;
  } normal_t;

  typedef struct packed {
    kind_t kind;
    lane_t a;
    lane_t b;
    exponent_t a_exponent;
    exponent_t distance;  // of the exponents
    logic out_of_reach;  // of a's bits is the divisor: the remainder is a
    logic [ShiftBits-1:0] shift;  // of a
  } compared_t;

  // What waits while the bits are found.
  typedef struct packed {
    kind_t kind;
    exponent_t exponent;  // of the top bit of a float's quotient, root or remainder
  } waiting_t;

  // State between two bits of the quotient. The dividend's lower half moves out of `quotient` at
  // the top, one bit per stage, while the quotient moves in from below. A root has its bits set in
  // `divisor`.
  typedef struct packed {
    logic root;
    lane_t divisor;
    lane_t remainder;
    lane_t quotient;
  } state_t;

  typedef struct packed {
    kind_t kind;
    exponent_t exponent;
    lane_t magnitude;
    logic more;  // there is a remainder
    lane_t whole;  // the result of integers
  } found_t;

  logic unpacked_valid, normal_valid, compared_valid, found_valid, packed_valid;
  unpacked_t unpacked_d, unpacked_q;
  normal_t normal_d, normal_q;
  compared_t compared_d, compared_q;
  found_t found_d, found_q;
  // [0] is ready to be divided, [i] has the first i bits of the quotient.
  logic   valid  [LaneBits+1];
  state_t state_d[LaneBits+1];
  state_t state_q[LaneBits+1];
  // verilator lint_off UNUSEDSIGNAL
  logic waited_valid;  // that of the last bit
  // verilator lint_on UNUSEDSIGNAL
  waiting_t aligned, waited;
  logic [CountBits-1:0] a_zeros, b_zeros;
  lane_t packed_result;

  // Unpack. Zeros are counted as if the number were subnormal; whether it is comes later.
  leading_zeros #(
      .Width(SignificandBits)
  ) u_a_zeros (
      .data_i ({1'b0, operands_i.a[FractionBits-1:0]}),
      .count_o(a_zeros)
  );

  leading_zeros #(
      .Width(SignificandBits)
  ) u_b_zeros (
      .data_i ({1'b0, operands_i.b[FractionBits-1:0]}),
      .count_o(b_zeros)
  );

  always_comb begin
    operation_e operation;
    float_t a, b;
    logic a_negative, b_negative, opposite;  // signs

    operation = operands_i.op.operation;
    a = operands_i.a;
    b = operands_i.b;
    unpacked_d.kind.result_class = ResultIsNumber;
    unpacked_d.kind.result_type = operands_i.op.result_type;
    unpacked_d.kind.is_float = type_kind(operands_i.op.element_type) == KindFloat;
    unpacked_d.kind.root = operation == OperationSqrt;
    unpacked_d.kind.remainder = operation inside {OperationRem, OperationRemu, OperationRemstep};
    unpacked_d.a_zeros = a.exponent == '0 ? a_zeros : '0;
    unpacked_d.b_zeros = b.exponent == '0 ? b_zeros : '0;
    unpacked_d.a_exponent = exponent_of(a);
    unpacked_d.b_exponent = exponent_of(b);
    unpacked_d.b_infinite = is_infinite(b);

    if (unpacked_d.kind.is_float) begin
      a_negative = a.sign;
      b_negative = b.sign;
      unpacked_d.a = lane_t'(significand_of(a));
      unpacked_d.b = lane_t'(significand_of(b));
      unique case (operation)
        OperationSqrt: begin
          if (is_infinite(a)) unpacked_d.kind.result_class = ResultIsInfinite;
          if (is_nan(a) || (a.sign && !is_zero(a))) unpacked_d.kind.result_class = ResultIsNan;
        end
        OperationRemstep: begin
          if (is_nan(a) || is_nan(b) || is_infinite(a) || is_zero(b)) begin
            unpacked_d.kind.result_class = ResultIsNan;
          end
        end
        default: begin
          if (is_infinite(a) || is_zero(b)) unpacked_d.kind.result_class = ResultIsInfinite;
          if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_infinite(b)) ||
              (is_zero(a) && is_zero(b))) begin
            unpacked_d.kind.result_class = ResultIsNan;
          end
        end
      endcase
    end else begin
      a_negative = operands_i.a[LaneBits-1] &&
                   !(operation inside {OperationDivu, OperationDivceilu, OperationRemu});
      b_negative = operands_i.b[LaneBits-1] &&
                   !(operation inside {OperationDivu, OperationDivceilu, OperationRemu});
      unpacked_d.a = a_negative ? -operands_i.a : operands_i.a;
      unpacked_d.b = b_negative ? -operands_i.b : operands_i.b;
    end

    opposite = a_negative != b_negative;
    unpacked_d.kind.negative = a_negative;
    if (!(unpacked_d.kind.remainder || unpacked_d.kind.root)) begin
      unpacked_d.kind.negative = opposite;
    end
    unpacked_d.kind.away =
        (opposite ? operation == OperationDivfloor
                  : operation inside {OperationDivceil, OperationDivceilu});
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

  // Normalise. A quotient of integers by 0 is all ones, whatever the dividend's sign and the
  // rounding.
  always_comb begin
    normal_d.kind = unpacked_q.kind;
    normal_d.a = unpacked_q.a;
    normal_d.b = unpacked_q.b;
    normal_d.a_exponent = exponent_t'(unpacked_q.a_exponent) - exponent_t'(unpacked_q.a_zeros);
    normal_d.b_exponent = exponent_t'(unpacked_q.b_exponent) - exponent_t'(unpacked_q.b_zeros);
    normal_d.b_infinite = unpacked_q.b_infinite;
    if (unpacked_q.kind.is_float) begin
      normal_d.a = unpacked_q.a << unpacked_q.a_zeros;
      normal_d.b = unpacked_q.b << unpacked_q.b_zeros;
      // Divided by infinity.
      if (unpacked_q.b_infinite && !unpacked_q.kind.remainder && !unpacked_q.kind.root) begin
        normal_d.a = '0;
      end
    end else if (unpacked_q.b == '0) begin
      normal_d.kind.away = 1'b0;
      if (!unpacked_q.kind.remainder) normal_d.kind.negative = 1'b0;
    end
  end

  delay_line #(
      .data_t(normal_t)
  ) u_normal (
      .clk_i,
      .rst_ni,
      .valid_i(unpacked_valid),
      .data_i (normal_d),
      .valid_o(normal_valid),
      .data_o (normal_q)
  );

  // Compare. A float of a lower exponent than the divisor's is its own remainder.
  always_comb begin
    compared_d.kind = normal_q.kind;
    compared_d.a = normal_q.a;
    compared_d.b = normal_q.b;
    compared_d.a_exponent = normal_q.a_exponent;
    compared_d.distance = normal_q.a_exponent - normal_q.b_exponent;
    compared_d.out_of_reach = normal_q.b_infinite || compared_d.distance < exponent_t'(0);

    compared_d.shift = ShiftBits'(MaxShift);
    if (!normal_q.kind.is_float) begin
      compared_d.shift = '0;
    end else if (normal_q.kind.root) begin
      compared_d.shift = ShiftBits'(normal_q.a_exponent[0]);
    end else if (normal_q.kind.remainder && compared_d.distance < exponent_t'(MaxShift)) begin
      compared_d.shift = compared_d.distance < exponent_t'(0)
          ? '0 : unsigned'(ShiftBits'(compared_d.distance));
    end
  end

  delay_line #(
      .data_t(compared_t)
  ) u_compared (
      .clk_i,
      .rst_ni,
      .valid_i(normal_valid),
      .data_i (compared_d),
      .valid_o(compared_valid),
      .data_o (compared_q)
  );

  // Align. No significand reaches the greatest divisor.
  always_comb begin
    aligned.kind = compared_q.kind;
    state_d[0].root = compared_q.kind.root;
    {state_d[0].remainder, state_d[0].quotient} = {LaneBits'(0), compared_q.a} << compared_q.shift;
    state_d[0].divisor = compared_q.b;
    aligned.exponent = exponent_t'(ExponentBias) + compared_q.distance;
    if (compared_q.kind.root) begin
      state_d[0].remainder = (compared_q.shift[0] ? compared_q.a << 1 : compared_q.a) << RootShift;
      state_d[0].quotient = '0;
      state_d[0].divisor = '0;
      aligned.exponent = RootTop + (compared_q.a_exponent >>> 1);
    end else if (compared_q.kind.is_float && compared_q.kind.remainder) begin
      if (compared_q.out_of_reach) state_d[0].divisor = '1;
      aligned.exponent = RemainderTop + compared_q.a_exponent - exponent_t'(compared_q.shift);
    end
  end

  delay_line #(
      .data_t(state_t)
  ) u_aligned (
      .clk_i,
      .rst_ni,
      .valid_i(compared_valid),
      .data_i (state_d[0]),
      .valid_o(valid[0]),
      .data_o (state_q[0])
  );

  delay_line #(
      .data_t(waiting_t),
      .Stages(LaneBits + 1)
  ) u_waited (
      .clk_i,
      .rst_ni,
      .valid_i(compared_valid),
      .data_i (aligned),
      .valid_o(waited_valid),
      .data_o (waited)
  );

  // One bit per stage. The first two bits of a root are before the point, and none is set: its
  // place in the divisor would be above the lane.
  for (genvar i = 0; i < LaneBits; i++) begin : gen_bits
    always_comb begin
      logic [LaneBits:0] remainder, taken, difference;

      remainder = {state_q[i].remainder, state_q[i].quotient[LaneBits-1]};
      taken = {1'b0, state_q[i].divisor};
      // The divisor of a root has no bits here yet.
      if (state_q[i].root) taken[LaneBits-1-i] = 1'b1;
      // The remainder before was below the divisor, so the top bit of the difference is its sign.
      difference = remainder - taken;
      state_d[i+1] = state_q[i];
      state_d[i+1].remainder = difference[LaneBits] ? remainder[LaneBits-1:0]
                                                    : difference[LaneBits-1:0];
      state_d[i+1].quotient = {state_q[i].quotient[LaneBits-2:0], !difference[LaneBits]};
      if (i > 0 && state_q[i].root && !difference[LaneBits]) begin
        state_d[i+1].divisor[i > 0 ? LaneBits-i : 0] = 1'b1;
      end
    end

    delay_line #(
        .data_t(state_t)
    ) u_bit (
        .clk_i,
        .rst_ni,
        .valid_i(valid[i]),
        .data_i (state_d[i+1]),
        .valid_o(valid[i+1]),
        .data_o (state_q[i+1])
    );
  end

  // Sign of an integer, or what is rounded.
  always_comb begin
    kind_t kind;

    kind = waited.kind;
    found_d.kind = kind;
    found_d.exponent = waited.exponent;
    found_d.more = state_q[LaneBits].remainder != '0;
    found_d.magnitude = state_q[LaneBits].quotient;
    if (kind.root) found_d.magnitude = state_q[LaneBits].divisor;
    if (kind.remainder) found_d.magnitude = state_q[LaneBits].remainder;
    // -(q + 1) is ~q. 2^31, the magnitude of the least number, is itself as a negative number: it
    // wraps as wanted.
    found_d.whole = (kind.negative ? ~found_d.magnitude : found_d.magnitude) +
                      lane_t'(kind.negative != (kind.away && found_d.more));
  end

  delay_line #(
      .data_t(found_t)
  ) u_found (
      .clk_i,
      .rst_ni,
      .valid_i(valid[LaneBits]),
      .data_i (found_d),
      .valid_o(found_valid),
      .data_o (found_q)
  );

  lane_t settled_result;

  always_comb begin
    settled_result = found_q.whole;
    if (found_q.kind.is_float) begin
      settled_result = found_q.kind.result_class == ResultIsNan
          ? CanonicalNan : infinity(found_q.kind.negative);
    end
  end

  fp_pack #(
      .Width(PackedBits)
  ) u_pack (
      .clk_i,
      .rst_ni,
      .valid_i         (found_valid),
      .result_type_i   (found_q.kind.result_type),
      .settled_i       (!found_q.kind.is_float || found_q.kind.result_class != ResultIsNumber),
      .settled_result_i(settled_result),
      .negative_i      (found_q.kind.negative),
      .cancels_i       (1'b0),
      .exponent_i      (found_q.exponent),
      .value_i         ({found_q.magnitude, found_q.more && !found_q.kind.remainder}),
      .valid_o         (packed_valid),
      .result_o        (packed_result)
  );

  unit_result #(
      .Unit  (UnitDiv),
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
