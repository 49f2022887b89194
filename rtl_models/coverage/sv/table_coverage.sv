// Functional coverage of the table: how many entries a fill has, and which are read. Bound to
// `lookup_table`.
module table_coverage
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_pipe_pkg::*;
  import hwc_table_pkg::*;
  import coverage_pkg::*;
(
    input logic          clk_i,
    input logic          rst_ni,
    input size_t         points_i,
    input logic          valid_i,
    input operation_e    operation_i,
    // verilator lint_off UNUSEDSIGNAL
    input part_row_t     a_i,      // as many bits as an index has
    // verilator lint_on UNUSEDSIGNAL
    input entry_number_t count_q,
    input entry_number_t next_q
);

  string      kind;
  logic [8:0] index, last;

  // Before the reset, registers hold random bits: nothing counts.
  always @(posedge clk_i) if (rst_ni && valid_i) begin
    if (operation_i == OperationFill) begin
      if (next_q == '0) begin
        hit(points_i == size_t'(1) ? "table filled one"
            : points_i < size_t'(MachineTableEntries) ? "table filled some" : "table filled all");
        if (count_q != '0) hit("table filled again");
      end
    end else begin
      kind = operation_i == OperationLookup ? "lookup" : "interp";
      last = operation_i == OperationLookup ? 9'd255 : 9'd511;
      for (int unsigned lane = 0; lane < SpecialRate; lane++) begin
        index = operation_i == OperationLookup ? {1'b0, ~a_i[lane][7], a_i[lane][6:0]}
                                               : {~a_i[lane][15], a_i[lane][14:7]};
        hit({"table ", kind,
             index == '0 ? " first" : index == last ? " last" : " between"});
        if (entry_number_t'(index) >= count_q) hit({"table ", kind, " not filled"});
      end
    end
  end

endmodule

bind lookup_table table_coverage u_coverage (.*);
