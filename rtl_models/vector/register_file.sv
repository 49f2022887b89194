// Registers of one class: rows of lanes, one to write in a cycle and one for each operand of both
// ports to read. There is a copy for each operand.
//
// Timing: the row asked for in cycle t is on its port in cycle t + 1, also if it is written in
// cycle t. An operand that asks for none gets 0.
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

  typedef logic [WordBits-1:0] register_row_t;

  // What is written while it is asked for goes past the memory.
  logic [Lanes-1:0] write_q;
  register_row_t write_address;
  row_t written_q;

  assign write_address = register_row_t'({write_register_i, write_row_i});

  always_ff @(posedge clk_i) begin
    write_q   <= write_i;
    written_q <= write_data_i;
  end

  for (genvar i = 0; i < ReadOperands; i++) begin : gen_ports
    register_row_t address;
    logic [WordBits:0] differs_q;  // bits of the address that the written row has not
    row_t kept;

    assign address = register_row_t'({read_register_i[i], read_row_i[i]});

    always_ff @(posedge clk_i) differs_q <= {!read_i[i], address ^ write_address};

    ram_1w1r #(
        .Words      (Words),
        .Granules   (Lanes),
        .GranuleBits(LaneBits),
        .CanBeZero  (1'b1)
    ) u_rows (
        .clk_i,
        .write_i,
        .write_address_i(write_address),
        .write_data_i,
        .read_i         (1'b1),
        .read_address_i (address),
        .zero_i         (!read_i[i]),
        .read_data_o    (kept)
    );

    always_comb begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        row_o[i][lane] = write_q[lane] && differs_q == '0 ? written_q[lane] : kept[lane];
      end
    end
  end

endmodule
