// Result buffer of one output stream: MachineStoreStrips strips of rows, written by the vector pipe
// and read by the store engine.
//
// Timing: a row written in cycle t may be asked for from cycle t + 1 on; the row asked for in cycle
// t is on row_o in cycle t + 1 and stays there until the next is asked for.
module output_buffer
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                   clk_i,
    input  logic       [Lanes-1:0] write_i,           // lanes to write
    input  store_row_t             write_address_i,
    input  row_t                   write_data_i,
    input  logic                   read_i,
    input  store_row_t             read_address_i,
    output row_t                   row_o
);

  if (2 ** OutputSlotBits != MachineStoreStrips) begin : gen_strips_check
    $error("the result buffer needs a power of two of strips, got %0d", MachineStoreStrips);
  end

  ram_1w1r #(
      .Words(MachineStoreStrips * StripRows),
      .Granules(Lanes),
      .GranuleBits(LaneBits)
  ) u_rows (
      .clk_i,
      .write_i,
      .write_address_i,
      .write_data_i,
      .read_i,
      .read_address_i,
      .read_data_o(row_o)
  );

endmodule
