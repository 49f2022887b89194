// The special functions of floats: exp, log, log2, log10, sin, cos, tanh, sigmoid, erf, rsqrt,
// recip, pow.
//
// All are integer arithmetic with one rounding at the end; the golden functions state every width.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// The stages below and the result's add up to 59; a greater depth delays the result. A format
// matters only where operands are unpacked and where the result is packed.
module special
  import hwc_special_pkg::*;
  import hwc_float_pkg::*;
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencySfu - RegisterStages
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      valid_i,
    input  operands_t operands_i,
    output logic      valid_o,
    output lane_t     result_o
);

  localparam int unsigned CubicStages = 8;
  localparam int unsigned UnpackStages = 2;
  localparam int unsigned ArgumentStages = 8;
  localparam int unsigned StagesToPower = CubicStages + 8;  // from the argument on
  localparam int unsigned StagesToOnePlus = StagesToPower + 6 + CubicStages;
  localparam int unsigned StagesToFinish = StagesToOnePlus + 3 + CubicStages;
  localparam int unsigned StagesToPack = StagesToFinish + 3;
  localparam int unsigned Stages = UnpackStages + ArgumentStages + StagesToPack + 4 + 1;

  // Bits of a value when it is rounded; its top bit is then worth 2^(scale + 52).
  localparam int unsigned PackedBits = 53;
  localparam exponent_t PackedBias = exponent_t'(ExponentBias + PackedBits - 1);

  logic unpacked_valid, argument_valid, entry_valid, product_valid, power_valid;
  logic exp2_valid, one_plus_valid, quotient_valid, finished_valid, packed_valid;
  lane_t packed_result;
  state_t unpacked, argument, entry, product, power, exp2, one_plus, quotient, finished;

  // What is read again long after it was made waits in memories beside the pipeline, and comes back
  // where it is read. Only a function that has it reads it.
  typedef struct packed {
    hwc_isa_pkg::type_e result_type;
    logic settled;
    lane_t settled_result;
  } settled_t;

  typedef struct packed {
    significand_t significand;
    exponent_t exponent;
  } number_t;

  // The valid bits of these memories are the pipeline's.
  // verilator lint_off UNUSEDSIGNAL
  logic settled_valid, y_valid, x_power_valid, x_one_plus_valid, x_finish_valid;
  // verilator lint_on UNUSEDSIGNAL
  settled_t settled;
  number_t y, x_power, x_one_plus, x_finish;
  state_t power_state, one_plus_state, finish_state;

  delay_line #(
      .data_t(settled_t),
      .Stages(ArgumentStages + StagesToPack)
  ) u_settled (
      .clk_i,
      .rst_ni,
      .valid_i(unpacked_valid),
      .data_i ('{unpacked.result_type, unpacked.settled, unpacked.settled_result}),
      .valid_o(settled_valid),
      .data_o (settled)
  );

  delay_line #(
      .data_t(number_t),
      .Stages(ArgumentStages + StagesToPower)
  ) u_y (
      .clk_i,
      .rst_ni,
      .valid_i(unpacked_valid),
      .data_i ('{unpacked.y_significand, unpacked.y_exponent}),
      .valid_o(y_valid),
      .data_o (y)
  );

  delay_line #(
      .data_t(number_t),
      .Stages(StagesToPower)
  ) u_x_power (
      .clk_i,
      .rst_ni,
      .valid_i(argument_valid),
      .data_i ('{argument.significand, argument.exponent}),
      .valid_o(x_power_valid),
      .data_o (x_power)
  );

  delay_line #(
      .data_t(number_t),
      .Stages(StagesToOnePlus)
  ) u_x_one_plus (
      .clk_i,
      .rst_ni,
      .valid_i(argument_valid),
      .data_i ('{argument.significand, argument.exponent}),
      .valid_o(x_one_plus_valid),
      .data_o (x_one_plus)
  );

  delay_line #(
      .data_t(number_t),
      .Stages(StagesToFinish)
  ) u_x_finish (
      .clk_i,
      .rst_ni,
      .valid_i(argument_valid),
      .data_i ('{argument.significand, argument.exponent}),
      .valid_o(x_finish_valid),
      .data_o (x_finish)
  );

  always_comb begin
    power_state = product;
    {power_state.significand, power_state.exponent} = x_power;
    {power_state.y_significand, power_state.y_exponent} = y;
    one_plus_state = exp2;
    {one_plus_state.significand, one_plus_state.exponent} = x_one_plus;
    finish_state = quotient;
    {finish_state.significand, finish_state.exponent} = x_finish;
  end

  logic unused_bits;
  assign unused_bits = ^finished;

  special_unpack u_unpack (
      .clk_i,
      .rst_ni,
      .valid_i,
      .operation_i  (operands_i.op.operation),
      .result_type_i(operands_i.op.result_type),
      .a_i          (operands_i.a),
      .b_i          (operands_i.b),
      .valid_o      (unpacked_valid),
      .state_o      (unpacked)
  );

  special_argument u_argument (
      .clk_i,
      .rst_ni,
      .valid_i(unpacked_valid),
      .state_i(unpacked),
      .valid_o(argument_valid),
      .state_o(argument)
  );

  special_cubic #(
      .Table(TableEntry)
  ) u_entry (
      .clk_i,
      .rst_ni,
      .valid_i(argument_valid),
      .state_i(argument),
      .valid_o(entry_valid),
      .state_o(entry)
  );

  special_product u_product (
      .clk_i,
      .rst_ni,
      .valid_i(entry_valid),
      .state_i(entry),
      .valid_o(product_valid),
      .state_o(product)
  );

  special_power u_power (
      .clk_i,
      .rst_ni,
      .valid_i(product_valid),
      .state_i(power_state),
      .valid_o(power_valid),
      .state_o(power)
  );

  special_cubic #(
      .Table(TableExp2)
  ) u_exp2 (
      .clk_i,
      .rst_ni,
      .valid_i(power_valid),
      .state_i(power),
      .valid_o(exp2_valid),
      .state_o(exp2)
  );

  special_one_plus u_one_plus (
      .clk_i,
      .rst_ni,
      .valid_i(exp2_valid),
      .state_i(one_plus_state),
      .valid_o(one_plus_valid),
      .state_o(one_plus)
  );

  special_cubic #(
      .Table(TableQuotient)
  ) u_quotient (
      .clk_i,
      .rst_ni,
      .valid_i(one_plus_valid),
      .state_i(one_plus),
      .valid_o(quotient_valid),
      .state_o(quotient)
  );

  special_finish u_finish (
      .clk_i,
      .rst_ni,
      .valid_i(quotient_valid),
      .state_i(finish_state),
      .valid_o(finished_valid),
      .state_o(finished)
  );

  fp_pack #(
      .Width(PackedBits)
  ) u_pack (
      .clk_i,
      .rst_ni,
      .valid_i         (finished_valid),
      .result_type_i   (settled.result_type),
      .settled_i       (settled.settled),
      .settled_result_i(settled.settled_result),
      .negative_i      (finished.negative),
      .cancels_i       (1'b0),
      .exponent_i      (finished.scale + PackedBias),
      .value_i         (finished.value[PackedBits-1:0]),
      .valid_o         (packed_valid),
      .result_o        (packed_result)
  );

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitSfu),
      .Depth (Depth),
      .Stages(Stages)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i,
      .operands_i,
      .result_valid_i(packed_valid),
      .result_i      (packed_result),
      .valid_o,
      .result_o
  );

endmodule
