// The table: 513 entries of 16 bits, which `fill` writes and `lookup` and `interp` read.
//
// Every lane has the whole table, so that each reads where it wants. Entries follow each other over
// the banks: a fill writes SpecialRate banks at a time, and an entry and the next one are always in
// two banks.
//
// clear_i, when a program begins, empties the table. kernel_start_i comes before the operands of a
// kernel, and the next fill writes entry 0; points_i, the kernel's points, are then the entries
// that the table has, and others are 0. No kernel both fills and reads the table.
//
// Timing: result_o belongs to the operands of `Depth` cycles before; a row of operands per cycle.
module lookup_table
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_pipe_pkg::*;
  import hwc_table_pkg::*;
#(
    parameter int unsigned Depth = LatencyTab - hwc_vector_pkg::RegisterStages - 1
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       clear_i,
    input  logic       kernel_start_i,
    input  size_t      points_i,
    input  logic       valid_i,
    input  operation_e operation_i,
    input  part_row_t  a_i,
    output logic       valid_o,
    output part_row_t  result_o
);

  entry_number_t count_d, count_q;  // entries that have been filled
  entry_number_t next_d, next_q;    // the next to fill
  logic fill, filled;

  assign fill = valid_i && operation_i == OperationFill;
  assign filled = next_q >= entry_number_t'(MachineTableEntries);

  always_comb begin
    count_d = count_q;
    next_d = next_q;
    if (fill) begin
      count_d = points_i < size_t'(MachineTableEntries)
          ? entry_number_t'(points_i) : entry_number_t'(MachineTableEntries);
      if (!filled) next_d = next_q + entry_number_t'(SpecialRate);
    end
    if (kernel_start_i) next_d = '0;
    if (clear_i) count_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      next_q  <= '0;
    end else begin
      count_q <= count_d;
      next_q  <= next_d;
    end
  end

  // What is written, a cycle after its operands.
  logic [TableBanks-1:0] write_d, write_q;
  bank_row_t row_q;
  entry_t [TableBanks-1:0] entries_d, entries_q;

  always_comb begin
    for (int unsigned bank = 0; bank < TableBanks; bank++) begin
      write_d[bank] = fill && !filled
          && bank >> RateShift == 32'(bank_of(next_q)) >> RateShift;
      entries_d[bank] = entry_t'(a_i[bank%SpecialRate]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) write_q <= '0;
    else write_q <= write_d;
  end

  always_ff @(posedge clk_i) begin
    row_q     <= row_of(next_q);
    entries_q <= entries_d;
  end

  logic [SpecialRate-1:0] valid;

  for (genvar i = 0; i < SpecialRate; i++) begin : gen_lanes
    lookup_lane #(
        .Depth(Depth)
    ) u_lane (
        .clk_i,
        .rst_ni,
        .write_i    (write_q),
        .row_i      (row_q),
        .entries_i  (entries_q),
        .count_i    (count_q),
        .valid_i,
        .operation_i,
        .a_i        (a_i[i]),
        .valid_o    (valid[i]),
        .result_o   (result_o[i])
    );
  end

  assign valid_o = valid[0];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (valid == '0 || valid == '1)
      else $error("lanes of the table are not in step");
      assert (!valid_i || operation_i inside {OperationFill, OperationLookup, OperationInterp})
      else $error("got an instruction of another unit");
    end
  end
`endif

endmodule
