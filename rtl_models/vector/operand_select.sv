// One operand of a beat: a row of a vector register, of a result register, of an input stream, or
// the immediate in every lane.
//
// Combinational. Rows that the operand does not name may be anything.
module operand_select
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
  import hwc_core_pkg::*;
(
    input  operand_t                    source_i,
    input  row_t                        vector_i,
    input  row_t                        result_i,
    input  row_t     [InputStreams-1:0] streams_i,
    input  lane_t                       immediate_i,
    output row_t                        row_o
);

  always_comb begin
    row_o = is_result(source_i) ? result_i : vector_i;
    if (is_immediate(source_i)) row_o = {Lanes{immediate_i}};
    for (int unsigned i = 0; i < InputStreams; i++) begin
      if (source_i == InputFirst + operand_t'(i)) row_o = streams_i[i];
    end
  end

endmodule
