// Remembers where the beats on their way write, and gives each back when its result is there.
//
// Timing: the beat of cycle t (beat_i) is on beat_o in cycle t + latency of its unit - 1, in which
// it is written. Beats are written in the order of issue; two in one cycle are an error of issue.
module result_order
  import hwc_isa_pkg::*;
  import hwc_pipe_pkg::*;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         valid_i,
    input  result_beat_t beat_i,
    output logic         valid_o,
    output result_beat_t beat_o
);

  // Entry i is written in i cycles.
  localparam int unsigned Places = MaxLatency - 1;

  logic [Places-1:0] valid_d, valid_q;
  result_beat_t [Places-1:0] beat_d, beat_q;

  always_comb begin
    valid_d = {1'b0, valid_q[Places-1:1]};
    for (int unsigned i = 0; i < Places; i++) begin
      beat_d[i] = i + 1 < Places ? beat_q[(i+1)%Places] : beat_i;
    end
    for (int unsigned unit = 0; unit < 2 ** $bits(unit_e); unit++) begin
      if (unit_latency(unit_e'(unit)) >= 2) begin
        if (valid_i && beat_i.unit == unit_e'(unit)) begin
          valid_d[unit_latency(unit_e'(unit))-2] = 1'b1;
          beat_d[unit_latency(unit_e'(unit))-2] = beat_i;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid_d;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Places; i++) begin
      if (valid_d[i]) beat_q[i] <= beat_d[i];
    end
  end

  assign valid_o = valid_q[0];
  assign beat_o = beat_q[0];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      if (valid_i) begin
        assert (unit_latency(beat_i.unit) >= 3)
        else $error("got a beat without a unit");
        assert ((valid_q >> (unit_latency(beat_i.unit) - 1)) == '0)
        else $error("results are out of order");
      end
    end
  end
`endif

endmodule
