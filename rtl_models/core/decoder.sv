// Decodes an instruction word and checks it by itself: opcode, bits that must be 0, operands that
// exist, also on this target. What depends on the packet or on other words is not checked here, but
// the registers and streams that the word names are made ready for that.
//
// Combinational. info_i is the instruction that the opcode of word_i stands for, which takes as
// long to find as all the rest. fault is FaultIllegalInstruction before FaultIllegalOperand.
module decoder
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_core_pkg::*;
(
    input  instruction_word_t word_i,
    input  instruction_t      info_i,
    output decoded_t          decoded_o
);

  // Whether this target has the operand. A code of no class is legal in no field.
  function automatic logic exists(operand_t code);
    return !(is_vector(code) && code >= VectorFirst + operand_t'(VectorRegisters))
        && !(is_input(code) && code >= InputFirst + operand_t'(InputStreams))
        && !(is_output(code) && code >= OutputFirst + operand_t'(OutputStreams));
  endfunction

  function automatic logic stream_exists(operand_t code);
    return legal_stream(code) && exists(code);
  endfunction

  // Special instructions write result registers, others vector registers.
  function automatic logic destination_exists(operand_t code, unit_e unit);
    return legal_destination(code) && exists(code)
        && !(unit_is_special(unit) ? is_vector(code) : is_result(code));
  endfunction

  function automatic logic source_exists(operand_t code);
    return legal_source(code) && exists(code);
  endfunction

  // A code of no class names nothing.
  function automatic copies_t most_copies(operand_t code);
    if (is_vector(code)) return most_copies_of(code - VectorFirst, VectorRegisters);
    if (is_result(code)) return most_copies_of(code - ResultFirst, MachineResultRegisters);
    return copies_t'(CopiesMax);
  endfunction

  // verilator lint_off UNUSEDSIGNAL
  base_word_t   base;    // without parameters and sizes
  size_word_t   size;
  loop_word_t   loop;
  vector_word_t vector;
  // verilator lint_on UNUSEDSIGNAL
  logic illegal_instruction, illegal_operand;

  always_comb begin
    base = word_i;
    size = word_i;
    loop = word_i;
    vector = word_i;
    illegal_instruction = !info_i.assigned;
    illegal_operand = 1'b0;
    unique case (info_i.word_format)
      FormatPlain: if ((word_i & PlainReserved) != '0) illegal_instruction = 1'b1;
      FormatBase: begin
        if ((word_i & BaseReserved) != '0) illegal_instruction = 1'b1;
        illegal_operand = !stream_exists(base.stream) || !type_assigned(base.element_type)
            || base.rank > rank_t'(RankMax);
      end
      FormatSize: begin
        if ((word_i & SizeReserved) != '0) illegal_instruction = 1'b1;
        illegal_operand = !stream_exists(size.stream);
      end
      FormatLoop: begin
        if ((word_i & LoopReserved) != '0) illegal_instruction = 1'b1;
        illegal_operand = !legal_copies(loop.copies);
      end
      FormatVector: begin
        if ((word_i & VectorReserved) != '0) illegal_instruction = 1'b1;
        if (info_i.sources < 2'd1 && vector.a != '0) illegal_instruction = 1'b1;
        if (info_i.sources < 2'd2 && vector.b != '0) illegal_instruction = 1'b1;
        if (info_i.sources < 2'd3 && vector.c != '0) illegal_instruction = 1'b1;
        // An operand that is not used is 0 here, or the word is illegal anyway.
        if (vector.imm != '0 && !is_immediate(vector.a) && !is_immediate(vector.b)
            && !is_immediate(vector.c)) begin
          illegal_instruction = 1'b1;
        end
        illegal_operand = !destination_exists(vector.dst, info_i.unit)
            || (info_i.sources >= 2'd1 && !source_exists(vector.a))
            || (info_i.sources >= 2'd2 && !source_exists(vector.b))
            || (info_i.sources >= 2'd3 && !source_exists(vector.c));
      end
      default: illegal_instruction = 1'b1;
    endcase

    decoded_o.halts = info_i.op.operation == OperationHalt;
    decoded_o.sets_base = info_i.op.operation == OperationBase;
    decoded_o.sets_size = info_i.op.operation == OperationSize;
    decoded_o.begins_body = info_i.op.operation == OperationLoop;
    decoded_o.ends_body = info_i.op.operation == OperationEnd;
    decoded_o.stream = number_of(base.stream);  // the same bits in a size
    decoded_o.stream_set = stream_mask(decoded_o.stream);
    decoded_o.dimension_set = dimension_set_t'(1) << size.dim;
    decoded_o.references.read = '0;
    if (info_i.sources >= 2'd1) decoded_o.references.read |= names_of(vector.a);
    if (info_i.sources >= 2'd2) decoded_o.references.read |= names_of(vector.b);
    if (info_i.sources >= 2'd3) decoded_o.references.read |= names_of(vector.c);
    decoded_o.references.written = names_of(vector.dst);
    decoded_o.references.most_copies = most_copies(vector.dst);

    decoded_o.word = word_i;
    decoded_o.info = info_i;
    decoded_o.faulty = illegal_instruction || illegal_operand;
    decoded_o.fault = FaultNone;
    if (illegal_instruction) decoded_o.fault = FaultIllegalInstruction;
    else if (illegal_operand) decoded_o.fault = FaultIllegalOperand;
  end

endmodule
