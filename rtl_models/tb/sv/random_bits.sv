// Bits that look random and are the same after every reset: 32 stages of linear feedback.
module random_bits (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic [31:0] bits_o
);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bits_o <= 32'h1234_5678;
    else bits_o <= {bits_o[30:0], bits_o[31] ^ bits_o[21] ^ bits_o[1] ^ bits_o[0]};
  end

endmodule
