// Brings together the events of both ports: strip after strip, each has one of every port that
// counts, in any order.
//
// Timing: event_o is high in the cycle of a strip's last event. At most StripSlots of a port may be
// ahead of the other's. needed_i holds while there are any.
module event_join
  import hwc_stream_pkg::*;
  import hwc_pipe_pkg::*;
(
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic [PipePorts-1:0] needed_i,
    input  logic [PipePorts-1:0] event_i,   // of a port that is not needed: nothing
    output logic                 event_o
);

  typedef logic [$clog2(StripSlots+1)-1:0] count_t;

  count_t [PipePorts-1:0] count, count_d, count_q;
  logic [PipePorts-1:0] some_d, some_q;  // count_q is not 0

  always_comb begin
    event_o = needed_i != '0;
    for (int unsigned i = 0; i < PipePorts; i++) begin
      if (needed_i[i] && !some_q[i] && !event_i[i]) event_o = 1'b0;
    end
    for (int unsigned i = 0; i < PipePorts; i++) begin
      count[i] = count_q[i] + count_t'(event_i[i] && needed_i[i]);
      count_d[i] = event_o && needed_i[i] ? count[i] - 1'b1 : count[i];
      some_d[i] = count_d[i] != '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      some_q  <= '0;
    end else begin
      count_q <= count_d;
      some_q  <= some_d;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      for (int unsigned i = 0; i < PipePorts; i++) begin
        assert (count[i] <= count_t'(StripSlots))
        else $error("port %0d is too far ahead", i);
      end
    end
  end
`endif

endmodule
