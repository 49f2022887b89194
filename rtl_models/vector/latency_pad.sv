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

  // Place p: p cycles of the latency are over. Results enter at some places; between two of them is
  // a delay line.
  logic [Total:1] valid, line_valid;
  data_t [Total:1] data, line_data;

  function automatic bit is_entry(int unsigned place);
    for (int unsigned unit = 0; unit < Units; unit++) begin
      if (Latencies[unit] == place) return 1'b1;
    end
    return 1'b0;
  endfunction

  // The last entry before a place; 0 if there is none.
  function automatic int unsigned entry_before(int unsigned place);
    for (int unsigned p = place - 1; p > 0; p--) begin
      if (is_entry(p)) return p;
    end
    return 0;
  endfunction

  for (genvar place = 1; place <= Total; place++) begin : gen_places
    localparam int unsigned Before = entry_before(place);

    if ((is_entry(place) || place == Total) && Before != 0) begin : gen_line
      delay_line #(
          .data_t(data_t),
          .Stages(place - Before)
      ) u_line (
          .clk_i,
          .rst_ni,
          .valid_i(valid[Before]),
          .data_i (data[Before]),
          .valid_o(line_valid[place]),
          .data_o (line_data[place])
      );
    end else begin : gen_nothing
      assign line_valid[place] = 1'b0;
      assign line_data[place] = '0;
    end

    always_comb begin
      valid[place] = line_valid[place];
      data[place] = line_data[place];
      for (int unsigned unit = 0; unit < Units; unit++) begin
        if (Latencies[unit] == place && valid_i[unit]) begin
          valid[place] = 1'b1;
          data[place] = data_i[unit];
        end
      end
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
        assert (!(valid_i[unit] && line_valid[Latencies[unit]]))
        else $error("two results at once");
      end
    end
  end
`endif

endmodule
