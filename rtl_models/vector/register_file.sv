// Registers of one class: rows of lanes, one to write in a cycle and one for each operand of both
// ports to read. There is a copy for each operand.
//
// Timing: a row written in cycle t can be read from cycle t + 1 on; a row asked for in cycle t is
// on its port in cycle t + 1. Lanes read while they are written give either.
module register_file
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
  import hwc_pipe_pkg::*;
#(
    parameter int unsigned Registers = 2
) (
    input  logic                                   clk_i,
    input  logic            [      Lanes-1:0]      write_i,          // lanes to write
    input  register_index_t                        write_register_i,
    input  strip_row_t                             write_row_i,
    input  row_t                                   write_data_i,
    input  logic            [ReadOperands-1:0]     read_i,
    input  register_index_t [ReadOperands-1:0]     read_register_i,
    input  strip_row_t      [ReadOperands-1:0]     read_row_i,
    output row_t            [ReadOperands-1:0]     row_o
);

  localparam int unsigned Words = Registers * StripRows;
  localparam int unsigned WordBits = $clog2(Words);

  for (genvar i = 0; i < ReadOperands; i++) begin : gen_ports
    ram_1w1r #(
        .Words      (Words),
        .Granules   (Lanes),
        .GranuleBits(LaneBits)
    ) u_rows (
        .clk_i,
        .write_i,
        .write_address_i(WordBits'({write_register_i, write_row_i})),
        .write_data_i,
        .read_i         (read_i[i]),
        .read_address_i (WordBits'({read_register_i[i], read_row_i[i]})),
        .read_data_o    (row_o[i])
    );
  end

endmodule
