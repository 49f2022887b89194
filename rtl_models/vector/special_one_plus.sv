// 1 + 2^(n + f) for sigmoid and tanh, and the argument of the quotients' table.
//
// The sum is taken over 2^max(n, 0), so that it needs no more than 36 fraction bits; it leaves as
// the row and offset of its significand, `scale` being its exponent. exp and pow are done here.
// Timing: three stages (place, shift, add).
module special_one_plus
  import hwc_isa_pkg::*;
  import hwc_special_pkg::*;
  import hwc_tables_pkg::*;
  import hwc_float_pkg::*;
(
    input  logic   clk_i,
    input  logic   rst_ni,
    input  logic   valid_i,
    input  state_t state_i,
    output logic   valid_o,
    output state_t state_o
);

  localparam int unsigned TotalBits = UnitBits + 2;
  localparam logic [TotalBits-1:0] One = TotalBits'(1) << UnitBits;
  // pow: far enough below binary32 for every smaller power to be 0 as well.
  localparam exponent_t LeastPower = -exponent_t'(512);

  typedef logic [TanhSegmentBits+OffsetBits-1:0] argument_t;

  typedef struct packed {
    state_t state;
    exponent_t up;  // max(n, 0)
    exponent_t down;  // max(-n, 0)
    exponent_t below;  // shift of a small tanh's argument
  } placed_t;

  typedef struct packed {
    state_t state;
    exponent_t up;
    logic [TotalBits-1:0] power;
    logic [TotalBits-1:0] one;
    argument_t argument;
  } shifted_t;

  logic placed_valid, shifted_valid;
  placed_t placed_d, placed_q;
  shifted_t shifted_d, shifted_q;
  state_t state_d;

  // Place.
  always_comb begin
    placed_d.state = state_i;
    placed_d.up = state_i.scale > exponent_t'(0) ? state_i.scale : exponent_t'(0);
    placed_d.down = state_i.scale < exponent_t'(0) ? -state_i.scale : exponent_t'(0);
    placed_d.below = -exponent_t'(2) - state_i.exponent;
  end

  delay_line #(
      .data_t(placed_t)
  ) u_placed (
      .clk_i,
      .rst_ni,
      .valid_i,
      .data_i (placed_d),
      .valid_o(placed_valid),
      .data_o (placed_q)
  );

  // Shift.
  always_comb begin
    shifted_d.state = placed_q.state;
    shifted_d.up = placed_q.up;
    shifted_d.power = TotalBits'(placed_q.state.value) >> placed_q.down;
    shifted_d.one = One >> placed_q.up;
    shifted_d.argument = {placed_q.state.significand,
        (TanhSegmentBits + OffsetBits - SignificandBits)'(0)} >> placed_q.below;
  end

  delay_line #(
      .data_t(shifted_t)
  ) u_shifted (
      .clk_i,
      .rst_ni,
      .valid_i(placed_valid),
      .data_i (shifted_d),
      .valid_o(shifted_valid),
      .data_o (shifted_q)
  );

  // Add, and choose the table's argument.
  always_comb begin
    state_t state;
    exponent_t up;
    logic [TotalBits-1:0] total;

    state = shifted_q.state;
    up = shifted_q.up;
    total = shifted_q.power + shifted_q.one;
    if (total[TotalBits-1]) begin
      total = total >> 1;
      up += exponent_t'(1);
    end

    state_d = state;
    unique case (state.op)
      OperationExp: state_d.scale = state.scale - exponent_t'(UnitBits);
      OperationPow: begin
        state_d.scale = (state.scale < LeastPower ? LeastPower : state.scale) -
                        exponent_t'(UnitBits);
      end
      OperationSigmoid, OperationTanh: begin
        state_d.scale = up;
        state_d.index = IndexBits'(total[UnitBits-1:OffsetBits]);
        state_d.offset = total[OffsetBits-1:0];
        if (is_small_tanh(state.op, state.exponent)) begin
          state_d.index = TanhFirst + IndexBits'(shifted_q.argument[OffsetBits+:TanhSegmentBits]);
          state_d.offset = shifted_q.argument[OffsetBits-1:0];
        end
      end
      OperationRecip: begin
        state_d.index = IndexBits'(state.significand[FractionBits-1-:RecipSegmentBits]);
        state_d.offset = offset_of(state.significand, RecipSegmentBits);
      end
      default: ;
    endcase
  end

  delay_line #(
      .data_t(state_t)
  ) u_state (
      .clk_i,
      .rst_ni,
      .valid_i(shifted_valid),
      .data_i (state_d),
      .valid_o,
      .data_o (state_o)
  );

endmodule
