// Checks the order of the words of a body, one after the other: a word reads what was written
// before it or is configured, outputs are configured and written once each, and `end` finds all of
// them written.
//
// Timing: bad_o belongs to decoded_i of the same cycle. take_i makes the word count as written from
// the next cycle on; clear_i forgets the body.
module body_check
  import hwc_isa_pkg::*;
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
    output logic        bad_o
);

  logic [VectorCount-1:0] registers_d, registers_q;
  stream_set_t outputs_d, outputs_q;
  // verilator lint_off UNUSEDSIGNAL
  vector_word_t word;  // without its immediate
  // verilator lint_on UNUSEDSIGNAL
  logic bad_output;

  function automatic logic bad_source(operand_t code);
    if (is_vector(code)) return !registers_q[code[$clog2(VectorCount)-1:0]];
    if (is_input(code)) return !configured_i[number_of(code)];
    return 1'b0;
  endfunction

  always_comb begin
    word = decoded_i.word;
    end_o = decoded_i.info.op.operation == OperationEnd;
    bad_output = is_output(word.dst)
        && (!configured_i[number_of(word.dst)] || outputs_q[number_of(word.dst)]);
    if (end_o) begin
      bad_o = (configured_i & ~AllInputs & ~outputs_q) != '0;
    end else if (decoded_i.info.word_format != FormatVector) begin
      bad_o = 1'b1;
    end else begin
      bad_o = bad_output
          || (decoded_i.info.sources >= 2'd1 && bad_source(word.a))
          || (decoded_i.info.sources >= 2'd2 && bad_source(word.b))
          || (decoded_i.info.sources >= 2'd3 && bad_source(word.c));
    end
  end

  always_comb begin
    registers_d = registers_q;
    outputs_d = outputs_q;
    if (take_i) begin
      if (is_vector(word.dst)) registers_d[word.dst[$clog2(VectorCount)-1:0]] = 1'b1;
      else outputs_d[number_of(word.dst)] = 1'b1;
    end
    if (clear_i) begin
      registers_d = '0;
      outputs_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      registers_q <= '0;
      outputs_q   <= '0;
    end else begin
      registers_q <= registers_d;
      outputs_q   <= outputs_d;
    end
  end

endmodule
