// Landing buffer of one input stream: MachineLandingStrips strips of rows, written by the broadcast
// unit and read by both ports of the vector pipe, in any order and as often as they like. There is
// a copy for each port.
//
// Timing: a strip whose strip_done_i came in cycle t may be used from cycle t + 1 +
// MachineLandingReady on. strip_valid_o says that there is one that strip_begin_i has not taken
// yet; its rows stay until the vector pipe tells the broadcast unit that it is done with them. The
// row asked for in cycle t is on its port in cycle t + 1, also if it is written in cycle t.
module landing_buffer
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic         [       Lanes-1:0]     write_i,
    input  landing_row_t                        write_address_i,
    input  row_t                                write_data_i,
    input  logic                                strip_done_i,
    output logic                                strip_valid_o,
    input  logic                                strip_begin_i,
    input  logic         [PipePorts-1:0]        read_i,
    input  landing_row_t [PipePorts-1:0]        read_address_i,
    output row_t         [PipePorts-1:0]        row_o
);

  if (2 ** LandingSlotBits != MachineLandingStrips) begin : gen_strips_check
    $error("the landing buffer needs a power of two of strips, got %0d", MachineLandingStrips);
  end

  pulse_counter #(
      .Bits (LandingSlotBits + 1),
      .Delay(MachineLandingReady)
  ) u_strips (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .put_i  (strip_done_i),
      .take_i (strip_begin_i),
      .some_o (strip_valid_o)
  );

  // What is written now, for who asks for it now: the last row of a strip comes no earlier.
  row_t written_q;

  always_ff @(posedge clk_i) written_q <= write_data_i;

  for (genvar i = 0; i < PipePorts; i++) begin : gen_ports
    row_t kept;
    logic [Lanes-1:0] written_now_q;

    ram_1w1r #(
        .Words      (MachineLandingStrips * StripRows),
        .Granules   (Lanes),
        .GranuleBits(LaneBits)
    ) u_rows (
        .clk_i,
        .write_i,
        .write_address_i,
        .write_data_i,
        .read_i        (read_i[i]),
        .read_address_i(read_address_i[i]),
        .read_data_o   (kept)
    );

    always_ff @(posedge clk_i) begin
      written_now_q <= write_address_i == read_address_i[i] ? write_i : '0;
    end

    for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lanes
      assign row_o[i][lane] = written_now_q[lane] ? written_q[lane] : kept[lane];
    end
  end

endmodule
