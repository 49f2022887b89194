// The end of an arithmetic unit: registers the result and delays it to the depth that the unit has.
//
// `Stages` counts the unit's stages of registers, this module's first one included. The operands'
// side is only there to be checked: a unit gets no other unit's instruction.
// Timing: result_o repeats result_i of `Depth - Stages + 1` cycles before.
module unit_result
  import hwc_isa_pkg::*;
  import hwc_vector_pkg::*;
#(
    parameter unit_e Unit = UnitAlu,
    parameter int unsigned Depth = 1,
    parameter int unsigned Stages = 1
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      valid_i,
    input  operands_t operands_i,
    input  logic      result_valid_i,
    input  lane_t     result_i,
    output logic      valid_o,
    output lane_t     result_o
);

  logic unused_operands;
  assign unused_operands = ^operands_i;

  if (Depth < Stages) begin : gen_depth_check
    $error("%m: a unit of %0d stages cannot have a Depth of %0d", Stages, Depth);
  end

  delay_line #(
      .data_t(lane_t),
      .Stages(Depth - Stages + 1)
  ) u_delay (
      .clk_i,
      .rst_ni,
      .valid_i(result_valid_i),
      .data_i (result_i),
      .valid_o,
      .data_o (result_o)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (!valid_i || belongs_to(Unit, operands_i.op))
      else $error("%m: got an instruction of another unit");
    end
  end
`endif

endmodule
