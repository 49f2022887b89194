// Result buffer of one output stream: MachineStoreStrips strips of rows, written by the vector pipe
// and read by the store engine.
//
// Elements are kept as they are in memory. There is time for that, because the last row of a strip
// is written one cycle before strip_result_i of the store engine.
//
// Timing: a row written in cycle t may be asked for from cycle t + 4 on; the row asked for in cycle
// t is on row_o in cycle t + 1 and stays there until the next is asked for. element_type_i holds
// from the first row that is written until two cycles after the last.
module output_buffer
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                   clk_i,
    input  type_e                  element_type_i,
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

  if (MachineStoreReady < 2) begin : gen_ready_check
    $error("a row is here 4 cycles before it is stored, MachineStoreReady is %0d",
           MachineStoreReady);
  end

  // Of the element type, which holds much longer than it takes to decode.
  store_format_t format_q;

  // Rows on their way: as they come, half way to the bits of memory, and in these bits.
  logic [2:0][Lanes-1:0] write_q;
  store_row_t [2:0] address_q;
  row_t [1:0] lanes_q;
  hwc_float_pkg::narrowing_t [Lanes-1:0] narrowing_d, narrowing_q;
  row_t elements_d, elements_q;

  always_comb begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      narrowing_d[i] = hwc_float_pkg::begin_narrow(format_q.format, lanes_q[0][i]);
      elements_d[i] = store_element(lanes_q[1][i], narrowing_q[i], format_q);
    end
  end

  always_ff @(posedge clk_i) begin
    format_q    <= store_format(element_type_i);
    write_q     <= {write_q[1:0], write_i};
    address_q   <= {address_q[1:0], write_address_i};
    lanes_q     <= {lanes_q[0], write_data_i};
    narrowing_q <= narrowing_d;
    elements_q  <= elements_d;
  end

  ram_1w1r #(
      .Words(MachineStoreStrips * StripRows),
      .Granules(Lanes),
      .GranuleBits(LaneBits)
  ) u_rows (
      .clk_i,
      .write_i        (write_q[2]),
      .write_address_i(address_q[2]),
      .write_data_i   (elements_q),
      .read_i,
      .read_address_i,
      .read_data_o(row_o)
  );

endmodule
