// Landing buffer of one input stream: MachineLandingStrips strips of rows, written by the broadcast
// unit and read by both ports of the vector pipe, in any order and as often as they like. There is
// a copy for each port.
//
// Timing: a strip whose strip_done_i came in cycle t may be used from cycle t + 1 +
// MachineLandingReady on. strip_due_o says that there will be one in the next cycle, if
// strip_begin_i does not take it now; its rows stay until the vector pipe tells the broadcast unit
// that it is done with them. The row asked for in cycle t is on its port in cycle t + 1, also if it
// is written in one of the two. A write address comes a cycle before its data.
module landing_buffer
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic         [       Lanes-1:0]     write_i,
    input  landing_row_t                        next_write_address_i,
    input  row_t                                write_data_i,
    input  logic                                strip_done_i,
    output logic                                strip_due_o,
    input  logic                                strip_begin_i,
    input  landing_row_t [PipePorts-1:0]        read_address_i,
    output row_t         [PipePorts-1:0]        row_o
);

  if (2 ** LandingSlotBits != MachineLandingStrips) begin : gen_strips_check
    $error("the landing buffer needs a power of two of strips, got %0d", MachineLandingStrips);
  end

  // A strip counts a cycle before it may be used: the vector pipe has a register for what it waits
  // for.
  pulse_counter #(
      .Bits (LandingSlotBits + 1),
      .Delay(MachineLandingReady - 1)
  ) u_strips (
      .clk_i,
      .rst_ni,
      .clear_i(1'b0),
      .put_i  (strip_done_i),
      .take_i (strip_begin_i),
      .some_o (strip_due_o)
  );

  // What is written now, for who asks for it now or did so in the cycle before: the last row of a
  // strip comes no earlier.
  logic [Lanes-1:0] write_q;
  landing_row_t write_address_q;  // of this cycle
  row_t written_q;

  always_ff @(posedge clk_i) begin
    write_q         <= write_i;
    write_address_q <= next_write_address_i;
    written_q       <= write_data_i;
  end

  for (genvar i = 0; i < PipePorts; i++) begin : gen_ports
    row_t kept;
    // Bits of the address that the rows written before and now have not.
    landing_row_t differs_before_q, differs_now_q;
    logic [Lanes-1:0] written_before, written_now;

    ram_1w1r #(
        .Words      (MachineLandingStrips * StripRows),
        .Granules   (Lanes),
        .GranuleBits(LaneBits)
    ) u_rows (
        .clk_i,
        .write_i,
        .write_address_i(write_address_q),
        .write_data_i,
        .read_i        (1'b1),
        .read_address_i(read_address_i[i]),
        .read_data_o   (kept)
    );

    always_ff @(posedge clk_i) begin
      differs_before_q <= read_address_i[i] ^ write_address_q;
      differs_now_q    <= read_address_i[i] ^ next_write_address_i;
    end

    always_comb begin
      written_before = differs_before_q == '0 ? write_q : '0;
      written_now = differs_now_q == '0 ? write_i : '0;
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        row_o[i][lane] = written_before[lane] ? written_q[lane] : kept[lane];
        if (written_now[lane]) row_o[i][lane] = write_data_i[lane];
      end
    end
  end

endmodule
