// What sigmoid, tanh and recip make of their quotient. Other functions pass through.
//
// tanh = 1 - 2 / (1 + e^(2|x|)), or its small-argument ratio times |x|.
// Timing: three stages (multiply and shift, add and subtract, choose).
module special_finish
  import hwc_isa_pkg::*;
  import hwc_special_pkg::*;
  import hwc_float_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  logic   valid_i,
    input  state_t state_i,
    output logic   valid_o,
    output state_t state_o
);

  localparam logic [QuotientBits-1:0] One = QuotientBits'(1) << UnitBits;
  localparam int unsigned ProductDrop = 8;

  typedef struct packed {
    state_t state;
    logic [ValueBits-1:0] product;
    logic [QuotientBits-1:0] difference;
  } finished_t;

  typedef struct packed {
    state_t state;
    logic [QuotientBits-1:0] twice;  // the quotient of tanh, as far down as 1 + e^(2|x|) is up
  } shifted_t;

  logic shifted_valid, finished_valid;
  shifted_t shifted_d, shifted_q;
  finished_t finished_d, finished_q;
  state_t state_d;

  // Multiply and shift. The exponent of 1 + e^(2|x|) is 1 at least.
  always_comb begin
    shifted_d.state = state_i;
    shifted_d.twice = QuotientBits'({state_i.value[QuotientBits-1:0], 1'b0} >> state_i.scale);
  end

  delay_line #(
      .data_t(shifted_t)
  ) u_shifted (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (shifted_d),
      .valid_o(shifted_valid),
      .data_o (shifted_q)
  );

  multiply_add #(
      .ABits  (SignificandBits),
      .BBits  (QuotientBits),
      .SumBits(ValueBits)
  ) u_multiply (
      .clk_i,
      .a_i     (state_i.significand),
      .b_i     (state_i.value[QuotientBits-1:0]),
      .addend_i('0),
      .sum_o   (finished_d.product)
  );

  // Add and subtract.
  assign finished_d.state = shifted_q.state;
  assign finished_d.difference = One - shifted_q.twice;

  delay_line #(
      .data_t(finished_t)
  ) u_finished (
      .clk_i,
      .rst_ni,
      .valid_i(shifted_valid),
      .data_i (finished_d),
      .valid_o(finished_valid),
      .data_o (finished_q)
  );

  // Choose.
  always_comb begin
    state_t state;

    state = finished_q.state;
    state_d = state;
    unique case (state.op)
      OperationSigmoid: state_d.scale = -exponent_t'(UnitBits) - state.scale;
      OperationRecip: state_d.scale = -exponent_t'(UnitBits) - state.exponent;
      OperationTanh: begin
        if (is_small_tanh(state.op, state.exponent)) begin
          state_d.value = finished_q.product >> ProductDrop;
          state_d.scale = state.exponent - exponent_t'(FractionBits + UnitBits - ProductDrop);
        end else begin
          state_d.value = ValueBits'(finished_q.difference);
          state_d.scale = -exponent_t'(UnitBits);
        end
      end
      default: ;
    endcase
  end

  delay_line #(
      .data_t(state_t)
  ) u_state (
      .clk_i,
      .rst_ni,
      .valid_i(finished_valid),
      .data_i (state_d),
      .valid_o,
      .data_o (state_o)
  );

endmodule
