// Multiplies two sizes.
//
// Timing: product_o and overflow_o belong to a_i and b_i of two cycles before. overflow_o: the
// product needs more than SizeBits bits, and product_o is its low bits.
module size_multiplier
  import hwc_stream_pkg::*;
(
    input  logic  clk_i,
    input  size_t a_i,
    input  size_t b_i,
    output size_t product_o,
    output logic  overflow_o
);

  // Halves of the width of a multiplier in an FPGA.
  localparam int unsigned LowBits = 18;
  localparam int unsigned HighBits = SizeBits - LowBits;
  localparam int unsigned ProductBits = 2 * SizeBits;

  logic [2*LowBits-1:0] low_q;
  logic [2*HighBits-1:0] high_q;
  logic [SizeBits-1:0] left_q, right_q;
  logic [ProductBits-1:0] product_q;

  always_ff @(posedge clk_i) begin
    low_q     <= a_i[LowBits-1:0] * b_i[LowBits-1:0];
    high_q    <= a_i[SizeBits-1:LowBits] * b_i[SizeBits-1:LowBits];
    left_q    <= SizeBits'(a_i[SizeBits-1:LowBits]) * SizeBits'(b_i[LowBits-1:0]);
    right_q   <= SizeBits'(a_i[LowBits-1:0]) * SizeBits'(b_i[SizeBits-1:LowBits]);
    // Low and high lie side by side.
    product_q <= {high_q, low_q}
        + (ProductBits'((SizeBits + 1)'(left_q) + (SizeBits + 1)'(right_q)) << LowBits);
  end

  assign product_o = product_q[SizeBits-1:0];
  assign overflow_o = product_q[ProductBits-1:SizeBits] != '0;

endmodule
