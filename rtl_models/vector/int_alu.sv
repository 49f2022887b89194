// The integer instructions of unit alu: moves, sums, extrema, shifts, bits, comparisons, selection.
//
// Combinational; alu.sv adds the registers. An instruction of a narrow type works on lanes of any
// value and gives the low bits of its result, sign-extended. Shift amounts are unsigned.
module int_alu
  import hwc_vector_pkg::*;
(
    input  hwc_isa_pkg::opcode_e op_i,
    input  lane_t                a_i,
    input  lane_t                b_i,
    input  lane_t                c_i,
    output lane_t                result_o
);
  import hwc_isa_pkg::*;

  typedef enum logic [1:0] {
    WidthByte,
    WidthHalf,
    WidthWord
  } width_e;

  localparam int unsigned CountBits = $clog2(LaneBits + 1);
  // An amount of 32 or more shifts as far as 32 does.
  localparam int unsigned MaxShift = LaneBits;
  localparam int unsigned ShiftBits = $clog2(MaxShift + 1);

  width_e width;
  lane_t a_signed, a_unsigned;
  logic [ShiftBits-1:0] shift;
  logic [CountBits-1:0] zeros;
  lane_t wide;

  leading_zeros #(
      .Width(LaneBits)
  ) u_leading_zeros (
      .data_i (a_i),
      .count_o(zeros)
  );

  always_comb begin
    unique case (op_i)
      OpAddI8, OpSubI8, OpAbsI8, OpShlI8, OpSrlI8, OpSextI8: width = WidthByte;
      OpAddI16, OpSubI16, OpAbsI16, OpShlI16, OpSrlI16, OpSextI16: width = WidthHalf;
      default: width = WidthWord;
    endcase
  end

  // The operand as a value of the type, and the amount of a shift.
  always_comb begin
    unique case (width)
      WidthByte: begin
        a_signed = sign_extend_byte(a_i[7:0]);
        a_unsigned = a_i & 32'h0000_00ff;
      end
      WidthHalf: begin
        a_signed = sign_extend_half(a_i[15:0]);
        a_unsigned = a_i & 32'h0000_ffff;
      end
      default: begin
        a_signed = a_i;
        a_unsigned = a_i;
      end
    endcase
    shift = b_i < MaxShift ? b_i[ShiftBits-1:0] : ShiftBits'(MaxShift);
  end

  always_comb begin
    logic signed [LaneBits:0] halves;

    // The last bit shifted out is kept below the result; srar adds it.
    halves = signed'({a_i, 1'b0}) >>> shift;

    wide = '0;
    unique case (op_i)
      OpMov: wide = a_i;
      OpAddI8, OpAddI16, OpAddI32: wide = a_i + b_i;
      OpSubI8, OpSubI16, OpSubI32: wide = a_i - b_i;
      OpAbsI8, OpAbsI16, OpAbsI32: wide = a_signed[LaneBits-1] ? -a_signed : a_signed;
      OpMaxI32: wide = signed'(a_i) > signed'(b_i) ? a_i : b_i;
      OpMinI32: wide = signed'(a_i) > signed'(b_i) ? b_i : a_i;
      OpClzI32: wide = lane_t'(zeros);
      OpShlI8, OpShlI16, OpShlI32: wide = a_i << shift;
      OpSrlI8, OpSrlI16, OpSrlI32: wide = a_unsigned >> shift;
      OpSraI32: wide = halves[LaneBits:1];
      OpSrarI32: wide = halves[LaneBits:1] + lane_t'(halves[0]);
      OpAnd: wide = a_i & b_i;
      OpOr: wide = a_i | b_i;
      OpXor: wide = a_i ^ b_i;
      OpNot: wide = ~a_i;
      OpEqI32: wide = lane_t'(a_i == b_i);
      OpNeI32: wide = lane_t'(a_i != b_i);
      OpGtI32: wide = lane_t'(signed'(a_i) > signed'(b_i));
      OpGeI32: wide = lane_t'(signed'(a_i) >= signed'(b_i));
      OpSel: wide = a_i != '0 ? b_i : c_i;
      OpSextI8, OpSextI16: wide = a_i;
      default: wide = '0;
    endcase
  end

  // Back to the type's range.
  always_comb begin
    unique case (width)
      WidthByte: result_o = sign_extend_byte(wide[7:0]);
      WidthHalf: result_o = sign_extend_half(wide[15:0]);
      default: result_o = wide;
    endcase
  end

endmodule
