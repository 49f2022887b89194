// One operand of a beat: a row of a vector register, of a result register, of an input stream, or
// the immediate in every lane.
//
// Combinational. A row of registers that the operand does not name is 0. A row of a stream that it
// does not name may be anything, and is let through or not. Rows come from memories, late in a
// cycle, so they are joined: a choice would be longer.
module operand_select
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  row_t                    vector_i,
    input  row_t                    result_i,
    input  logic [InputStreams-1:0] from_stream_i,
    input  row_t [InputStreams-1:0] streams_i,
    input  logic                    from_immediate_i,
    input  lane_t                   immediate_i,
    output row_t                    row_o
);

  function automatic row_t row_if(logic let_through, row_t row);
    return let_through ? row : '0;
  endfunction

  always_comb begin
    row_o = vector_i | result_i | row_if(from_immediate_i, {Lanes{immediate_i}});
    for (int unsigned i = 0; i < InputStreams; i++) begin
      row_o = row_o | row_if(from_stream_i[i], streams_i[i]);
    end
  end

endmodule
