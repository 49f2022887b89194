// The units of the special rate, special functions, division and the table: SpecialRate of
// each. A beat takes one part of the rows of its operands.
//
// Timing: results follow the operands after MachineSpecial less hwc_vector_pkg::RegisterStages
// cycles, whatever the unit. The first of them chooses the part.
module special_lanes
  import hwc_isa_pkg::*;
  import hwc_stream_pkg::*;
  import hwc_target_pkg::*;
  import hwc_pipe_pkg::*;
(
    input  logic       clk_i,
    input  logic       rst_ni,
    // For the table, see lookup_table.
    input  logic       clear_i,
    input  logic       kernel_start_i,
    input  size_t      points_i,
    input  logic       valid_i,
    input  unit_e      unit_i,
    input  operation_t op_i,
    input  part_t      part_i,
    input  row_t       a_i,
    input  row_t       b_i,
    output logic       valid_o,
    output part_row_t  result_o
);

  localparam int unsigned OwnStages = hwc_vector_pkg::RegisterStages + 1;

  typedef struct packed {
    unit_e unit;
    operation_t op;
    part_row_t a;
    part_row_t b;
  } beat_t;

  beat_t beat_d, beat;
  logic beat_valid;

  always_comb begin
    beat_d.unit = unit_i;
    beat_d.op = op_i;
    for (int unsigned i = 0; i < SpecialRate; i++) begin
      beat_d.a[i] = a_i[lane_index_t'(32'(part_i) * SpecialRate + i)];
      beat_d.b[i] = b_i[lane_index_t'(32'(part_i) * SpecialRate + i)];
    end
  end

  delay_line #(
      .data_t(beat_t)
  ) u_beat (
      .clk_i,
      .rst_ni,
      .valid_i(valid_i && unit_is_special(unit_i)),
      .data_i (beat_d),
      .valid_o(beat_valid),
      .data_o (beat)
  );

  logic [SpecialRate-1:0] special_valid, division_valid;
  part_row_t special_result, division_result;

  for (genvar i = 0; i < SpecialRate; i++) begin : gen_units
    hwc_vector_pkg::operands_t operands;

    assign operands = '{op: beat.op, form: '0, a: beat.a[i], b: beat.b[i], c: '0};

    special #(
        .Depth(LatencySfu - OwnStages)
    ) u_special (
        .clk_i,
        .rst_ni,
        .valid_i   (beat_valid && beat.unit == UnitSfu),
        .operands_i(operands),
        .valid_o   (special_valid[i]),
        .result_o  (special_result[i])
    );

    divider #(
        .Depth(LatencyDiv - OwnStages)
    ) u_division (
        .clk_i,
        .rst_ni,
        .valid_i   (beat_valid && beat.unit == UnitDiv),
        .operands_i(operands),
        .valid_o   (division_valid[i]),
        .result_o  (division_result[i])
    );
  end

  logic table_valid;
  part_row_t table_result;

  lookup_table #(
      .Depth(LatencyTab - OwnStages)
  ) u_table (
      .clk_i,
      .rst_ni,
      .clear_i,
      .kernel_start_i,
      .points_i,
      .valid_i    (beat_valid && beat.unit == UnitTab),
      .operation_i(beat.op.operation),
      .a_i        (beat.a),
      .valid_o    (table_valid),
      .result_o   (table_result)
  );

  localparam int unsigned Units = 3;
  localparam int unsigned LatencyOf[Units] = '{LatencySfu, LatencyDiv, LatencyTab};

  latency_pad #(
      .data_t   (part_row_t),
      .Units    (Units),
      .Total    (MachineSpecial),
      .Latencies(LatencyOf)
  ) u_results (
      .clk_i,
      .rst_ni,
      .valid_i({table_valid, division_valid[0], special_valid[0]}),
      .data_i ({table_result, division_result, special_result}),
      .valid_o,
      .data_o (result_o)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (special_valid == '0 || special_valid == '1)
      else $error("special units are not in step");
      assert (division_valid == '0 || division_valid == '1)
      else $error("dividers are not in step");
    end
  end
`endif

endmodule
