// The integer instructions of unit alu: moves, sums, extrema, shifts, bits, comparisons, selection.
//
// An instruction of a narrow type works on lanes of any value and gives the low bits of its result,
// sign-extended. Shift amounts are unsigned.
// Timing: four stages of registers (decode, prepare, compute, choose), then the type's range:
// result_o belongs to the operands of four cycles before and wants a register. One set of operands
// per cycle.
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

  // What the operation makes its simple result of, and no other bit: all lanes share these, so each
  // has many readers.
  typedef struct packed {
    logic first;  // a
    logic sum;
    logic magnitude;
    logic greatest;
    logic least;
    logic selected;  // b or c
    logic joined;  // a | b
    logic common;  // a & b
    logic different;  // a ^ b
    logic inverted;  // ~a
    logic if_equal;
    logic if_not_equal;
    logic if_greater;
    logic ones;  // the count is of ones, not of zeros
  } choice_t;

  typedef struct packed {
    operands_t operands;
    choice_t choice;
    logic subtract;
    logic has_sign;  // numbers are ordered as signed ones
    limits_t limits;
  } decoded_t;

  typedef struct packed {
    operation_e operation;
    type_e result_type;
    choice_t choice;
    lane_t a;
    lane_t b;
    lane_t c;
    logic some;  // a is not 0
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

  logic decoded_valid, prepared_valid, computed_valid;
  decoded_t decoded_d, decoded_q;
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

  function automatic choice_t choice_of(operation_e operation);
    choice_t choice;

    choice.first = operation inside {OperationMov, OperationSext};
    choice.sum = operation inside {OperationAdd, OperationSub, OperationAddsat, OperationAddsatu,
                                   OperationSubsat};
    choice.magnitude = operation == OperationAbs;
    choice.greatest = operation inside {OperationMax, OperationMaxu};
    choice.least = operation inside {OperationMin, OperationMinu};
    choice.selected = operation == OperationSel;
    choice.joined = operation == OperationOr;
    choice.common = operation == OperationAnd;
    choice.different = operation == OperationXor;
    choice.inverted = operation == OperationNot;
    choice.if_equal = operation inside {OperationEq, OperationGe, OperationGeu};
    choice.if_not_equal = operation == OperationNe;
    choice.if_greater = operation inside {OperationGt, OperationGtu, OperationGe, OperationGeu};
    choice.ones = operation == OperationPopcount;
    return choice;
  endfunction

  // Decode: all lanes do the same, so that what an operation means has many readers.
  always_comb begin
    operation_e operation;

    operation = operands_i.op.operation;
    decoded_d.operands = operands_i;
    decoded_d.choice = choice_of(operation);
    decoded_d.subtract = operation inside {OperationSub, OperationSubsat};
    decoded_d.has_sign = !(operation inside {OperationMaxu, OperationMinu, OperationGtu,
                                             OperationGeu});
    decoded_d.limits = limits_of(operation, operands_i.op.result_type);
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

  // Prepare. The trailing zeros of a are the leading ones of its bits in reverse order, and these
  // are shifted to the right where a is shifted to the left.
  always_comb begin
    operation_e operation;
    type_e of;
    lane_t a, b, other;
    logic has_sign, subtract;

    operation = decoded_q.operands.op.operation;
    of = decoded_q.operands.op.element_type;
    a = decoded_q.operands.a;
    b = decoded_q.operands.b;
    subtract = decoded_q.subtract;
    prepared_d.operation = operation;
    prepared_d.result_type = decoded_q.operands.op.result_type;
    prepared_d.choice = decoded_q.choice;
    prepared_d.a = operation == OperationAbs ? in_range(a, of) : a;
    prepared_d.b = b;
    prepared_d.c = decoded_q.operands.c;

    // Unsigned numbers are ordered as signed ones with a zero above them.
    has_sign = decoded_q.has_sign;
    prepared_d.some = a != '0;
    prepared_d.equal = a == b;
    prepared_d.greater = signed'({has_sign && a[LaneBits-1], a}) >
                         signed'({has_sign && b[LaneBits-1], b});

    other = subtract ? ~b : b;
    prepared_d.sum = signed'({a[LaneBits-1], a}) + signed'({other[LaneBits-1], other}) +
                     signed'({LaneBits'(0), subtract});
    prepared_d.limits = decoded_q.limits;

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
      .valid_i(decoded_valid),
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

  function automatic lane_t if_set(logic let_through, lane_t value);
    return let_through ? value : '0;
  endfunction

  always_comb begin
    choice_t choice;
    lane_t a, b;
    logic takes_a, takes_b, takes_c;

    choice = prepared_q.choice;
    a = prepared_q.a;
    b = prepared_q.b;
    computed_d.operation = prepared_q.operation;
    computed_d.result_type = prepared_q.result_type;
    computed_d.limits = prepared_q.limits;
    computed_d.too_great = prepared_q.sum > prepared_q.limits.greatest;
    computed_d.too_small = prepared_q.sum < prepared_q.limits.least;
    takes_a = choice.first || choice.joined || (choice.greatest && prepared_q.greater)
        || (choice.least && !prepared_q.greater);
    takes_b = choice.joined || (choice.greatest && !prepared_q.greater)
        || (choice.least && prepared_q.greater) || (choice.selected && prepared_q.some);
    takes_c = choice.selected && !prepared_q.some;
    computed_d.simple = if_set(takes_a, a) | if_set(takes_b, b) | if_set(takes_c, prepared_q.c)
        | if_set(choice.sum, lane_t'(prepared_q.sum))
        | if_set(choice.magnitude, a[LaneBits-1] ? -a : a)
        | if_set(choice.common, a & b) | if_set(choice.different, a ^ b)
        | if_set(choice.inverted, ~a);
    if ((choice.if_equal && prepared_q.equal) || (choice.if_not_equal && !prepared_q.equal)
        || (choice.if_greater && prepared_q.greater)) begin
      computed_d.simple[0] = 1'b1;
    end
    computed_d.count = choice.ones ? sum_of(prepared_q.ones) : zeros;
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
