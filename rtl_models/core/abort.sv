// Ends a run at once: the engines and the sequencer are held in reset until the bus has no transfer
// of theirs left. Reads that were asked for come in and are dropped; write bursts end with words
// that write nothing (write_drain).
//
// Timing: an abort in cycle t of a run, or of its start, has draining_o high and engine_rst_no low
// from t + 1 on, through the first cycle with idle_i. aborted_o is high from t + 1 on until the
// next run starts. An abort at any other time has no effect.
module abort (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic abort_i,
    input  logic start_i,
    input  logic running_i,     // the sequencer runs
    input  logic idle_i,        // nothing is on the way to memory or back
    output logic draining_o,
    output logic aborted_o,
    output logic engine_rst_no
);

  logic draining_d, draining_q, aborted_d, aborted_q, engine_rst_q, hit;

  always_comb begin
    hit = abort_i && (running_i || start_i);
    draining_d = hit || (draining_q && !idle_i);
    aborted_d = hit || (aborted_q && !start_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      draining_q   <= 1'b0;
      aborted_q    <= 1'b0;
      engine_rst_q <= 1'b1;
    end else begin
      draining_q   <= draining_d;
      aborted_q    <= aborted_d;
      engine_rst_q <= draining_d;
    end
  end

  assign draining_o = draining_q;
  assign aborted_o = aborted_q;
  // Straight from a register: logic between it and what it resets could glitch. The register holds
  // the opposite. On an FPGA, whose registers are reset by a 1, the two inversions cancel, and no
  // gate is left on the long way to all units.
  assign engine_rst_no = !engine_rst_q;

endmodule
