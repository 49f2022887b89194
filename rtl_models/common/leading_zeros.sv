// Counts the zeros above the highest set bit: 0 .. Width-1, and Width when no bit is set.
//
// Combinational; a tree of depth log2(Width).
module leading_zeros #(
    parameter int unsigned Width = 32,
    localparam int unsigned CountBits = $clog2(Width + 1)
) (
    input  logic [    Width-1:0] data_i,
    output logic [CountBits-1:0] count_o
);

  // The tree works on a power of two; the bits that pad it from below are set, so that a zero
  // operand counts to Width exactly.
  localparam int unsigned Levels = $clog2(Width + 1);
  localparam int unsigned TreeWidth = 1 << Levels;

  logic [TreeWidth-1:0] rest;

  always_comb begin
    rest = {data_i, {(TreeWidth - Width) {1'b1}}};
    count_o = '0;
    for (int unsigned level = Levels; level > 0; level--) begin
      // The upper half of the remaining bits is empty: skip it.
      if ((rest >> (TreeWidth - (1 << (level - 1)))) == '0) begin
        count_o[level-1] = 1'b1;
        rest = rest << (1 << (level - 1));
      end
    end
  end

endmodule
