// Unit alu: every instruction of integers and binary32 that is neither sum nor product of floats,
// integer product, quotient, conversion nor special function.
//
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// One stage; a greater depth delays the result.
module alu
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencyAlu - RegisterStages
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 valid_i,
    input  hwc_isa_pkg::opcode_e op_i,
    input  lane_t                a_i,
    input  lane_t                b_i,
    input  lane_t                c_i,
    output logic                 valid_o,
    output lane_t                result_o
);

  if (Depth < 1) begin : gen_depth_check
    $error("alu needs a Depth of at least 1, got %0d", Depth);
  end

  lane_t int_result, float_result;

  int_alu u_int_alu (
      .op_i,
      .a_i,
      .b_i,
      .c_i,
      .result_o(int_result)
  );

  fp_misc u_fp_misc (
      .op_i,
      .a_i,
      .b_i,
      .result_o(float_result)
  );

  // Each part gives 0 for the other's instructions.
  delay_line #(
      .data_t(lane_t),
      .Stages(Depth)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (int_result | float_result),
      .valid_o,
      .data_o (result_o)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      assert (belongs_to(hwc_isa_pkg::UnitAlu, op_i)) else $error("another unit's instruction");
    end
  end
`endif

endmodule
