// The lane tables of a stream: quotient and remainder by repeat[0] and remainder by data[0], for
// positions below 2 * Lanes. They mean nothing where the divisor is Lanes or more.
//
// Combinational: each bit is a function of a divisor below Lanes.
module lane_tables
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  lane_index_t                 repeat_i,
    input  lane_index_t                 pass_i,
    output lane_count_t [TableRows-1:0] repeat_div_o,
    output lane_index_t [TableRows-1:0] repeat_mod_o,
    output lane_index_t [TableRows-1:0] pass_mod_o
);

  always_comb begin
    repeat_div_o = '0;
    repeat_mod_o = '0;
    pass_mod_o = '0;
    for (int unsigned divisor = 1; divisor < Lanes; divisor++) begin
      for (int unsigned i = 0; i < TableRows; i++) begin
        if (repeat_i == lane_index_t'(divisor)) begin
          repeat_div_o[i] = lane_count_t'(i / divisor);
          repeat_mod_o[i] = lane_index_t'(i % divisor);
        end
        if (pass_i == lane_index_t'(divisor)) pass_mod_o[i] = lane_index_t'(i % divisor);
      end
    end
  end

endmodule
