// The integer instructions of unit alu: moves, sums, extrema, shifts, bits, comparisons, selection.
//
// An instruction of a narrow type works on lanes of any value and gives the low bits of its result,
// sign-extended. Shift amounts are unsigned.
// Timing: three stages of registers (prepare, compute, choose), then the type's range: result_o
// belongs to the operands of three cycles before and wants a register. One set of operands per
// cycle.
module int_alu
  import hwc_vector_pkg::*;
(
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      valid_i,
    input  operands_t operands_i,
    output logic      valid_o,
    output lane_t     result_o
);
  import hwc_isa_pkg::*;

  localparam int unsigned CountBits = $clog2(LaneBits + 1);
  // An amount of 32 or more shifts as far as 32 does.
  localparam int unsigned MaxShift = LaneBits;
  localparam int unsigned ShiftBits = $clog2(MaxShift + 1);
  localparam int unsigned Nibbles = LaneBits / 4;

  typedef struct packed {
    logic signed [LaneBits:0] least;
    logic signed [LaneBits:0] greatest;
  } limits_t;

  typedef struct packed {
    operation_t op;
    lane_t a;
    lane_t b;
    lane_t c;
    logic equal;
    logic greater;
    logic signed [LaneBits:0] sum;
    limits_t limits;  // of a sum that does not wrap
    lane_t counted;  // its leading zeros are counted
    logic [Nibbles-1:0][3:0] ones;  // in every nibble of a
    logic signed [LaneBits:0] shifted;  // on its way to the right
    logic [ShiftBits-1:0] shift;
  } prepared_t;

  typedef struct packed {
    operation_e operation;
    type_e result_type;
    lane_t simple;  // the result, if it is none of those below
    limits_t limits;
    logic too_great;  // the sum, which does not wrap
    logic too_small;
    logic [CountBits-1:0] count;
    // Shifted to the right; the last bit shifted out is kept below.
    logic [LaneBits:0] shifted;
  } computed_t;

  typedef struct packed {
    type_e result_type;
    lane_t wide;  // the result, before it is brought into the range of its type
  } chosen_t;

  logic prepared_valid, computed_valid;
  prepared_t prepared_d, prepared_q;
  computed_t computed_d, computed_q;
  chosen_t chosen_d, chosen_q;
  logic [CountBits-1:0] zeros;

  function automatic lane_t reversed(lane_t value);
    lane_t result;
    for (int unsigned i = 0; i < LaneBits; i++) result[i] = value[LaneBits-1-i];
    return result;
  endfunction

  // The numbers of a type that a sum is limited to, with or without a sign.
  function automatic limits_t limits_of(operation_e operation, type_e result_type);
    limits_t limits;

    limits.greatest = signed'({1'b0, low_bits('1, result_type)});
    limits.least = '0;
    if (operation != OperationAddsatu) begin
      limits.greatest = limits.greatest >>> 1;
      limits.least = ~limits.greatest;
    end
    return limits;
  endfunction

  // Prepare. The trailing zeros of a are the leading ones of its bits in reverse order, and these
  // are shifted to the right where a is shifted to the left.
  always_comb begin
    operation_e operation;
    type_e of;
    lane_t a, b, other;
    logic has_sign, subtract;

    operation = operands_i.op.operation;
    of = operands_i.op.element_type;
    a = operands_i.a;
    b = operands_i.b;
    prepared_d.op = operands_i.op;
    prepared_d.a = operation == OperationAbs ? in_range(a, of) : a;
    prepared_d.b = b;
    prepared_d.c = operands_i.c;

    // Unsigned numbers are ordered as signed ones with a zero above them.
    has_sign = !(operation inside {OperationMaxu, OperationMinu, OperationGtu, OperationGeu});
    prepared_d.equal = a == b;
    prepared_d.greater = signed'({has_sign && a[LaneBits-1], a}) >
                         signed'({has_sign && b[LaneBits-1], b});

    subtract = operation inside {OperationSub, OperationSubsat};
    other = subtract ? ~b : b;
    prepared_d.sum = signed'({a[LaneBits-1], a}) + signed'({other[LaneBits-1], other}) +
                     signed'({LaneBits'(0), subtract});
    prepared_d.limits = limits_of(operation, operands_i.op.result_type);

    prepared_d.counted = operation == OperationCtz ? reversed(a) : a;
    for (int unsigned i = 0; i < Nibbles; i++) begin
      prepared_d.ones[i] = 4'(a[4*i]) + 4'(a[4*i+1]) + 4'(a[4*i+2]) + 4'(a[4*i+3]);
    end

    unique case (operation)
      OperationShl: prepared_d.shifted = signed'({1'b0, reversed(a)});
      OperationSrl: prepared_d.shifted = signed'({1'b0, low_bits(a, of)});
      default: prepared_d.shifted = signed'({a[LaneBits-1], a});
    endcase
    prepared_d.shift = b < MaxShift ? b[ShiftBits-1:0] : ShiftBits'(MaxShift);
  end

  delay_line #(
      .data_t(prepared_t)
  ) u_prepared (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (prepared_d),
      .valid_o(prepared_valid),
      .data_o (prepared_q)
  );

  // Compute.
  leading_zeros #(
      .Width(LaneBits)
  ) u_leading_zeros (
      .data_i (prepared_q.counted),
      .count_o(zeros)
  );

  function automatic logic [CountBits-1:0] sum_of(logic [Nibbles-1:0][3:0] counts);
    logic [CountBits-1:0] sum;
    sum = '0;
    for (int unsigned i = 0; i < Nibbles; i++) sum += CountBits'(counts[i]);
    return sum;
  endfunction

  always_comb begin
    lane_t a, b;

    a = prepared_q.a;
    b = prepared_q.b;
    computed_d.operation = prepared_q.op.operation;
    computed_d.result_type = prepared_q.op.result_type;
    computed_d.limits = prepared_q.limits;
    computed_d.too_great = prepared_q.sum > prepared_q.limits.greatest;
    computed_d.too_small = prepared_q.sum < prepared_q.limits.least;
    computed_d.simple = '0;
    unique case (prepared_q.op.operation)
      OperationMov, OperationSext: computed_d.simple = a;
      OperationAdd, OperationSub, OperationAddsat, OperationAddsatu, OperationSubsat: begin
        computed_d.simple = lane_t'(prepared_q.sum);
      end
      OperationAbs: computed_d.simple = a[LaneBits-1] ? -a : a;
      OperationMax, OperationMaxu: computed_d.simple = prepared_q.greater ? a : b;
      OperationMin, OperationMinu: computed_d.simple = prepared_q.greater ? b : a;
      OperationAnd: computed_d.simple = a & b;
      OperationOr: computed_d.simple = a | b;
      OperationXor: computed_d.simple = a ^ b;
      OperationNot: computed_d.simple = ~a;
      OperationEq: computed_d.simple = lane_t'(prepared_q.equal);
      OperationNe: computed_d.simple = lane_t'(!prepared_q.equal);
      OperationGt, OperationGtu: computed_d.simple = lane_t'(prepared_q.greater);
      OperationGe, OperationGeu: begin
        computed_d.simple = lane_t'(prepared_q.greater || prepared_q.equal);
      end
      OperationSel: computed_d.simple = a != '0 ? b : prepared_q.c;
      default: ;
    endcase
    computed_d.count = prepared_q.op.operation == OperationPopcount ? sum_of(prepared_q.ones)
                                                                     : zeros;
    computed_d.shifted = unsigned'((LaneBits + 1)'(
        signed'({prepared_q.shifted, 1'b0}) >>> prepared_q.shift));
  end

  delay_line #(
      .data_t(computed_t)
  ) u_computed (
      .clk_i,
      .rst_ni,
      .valid_i(prepared_valid),
      .data_i (computed_d),
      .valid_o(computed_valid),
      .data_o (computed_q)
  );

  // Choose.
  always_comb begin
    lane_t shifted;

    shifted = computed_q.shifted[LaneBits:1];
    chosen_d.result_type = computed_q.result_type;
    unique case (computed_q.operation)
      OperationClz, OperationCtz, OperationPopcount: begin
        chosen_d.wide = lane_t'(computed_q.count);
      end
      OperationShl: chosen_d.wide = reversed(shifted);
      OperationSrl, OperationSra: chosen_d.wide = shifted;
      OperationSrar: chosen_d.wide = shifted + lane_t'(computed_q.shifted[0]);
      OperationAddsat, OperationAddsatu, OperationSubsat: begin
        chosen_d.wide = computed_q.simple;
        if (computed_q.too_great) chosen_d.wide = lane_t'(computed_q.limits.greatest);
        if (computed_q.too_small) chosen_d.wide = lane_t'(computed_q.limits.least);
      end
      default: chosen_d.wide = computed_q.simple;
    endcase
  end

  delay_line #(
      .data_t(chosen_t)
  ) u_chosen (
      .clk_i,
      .rst_ni,
      .valid_i(computed_valid),
      .data_i (chosen_d),
      .valid_o,
      .data_o (chosen_q)
  );

  assign result_o = in_range(chosen_q.wide, chosen_q.result_type);

endmodule
