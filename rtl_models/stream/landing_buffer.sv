// Landing buffer of one input stream: MachineLandingStrips strips of rows, written by the broadcast
// unit and read by both ports of the vector pipe, in any order and as often as they like. There is
// a copy for each port.
//
// Timing: a strip whose strip_done_i came in cycle t, with the number of its last row, may be used
// from cycle t + 1 + MachineLandingReady on, but not before MachineLastRowReady allows for that
// row: a row is used row cycles after the strip's first use at the earliest. strip_due_o says that
// there will be a strip in the next cycle, if strip_begin_i does not take it now; its rows stay
// until the vector pipe tells the broadcast unit that it is done with them. The row asked for in
// cycle t is on its port in cycle t + 1, if it was written before cycle t.
module landing_buffer
  import hwc_stream_pkg::*;
  import hwc_isa_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic         [    Lanes-1:0] write_i,
    input  landing_row_t                 write_address_i,
    input  row_t                         write_data_i,
    input  logic                         strip_done_i,
    input  strip_row_t                   strip_row_i,
    output logic                         strip_due_o,
    input  logic                         strip_begin_i,
    input  landing_row_t [PipePorts-1:0] read_address_i,
    output row_t         [PipePorts-1:0] row_o
);

  if (2 ** LandingSlotBits != MachineLandingStrips) begin : gen_strips_check
    $error("the landing buffer needs a power of two of strips, got %0d", MachineLandingStrips);
  end

  if (MachineLastRowReady <= MachineLandingReady) begin : gen_last_row_check
    $error("no strip waits for its last row: MachineLastRowReady is %0d", MachineLastRowReady);
  end

  // A strip of few rows waits for its last one: a strip of one row for all of these cycles.
  localparam int unsigned Wait = MachineLastRowReady - MachineLandingReady;
  logic [Wait-1:0] wait_d, wait_q;
  logic complete;

  always_comb begin
    complete = strip_done_i;
    wait_d = wait_q >> 1;
    for (int unsigned row = 0; row < Wait; row++) begin
      if (strip_done_i && 32'(strip_row_i) == row) begin
        complete = 1'b0;
        wait_d[Wait-1-row] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wait_q <= '0;
    else wait_q <= wait_d;
  end

  // A strip counts a cycle before it may be used: the vector pipe has a register for what it waits
  // for.
  pulse_counter #(
      .Bits (LandingSlotBits + 1),
      .Delay(MachineLandingReady - 1)
  ) u_strips (
      .clk_i,
      .rst_ni,
      .put_i  (complete || wait_q[0]),
      .take_i (strip_begin_i),
      .some_o (strip_due_o)
  );

  for (genvar i = 0; i < PipePorts; i++) begin : gen_ports
    ram_1w1r #(
        .Words      (MachineLandingStrips * StripRows),
        .Granules   (Lanes),
        .GranuleBits(LaneBits)
    ) u_rows (
        .clk_i,
        .write_i,
        .write_address_i,
        .write_data_i,
        .read_i        (1'b1),
        .read_address_i(read_address_i[i]),
        .read_data_o   (row_o[i])
    );
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (!complete || !wait_q[0]) else $error("two strips are complete in the same cycle");
    end
  end
`endif

endmodule
