// Checks the order of the words of a body, one after the other, and finds its phases.
//
// A word reads what was written before it or is configured, outputs are configured and written once
// each, and `end` finds all of them written. A strip has its share of the registers, and there are
// no more phases than copies of the registers. A special instruction does not write what a lane
// instruction of its own phase reads.
//
// Timing: clear_i comes with the word `loop` and forgets the body before. bad_o belongs to
// decoded_i of the same cycle. take_i makes the word count from the next cycle on, in bad_o and in
// body_o.
module body_check
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clear_i,
    input  stream_set_t configured_i,
    // verilator lint_off UNUSEDSIGNAL
    input  decoded_t    decoded_i,  // its own fault is checked elsewhere
    // verilator lint_on UNUSEDSIGNAL
    input  logic        take_i,
    output logic        end_o,      // the word is `end`
    output logic        bad_o,
    output body_order_t body_o      // of the words that count
);

  typedef logic [$clog2(VectorCount)-1:0] vector_number_t;
  typedef logic [$clog2(ResultCount)-1:0] result_number_t;
  typedef logic [VectorCount-1:0] vector_set_t;
  typedef logic [ResultCount-1:0] result_set_t;

  // verilator lint_off UNUSEDSIGNAL
  vector_word_t word;  // without its immediate
  loop_word_t   loop;  // the copies alone
  // verilator lint_on UNUSEDSIGNAL
  operand_t [2:0] sources;
  logic [2:0] used;
  logic special;

  always_comb begin
    word = decoded_i.word;
    loop = decoded_i.word;
    sources = {word.c, word.b, word.a};
    for (int unsigned i = 0; i < 3; i++) used[i] = 32'(decoded_i.info.sources) > i;
    special = unit_is_special(decoded_i.info.unit);
    end_o = decoded_i.info.op.operation == OperationEnd;
  end

  // What has been written.
  copies_t copies_d, copies_q;
  vector_set_t vectors_d, vectors_q;
  result_set_t results_d, results_q;
  stream_set_t outputs_d, outputs_q;

  // Where the word is: in which phase, and what the segment of this phase has done so far.
  pc_t words_d, words_q;
  phase_t phase_d, phase_q, phase;
  logic in_group_d, in_group_q, next_phase;
  result_set_t read_d, read_q;                   // result registers that the segment has read
  vector_set_t segment_d, segment_q, segment;    // vector registers that it has written,
  pc_t writer_q[VectorCount];                    // and the last words that did

  assign next_phase = !special && in_group_q;
  assign phase = next_phase ? phase_q + 1'b1 : phase_q;
  assign segment = next_phase ? '0 : segment_q;

  function automatic logic in_share(operand_t code);
    if (is_vector(code)) begin
      return (32'(code - VectorFirst) + 1) * 32'(copies_q) <= VectorRegisters;
    end
    if (is_result(code)) begin
      return (32'(code - ResultFirst) + 1) * 32'(copies_q) <= MachineResultRegisters;
    end
    return 1'b1;
  endfunction

  // A register beyond the strip's share has not been written either.
  function automatic logic bad_source(operand_t code);
    if (is_vector(code)) return !vectors_q[vector_number_t'(code)];
    if (is_result(code)) return !results_q[result_number_t'(code)];
    if (is_input(code)) return !configured_i[number_of(code)];
    return 1'b0;
  endfunction

  function automatic logic bad_output(operand_t code);
    return is_output(code) && (!configured_i[number_of(code)] || outputs_q[number_of(code)]);
  endfunction

  logic no_share, no_phase, read_in_phase;

  always_comb begin
    no_share = !in_share(word.dst);
    no_phase = special && !in_group_q && 32'(phase_q) + 2 > 32'(copies_q);
    read_in_phase = is_result(word.dst) && read_q[result_number_t'(word.dst)];
    if (end_o) begin
      bad_o = (configured_i & ~AllInputs & ~outputs_q) != '0;
    end else if (decoded_i.info.word_format != FormatVector) begin
      bad_o = 1'b1;
    end else begin
      bad_o = bad_output(word.dst) || no_share || no_phase || read_in_phase;
      for (int unsigned i = 0; i < 3; i++) begin
        if (used[i] && bad_source(sources[i])) bad_o = 1'b1;
      end
    end
  end

  always_comb begin
    copies_d = copies_q;
    vectors_d = vectors_q;
    results_d = results_q;
    outputs_d = outputs_q;
    words_d = words_q;
    phase_d = phase_q;
    in_group_d = in_group_q;
    read_d = read_q;
    segment_d = segment_q;
    if (take_i) begin
      if (is_vector(word.dst)) vectors_d[vector_number_t'(word.dst)] = 1'b1;
      else if (is_result(word.dst)) results_d[result_number_t'(word.dst)] = 1'b1;
      else outputs_d[number_of(word.dst)] = 1'b1;
      words_d = words_q + 1'b1;
      phase_d = phase;
      in_group_d = special;
      if (!special) begin
        if (next_phase) read_d = '0;
        for (int unsigned i = 0; i < 3; i++) begin
          if (used[i] && is_result(sources[i])) read_d[result_number_t'(sources[i])] = 1'b1;
        end
        segment_d = segment;
        if (is_vector(word.dst)) segment_d[vector_number_t'(word.dst)] = 1'b1;
      end
    end
    if (clear_i) begin
      copies_d = loop.copies;
      vectors_d = '0;
      results_d = '0;
      outputs_d = '0;
      words_d = '0;
      phase_d = '0;
      in_group_d = 1'b0;
      read_d = '0;
      segment_d = '0;
    end
  end

  // The phases, and the first output.
  phase_words_t [CopiesMax-1:0] phases_d, phases_q;
  phase_t first_output_d, first_output_q;
  pc_t writer;

  always_comb begin
    phases_d = phases_q;
    first_output_d = first_output_q;
    writer = '0;
    if (take_i) begin
      phases_d[phase].group_end = words_q + 1'b1;
      if (!special) phases_d[phase].segment_end = words_q + 1'b1;
      for (int unsigned i = 0; i < 3; i++) begin
        writer = writer_q[vector_number_t'(sources[i])];
        if (special && used[i] && is_vector(sources[i])
            && segment_q[vector_number_t'(sources[i])]
            && (!phases_d[phase].has_lead || phases_d[phase].lead < writer)) begin
          phases_d[phase].has_lead = 1'b1;
          phases_d[phase].lead = writer;
        end
      end
      if (is_output(word.dst) && outputs_q == '0) first_output_d = phase;
    end
    if (clear_i) begin
      for (int unsigned i = 0; i < CopiesMax; i++) begin
        phases_d[i] = '{segment_end: '0, group_end: '0, has_lead: 1'b0, lead: '0};
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      copies_q       <= '0;
      vectors_q      <= '0;
      results_q      <= '0;
      outputs_q      <= '0;
      words_q        <= '0;
      phase_q        <= '0;
      in_group_q     <= 1'b0;
      read_q         <= '0;
      segment_q      <= '0;
      phases_q       <= '0;
      first_output_q <= '0;
    end else begin
      copies_q       <= copies_d;
      vectors_q      <= vectors_d;
      results_q      <= results_d;
      outputs_q      <= outputs_d;
      words_q        <= words_d;
      phase_q        <= phase_d;
      in_group_q     <= in_group_d;
      read_q         <= read_d;
      segment_q      <= segment_d;
      phases_q       <= phases_d;
      first_output_q <= first_output_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i && is_vector(word.dst)) writer_q[vector_number_t'(word.dst)] <= words_q;
  end

  always_comb begin
    body_o.copies = copies_q;
    body_o.begins_special = phases_q[0].segment_end == '0;
    body_o.ends_special = in_group_q;
    body_o.lanes = !body_o.begins_special || phase_q != '0;
    body_o.lane_first = phase_t'(body_o.begins_special);
    body_o.lane_last = phase_q;
    body_o.specials = in_group_q || phase_q != '0;
    body_o.special_last = in_group_q ? phase_q : phase_q - 1'b1;
    body_o.first_output = first_output_q;
    body_o.phases = phases_q;
  end

endmodule
