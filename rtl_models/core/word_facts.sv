// What an instruction word says by itself, before its opcode has been looked up: each field is read
// as a word of every format has it, and the decoder picks what counts.
//
// Combinational.
module word_facts
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_core_pkg::*;
(
    input  instruction_word_t word_i,
    output word_facts_t       facts_o
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

  function automatic logic destination_exists(operand_t code);
    return legal_destination(code) && exists(code);
  endfunction

  function automatic logic source_exists(operand_t code);
    return legal_source(code) && exists(code);
  endfunction

  // verilator lint_off UNUSEDSIGNAL
  base_word_t   base;    // without parameters and sizes
  size_word_t   size;
  loop_word_t   loop;
  vector_word_t vector;
  // verilator lint_on UNUSEDSIGNAL

  always_comb begin
    base = word_i;
    size = word_i;
    loop = word_i;
    vector = word_i;
    facts_o.plain_reserved = (word_i & PlainReserved) != '0;
    facts_o.base_reserved = (word_i & BaseReserved) != '0;
    facts_o.size_reserved = (word_i & SizeReserved) != '0;
    facts_o.loop_reserved = (word_i & LoopReserved) != '0;
    facts_o.vector_reserved = (word_i & VectorReserved) != '0;
    facts_o.stream = stream_exists(size.stream);
    facts_o.base = stream_exists(base.stream) && type_assigned(base.element_type)
        && base.rank <= rank_t'(RankMax);
    facts_o.copies = legal_copies(loop.copies);
    // Special instructions write result registers, others vector registers.
    facts_o.lane_destination = destination_exists(vector.dst) && !is_result(vector.dst);
    facts_o.special_destination = destination_exists(vector.dst) && !is_vector(vector.dst);
    facts_o.sources = {source_exists(vector.c), source_exists(vector.b), source_exists(vector.a)};
    facts_o.sets = {vector.c != '0, vector.b != '0, vector.a != '0};
    facts_o.unused_immediate = vector.imm != '0 && !is_immediate(vector.a)
        && !is_immediate(vector.b) && !is_immediate(vector.c);
  end

endmodule
