// Plays a file of words into the decoder and compares its answer, one word a cycle.
//
// The file (plusarg +vectors=PATH) holds for each word two big-endian 32-bit halves and the
// expected fault code. done_o rises when all words have been compared.
module decoder_bench
  import hwc_isa_pkg::*;
  import hwc_core_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        done_o,
    output logic [31:0] checked_o,
    output logic [31:0] wrong_o,
    output logic [63:0] first_wrong_o,
    output logic [ 7:0] got_o,
    output logic [ 7:0] expected_o
);

  string path;
  int file;

  initial begin
    if (!$value$plusargs("vectors=%s", path)) $fatal(1, "plusarg +vectors=PATH is missing");
    file = $fopen(path, "rb");
    if (file == 0) $fatal(1, "cannot open %s", path);
  end

  logic valid, at_end;
  logic [31:0] expected;
  instruction_word_t word;
  // verilator lint_off UNUSEDSIGNAL
  decoded_t decoded;  // the benches of bodies see what it names
  // verilator lint_on UNUSEDSIGNAL

  word_facts_t facts;

  word_facts u_facts (
      .word_i (word),
      .facts_o(facts)
  );

  decoder u_dut (
      .word_i   (word),
      .info_i   (instruction(word[OpcodeBits-1:0])),
      .facts_i  (facts),
      .decoded_o(decoded)
  );

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid         <= 1'b0;
      at_end        <= 1'b0;
      checked_o     <= '0;
      wrong_o       <= '0;
      first_wrong_o <= '0;
      got_o         <= '0;
      expected_o    <= '0;
      void'($rewind(file));
    end else begin
      logic [31:0] words[3];
      if (!at_end && $fread(words, file) == 12) begin
        word     <= {words[0], words[1]};
        expected <= words[2];
        valid    <= 1'b1;
      end else begin
        valid  <= 1'b0;
        at_end <= 1'b1;
      end
      if (valid) begin
        checked_o <= checked_o + 1;
        if (32'(decoded.fault) != expected || decoded.faulty != (expected != '0)
            || decoded.word != word || decoded.info != instruction(word[OpcodeBits-1:0])) begin
          wrong_o <= wrong_o + 1;
          if (wrong_o == '0) begin
            first_wrong_o <= word;
            got_o         <= decoded.fault;
            expected_o    <= expected[7:0];
          end
        end
      end
    end
  end

  assign done_o = at_end && !valid;

endmodule
