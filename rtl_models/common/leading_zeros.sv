// Counts the zeros above the highest set bit: 0 .. Width-1, and Width when no bit is set.
//
// Combinational: a tree of depth log2(Width).
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

  // Of each group of neighbours, which double from level to level: whether no bit is set, and the
  // zeros above its highest set bit.
  logic [TreeWidth-1:0] empty;
  logic [TreeWidth-1:0][Levels-1:0] zeros;

  always_comb begin
    empty = ~{data_i, {(TreeWidth - Width) {1'b1}}};
    zeros = '0;
    for (int unsigned level = 0; level < Levels; level++) begin
      for (int unsigned i = 0; i < TreeWidth >> (level + 1); i++) begin
        zeros[i] = empty[2*i+1] ? zeros[2*i] : zeros[2*i+1];
        zeros[i][level] = empty[2*i+1];
        empty[i] = empty[2*i+1] && empty[2*i];
      end
    end
    count_o = zeros[0];
  end

endmodule
