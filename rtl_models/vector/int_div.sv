// Signed integer division: div.i32.
//
// Rounds toward zero; x / 0 is -1 and -2^31 / -1 is -2^31.
// Timing: result_o belongs to the operands of `Depth` cycles before; one set of operands per cycle.
// One stage takes the magnitudes, 32 stages find one bit of the quotient each, one gives it its
// sign; a greater depth delays the result.
module int_div
  import hwc_vector_pkg::*;
#(
    parameter int unsigned Depth = hwc_isa_pkg::LatencyDiv - RegisterStages
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      valid_i,
    input  operands_t operands_i,
    output logic      valid_o,
    output lane_t     result_o
);

  localparam int unsigned Stages = LaneBits + 2;

  // State between two bits of the quotient. The dividend moves out of `quotient` at the top, one
  // bit per stage, while the quotient moves in from below.
  typedef struct packed {
    logic negate;
    lane_t divisor;
    lane_t remainder;
    lane_t quotient;
  } state_t;

  // [0] is the magnitudes' stage, [i] has the first i bits of the quotient.
  logic   valid  [LaneBits+1];
  state_t state_d[LaneBits+1];
  state_t state_q[LaneBits+1];
  lane_t  result_d;

  // Magnitudes. A divisor of 0 fits into every remainder: the quotient's bits are all 1, which is
  // the wanted -1 if it keeps its sign. 2^31, the magnitude of the least number, is itself as a
  // negative number: it wraps as wanted.
  always_comb begin
    state_d[0].negate = operands_i.a[LaneBits-1] != operands_i.b[LaneBits-1] && operands_i.b != '0;
    state_d[0].divisor = operands_i.b[LaneBits-1] ? -operands_i.b : operands_i.b;
    state_d[0].remainder = '0;
    state_d[0].quotient = operands_i.a[LaneBits-1] ? -operands_i.a : operands_i.a;
  end

  delay_line #(
      .data_t(state_t)
  ) u_magnitudes (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (state_d[0]),
      .valid_o(valid[0]),
      .data_o (state_q[0])
  );

  for (genvar i = 0; i < LaneBits; i++) begin : gen_bits
    always_comb begin
      logic [LaneBits:0] remainder, difference;

      remainder = {state_q[i].remainder, state_q[i].quotient[LaneBits-1]};
      difference = remainder - {1'b0, state_q[i].divisor};
      // The remainder before was below the divisor, so the top bit of the difference is its sign.
      state_d[i+1] = state_q[i];
      state_d[i+1].remainder = difference[LaneBits] ? remainder[LaneBits-1:0]
                                                    : difference[LaneBits-1:0];
      state_d[i+1].quotient = {state_q[i].quotient[LaneBits-2:0], !difference[LaneBits]};
    end

    delay_line #(
        .data_t(state_t)
    ) u_bit (
        .clk_i,
        .rst_ni,
        .valid_i(valid[i]),
        .data_i (state_d[i+1]),
        .valid_o(valid[i+1]),
        .data_o (state_q[i+1])
    );
  end

  // Sign.
  assign result_d = state_q[LaneBits].negate ? -state_q[LaneBits].quotient
                                             : state_q[LaneBits].quotient;

  unit_result #(
      .Unit  (hwc_isa_pkg::UnitDiv),
      .Depth (Depth),
      .Stages(Stages)
  ) u_result (
      .clk_i,
      .rst_ni,
      .valid_i,
      .operands_i,
      .result_valid_i(valid[LaneBits]),
      .result_i      (result_d),
      .valid_o,
      .result_o
  );

endmodule
