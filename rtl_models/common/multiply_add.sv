// The product of two integers and a sum, modulo 2^SumBits.
//
// The product is the sum of products of limbs, each as wide as a multiplier of an FPGA takes with a
// sign: the multipliers and what adds their results are in a stage each. Operands have a sign, or
// not, as `ASigned` and `BSigned` say.
//
// A product of limbs is two limbs wide: those of every second place are a row without a gap or an
// overlap, and a product with a sign ends its row. All rows but two are added without a carry from
// bit to bit.
// Timing: one stage of registers (multiply), then the sum: sum_o belongs to the operands of the
// cycle before and to the addend of this one, and wants a register. One set of operands per cycle.
module multiply_add #(
    parameter int unsigned ABits = 24,
    parameter int unsigned BBits = 24,
    parameter bit ASigned = 1'b0,
    parameter bit BSigned = 1'b0,
    parameter int unsigned SumBits = ABits + BBits
) (
    input  logic               clk_i,
    input  logic [  ABits-1:0] a_i,
    input  logic [  BBits-1:0] b_i,
    input  logic [SumBits-1:0] addend_i,
    output logic [SumBits-1:0] sum_o
);

  localparam int unsigned LimbBits = 17;
  localparam int unsigned PartBits = 2 * LimbBits + 2;
  // The last limb has the sign as well.
  localparam int unsigned ALimbs = (ABits - 32'(ASigned) + LimbBits - 1) / LimbBits;
  localparam int unsigned BLimbs = (BBits - 32'(BSigned) + LimbBits - 1) / LimbBits;

  // Of products at a place, i + j: how many there are, and which one is (i, j).
  function automatic int unsigned products_at(int unsigned place);
    int unsigned low, high;
    low = place >= BLimbs ? place - BLimbs + 1 : 0;
    high = place >= ALimbs ? ALimbs - 1 : place;
    return low > high ? 0 : high - low + 1;
  endfunction

  function automatic int unsigned index_at(int unsigned i, int unsigned j);
    return i + j >= ALimbs ? j - (i + j - (ALimbs - 1)) : j;
  endfunction

  // Rows of the even places come first, then those of the odd ones.
  function automatic int unsigned rows_of(int unsigned parity);
    int unsigned most = 0;
    for (int unsigned place = parity; place < ALimbs + BLimbs - 1; place += 2) begin
      if (products_at(place) > most) most = products_at(place);
    end
    return most;
  endfunction

  localparam int unsigned EvenRows = rows_of(0);
  localparam int unsigned Rows = EvenRows + rows_of(1);

  function automatic bit has_sign(int unsigned i, int unsigned j);
    return (ASigned && i == ALimbs - 1) || (BSigned && j == BLimbs - 1);
  endfunction

  for (genvar i = 0; i < ALimbs; i++) begin : gen_rows
    for (genvar j = 0; j < BLimbs; j++) begin : gen_row
      if (has_sign(i, j) && products_at(i + j + 2) > index_at(i, j)) begin : gen_check
        $error("the product of limbs %0d and %0d has a sign, and does not end its row", i, j);
      end
    end
  end

  typedef logic [LimbBits:0] limb_t;
  typedef logic [PartBits-1:0] part_t;

  limb_t [ALimbs-1:0] a;
  limb_t [BLimbs-1:0] b;
  part_t [ALimbs-1:0][BLimbs-1:0] part_d, part_q;

  always_comb begin
    logic [ALimbs*LimbBits:0] a_extended;
    logic [BLimbs*LimbBits:0] b_extended;

    a_extended = {{(ALimbs * LimbBits + 1 - ABits) {ASigned && a_i[ABits-1]}}, a_i};
    b_extended = {{(BLimbs * LimbBits + 1 - BBits) {BSigned && b_i[BBits-1]}}, b_i};
    for (int unsigned i = 0; i < ALimbs; i++) begin
      a[i] = {ASigned && i == ALimbs - 1 && a_i[ABits-1], a_extended[i*LimbBits+:LimbBits]};
    end
    for (int unsigned j = 0; j < BLimbs; j++) begin
      b[j] = {BSigned && j == BLimbs - 1 && b_i[BBits-1], b_extended[j*LimbBits+:LimbBits]};
    end
  end

  // Multiply.
  always_comb begin
    for (int unsigned i = 0; i < ALimbs; i++) begin
      for (int unsigned j = 0; j < BLimbs; j++) begin
        part_d[i][j] = unsigned'(PartBits'(signed'(a[i])) * PartBits'(signed'(b[j])));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    part_q <= part_d;
  end

  // Add.
  always_comb begin
    logic [Rows-1:0][SumBits-1:0] rows;
    logic [SumBits-1:0] sum, carry, row, pairs;

    rows = '0;
    for (int unsigned i = 0; i < ALimbs; i++) begin
      for (int unsigned j = 0; j < BLimbs; j++) begin
        row = has_sign(i, j) ? unsigned'(SumBits'(signed'(part_q[i][j])))
                             : SumBits'(part_q[i][j][2*LimbBits-1:0]);
        rows[(i+j)%2*EvenRows+index_at(i, j)] |= row << (LimbBits * (i + j));
      end
    end

    sum = rows[0];
    carry = Rows > 1 ? rows[Rows-1] : '0;
    for (int unsigned r = 1; r + 1 < Rows; r++) begin
      pairs = (sum & carry) | (sum & rows[r]) | (carry & rows[r]);
      sum = sum ^ carry ^ rows[r];
      carry = pairs << 1;
    end
    sum_o = sum + carry + addend_i;
  end

endmodule
