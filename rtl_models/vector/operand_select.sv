// One operand of a beat: a row of a vector register, of a result register, of an input stream, or
// the immediate in every lane.
//
// Combinational. Rows that the operand does not name may be anything. Rows come from memories, late
// in a cycle, so each is let through or not, and what is let through is joined: a choice would be
// longer.
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

  function automatic row_t row_if(logic let_through, row_t row);
    return let_through ? row : '0;
  endfunction

  always_comb begin
    row_o = row_if(is_vector(source_i), vector_i) | row_if(is_result(source_i), result_i)
        | row_if(is_immediate(source_i), {Lanes{immediate_i}});
    for (int unsigned i = 0; i < InputStreams; i++) begin
      row_o = row_o | row_if(source_i == InputFirst + operand_t'(i), streams_i[i]);
    end
  end

endmodule
