// Checks the order of the words of a body, one after the other, and finds its phases.
//
// A word reads what was written before it or is configured, outputs are configured and written once
// each, and `end` finds all of them written. A strip has its share of the registers, and there are
// no more phases than copies of the registers. A special instruction does not write what a lane
// instruction of its own phase reads. A body that fills the table does so once, and does not read
// it.
//
// Timing: clear_i forgets the body before; its last cycle is the one with the word `loop`. bad_o
// belongs to decoded_i of the same cycle. take_i makes the word count from the next cycle on in
// bad_o, and from the cycle after that on in body_o: it is complete in the cycle after `end`.
module body_check
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_core_pkg::*;
  import hwc_pipe_pkg::*;
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

  typedef logic [(VectorRegisters > 1 ? $clog2(VectorRegisters) : 1)-1:0] vector_number_t;

  // The last phase that a body with this number of copies may have.
  function automatic phase_t last_phase_of(copies_t copies);
    unique case (copies)
      copies_t'(1): return phase_t'(0);
      copies_t'(2): return phase_t'(1);
      default: return phase_t'(CopiesMax - 1);
    endcase
  endfunction

  // verilator lint_off UNUSEDSIGNAL
  vector_word_t word;  // without its immediate
  loop_word_t   loop;  // the copies alone
  // verilator lint_on UNUSEDSIGNAL
  names_t read, written;
  operand_t [SpecialSources-1:0] sources;
  logic [SpecialSources-1:0] used;
  logic special, fills, reads_table;

  always_comb begin
    word = decoded_i.word;
    loop = decoded_i.word;
    read = decoded_i.references.read;
    written = decoded_i.references.written;
    sources = {word.b, word.a};
    for (int unsigned i = 0; i < SpecialSources; i++) used[i] = 32'(decoded_i.info.sources) > i;
    special = unit_is_special(decoded_i.info.unit);
    end_o = decoded_i.ends_body;
    fills = decoded_i.info.op.operation == OperationFill;
    reads_table = decoded_i.info.op.operation inside {OperationLookup, OperationInterp};
  end

  // What has been written.
  copies_t copies_d, copies_q;
  names_t written_d, written_q;
  logic filled_d, filled_q, table_read_d, table_read_q;  // whether the table has been

  // Where the word is: in which phase, and what the segment of this phase has done so far.
  pc_t words_d, words_q;
  phase_t phase_d, phase_q, phase;
  logic in_group_d, in_group_q, next_phase;
  result_set_t read_d, read_q;                   // result registers that the segment has read
  vector_set_t segment_d, segment_q, segment;    // vector registers that it has written,
  pc_t writer_q[VectorRegisters];                // and the last words that did

  assign next_phase = !special && in_group_q;
  assign phase = next_phase ? phase_q + 1'b1 : phase_q;
  assign segment = next_phase ? '0 : segment_q;

  // A register beyond the strip's share has not been written either.
  logic bad_source, bad_output, no_share, no_phase, read_in_phase, table_used;

  always_comb begin
    bad_source = (read.vectors & ~written_q.vectors) != '0
        || (read.results & ~written_q.results) != '0 || (read.streams & ~configured_i) != '0;
    bad_output = (written.streams & (~configured_i | written_q.streams)) != '0;
    no_share = copies_q > decoded_i.references.most_copies;
    no_phase = special && !in_group_q && phase_q == last_phase_of(copies_q);
    read_in_phase = (written.results & read_q) != '0;
    table_used = (fills && (filled_q || table_read_q)) || (reads_table && filled_q);
    if (end_o) begin
      bad_o = (configured_i & ~AllInputs & ~written_q.streams) != '0;
    end else if (decoded_i.info.word_format != FormatVector) begin
      bad_o = 1'b1;
    end else begin
      bad_o = bad_source || bad_output || no_share || no_phase || read_in_phase || table_used;
    end
  end

  always_comb begin
    copies_d = copies_q;
    written_d = written_q;
    filled_d = filled_q;
    table_read_d = table_read_q;
    words_d = words_q;
    phase_d = phase_q;
    in_group_d = in_group_q;
    read_d = read_q;
    segment_d = segment_q;
    if (take_i) begin
      written_d = written_q | written;
      filled_d = filled_q || fills;
      table_read_d = table_read_q || reads_table;
      words_d = words_q + 1'b1;
      phase_d = phase;
      in_group_d = special;
      if (!special) begin
        if (next_phase) read_d = '0;
        read_d |= read.results;
        segment_d = segment | written.vectors;
      end
    end
    if (clear_i) begin
      copies_d = loop.copies;
      written_d = '0;
      filled_d = 1'b0;
      table_read_d = 1'b0;
      words_d = '0;
      phase_d = '0;
      in_group_d = 1'b0;
      read_d = '0;
      segment_d = '0;
    end
  end

  // What a special instruction reads of the segment.
  logic taken_q;
  logic [SpecialSources-1:0] leads_q;
  pc_t [SpecialSources-1:0] writers_q;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < SpecialSources; i++) begin
      leads_q[i] <= special && used[i] && is_vector(sources[i])
          && segment_q[vector_number_t'(sources[i])];
      writers_q[i] <= writer_q[vector_number_t'(sources[i])];
    end
    if (take_i && is_vector(word.dst)) writer_q[vector_number_t'(word.dst)] <= words_q;
  end

  // The phases, a cycle later, and the first output.
  phase_words_t [CopiesMax-1:0] phases_d, phases_q;
  phase_t first_output_d, first_output_q;
  phase_words_t words;
  logic [SpecialSources-1:0] last;  // of the writers of its sources

  always_comb begin
    for (int unsigned i = 0; i < SpecialSources; i++) begin
      last[i] = leads_q[i];
      for (int unsigned j = 0; j < SpecialSources; j++) begin
        if (leads_q[j] && writers_q[i] < writers_q[j]) last[i] = 1'b0;
      end
    end

    phases_d = phases_q;
    words = phases_q[phase_q];
    words.group_end = words_q;
    if (!in_group_q) words.segment_end = words_q;
    for (int unsigned i = 0; i < SpecialSources; i++) begin
      if (last[i] && (!phases_q[phase_q].has_lead || phases_q[phase_q].lead < writers_q[i])) begin
        words.has_lead = 1'b1;
        words.lead = writers_q[i];
      end
    end
    if (taken_q) phases_d[phase_q] = words;
    if (clear_i) begin
      for (int unsigned i = 0; i < CopiesMax; i++) begin
        phases_d[i] = '{segment_end: '0, group_end: '0, has_lead: 1'b0, lead: '0};
      end
    end

    first_output_d = first_output_q;
    if (take_i && written.streams != '0 && written_q.streams == '0) first_output_d = phase;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      copies_q       <= '0;
      written_q      <= '0;
      filled_q       <= 1'b0;
      table_read_q   <= 1'b0;
      words_q        <= '0;
      phase_q        <= '0;
      in_group_q     <= 1'b0;
      read_q         <= '0;
      segment_q      <= '0;
      taken_q        <= 1'b0;
      phases_q       <= '0;
      first_output_q <= '0;
    end else begin
      copies_q       <= copies_d;
      written_q      <= written_d;
      filled_q       <= filled_d;
      table_read_q   <= table_read_d;
      words_q        <= words_d;
      phase_q        <= phase_d;
      in_group_q     <= in_group_d;
      read_q         <= read_d;
      segment_q      <= segment_d;
      taken_q        <= take_i;
      phases_q       <= phases_d;
      first_output_q <= first_output_d;
    end
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
