// The product of two integers and a sum, modulo 2^SumBits.
//
// The product is the sum of products of limbs, each as wide as a multiplier of an FPGA takes with a
// sign: the multipliers and what adds their results are in a stage each. Operands have a sign, or
// not, as `ASigned` and `BSigned` say.
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
    input  logic               valid_i,
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
    if (valid_i) part_q <= part_d;
  end

  // Add.
  always_comb begin
    sum_o = addend_i;
    for (int unsigned i = 0; i < ALimbs; i++) begin
      for (int unsigned j = 0; j < BLimbs; j++) begin
        if ((ASigned && i == ALimbs - 1) || (BSigned && j == BLimbs - 1)) begin
          sum_o += unsigned'(SumBits'(signed'(part_q[i][j]))) << (LimbBits * (i + j));
        end else begin
          sum_o += SumBits'(part_q[i][j][2*LimbBits-1:0]) << (LimbBits * (i + j));
        end
      end
    end
  end

endmodule
