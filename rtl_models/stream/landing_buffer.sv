// Landing buffer of one input stream: MachineLandingStrips strips of rows, written by the broadcast
// unit and read by the vector pipe, which may read the oldest strip in any order and as often as it
// likes.
//
// Timing: a strip whose strip_done_i came in cycle t may be used from cycle t + 1 +
// MachineLandingReady on (strip_valid_o). The row asked for in cycle t is on row_o in cycle t + 1.
// pop_i, in the last cycle of the strip's use, moves on to the next strip.
module landing_buffer
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic         [       Lanes-1:0] write_i,
    input  landing_row_t                    write_address_i,
    input  row_t                            write_data_i,
    input  logic                            strip_done_i,
    output logic                            strip_valid_o,
    input  logic                            read_i,
    input  logic         [StripRowBits-1:0] read_row_i,
    output row_t                            row_o,
    input  logic                            pop_i
);

  logic [LandingSlotBits:0] strips;
  logic [LandingSlotBits-1:0] landing_slot_d, landing_slot_q;

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
      .take_i (pop_i),
      .count_o(strips)
  );

  assign strip_valid_o = strips != '0;
  assign landing_slot_d = pop_i ? landing_slot_q + 1'b1 : landing_slot_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) landing_slot_q <= '0;
    else landing_slot_q <= landing_slot_d;
  end

  ram_1w1r #(
      .Words(MachineLandingStrips * StripRows),
      .Granules(Lanes),
      .GranuleBits(LaneBits)
  ) u_rows (
      .clk_i,
      .write_i,
      .write_address_i,
      .write_data_i,
      .read_i,
      .read_address_i({landing_slot_q, read_row_i}),
      .read_data_o(row_o)
  );

endmodule
