// Multiplies by a size, four bits of it a cycle from the highest on.
//
// Timing: start_i in cycle t takes a_i and b_i; product_o is valid from cycle t + 9 until the next
// start_i. busy_o is high in between. overflow_o: the product needs more than Bits bits, of which
// product_o is then not part of it.
module serial_multiplier
  import hwc_stream_pkg::*;
#(
    parameter int unsigned Bits = 32
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            start_i,
    input  logic [Bits-1:0] a_i,
    input  size_t           b_i,
    output logic            busy_o,
    output logic [Bits-1:0] product_o,
    output logic            overflow_o
);

  localparam int unsigned DigitBits = 4;
  localparam int unsigned Digits = (SizeBits + DigitBits - 1) / DigitBits;
  localparam int unsigned PaddedBits = Digits * DigitBits;
  localparam int unsigned CountBits = $clog2(Digits + 1);
  localparam int unsigned SumBits = Bits + DigitBits + 1;

  logic [CountBits-1:0] left_d, left_q;
  logic [Bits-1:0] a_d, a_q, product_d, product_q;
  logic [PaddedBits-1:0] b_d, b_q;
  logic overflow_d, overflow_q;
  logic [SumBits-1:0] sum;

  always_comb begin
    sum = {1'b0, product_q, DigitBits'(0)}
        + SumBits'(a_q) * SumBits'(b_q[PaddedBits-1-:DigitBits]);
    left_d = left_q == '0 ? '0 : left_q - 1'b1;
    a_d = a_q;
    b_d = b_q << DigitBits;
    product_d = product_q;
    overflow_d = overflow_q;
    if (left_q != '0) begin
      product_d = sum[Bits-1:0];
      if (sum[SumBits-1:Bits] != '0) overflow_d = 1'b1;
    end
    if (start_i) begin
      left_d = CountBits'(Digits);
      a_d = a_i;
      b_d = PaddedBits'(b_i);
      product_d = '0;
      overflow_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else left_q <= left_d;
  end

  always_ff @(posedge clk_i) begin
    if (start_i || left_q != '0) begin
      a_q        <= a_d;
      b_q        <= b_d;
      product_q  <= product_d;
      overflow_q <= overflow_d;
    end
  end

  assign busy_o = left_q != '0;
  assign product_o = product_q;
  assign overflow_o = overflow_q;

endmodule
