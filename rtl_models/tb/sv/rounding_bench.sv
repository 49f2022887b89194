// Rounds one float to any format, by the steps of hwc_float_pkg: the format is an input, so that
// a bench reaches formats that no element type has yet. Without clock or state.
module rounding_bench
  import hwc_isa_pkg::*;
  import hwc_float_pkg::*;
(
    input  logic [4:0]   exponent_bits_i,
    input  logic [4:0]   fraction_bits_i,
    input  logic         infinite_i,
    input  logic         sign_i,
    input  biased_t      exponent_i,
    input  significand_t significand_i,
    input  logic         guard_i,
    input  logic         sticky_i,
    output float_t       result_o
);

  rounding_format_t format;

  assign format = rounding_format('{exponent_bits_i, fraction_bits_i, infinite_i});
  dropped_t dropped;

  assign dropped = dropped_bits(
      dropped_with(dropped_range(format, exponent_t'({1'b0, exponent_i})), exponent_t'(0)));
  assign result_o = pack_rounded(
      decide(format.limit, dropped, exponent_i, significand_i, guard_i, sticky_i), sign_i, 1'b0,
      '0);

endmodule
