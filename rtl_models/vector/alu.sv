// Unit alu: every instruction of integers and floats that is neither sum nor product of floats,
// integer product, quotient, conversion nor special function.
//
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// One stage; a greater depth delays the result.
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

  localparam int unsigned Stages = 1;

  logic  is_float;
  lane_t int_result, float_result;

  int_alu u_int_alu (
      .op_i    (operands_i.op),
      .a_i     (operands_i.a),
      .b_i     (operands_i.b),
      .c_i     (operands_i.c),
      .result_o(int_result)
  );

  fp_alu u_fp_alu (
      .op_i    (operands_i.op.operation),
      .a_i     (operands_i.a),
      .b_i     (operands_i.b),
      .result_o(float_result)
  );

  assign is_float = hwc_isa_pkg::type_kind(operands_i.op.element_type) == hwc_isa_pkg::KindFloat;

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitAlu),
      .Depth (Depth),
      .Stages(Stages)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i,
      .operands_i,
      .result_valid_i(valid_i),
      .result_i      (is_float ? float_result : int_result),
      .valid_o,
      .result_o
  );

endmodule
