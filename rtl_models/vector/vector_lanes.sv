// The arithmetic units whose rate is `lanes`: one of each in every lane.
//
// Timing: results follow the operands after MachineLane less hwc_vector_pkg::RegisterStages cycles,
// whatever the unit.
module vector_lanes
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       valid_i,
    input  unit_e      unit_i,
    input  operation_t op_i,
    input  hwc_vector_pkg::fused_form_t form_i,
    input  row_t       a_i,
    input  row_t       b_i,
    input  row_t       c_i,
    output logic       valid_o,
    output row_t       result_o
);

  // Units whose rate is `lanes`, by their numbers.
  localparam int unsigned Units = 4;
  localparam unit_e UnitOf[Units] = '{UnitAlu, UnitMul, UnitCvt, UnitFma};

  logic [Units-1:0] valid;
  logic [Lanes-1:0][Units-1:0] valids;
  row_t [Units-1:0] results;

  always_comb begin
    for (int unsigned unit = 0; unit < Units; unit++) begin
      valid[unit] = valid_i && unit_i == UnitOf[unit];
    end
  end

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lanes
    hwc_vector_pkg::operands_t operands;

    assign operands = '{op: op_i, form: form_i, a: a_i[lane], b: b_i[lane], c: c_i[lane]};

    alu u_alu (
        .clk_i,
        .rst_ni,
        .valid_i   (valid[0]),
        .operands_i(operands),
        .valid_o   (valids[lane][0]),
        .result_o  (results[0][lane])
    );

    int_mul u_mul (
        .clk_i,
        .rst_ni,
        .valid_i   (valid[1]),
        .operands_i(operands),
        .valid_o   (valids[lane][1]),
        .result_o  (results[1][lane])
    );

    fp_convert u_convert (
        .clk_i,
        .rst_ni,
        .valid_i   (valid[2]),
        .operands_i(operands),
        .valid_o   (valids[lane][2]),
        .result_o  (results[2][lane])
    );

    fp_fma u_fma (
        .clk_i,
        .rst_ni,
        .valid_i   (valid[3]),
        .operands_i(operands),
        .valid_o   (valids[lane][3]),
        .result_o  (results[3][lane])
    );
  end

  localparam int unsigned LatencyOf[Units] = '{
      LatencyAlu, LatencyMul, LatencyCvt, LatencyFma
  };

  latency_pad #(
      .data_t   (row_t),
      .Units    (Units),
      .Total    (MachineLane),
      .Latencies(LatencyOf)
  ) u_results (
      .clk_i,
      .rst_ni,
      .valid_i(valids[0]),
      .data_i (results),
      .valid_o,
      .data_o (result_o)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      for (int unsigned lane = 1; lane < Lanes; lane++) begin
        assert (valids[lane] == valids[0])
        else $error("lane %0d is not in step", lane);
      end
    end
  end
`endif

endmodule
