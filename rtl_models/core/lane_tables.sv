// Counts up the lane tables of a stream: quotient and remainder by repeat[0] and remainder by
// data[0], for positions below 2 * Lanes. They mean nothing where the divisor is Lanes or more.
//
// Timing: start_i in cycle t takes the divisors; busy_o is high from cycle t + 1 to t + Cycles, and
// the tables are valid from cycle t + Cycles + 1 until the next start_i.
module lane_tables
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
#(
    // Entries that are counted in a cycle; a wide machine counts more.
    localparam int unsigned Step = Lanes > 16 ? Lanes / 16 : 1,
    localparam int unsigned Cycles = TableRows / Step
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    input  logic                        start_i,
    input  size_t                       repeat_i,
    input  size_t                       pass_i,
    output logic                        busy_o,
    output lane_count_t [TableRows-1:0] repeat_div_o,
    output lane_index_t [TableRows-1:0] repeat_mod_o,
    output lane_index_t [TableRows-1:0] pass_mod_o
);

  typedef logic [$clog2(Cycles+1)-1:0] count_t;

  count_t left_d, left_q;
  lane_count_t last_repeat_d, last_repeat_q, last_pass_d, last_pass_q;
  lane_count_t quotient_d, quotient_q;
  lane_index_t remainder_d, remainder_q, pass_d, pass_q;
  lane_count_t [TableRows-1:0] repeat_div_d, repeat_div_q;
  lane_index_t [TableRows-1:0] repeat_mod_d, repeat_mod_q, pass_mod_d, pass_mod_q;

  // Divisor - 1, or a number that no remainder reaches.
  function automatic lane_count_t last_of(size_t divisor);
    return divisor < size_t'(Lanes) ? lane_count_t'(divisor) - 1'b1 : '1;
  endfunction

  always_comb begin
    left_d = left_q == '0 ? '0 : left_q - 1'b1;
    last_repeat_d = last_repeat_q;
    last_pass_d = last_pass_q;
    quotient_d = quotient_q;
    remainder_d = remainder_q;
    pass_d = pass_q;
    // The tables are shifted through, the entries of this cycle come in at the top.
    repeat_div_d = repeat_div_q;
    repeat_mod_d = repeat_mod_q;
    pass_mod_d = pass_mod_q;
    for (int unsigned i = 0; i < Step; i++) begin
      repeat_div_d = {quotient_d, repeat_div_d[TableRows-1:1]};
      repeat_mod_d = {remainder_d, repeat_mod_d[TableRows-1:1]};
      pass_mod_d = {pass_d, pass_mod_d[TableRows-1:1]};
      if ({1'b0, remainder_d} == last_repeat_q) begin
        remainder_d = '0;
        quotient_d = quotient_d + 1'b1;
      end else begin
        remainder_d = remainder_d + 1'b1;
      end
      pass_d = {1'b0, pass_d} == last_pass_q ? '0 : pass_d + 1'b1;
    end
    if (start_i) begin
      left_d = count_t'(Cycles);
      last_repeat_d = last_of(repeat_i);
      last_pass_d = last_of(pass_i);
      quotient_d = '0;
      remainder_d = '0;
      pass_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else left_q <= left_d;
  end

  always_ff @(posedge clk_i) begin
    if (start_i || left_q != '0) begin
      last_repeat_q <= last_repeat_d;
      last_pass_q   <= last_pass_d;
      quotient_q    <= quotient_d;
      remainder_q   <= remainder_d;
      pass_q        <= pass_d;
    end
    if (left_q != '0) begin
      repeat_div_q <= repeat_div_d;
      repeat_mod_q <= repeat_mod_d;
      pass_mod_q   <= pass_mod_d;
    end
  end

  assign busy_o = left_q != '0;
  assign repeat_div_o = repeat_div_q;
  assign repeat_mod_o = repeat_mod_q;
  assign pass_mod_o = pass_mod_q;

endmodule
