// Memory of 64-bit words that the bus fills, a bus word at a time: the program, or the packet.
//
// The image begins `first_i` words into the first bus word, which is not 0 only where a bus word is
// wider than the alignment of images. Timing: a bus word written in cycle t can be read from cycle
// t + 1 on; word_o is the word at index_i of the last cycle with read_i.
module image_memory
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_core_pkg::*;
#(
    parameter int unsigned Words = 16,
    localparam int unsigned WordsPerAlignment = MachineImageAlignment * 8 / WordBits,
    localparam int unsigned Rows =
        (Words + WordsPerBusWord - 1) / WordsPerBusWord
        + (WordsPerBusWord > WordsPerAlignment ? 1 : 0),
    localparam int unsigned RowBits = Rows > 1 ? $clog2(Rows) : 1,
    localparam int unsigned IndexBits = $clog2(Words + 1)
) (
    input  logic                        clk_i,
    input  word_index_t                 first_i,
    input  logic                        write_i,
    // verilator lint_off UNUSEDSIGNAL
    input  logic        [         15:0] write_row_i,  // as large as any target needs
    // verilator lint_on UNUSEDSIGNAL
    input  word_t                       write_data_i,
    input  logic                        read_i,
    input  logic        [IndexBits-1:0] index_i,
    output logic        [ WordBits-1:0] word_o
);

  localparam int unsigned InRowBits = $bits(word_index_t);
  localparam int unsigned PositionBits = RowBits + InRowBits + 1;

  // An index of Words, one after the last word, may be read and gives anything.
  // verilator lint_off UNUSEDSIGNAL
  logic [PositionBits-1:0] position;
  // verilator lint_on UNUSEDSIGNAL
  logic [RowBits-1:0] row;
  word_index_t word;
  logic [WordsPerBusWord-1:0][WordBits-1:0] words;

  always_comb begin
    position = PositionBits'(index_i) + PositionBits'(first_i);
    if (WordsPerBusWord > 1) begin
      row = position[InRowBits+:RowBits];
      word = position[InRowBits-1:0];
    end else begin
      row = position[RowBits-1:0];
      word = '0;
    end
  end

  // A word of the bus for each memory. Those that are not asked for give 0, so that choosing takes
  // an OR: memories answer late in a cycle.
  for (genvar i = 0; i < WordsPerBusWord; i++) begin : gen_words
    ram_1w1r #(
        .Words      (Rows),
        .Granules   (1),
        .GranuleBits(WordBits),
        .CanBeZero  (1'b1)
    ) u_rows (
        .clk_i,
        .write_i,
        .write_address_i(write_row_i[RowBits-1:0]),
        .write_data_i   (write_data_i[i*WordBits+:WordBits]),
        .read_i,
        .read_address_i (row),
        .zero_i         (word != word_index_t'(i)),
        .read_data_o    (words[i])
    );
  end

  always_comb begin
    word_o = '0;
    for (int unsigned i = 0; i < WordsPerBusWord; i++) word_o |= words[i];
  end

endmodule
