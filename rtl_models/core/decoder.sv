// Decodes an instruction word and checks it by itself: opcode, bits that must be 0, operands that
// exist, also on this target. What depends on the packet or on other words is not checked here, but
// the registers and streams that the word names are made ready for that.
//
// Combinational. info_i is the instruction that the opcode of word_i stands for, which takes as
// long to find as all the rest; facts_i is what word_facts says of word_i in the meantime. fault is
// FaultIllegalInstruction before FaultIllegalOperand.
module decoder
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_core_pkg::*;
(
    input  instruction_word_t word_i,
    input  instruction_t      info_i,
    input  word_facts_t       facts_i,
    output decoded_t          decoded_o
);

  // A code of no class names nothing.
  function automatic copies_t most_copies(operand_t code);
    if (is_vector(code)) return most_copies_of(code - VectorFirst, VectorRegisters);
    if (is_result(code)) return most_copies_of(code - ResultFirst, MachineResultRegisters);
    return copies_t'(CopiesMax);
  endfunction

  // verilator lint_off UNUSEDSIGNAL
  base_word_t   base;    // without parameters and sizes
  size_word_t   size;
  vector_word_t vector;
  // verilator lint_on UNUSEDSIGNAL
  logic illegal_instruction, illegal_operand;
  logic [Sources-1:0] used;

  always_comb begin
    base = word_i;
    size = word_i;
    vector = word_i;
    for (int unsigned i = 0; i < Sources; i++) used[i] = 32'(info_i.sources) > i;
    illegal_instruction = !info_i.assigned;
    illegal_operand = 1'b0;
    unique case (info_i.word_format)
      FormatPlain: if (facts_i.plain_reserved) illegal_instruction = 1'b1;
      FormatBase: begin
        if (facts_i.base_reserved) illegal_instruction = 1'b1;
        illegal_operand = !facts_i.base;
      end
      FormatSize: begin
        if (facts_i.size_reserved) illegal_instruction = 1'b1;
        illegal_operand = !facts_i.stream;
      end
      FormatLoop: begin
        if (facts_i.loop_reserved) illegal_instruction = 1'b1;
        illegal_operand = !facts_i.copies;
      end
      FormatVector: begin
        // An operand that is not used is 0, or the word is illegal anyway.
        if (facts_i.vector_reserved || facts_i.unused_immediate
            || (facts_i.sets & ~used) != '0) begin
          illegal_instruction = 1'b1;
        end
        illegal_operand = (used & ~facts_i.sources) != '0
            || !(unit_is_special(info_i.unit) ? facts_i.special_destination
                                              : facts_i.lane_destination);
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
    if (used[0]) decoded_o.references.read |= names_of(vector.a);
    if (used[1]) decoded_o.references.read |= names_of(vector.b);
    if (used[2]) decoded_o.references.read |= names_of(vector.c);
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
