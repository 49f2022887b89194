// Counts the zeros above the highest set bit: 0 .. Width-1, and Width when no bit is set.
//
// Combinational. A carry finds the first group of four bits that is not empty, because a carry
// chain of an FPGA is faster than a tree of multiplexers.
module leading_zeros #(
    parameter int unsigned Width = 32,
    localparam int unsigned CountBits = $clog2(Width + 1)
) (
    input  logic [    Width-1:0] data_i,
    output logic [CountBits-1:0] count_o
);

  // Four neighbours are a group. The bits that pad the last one from below are set, at least one,
  // so that a zero operand counts to Width exactly.
  localparam int unsigned Groups = Width / 4 + 1;

  logic [4*Groups-1:0] padded;
  // Of each group from the top: whether any bit is set, and if it is the first such group.
  logic [Groups-1:0] some, first;

  always_comb begin
    padded = {data_i, {(4 * Groups - Width) {1'b1}}};
    for (int unsigned i = 0; i < Groups; i++) some[i] = padded[4*(Groups-1-i)+:4] != '0;
    // The lowest bit that is set: a carry goes through all below.
    first = some & (~some + Groups'(1'b1));
    count_o = '0;
    for (int unsigned i = 0; i < Groups; i++) begin
      logic [3:1] group;  // the bits that decide, if not all are clear
      logic [1:0] zeros;

      group = padded[4*(Groups-1-i)+1+:3];
      zeros = {group[3:2] == '0, !group[3] && (group[2] || !group[1])};
      if (first[i]) count_o |= CountBits'(4 * i) | CountBits'(zeros);
    end
  end

endmodule
