// The integer instructions of unit alu: moves, sums, extrema, shifts, bits, comparisons, selection.
//
// Combinational; alu.sv adds the registers. An instruction of a narrow type works on lanes of any
// value and gives the low bits of its result, sign-extended. Shift amounts are unsigned.
module int_alu
  import hwc_vector_pkg::*;
(
    input  hwc_isa_pkg::operation_t op_i,
    input  lane_t                   a_i,
    input  lane_t                   b_i,
    input  lane_t                   c_i,
    output lane_t                   result_o
);
  import hwc_isa_pkg::*;

  localparam int unsigned CountBits = $clog2(LaneBits + 1);
  // An amount of 32 or more shifts as far as 32 does.
  localparam int unsigned MaxShift = LaneBits;
  localparam int unsigned ShiftBits = $clog2(MaxShift + 1);

  lane_t a_signed, a_unsigned;
  logic [ShiftBits-1:0] shift;
  lane_t a_reversed;
  logic [CountBits-1:0] zeros;
  logic greater;
  lane_t limited;
  lane_t wide;

  // The trailing zeros of a are the leading ones of its bits in reverse order.
  for (genvar i = 0; i < LaneBits; i++) begin : gen_reverse
    assign a_reversed[i] = a_i[LaneBits-1-i];
  end

  leading_zeros #(
      .Width(LaneBits)
  ) u_leading_zeros (
      .data_i (op_i.operation == OperationCtz ? a_reversed : a_i),
      .count_o(zeros)
  );

  // The operand as a value of the type, and the amount of a shift.
  always_comb begin
    a_signed = in_range(a_i, op_i.element_type);
    a_unsigned = low_bits(a_i, op_i.element_type);
    shift = b_i < MaxShift ? b_i[ShiftBits-1:0] : ShiftBits'(MaxShift);
  end

  // Unsigned numbers are ordered as signed ones with a zero above them.
  always_comb begin
    logic has_sign;

    has_sign = !(op_i.operation inside {OperationMaxu, OperationMinu, OperationGtu, OperationGeu});
    greater = signed'({has_sign && a_i[LaneBits-1], a_i}) >
              signed'({has_sign && b_i[LaneBits-1], b_i});
  end

  // The sum without wrapping, limited to the type's numbers with or without a sign.
  always_comb begin
    logic signed [LaneBits:0] sum, least, greatest;

    sum = signed'({a_i[LaneBits-1], a_i}) + signed'({b_i[LaneBits-1], b_i});
    greatest = signed'({1'b0, low_bits('1, op_i.result_type)});
    least = '0;
    if (op_i.operation == OperationAddsat) begin
      greatest = greatest >>> 1;
      least = ~greatest;
    end
    limited = lane_t'(sum);
    if (sum > greatest) begin
      limited = lane_t'(greatest);
    end else if (sum < least) begin
      limited = lane_t'(least);
    end
  end

  // Counts the ones in every pair of bits, then in fours, in eights, and so on.
  function automatic lane_t ones_of(lane_t value);
    lane_t twos, fours, eights;

    twos = value - ((value >> 1) & 32'h5555_5555);
    fours = (twos & 32'h3333_3333) + ((twos >> 2) & 32'h3333_3333);
    eights = (fours + (fours >> 4)) & 32'h0f0f_0f0f;
    return (lane_t'(eights[31:24]) + lane_t'(eights[23:16])) +
           (lane_t'(eights[15:8]) + lane_t'(eights[7:0]));
  endfunction

  always_comb begin
    logic signed [LaneBits:0] halves;

    // The last bit shifted out is kept below the result; srar adds it.
    halves = signed'({a_i, 1'b0}) >>> shift;

    wide = '0;
    unique case (op_i.operation)
      OperationMov, OperationSext: wide = a_i;
      OperationAdd: wide = a_i + b_i;
      OperationSub: wide = a_i - b_i;
      OperationAddsat, OperationAddsatu: wide = limited;
      OperationAbs: wide = a_signed[LaneBits-1] ? -a_signed : a_signed;
      OperationMax, OperationMaxu: wide = greater ? a_i : b_i;
      OperationMin, OperationMinu: wide = greater ? b_i : a_i;
      OperationClz, OperationCtz: wide = lane_t'(zeros);
      OperationPopcount: wide = ones_of(a_i);
      OperationShl: wide = a_i << shift;
      OperationSrl: wide = a_unsigned >> shift;
      OperationSra: wide = halves[LaneBits:1];
      OperationSrar: wide = halves[LaneBits:1] + lane_t'(halves[0]);
      OperationAnd: wide = a_i & b_i;
      OperationOr: wide = a_i | b_i;
      OperationXor: wide = a_i ^ b_i;
      OperationNot: wide = ~a_i;
      OperationEq: wide = lane_t'(a_i == b_i);
      OperationNe: wide = lane_t'(a_i != b_i);
      OperationGt, OperationGtu: wide = lane_t'(greater);
      OperationGe, OperationGeu: wide = lane_t'(greater || a_i == b_i);
      OperationSel: wide = a_i != '0 ? b_i : c_i;
      default: wide = '0;
    endcase
  end

  assign result_o = in_range(wide, op_i.result_type);

endmodule
