// Unit alu: every instruction of integers and floats that is neither sum nor product of floats,
// integer product, quotient, conversion nor special function.
//
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// Five stages (those of its parts, and the result's); a greater depth delays the result.
module alu
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencyAlu - RegisterStages
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      valid_i,
    input  operands_t operands_i,
    output logic      valid_o,
    output lane_t     result_o
);

  localparam int unsigned Stages = 5;

  logic is_float, int_valid, float_valid;
  lane_t int_result, float_result;

  assign is_float = hwc_isa_pkg::type_kind(operands_i.op.element_type) == hwc_isa_pkg::KindFloat;

  int_alu u_int_alu (
      .clk_i,
      .rst_ni,
      .valid_i (valid_i && !is_float),
      .operands_i,
      .valid_o (int_valid),
      .result_o(int_result)
  );

  fp_alu u_fp_alu (
      .clk_i,
      .rst_ni,
      .valid_i (valid_i && is_float),
      .op_i    (operands_i.op.operation),
      .a_i     (operands_i.a),
      .b_i     (operands_i.b),
      .valid_o (float_valid),
      .result_o(float_result)
  );

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitAlu),
      .Depth (Depth),
      .Stages(Stages)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i,
      .operands_i,
      .result_valid_i(int_valid || float_valid),
      .result_i      (float_valid ? float_result : int_result),
      .valid_o,
      .result_o
  );

endmodule
