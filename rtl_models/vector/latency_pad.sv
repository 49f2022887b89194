// Makes the results of units with different latencies one: results enter a line of registers where
// their latency is, and leave it together.
//
// Timing: the result of a unit that comes in cycle t - Total + Latencies[unit] leaves in cycle t,
// in the same one if both are equal. No two results are at the same place at a time.
module latency_pad #(
    parameter type data_t = logic,
    parameter int unsigned Units = 1,
    parameter int unsigned Total = 2,
    parameter int unsigned Latencies[Units] = '{default: 1}
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic  [Units-1:0] valid_i,
    input  data_t [Units-1:0] data_i,
    output logic              valid_o,
    output data_t             data_o
);

  // Place p: p cycles of the latency are over.
  logic [Total:1] valid, valid_q;
  data_t [Total:1] data, data_q;

  always_comb begin
    for (int unsigned place = 1; place <= Total; place++) begin
      valid[place] = valid_q[place];
      data[place] = data_q[place];
      for (int unsigned unit = 0; unit < Units; unit++) begin
        if (Latencies[unit] == place && valid_i[unit]) begin
          valid[place] = 1'b1;
          data[place] = data_i[unit];
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid << 1;
  end

  always_ff @(posedge clk_i) begin
    data_q[1] <= data[1];  // nothing comes before
    for (int unsigned place = 1; place < Total; place++) begin
      if (valid[place]) data_q[place+1] <= data[place];
    end
  end

  assign valid_o = valid[Total];
  assign data_o = data[Total];

  for (genvar unit = 0; unit < Units; unit++) begin : gen_check
    if (Latencies[unit] < 1 || Latencies[unit] > Total) begin : gen_latency_check
      $error("a latency of %0d cannot be padded to %0d", Latencies[unit], Total);
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      for (int unsigned unit = 0; unit < Units; unit++) begin
        assert (!(valid_i[unit] && valid_q[Latencies[unit]]))
        else $error("two results at once");
      end
    end
  end
`endif

endmodule
